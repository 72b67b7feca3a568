// Path: a ring that is cut once. With metropolis weights the eigenvalues are (1 + 2 cos(pi k/n)) / 3.
#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Path final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "path"; }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    for (int i = 1; i < nodes; ++i) graph.join(i - 1, i);
    return graph;
  }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_path() {
  return std::make_unique<Path>();
}

}  // namespace convoy
