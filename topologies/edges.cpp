// A graph given by its edges: {"kind": "edges", "edges": [[0, 1], [1, 2]], "weights": "metropolis"}.
#include <cstdint>
#include <string>
#include <vector>

#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Edges final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "edges"; }
  void declare(Options& options) override {
    options.add("edges", edges_)
        .required()
        .help("pairs of nodes from 0; [0, 1] lets 1 listen to 0 and 0 to 1");
    options.add("directed", directed_).help("an edge [0, 1] only lets 1 listen to 0");
    WeightedGraph::declare(options);
  }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const std::vector<std::int64_t>& edge = edges_[i];
      const std::string option = "edges[" + std::to_string(i) + "]";
      if (edge.size() != 2) refuse_graph(option, "an edge is a pair of nodes");
      for (const std::int64_t node : edge) {
        if (node < 0 || node >= nodes) {
          refuse_graph(option, "there is no node " + std::to_string(node),
                       "0 to " + std::to_string(nodes - 1));
        }
      }
      const int from = static_cast<int>(edge[0]), to = static_cast<int>(edge[1]);
      if (from == to) refuse_graph(option, "a node is always joined to itself; an edge has two ends");
      graph.add(from, to);
      if (!directed_) graph.add(to, from);
    }
    return graph;
  }

 private:
  std::vector<std::vector<std::int64_t>> edges_;
  bool directed_ = false;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_edges() {
  return std::make_unique<Edges>();
}

}  // namespace convoy
