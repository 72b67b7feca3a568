// Gossip-PGA: gossip with a periodic global average (Chen et al., ICML 2021, arXiv 2105.09080).
//
//   x <- W (x - a g), and every H-th iteration x <- (1/n) sum_j (x_j - a g_j) by all-reduce instead
//
// H = 1 is data-parallel SGD; without the average it is adapt-then-combine SGD.
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};
constexpr Stream average_stream{"average", Payload::state};

class GossipPga final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "gossip_pga"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Gossip-PGA: gossip with periodic global averaging",
            .family = "decentralized",
            .source = "Chen et al., ICML 2021, arXiv 2105.09080",
            .certainty = "rule from the abstract; H from memory",
            .equations = "x <- W (x - a g);  every H-th iteration x <- mean_j (x_j - a g_j)",
            .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("average_every", period_).at_least(1).tunable(2, 256).help("H: iterations between averages");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream, average_stream}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    for (std::int64_t iteration = 1;; ++iteration) {
      co_await w.local_step();
      Vector next;
      if (iteration % period_ == 0) {
        next = (co_await w.all_reduce(average_stream, w.parameters())).mean;
      } else {
        next = co_await mix(w, model_stream, w.parameters());
      }
      end_round(cluster, w, std::move(next));
    }
  }

  std::int64_t period_ = 16;
};

}  // namespace

void register_gossip_pga(Registry& registry) {
  add_mixing_algorithm<GossipPga>(registry, "gossip_pga");
}

}  // namespace convoy
