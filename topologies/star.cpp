// Star: node 0 and its spokes. With metropolis weights the eigenvalues are 1, 1 - 1/n (n-2 times) and 0.
#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Star final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "star"; }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    for (int i = 1; i < nodes; ++i) graph.join(0, i);
    return graph;
  }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_star() {
  return std::make_unique<Star>();
}

}  // namespace convoy
