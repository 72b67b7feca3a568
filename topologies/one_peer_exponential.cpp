// One-peer exponential graph (Assran et al., ICML 2019; Ying et al., NeurIPS 2021): in round t node i listens
// to i - 2^(t mod tau), tau = ceil(log2 n), with weight 1/2. For n = 2^tau the product of any tau consecutive
// rounds is the exact mean; for other n it is not.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "core/random.hpp"
#include "topologies/changing_graph.hpp"
#include "topologies/graphs.hpp"

namespace convoy {

namespace {

class OnePeerExponential final : public ChangingGraph {
 public:
  [[nodiscard]] std::string_view kind() const override { return "one_peer_exponential"; }
  [[nodiscard]] std::string_view about() const override {
    return "one message a node and round, hops 1, 2, 4, ... in turn";
  }
  void declare(Options& options) override {
    options.add("order", order_, {{"cyclic", Order::cyclic}, {"random", Order::random}})
        .help("cyclic: hops 1, 2, 4, ... in turn; random: one of them, drawn anew each round");
  }
  [[nodiscard]] std::shared_ptr<const GraphSequence> sequence(int nodes, std::uint64_t seed) const override {
    require_nodes(nodes);
    std::vector<int> hops;
    for (int hop = 1; hop < nodes; hop *= 2) hops.push_back(hop);
    if (hops.empty()) return constant_sequence(matrix(1, 0));
    if (order_ == Order::cyclic) {
      std::vector<MixingMatrix> rounds;
      for (const int hop : hops) rounds.push_back(matrix(nodes, hop));
      return periodic_sequence(std::move(rounds));
    }
    return std::make_shared<DrawnSequence>(nodes, [nodes, hops, seed](std::int64_t round) {
      RandomStream random(seed, "one_peer_exponential", 0, static_cast<std::uint64_t>(round));
      return matrix(nodes, hops[random.below(hops.size())]);
    });
  }

 private:
  enum class Order { cyclic, random };

  static MixingMatrix matrix(int nodes, int hop) {
    std::vector<std::vector<MixingMatrix::Entry>> rows(static_cast<std::size_t>(nodes));
    for (int i = 0; i < nodes; ++i) {
      if (hop == 0) {
        rows[static_cast<std::size_t>(i)] = {{i, 1}};
      } else {
        rows[static_cast<std::size_t>(i)] = {{i, 0.5}, {(i - hop + nodes) % nodes, 0.5}};
      }
    }
    return MixingMatrix("one_peer_exponential", std::move(rows));
  }

  Order order_ = Order::cyclic;
};

}  // namespace

std::unique_ptr<GraphBuilder> make_one_peer_exponential() {
  return std::make_unique<OnePeerExponential>();
}

}  // namespace convoy
