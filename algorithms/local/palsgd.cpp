// PALSGD: pseudo-asynchronous local SGD (Naganuma et al., TMLR 2025, arXiv 2504.18454).
//
//   a: the anchor, equal on all workers. Each local step, worker i tosses a coin of probability p:
//   heads (pseudo-synchronisation, no gradient):  x_i <- x_i - (gamma eta / p) (x_i - a)
//   tails (gradient step):                        x_i <- Inner(x_i, g_i; gamma / (1 - p))
//   every H steps, blocking:                      a <- Outer(a, (1/n) sum_i (a - x_i));  x_i <- a
//
// A pseudo-synchronisation sends nothing, takes no time and passes over its mini-batch; both kinds of step
// count towards H. Without coins it is DiLoCo.
#include <algorithm>

#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream pseudo_gradient{"pseudo_gradient", Payload::delta};
constexpr Stream gradient_stream{"gradient", Payload::gradient};

class Palsgd final : public RoundAlgorithm {
 public:
  Palsgd() { steps_.local_steps = 100; }
  [[nodiscard]] std::string_view kind() const override { return "palsgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "PALSGD: pseudo-asynchronous local SGD",
        .family = "local",
        .source = "Naganuma et al., TMLR 2025, arXiv 2504.18454",
        .certainty = "rule and defaults read in the authors' code",
        .equations =
            "with probability p: x_i <- x_i - (gamma eta / p) (x_i - a), else an inner step at gamma / (1 - "
            "p); every H steps a <- Outer(a, mean_i (a - x_i)); x_i <- a",
        .deployed = "the anchor a"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("pseudo_sync_probability", p_)
        .at_least(0)
        .less_than(1)
        .help("p: share of the local steps that pull towards the anchor instead of computing a gradient")
        .source("authors' code: prob_no_grad 0.2");
    options.add("mixing", eta_).at_least(0).help("eta: strength of the pull; stable while gamma eta / p < 2");
    options.add("warmup_steps", warmup_steps_)
        .at_least(0)
        .help("data-parallel steps before the first local round")
        .source("authors' code: local_sgd_start_iter");
    options.add("outer", outer_)
        .help("outer optimizer on the mean pseudo-gradient")
        .source("authors' example: Nesterov 0.1");
    options.add("coins", coins_)
        .between(0, 1)
        .help(
            "heads (1) and tails (0) of step t on worker i, repeated: entry t n + i; for replays. Random "
            "where empty");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      const bool heads = std::find(coins_.begin(), coins_.end(), 1) != coins_.end();
      if (heads && p_ == 0) {
        faults.add(whole, path + ".pseudo_sync_probability",
                   "is 0, and the coins show heads: a pull divides by it", "a number in (0, 1)");
      }
    });
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {pseudo_gradient, gradient_stream}; }

 private:
  [[nodiscard]] bool heads(const Cluster& cluster, const Worker& w, std::int64_t step) const {
    if (!coins_.empty()) {
      const std::int64_t toss = step * cluster.size() + w.index();
      return coins_[static_cast<std::size_t>(toss) % coins_.size()] == 1;
    }
    if (p_ == 0) return false;
    return cluster
        .random("pseudo-synchronisation", static_cast<std::uint64_t>(w.index()),
                static_cast<std::uint64_t>(step))
        .bernoulli(p_);
  }

  Process worker(Cluster& cluster, Worker& w) override {
    for (std::int64_t step = 0; step < warmup_steps_; ++step) {
      const Gradient g = co_await w.gradient();
      const Reduced mean = co_await w.all_reduce(gradient_stream, g.mean);
      w.apply(mean);
      end_round(cluster, w, w.parameters());
    }
    Vector anchor = w.parameters();
    OuterOptimizer outer(outer_);
    std::int64_t tossed = 0;
    while (true) {
      const std::int64_t steps = steps_.of(w);
      w.begin_round(steps);
      for (std::int64_t step = 0; step < steps; ++step) {
        if (heads(cluster, w, tossed++)) {
          w.skip_step();
          Vector x = w.parameters();
          cluster.math([&] { x.axpy(-w.learning_rate() * eta_ / p_, x - anchor); });
          w.set_parameters(std::move(x));
        } else {
          co_await w.local_step({.learning_rate_factor = 1 / (1 - p_)});
        }
      }
      const Reduced delta = co_await w.all_reduce(pseudo_gradient, anchor - w.parameters());
      cluster.math([&] { outer.step(anchor, delta.mean); });
      end_round(cluster, w, anchor);
    }
  }

  LocalStepOptions steps_;
  double p_ = 0.2, eta_ = 0.5;
  std::int64_t warmup_steps_ = 0;
  std::vector<std::int64_t> coins_;
  OuterOptimizerOptions outer_{
      .kind = OuterOptimizerOptions::Kind::nesterov, .learning_rate = 0.1, .momentum = 0.9};
};

}  // namespace

void register_palsgd(Registry& registry) {
  registry.add_algorithm("palsgd", [] { return std::make_unique<Palsgd>(); });
}

}  // namespace convoy
