// SPARTA: after each local step a small random share of the parameters is averaged (exo, 2025; openreview
// stFPf3gzq1). With "outer" it runs under DiLoCo, whose pseudo-gradients travel every H steps.
//
//   local step;  S: each coordinate with probability p, the same on all workers (a shared seed, no bytes)
//   x_i[S] <- (1/n) sum_j x_j[S]                       blocking all-reduce of p d coordinates
//   every H steps, with an outer optimizer:  theta <- Outer(theta, (1/n) sum_i (theta - x_i));  x_i <- theta
//
// With p = 1 and SGD it is data-parallel SGD.
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"
#include "training/shared_mask.hpp"

namespace convoy {
namespace {

constexpr Stream share_stream{"share", Payload::state};
constexpr Stream pseudo_gradient{"pseudo_gradient", Payload::delta};

class Sparta final : public RoundAlgorithm {
 public:
  Sparta() { steps_.local_steps = 100; }
  [[nodiscard]] std::string_view kind() const override { return "sparta"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "SPARTA: sparse parameter averaging",
            .family = "local",
            .source = "openreview stFPf3gzq1",
            .certainty = "rule and defaults read in exo-gym's code",
            .equations = "each step: x_i[S] <- mean_j x_j[S] for a random S of share p",
            .deployed = "worker 0's model, or with an outer optimizer the outer model"};
  }
  void declare(Options& options) override {
    mask_.declare(options);
    options.add("outer", outer_).help("outer optimizer of DiLoCo around it; none where left out");
    steps_.declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {share_stream, pseudo_gradient}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector theta = w.parameters();
    OuterOptimizer outer(outer_.value_or(OuterOptimizerOptions()));
    const std::int64_t outer_steps = steps_.of(w);
    for (std::int64_t step = 0;; ++step) {
      co_await w.local_step();
      const ModelPart part = mask_.of(cluster, step);
      const Reduced average = co_await w.all_reduce(share_stream, part.of(w.parameters()), 1, part);
      Vector x = w.parameters();
      cluster.math([&] { part.write(x, average.mean); });
      if (outer_ && (step + 1) % outer_steps == 0) {
        const Reduced delta = co_await w.all_reduce(pseudo_gradient, theta - x);
        cluster.math([&] { outer.step(theta, delta.mean); });
        x = theta;
      }
      end_round(cluster, w, x, outer_ ? theta : x);
    }
  }

  SharedMaskOptions mask_;  // exo-gym: share 0.005
  LocalStepOptions steps_;
  std::optional<OuterOptimizerOptions> outer_;
};

}  // namespace

void register_sparta(Registry& registry) {
  registry.add_algorithm("sparta", [] { return std::make_unique<Sparta>(); });
}

}  // namespace convoy
