// Balanced tree: node i > 0 hangs on node (i-1) / branches. With one branch it is a path.
#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class Tree final : public WeightedGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "tree"; }
  [[nodiscard]] std::string_view about() const override { return "a balanced tree"; }
  void declare(Options& options) override {
    options.add("branches", branches_).at_least(1).help("children of each node");
    WeightedGraph::declare(options);
  }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    for (int i = 1; i < nodes; ++i) graph.join(i, static_cast<int>((i - 1) / branches_));
    return graph;
  }

 private:
  std::int64_t branches_ = 2;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_tree() {
  return std::make_unique<Tree>();
}

}  // namespace convoy
