// SlowMo: slow momentum on top of local steps (Wang, Tantia, Ballas, Rabbat, ICLR 2020, arXiv 1910.00643).
//
//   x_i <- x;  tau steps of the base optimizer with the fast learning rate gamma
//   u <- beta u + (x - (1/n) sum_i x_i) / gamma       blocking all-reduce; u is in units of a gradient
//   x <- x - alpha gamma u                            gamma: that of the round's end, one for all workers
//
// With beta = 0 and alpha = 1 it is local SGD; with constant gamma it is DiLoCo with a heavy-ball outer
// optimizer.
#include "algorithms/all.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class SlowMo final : public RoundAlgorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "slowmo"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "SlowMo: slow momentum",
            .family = "local",
            .source = "Wang et al., ICLR 2020, arXiv 1910.00643",
            .certainty = "rule read in fairscale and in the authors' later code; tau and beta from memory",
            .equations = "u <- beta u + (x - mean_i x_i) / gamma;  x <- x - alpha gamma u",
            .deployed = "the slow model x"};
  }
  void declare(Options& options) override {
    options.add("local_steps", local_steps_).at_least(1).tunable(1, 1024).help("tau: local steps of a round");
    options.add("slow_learning_rate", alpha_).more_than(0).tunable(0.1, 10).help("alpha");
    options.add("slow_momentum", beta_)
        .at_least(0)
        .less_than(1)
        .help("beta; the best value grows with the number of workers")
        .source("fairscale's guide: 0 below 4 nodes, 0.2 at 4, 0.5 at 8, 0.6 at 16");
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::slowmo; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector x = w.parameters();
    Vector u = 0 * x;
    while (true) {
      co_await w.local_steps(local_steps_);
      const Reduced average = co_await w.all_reduce(average_stream, w.parameters());
      const double gamma = w.learning_rate(average);
      cluster.math([&] {
        if (gamma > 0) u.combine(beta_, 1 / gamma, x - average.mean);
        x.axpy(-alpha_ * gamma, u);
      });
      end_round(cluster, w, x);
    }
  }

  std::int64_t local_steps_ = 12;
  double alpha_ = 1, beta_ = 0.7;
};

}  // namespace

void register_slowmo(Registry& registry) {
  registry.add_algorithm("slowmo", [] { return std::make_unique<SlowMo>(); });
}

}  // namespace convoy
