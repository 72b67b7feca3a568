// Delayed and eager DiLoCo: the outer all-reduce travels behind the next round (Kale, Douillard, Donchev,
// arXiv 2502.12996).
//
//   round t: H inner steps from theta_i;  Delta_i(t) = theta_i - x_i;  launch the all-reduce of Delta_i(t)
//   M: mean of Delta_j(t-1), launched one round ago (0 in the first round)
//   delayed:  theta_i <- Outer(theta_i, M)
//   eager:    theta_i <- Outer(theta_i, M + (1/n) (Delta_i(t) - Delta_i(t-1)))     own fresh, others' stale
//   sync:     waits for this round's mean: DiLoCo
//
// Each worker keeps its own theta_i and outer state; under eager they differ.
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream pseudo_gradient{"pseudo_gradient", Payload::delta};

class EagerDiLoCo final : public RoundAlgorithm {
 public:
  EagerDiLoCo() { steps_.local_steps = 30; }
  [[nodiscard]] std::string_view kind() const override { return "eager_diloco"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Eager and delayed DiLoCo",
            .family = "overlapped",
            .source = "Kale, Douillard and Donchev 2025, arXiv 2502.12996",
            .certainty =
                "update exact in a third-party summary; outer rate 0.4 from the same, momentum from memory",
            .equations =
                "eager: theta_i <- Outer(theta_i, mean_j Delta_j(t-1) + (Delta_i(t) - Delta_i(t-1)) / n); "
                "delayed: theta_i <- Outer(theta_i, mean_j Delta_j(t-1))",
            .deployed = "the mean over the workers"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("mode", mode_, {{"eager", Mode::eager}, {"delayed", Mode::delayed}, {"sync", Mode::sync}})
        .help("which pseudo-gradients the outer step takes; sync is DiLoCo");
    options.add("outer", outer_)
        .help("outer optimizer of each worker")
        .source("arXiv 2502.12996: Nesterov 0.4 / 0.9");
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::diloco; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {pseudo_gradient}; }
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }

  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    RoundAlgorithm::start(cluster);
  }

 private:
  enum class Mode { eager, delayed, sync };

  Process worker(Cluster& cluster, Worker& w) override {
    Vector theta = w.parameters();
    Vector previous = 0 * theta;  // Delta_i(t-1)
    OuterOptimizer outer(outer_);
    std::optional<Completion<Reduced>> launched;
    while (true) {
      co_await w.local_steps(steps_.of(w));
      const Vector delta = theta - w.parameters();
      const Completion<Reduced> own = w.all_reduce(pseudo_gradient, delta);
      Vector step = 0 * theta;
      if (mode_ == Mode::sync) launched = own;
      if (launched) step = (co_await *launched).mean;
      cluster.math([&] {
        if (mode_ == Mode::eager) step.axpy(1.0 / cluster.size(), delta - previous);
        outer.step(theta, step);
      });
      previous = delta;
      launched = own;
      end_round(cluster, w, theta);
    }
  }

  LocalStepOptions steps_;
  Mode mode_ = Mode::eager;
  OuterOptimizerOptions outer_{
      .kind = OuterOptimizerOptions::Kind::nesterov, .learning_rate = 0.4, .momentum = 0.9};
  Cluster* cluster_ = nullptr;
};

}  // namespace

void register_eager_diloco(Registry& registry) {
  registry.add_algorithm("eager_diloco", [] { return std::make_unique<EagerDiLoCo>(); });
}

}  // namespace convoy
