#include "topologies/random_graph.hpp"

#include <algorithm>
#include <set>
#include <string>

#include "topologies/changing_graph.hpp"

namespace convoy {

void RandomGraph::declare(Options& options) {
  options.add("seed", seed_)
      .at_least(0)
      .help("another number, another graph; the seeds of runs do not change it");
  options.add("each_round", each_round_)
      .help("a new graph in every round, drawn from the run's seed; it need not be connected then");
  WeightedGraph::declare(options);
}

MixingMatrix RandomGraph::build(int nodes) const {
  if (each_round_) refuse_static_use(kind());
  return WeightedGraph::build(nodes);
}

std::shared_ptr<const GraphSequence> RandomGraph::sequence(int nodes, std::uint64_t seed) const {
  if (!each_round_) return WeightedGraph::sequence(nodes, seed);
  require_possible(nodes);
  return std::make_shared<DrawnSequence>(nodes, [this, nodes, seed](std::int64_t round) {
    RandomStream random(seed, kind(), static_cast<std::uint64_t>(seed_), static_cast<std::uint64_t>(round));
    return weighted(draw(nodes, random));
  });
}

Adjacency RandomGraph::adjacency(int nodes) const {
  require_possible(nodes);
  for (int attempt = 0; attempt < most_attempts; ++attempt) {
    RandomStream random(static_cast<std::uint64_t>(seed_), kind(), static_cast<std::uint64_t>(attempt));
    Adjacency graph = draw(nodes, random);
    if (graph.connected()) return graph;
  }
  RandomStream random(static_cast<std::uint64_t>(seed_), kind());
  const auto [from, to] = draw(nodes, random).cut_off();
  refuse_graph({},
               std::to_string(most_attempts) + " random graphs of " + std::to_string(nodes) +
                   " nodes were not connected; in the first, node " + std::to_string(to) +
                   " never hears of node " + std::to_string(from),
               {}, "more edges, or another \"seed\"");
}

std::vector<int> choose(int size, int count, RandomStream& random) {
  // Floyd's algorithm: `count` draws, whatever the size.
  std::set<int> chosen;
  for (int top = size - count; top < size; ++top) {
    const int pick = static_cast<int>(random.below(static_cast<std::uint64_t>(top) + 1));
    if (!chosen.insert(pick).second) chosen.insert(top);
  }
  return {chosen.begin(), chosen.end()};
}

}  // namespace convoy
