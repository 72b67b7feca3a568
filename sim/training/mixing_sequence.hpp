// Communication graphs that may change from round to round, and what algorithms ask of them.
//
//   const MixingRequirement& needs = doubly_stochastic_mixing();
//   std::shared_ptr<const GraphSequence> graphs = needs.require(*graph_, cluster.size(), cluster.seed(),
//   kind()); co_await w.mix(*graphs, stream, w.parameters());        // round t mixes with graphs->at(t)
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/mixing_matrix.hpp"

namespace convoy {

/// The mixing matrices of a run, one a round, all of the same size.
class GraphSequence {
 public:
  virtual ~GraphSequence() = default;
  [[nodiscard]] virtual int size() const = 0;
  /// W of round t = 0, 1, ...: a pure function of t.
  [[nodiscard]] virtual std::shared_ptr<const MixingMatrix> at(std::int64_t round) const = 0;
  /// at(t + period()) equals at(t); 1: the graph never changes; 0: it is drawn anew each round.
  [[nodiscard]] virtual std::int64_t period() const = 0;
};

/// The same matrix in every round.
[[nodiscard]] std::shared_ptr<const GraphSequence> constant_sequence(MixingMatrix matrix);
/// Matrix t mod period in round t. Throws std::logic_error for none, or for sizes that differ.
[[nodiscard]] std::shared_ptr<const GraphSequence> periodic_sequence(std::vector<MixingMatrix> matrices);

/// Matrices that `draw` makes, a pure function of the round; the latest are kept.
class DrawnSequence final : public GraphSequence {
 public:
  using Draw = std::function<MixingMatrix(std::int64_t round)>;
  DrawnSequence(int size, Draw draw) : size_(size), draw_(std::move(draw)) {}
  [[nodiscard]] int size() const override { return size_; }
  [[nodiscard]] std::shared_ptr<const MixingMatrix> at(std::int64_t round) const override;
  [[nodiscard]] std::int64_t period() const override { return 0; }

 private:
  int size_;
  Draw draw_;
  mutable std::map<std::int64_t, std::shared_ptr<const MixingMatrix>> kept_;
};

/// The matrix of all edges of `rounds` rounds, each with weight 1/rounds of its own: connected where the
/// rounds are together.
[[nodiscard]] MixingMatrix mean_matrix(const GraphSequence& graphs, std::int64_t rounds);

/// What the theory of an algorithm asks of its mixing matrices.
struct MixingRequirement {
  std::string name;                             ///< "doubly stochastic"
  std::string reason;                           ///< what goes wrong otherwise, a sentence
  std::vector<MixingProperty> every_round;      ///< of each matrix
  bool connected = true;                        ///< the edges of a period together (P4)
  std::optional<double> lambda_min_above = {};  ///< P6; a lazy matrix helps
  bool may_change = false;                      ///< graphs that change from round to round are allowed
  std::string source = {};

  /// The sequence of the graph for that many nodes. Throws ConfigError with a fault at "graph" for each
  /// property that is missing; a sequence without a period is looked at for `rounds_looked_at` rounds.
  std::shared_ptr<const GraphSequence> require(const GraphBuilder& graph, int nodes, std::uint64_t seed,
                                               std::string_view who) const;
  /// The faults alone; empty where the sequence fits.
  [[nodiscard]] std::vector<std::string> missing(const GraphBuilder& graph,
                                                 const GraphSequence& graphs) const;

  static constexpr std::int64_t rounds_looked_at = 32;
};

/// P2, P3, P4, in every round: decentralized SGD and its momentum forms, gradient tracking. Graphs may
/// change.
[[nodiscard]] const MixingRequirement& doubly_stochastic_mixing();
/// The same, of a graph that does not change.
[[nodiscard]] const MixingRequirement& static_doubly_stochastic_mixing();
/// P2 to P5: exact diffusion with (I + W)/2, EXTRA.
[[nodiscard]] const MixingRequirement& symmetric_mixing();
/// P2 to P5 and P6, lambda_min > -1/3: D2, which is exact diffusion without laziness.
[[nodiscard]] const MixingRequirement& symmetric_bounded_mixing();
/// P3, P4 (P7): push-sum corrects what column sums alone leave biased. Graphs may change.
[[nodiscard]] const MixingRequirement& push_sum_mixing();
/// P2, P4: epidemic and hub-spoke learning, whose mean is kept in expectation only. Graphs may change.
[[nodiscard]] const MixingRequirement& row_stochastic_mixing();
/// All of the above, for listings.
[[nodiscard]] std::vector<const MixingRequirement*> mixing_requirements();

}  // namespace convoy
