// Static exponential graph (Assran et al., ICML 2019; Ying et al., NeurIPS 2021): node i sends to i + 2^k for
// every 2^k < n. Directed, every degree t = ceil(log2 n), weights 1/(t+1): doubly stochastic, beta = 1 -
// 2/(t+1) for even n.
#include "topologies/graphs.hpp"
#include "topologies/weighted_graph.hpp"

namespace convoy {

namespace {

class StaticExponential final : public WeightedGraph {
 public:
  StaticExponential() : WeightedGraph(MixingWeights::uniform) {}
  [[nodiscard]] std::string_view kind() const override { return "static_exponential"; }

 protected:
  [[nodiscard]] Adjacency adjacency(int nodes) const override {
    Adjacency graph(nodes);
    for (int i = 0; i < nodes; ++i) {
      for (int offset = 1; offset < nodes; offset *= 2) graph.add(i, (i + offset) % nodes);
    }
    return graph;
  }
};

}  // namespace

std::unique_ptr<GraphBuilder> make_static_exponential() {
  return std::make_unique<StaticExponential>();
}

}  // namespace convoy
