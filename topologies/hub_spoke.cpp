// Hubs and spokes: the first nodes are hubs, all joined to each other; each other node is a spoke joined to
// some of them, spread evenly. One hub makes a star.
#include <string>

#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class HubSpoke final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "hub_spoke"; }
  [[nodiscard]] std::string_view about() const override {
    return "hubs that know each other, spokes that know hubs";
  }
  void declare(Options& options) override {
    options.add("hubs", hubs_).at_least(1).help("nodes 0 to hubs-1");
    options.add("hubs_per_spoke", per_spoke_).at_least(1).help("hubs that each spoke is joined to");
    WeightedGraph::declare(options);
  }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    if (hubs_ > nodes) {
      refuse_graph("hubs", std::to_string(nodes) + " nodes cannot have " + std::to_string(hubs_) + " hubs",
                   "1 to " + std::to_string(nodes));
    }
    if (per_spoke_ > hubs_) {
      refuse_graph("hubs_per_spoke", "there are only " + std::to_string(hubs_) + " hubs",
                   "1 to " + std::to_string(hubs_));
    }
    Adjacency graph(nodes);
    for (int i = 1; i < hubs_; ++i) {
      for (int j = 0; j < i; ++j) graph.join(i, j);
    }
    for (std::int64_t spoke = hubs_; spoke < nodes; ++spoke) {
      for (std::int64_t k = 0; k < per_spoke_; ++k) {
        graph.join(static_cast<int>(spoke), static_cast<int>((spoke - hubs_ + k) % hubs_));
      }
    }
    return graph;
  }

 private:
  std::int64_t hubs_ = 1, per_spoke_ = 1;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_hub_spoke() {
  return std::make_unique<HubSpoke>();
}

}  // namespace convoy
