// Complete graph: everyone listens to everyone; one round is exact averaging.
#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Complete final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "complete"; }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    for (int i = 0; i < nodes; ++i) {
      for (int j = 0; j < i; ++j) graph.join(i, j);
    }
    return graph;
  }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_complete() {
  return std::make_unique<Complete>();
}

}  // namespace convoy
