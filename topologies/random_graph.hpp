// Graphs that are drawn at random: once, or anew in each round.
#pragma once

#include <cstdint>
#include <memory>

#include "core/random.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

/// Declares `seed` and `each_round`. A graph that is drawn once is drawn until it is connected, a bounded
/// number of times; each attempt has a stream of its own, so that the result is the same everywhere.
class RandomGraph : public WeightedGraph {
 public:
  static constexpr int most_attempts = 100;

  void declare(Options& options) override;
  [[nodiscard]] MixingMatrix build(int nodes) const final;
  [[nodiscard]] std::shared_ptr<const GraphSequence> sequence(int nodes, std::uint64_t seed) const final;

 protected:
  /// Throws ConfigError after most_attempts graphs that are not connected.
  [[nodiscard]] Adjacency adjacency(int nodes) const final;
  [[nodiscard]] virtual Adjacency draw(int nodes, RandomStream& random) const = 0;
  /// Throws ConfigError where no such graph exists.
  virtual void require_possible(int nodes) const = 0;

 private:
  std::int64_t seed_ = 0;
  bool each_round_ = false;
};

/// `count` different numbers out of 0 to size - 1, every choice equally likely, ascending.
[[nodiscard]] std::vector<int> choose(int size, int count, RandomStream& random);

}  // namespace convoy
