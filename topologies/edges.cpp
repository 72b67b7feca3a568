// A graph given by its edges: {"kind": "edges", "edges": [[0, 1], [1, 2]], "weights": "metropolis"}, or by
// the name of a file of them (a JSON list, or a line an edge). With explicit weights an edge [from, to,
// weight] states what `to` puts on `from`.
#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <utility>
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
        .or_file()
        .help(
            "pairs of nodes from 0; [0, 1] lets 1 listen to 0 and 0 to 1; with explicit weights [0, 1, "
            "0.25]; "
            "or a file: a JSON list, or a line an edge (CSV, edge list)");
    options.add("directed", directed_).help("an edge [0, 1] only lets 1 listen to 0");
    WeightedGraph::declare(options);
  }

  [[nodiscard]] MixingMatrix build(int nodes) const override {
    if (weights() != MixingWeights::given || nodes < 1) return WeightedGraph::build(nodes);
    std::vector<std::map<int, double>> weights(static_cast<std::size_t>(nodes));
    (void)adjacency(nodes);
    for (const std::vector<double>& edge : edges_) {
      const int from = static_cast<int>(edge[0]), to = static_cast<int>(edge[1]);
      weights[static_cast<std::size_t>(to)][from] = edge[2];
      if (!directed_) weights[static_cast<std::size_t>(from)][to] = edge[2];
    }
    std::vector<std::vector<MixingMatrix::Entry>> rows(weights.size());
    for (std::size_t i = 0; i < rows.size(); ++i) {
      double self = 1;
      for (const auto& [node, weight] : weights[i]) {
        rows[i].push_back({node, lazy() * weight});
        self -= weight;
      }
      rows[i].push_back({static_cast<int>(i), 1 - lazy() + lazy() * self});
    }
    return MixingMatrix("edges", std::move(rows));
  }

 protected:
  [[nodiscard]] bool offers_given() const override { return true; }
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    const bool weighted = weights() == MixingWeights::given;
    for (std::size_t i = 0; i < edges_.size(); ++i) {
      const std::vector<double>& edge = edges_[i];
      const std::string option = "edges[" + std::to_string(i) + "]";
      if (weighted && (edge.size() != 3 || !std::isfinite(edge[2]))) {
        refuse_graph(option, "an edge with an explicit weight is a pair of nodes and a number");
      }
      // A third number without "explicit" would be ignored.
      if (!weighted && edge.size() != 2) {
        refuse_graph(option, "an edge is a pair of nodes", {},
                     edge.size() == 3 ? "\"weights\": \"explicit\" takes the third number as a weight" : "");
      }
      for (std::size_t end = 0; end < 2; ++end) {
        const double node = edge[end];
        if (node < 0 || node >= nodes || node != std::floor(node)) {
          refuse_graph(option, fmt::format("there is no node {}", node), "0 to " + std::to_string(nodes - 1));
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
  std::vector<std::vector<double>> edges_;
  bool directed_ = false;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_edges() {
  return std::make_unique<Edges>();
}

}  // namespace convoy
