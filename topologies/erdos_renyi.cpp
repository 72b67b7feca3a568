// Erdos-Renyi: each pair of nodes is joined with probability p, independently. Connected with high
// probability for p well above ln n / n; the default is twice that.
#include <algorithm>
#include <cmath>
#include <optional>

#include "topologies/graphs.hpp"
#include "topologies/random_graph.hpp"

namespace convoy {

namespace {

class ErdosRenyi final : public RandomGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "erdos_renyi"; }
  [[nodiscard]] std::string_view about() const override { return "each pair is joined with one probability"; }
  void declare(Options& options) override {
    options.add("edge_probability", probability_)
        .more_than(0)
        .at_most(1)
        .default_text("2 ln(n) / n")
        .help("of each pair of nodes");
    RandomGraph::declare(options);
  }

 protected:
  [[nodiscard]] Adjacency draw(int nodes, RandomStream& random) const override {
    const double n = nodes;
    const double p = probability_.value_or(std::min(1.0, 2 * std::log(n) / n));
    Adjacency graph(nodes);
    for (int i = 1; i < nodes; ++i) {
      for (int j = 0; j < i; ++j) {
        if (random.uniform() < p || p == 1) graph.join(i, j);
      }
    }
    return graph;
  }
  void require_possible(int nodes) const override {
    // n(n-1)/2 draws an attempt.
    constexpr int most_nodes = 4096;
    if (nodes > most_nodes) refuse_graph({}, "too many nodes to draw every pair of", "at most 4096 nodes");
  }

 private:
  std::optional<double> probability_;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_erdos_renyi() {
  return std::make_unique<ErdosRenyi>();
}

}  // namespace convoy
