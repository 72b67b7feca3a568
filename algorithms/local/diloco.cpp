// DiLoCo: local AdamW steps, and an outer Nesterov step on the mean pseudo-gradient (Douillard et al. 2023,
// arXiv 2311.08105). With dynamic_local_steps it is the "DiLoCo+DynUpd" of HALoS.
//
//   x_i <- theta;  H inner steps on each worker
//   Delta = (1/n) sum_i (theta - x_i)           blocking all-reduce, unweighted
//   theta <- Outer(theta, Delta)                Nesterov, learning rate 0.7, momentum 0.9
//
// The inner optimizer's state stays with its worker and is kept across rounds.
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream pseudo_gradient{"pseudo_gradient", Payload::delta};

class DiLoCo final : public RoundAlgorithm {
 public:
  DiLoCo() { steps_.local_steps = 500; }
  [[nodiscard]] std::string_view kind() const override { return "diloco"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "DiLoCo: distributed low-communication training",
        .family = "local",
        .source = "Douillard et al. 2023, arXiv 2311.08105",
        .certainty = "rule and outer hyper-parameters read in HALoS' and exo-gym's code",
        .equations =
            "H inner steps; Delta = (1/n) sum_i (theta - x_i); theta <- Nesterov(theta, Delta); x_i <- theta",
        .deployed = "the outer model theta"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("outer", outer_)
        .help("outer optimizer on the mean pseudo-gradient")
        .source("arXiv 2311.08105: Nesterov 0.7 / 0.9");
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::diloco; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {pseudo_gradient}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector theta = w.parameters();
    OuterOptimizer outer(outer_);
    while (true) {
      co_await w.local_steps(steps_.of(w));
      const Reduced delta = co_await w.all_reduce(pseudo_gradient, theta - w.parameters());
      cluster.math([&] { outer.step(theta, delta.mean); });
      end_round(cluster, w, theta);
    }
  }

  LocalStepOptions steps_;
  OuterOptimizerOptions outer_{
      .kind = OuterOptimizerOptions::Kind::nesterov, .learning_rate = 0.7, .momentum = 0.9};
};

}  // namespace

void register_diloco(Registry& registry) {
  registry.add_algorithm("diloco", [] { return std::make_unique<DiLoCo>(); });
}

}  // namespace convoy
