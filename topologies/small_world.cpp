// Small world (Watts, Strogatz, Nature 1998): a ring in which each node is joined to its k nearest; then the
// far end of each edge moves to a random node with probability p.
#include <string>

#include "topologies/graphs.hpp"
#include "topologies/random_graph.hpp"

namespace convoy {

namespace {

class SmallWorld final : public RandomGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "small_world"; }
  [[nodiscard]] std::string_view about() const override { return "a ring with random short cuts"; }
  void declare(Options& options) override {
    options.add("neighbours", neighbours_)
        .at_least(2)
        .help("nearest nodes on the ring, half of them each way; even");
    options.add("rewire", rewire_)
        .between(0, 1)
        .help("probability that an edge's far end moves to a random node");
    RandomGraph::declare(options);
  }

 protected:
  void require_possible(int nodes) const override {
    if (neighbours_ % 2 != 0) refuse_graph("neighbours", "must be even: half of them on each side");
    if (neighbours_ >= nodes && nodes > 2) {
      refuse_graph("neighbours",
                   std::to_string(nodes) + " nodes have no " + std::to_string(neighbours_) + " others each",
                   "less than the number of nodes");
    }
  }
  [[nodiscard]] Adjacency draw(int nodes, RandomStream& random) const override {
    Adjacency graph(nodes);
    for (std::int64_t hop = 1; hop <= neighbours_ / 2; ++hop) {
      for (int i = 0; i < nodes; ++i) graph.join(i, static_cast<int>((i + hop) % nodes));
    }
    for (std::int64_t hop = 1; hop <= neighbours_ / 2; ++hop) {
      for (int i = 0; i < nodes; ++i) {
        const int old = static_cast<int>((i + hop) % nodes);
        const bool moves = random.uniform() < rewire_;
        const int far = static_cast<int>(random.below(static_cast<std::uint64_t>(nodes)));
        // An edge stays where its new end would make a loop or a double edge.
        if (!moves || far == i || graph.has(i, far)) continue;
        graph.remove(i, old), graph.remove(old, i);
        graph.join(i, far);
      }
    }
    return graph;
  }

 private:
  std::int64_t neighbours_ = 4;
  double rewire_ = 0.1;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_small_world() {
  return std::make_unique<SmallWorld>();
}

}  // namespace convoy
