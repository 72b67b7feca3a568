// Asynchronous SGD with a parameter server, and its rules for late gradients.
//
//   worker: receive x;  g = gradient of one mini-batch at x;  push g
//   server: on each g, computed delta updates ago:  x <- x - lr(delta) g;  send x back to that worker
//
//   none             lr(delta) = lr                                            ASGD
//   staleness_aware  lr / max(1, delta)                                        Zhang et al. 2016, arXiv
//   1511.05950 delay_adaptive   lr if delta <= n, else min(lr, 1 / (4 L delta))           Koloskova, Stich,
//   Jaggi 2022
//
// The delays of all applied gradients and of those in flight add up to (n - 1) a gradient.
#include <algorithm>

#include "algorithms/all.hpp"
#include "training/gradient_server.hpp"

namespace convoy {
namespace {

class Asgd final : public GradientServer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "asgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Asynchronous SGD",
            .family = "asynchronous",
            .source = "arXiv 1511.05950 (staleness-aware); Koloskova, Stich and Jaggi 2022, arXiv 2206.08307",
            .certainty = "closed form; the delay-adaptive rule and its threshold from memory",
            .equations = "x <- x - lr(delta) g, delta = updates since g's model was sent",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options
        .add("rule", rule_,
             {{"none", Rule::none},
              {"staleness_aware", Rule::staleness_aware},
              {"delay_adaptive", Rule::delay_adaptive}})
        .help("learning rate of a gradient that is delta updates late");
    options.add("smoothness", smoothness_)
        .more_than(0)
        .default_text("none")
        .help("L of delay_adaptive: bound of the curvature");
    options.add("threshold", threshold_)
        .at_least(0)
        .default_text("the number of workers")
        .help("delay_adaptive: largest delay that keeps the whole learning rate");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      if (rule_ == Rule::delay_adaptive && !smoothness_) {
        faults.add(whole, path + ".smoothness", "is missing: delay_adaptive divides by it", "a number > 0");
      }
    });
  }

 private:
  enum class Rule { none, staleness_aware, delay_adaptive };

  Task<void> arrived(Message gradient) override {
    const std::int64_t late = delay(gradient);
    co_await step(gradient.vector, factor(late));
    merge(gradient, late);
    reply(*gradient.from);
  }

  [[nodiscard]] double factor(std::int64_t late) const {
    const double weight = cluster().staleness_weight(late);
    const auto delta = static_cast<double>(late);
    switch (rule_) {
      case Rule::none:
        return weight;
      case Rule::staleness_aware:
        return weight / std::max(1.0, delta);
      case Rule::delay_adaptive:
        if (late <= threshold_.value_or(cluster().size())) return weight;
        return weight * std::min(1.0, 1 / (4 * *smoothness_ * delta * model().learning_rate()));
    }
    return weight;
  }

  Rule rule_ = Rule::none;
  std::optional<double> smoothness_;
  std::optional<std::int64_t> threshold_;
};

}  // namespace

void register_asgd(Registry& registry) {
  registry.add_algorithm("asgd", [] { return std::make_unique<Asgd>(); });
}

}  // namespace convoy
