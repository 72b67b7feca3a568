// BMUF: blockwise model-update filtering (Chen and Huo, ICASSP 2016).
//
//   workers start a block at W, or at the look-ahead point W + eta Delta (Nesterov block momentum)
//   G = (1/n) sum_i x_i - W                            blocking all-reduce
//   Delta <- eta Delta + zeta G
//   W <- W + Delta
//
// With a constant inner learning rate SlowMo(alpha = zeta, beta = eta) is the classical form.
#include <optional>

#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class Bmuf final : public RoundAlgorithm {
 public:
  Bmuf() { steps_.local_steps = 12; }
  [[nodiscard]] std::string_view kind() const override { return "bmuf"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "BMUF: blockwise model-update filtering",
            .family = "local",
            .source = "Chen and Huo, ICASSP 2016",
            .certainty = "rule and usual settings from memory; the classical form agrees with SlowMo's code",
            .equations = "Delta <- eta Delta + zeta (mean_i x_i - W);  W <- W + Delta",
            .deployed = "the global model W"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("block_learning_rate", zeta_).more_than(0).tunable(0.1, 10).help("zeta");
    options.add("block_momentum", eta_)
        .at_least(0)
        .less_than(1)
        .default_text("1 - 1/workers")
        .help("eta")
        .source("Chen and Huo 2016");
    options.add("nesterov", nesterov_).help("workers start at the look-ahead point W + eta Delta");
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::slowmo; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    const double eta = eta_.value_or(1 - 1.0 / cluster.size());
    Vector global = w.parameters();
    Vector delta = 0 * global;
    while (true) {
      co_await w.local_steps(steps_.of(w));
      const Reduced average = co_await w.all_reduce(average_stream, w.parameters());
      Vector start;
      cluster.math([&] {
        delta.combine(eta, zeta_, average.mean - global);
        global += delta;
        start = global;
        if (nesterov_) start.axpy(eta, delta);
      });
      end_round(cluster, w, start, global);
    }
  }

  LocalStepOptions steps_;
  double zeta_ = 1;
  std::optional<double> eta_;
  bool nesterov_ = false;
};

}  // namespace

void register_bmuf(Registry& registry) {
  registry.add_algorithm("bmuf", [] { return std::make_unique<Bmuf>(); });
}

}  // namespace convoy
