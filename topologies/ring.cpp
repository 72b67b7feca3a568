// Ring: each node and its two neighbours. Two nodes share one edge. From four nodes on, weights are 1/3 and
// the eigenvalues (1 + 2 cos(2 pi k/n)) / 3.
#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Ring final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "ring"; }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    for (int i = 0; i < nodes; ++i) graph.join(i, (i + 1) % nodes);
    return graph;
  }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_ring() {
  return std::make_unique<Ring>();
}

}  // namespace convoy
