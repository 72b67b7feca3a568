// Two sides without edges inside: nodes 0 to left-1, and the others. Node i of the left is joined to the
// right's i, i+1, ..., i+degree-1 (cyclically, scaled to the sizes); without a degree to all of them. With
// equal sides and the full degree, Metropolis weights are 1/(m+1) for sides of m: eigenvalues 1, 1/(m+1)
// (2m-2 times) and (1-m)/(1+m).
#include <algorithm>
#include <optional>
#include <string>

#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Bipartite final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "bipartite"; }
  [[nodiscard]] std::string_view about() const override { return "two sides, edges only across"; }
  void declare(Options& options) override {
    options.add("left", left_).at_least(1).default_text("half of the nodes").help("nodes of the first side");
    options.add("degree", degree_)
        .at_least(1)
        .default_text("all of the right")
        .help("edges of each left node");
    WeightedGraph::declare(options);
  }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    if (nodes == 1) return graph;
    const std::int64_t left = left_.value_or(nodes / 2);
    if (left >= nodes) {
      refuse_graph("left", std::to_string(nodes) + " nodes leave none for the right side",
                   "1 to " + std::to_string(nodes - 1));
    }
    const std::int64_t right = nodes - left, degree = degree_.value_or(right);
    if (degree > right) {
      refuse_graph("degree", "the right side has only " + std::to_string(right) + " nodes",
                   "1 to " + std::to_string(right));
    }
    for (std::int64_t i = 0; i < left; ++i) {
      for (std::int64_t k = 0; k < degree; ++k) {
        graph.join(static_cast<int>(i), static_cast<int>(left + (i * right / left + k) % right));
      }
    }
    return graph;
  }

 private:
  std::optional<std::int64_t> left_, degree_;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_bipartite() {
  return std::make_unique<Bipartite>();
}

}  // namespace convoy
