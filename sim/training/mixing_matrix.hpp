// The communication graph of a decentralized algorithm, as weights: w_ij is the weight that node i puts on
// j's value, so row i is what i mixes (rows are receivers; libraries that store what a sender sends hold the
// transpose).
//
// An algorithm takes the graph as an option and never sees who builds it; makers are handed in where the
// algorithm is registered (`topologies` exports graph_makers()), because algorithms and topologies do not
// know each other:
//
//   std::unique_ptr<GraphBuilder> graph;
//   options.add("graph", graph, makers);                        // {"kind": "ring"}, {"kind": "torus",
//   "rows": 4}, ... MixingMatrix w = graph->build(workers); w.require({MixingProperty::row_stochastic,
//   MixingProperty::column_stochastic}, "d_psgd"); for (const MixingMatrix::Entry& e : w.row(i))
//   x.axpy(e.weight, models[e.node]);   // self included, ascending
#pragma once

#include <complex>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/options.hpp"

namespace convoy {

/// What convergence theories ask of a mixing matrix. Sums and symmetry hold to 1e-12.
enum class MixingProperty {
  nonnegative,        ///< P1: no weight is negative
  row_stochastic,     ///< P2: rows sum to 1 (a constant stays constant)
  column_stochastic,  ///< P3: columns sum to 1 (the mean is kept; alone, without P2: push-sum is needed)
  connected,          ///< P4a: a directed way from every node to every other
  aperiodic,          ///< P4b: the lengths of cycles have no common divisor (a self weight is enough)
  symmetric,          ///< P5: w_ij = w_ji
};
[[nodiscard]] std::string_view name_of(MixingProperty property);
/// What to change where the property is missing.
[[nodiscard]] std::string remedy_of(MixingProperty property);

class MixingMatrix {
 public:
  struct Entry {
    int node = 0;
    double weight = 0;
  };

  /// `rows[i]` holds the entries of row i in any order, each node at most once; zero weights are dropped,
  /// except on the diagonal. Throws std::logic_error for a node out of range or repeated, or a weight that is
  /// not finite.
  MixingMatrix(std::string graph, std::vector<std::vector<Entry>> rows);

  [[nodiscard]] int size() const { return static_cast<int>(row_begin_.size()) - 1; }
  /// Name of the graph, "ring", for reports.
  [[nodiscard]] const std::string& graph() const { return graph_; }
  /// The weight that i puts on j's value; 0 where there is no edge.
  [[nodiscard]] double weight(int i, int j) const;
  /// Nonzero weights of row i and always the diagonal, by node ascending.
  [[nodiscard]] std::span<const Entry> row(int i) const;
  /// Whom i listens to, without i, ascending.
  [[nodiscard]] std::span<const int> in_neighbours(int i) const;
  /// Who listens to i, without i, ascending.
  [[nodiscard]] std::span<const int> out_neighbours(int i) const;
  /// Directed edges without self loops.
  [[nodiscard]] std::size_t edges() const { return in_.size(); }

  [[nodiscard]] bool has(MixingProperty property) const;
  /// Throws ConfigError with a fault for each property that is missing: `who` (the algorithm) needs it, and a
  /// remedy.
  void require(std::initializer_list<MixingProperty> properties, std::string_view who) const;
  [[nodiscard]] MixingMatrix transposed() const;
  /// Two nodes of which the second never hears of the first, whatever is relayed. Throws std::logic_error
  /// where the graph is connected.
  [[nodiscard]] std::pair<int, int> cut_off() const;

 private:
  /// The part of `all` that belongs to node i. Throws std::out_of_range for a node that does not exist.
  template <class T>
  [[nodiscard]] static std::span<const T> part(const std::vector<T>& all,
                                               const std::vector<std::size_t>& begin, int i) {
    const auto at = static_cast<std::size_t>(i);
    return std::span<const T>(all).subspan(begin.at(at), begin.at(at + 1) - begin[at]);
  }
  std::string graph_;
  std::vector<std::size_t> row_begin_, in_begin_, out_begin_;
  std::vector<Entry> entries_;
  std::vector<int> in_, out_;
};

/// Eigenvalues and what rates of consensus follow from. J is the matrix of all 1/n.
struct Spectrum {
  std::vector<std::complex<double>> eigenvalues;  ///< by real part descending, then imaginary part descending
  double beta =
      0;  ///< ||W - J||_2; for normal W the second largest modulus. Deviations shrink by beta a round
  double gap = 1;  ///< 1 - beta
  double lambda_min =
      1;  ///< smallest real part. P6, asked by D2 and exact diffusion without laziness: > -1/3
};

class GraphSequence;

/// Builds a communication graph and its weights for any number of nodes.
class GraphBuilder {
 public:
  virtual ~GraphBuilder() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// One line for `sim list`.
  [[nodiscard]] virtual std::string_view about() const { return {}; }
  virtual void declare(Options& options) = 0;
  /// Throws ConfigError where the graph does not exist for that many nodes, or changes from round to round.
  [[nodiscard]] virtual MixingMatrix build(int nodes) const = 0;
  /// The graph of each round (training/mixing_sequence.hpp): build(nodes) for ever, unless the kind says
  /// otherwise. `seed` is the run's; only graphs that are drawn anew each round use it. The builder outlives
  /// the sequence.
  [[nodiscard]] virtual std::shared_ptr<const GraphSequence> sequence(int nodes, std::uint64_t seed) const;
  /// Dense eigenvalues, O(n^3).
  [[nodiscard]] virtual Spectrum spectrum(const MixingMatrix& matrix) const = 0;
};

}  // namespace convoy
