// Hypercube of 2^d nodes: neighbours differ in one bit. Weights are 1/(d+1), eigenvalues 1 - 2j/(d+1), C(d,
// j) times.
#include <bit>
#include <string>

#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Hypercube final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "hypercube"; }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    if (!std::has_single_bit(static_cast<unsigned>(nodes))) {
      refuse_graph({}, "a hypercube needs a power of two nodes, not " + std::to_string(nodes),
                   "1, 2, 4, 8, ...");
    }
    for (int i = 0; i < nodes; ++i) {
      for (int bit = 1; bit < nodes; bit *= 2) graph.join(i, i ^ bit);
    }
    return graph;
  }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_hypercube() {
  return std::make_unique<Hypercube>();
}

}  // namespace convoy
