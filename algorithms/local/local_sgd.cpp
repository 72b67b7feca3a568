// Local SGD: H local steps between averaging rounds (Stich, ICLR 2019, arXiv 1805.09767).
//
//   x_i <- x_i - lr g_i(x_i)          H times on each worker
//   x_i <- (1/n) sum_j x_j            blocking all-reduce
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class LocalSgd final : public RoundAlgorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "local_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Local SGD",
            .family = "local",
            .source = "Stich, ICLR 2019, arXiv 1805.09767",
            .certainty = "closed form",
            .equations = "H local steps of the inner optimizer on each worker, then x_i <- (1/n) sum_j x_j",
            .deployed = "the last average"};
  }
  void declare(Options& options) override { steps_.declare(options); }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    while (true) {
      co_await w.local_steps(steps_.of(w));
      const Reduced average = co_await w.all_reduce(average_stream, w.parameters());
      end_round(cluster, w, average.mean);
    }
  }

  LocalStepOptions steps_;
};

}  // namespace

void register_local_sgd(Registry& registry) {
  registry.add_algorithm("local_sgd", [] { return std::make_unique<LocalSgd>(); });
}

}  // namespace convoy
