// Ringmaster ASGD and Rennala SGD: gradients that are too late are left out (arXiv 2501.16168; Tyurin and
// Richtarik 2023).
//
//   ringmaster: on each gradient with delay delta
//     delta < R:  x <- x - lr g;   else it is discarded.  The worker gets the present x either way
//   rennala: gradients of the present model alone are gathered, late ones discarded
//     once there are R:  x <- x - lr mean
//
// A discarded gradient moves no version: every applied delay is at most R - 1. Without a bound Ringmaster is
// ASGD.
#include <vector>

#include "algorithms/all.hpp"
#include "training/gradient_server.hpp"

namespace convoy {
namespace {

constexpr std::string_view too_late = "too_late";

class Ringmaster final : public GradientServer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "ringmaster"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Ringmaster ASGD",
            .family = "asynchronous",
            .source = "arXiv 2501.16168",
            .certainty = "rule from the abstract; its constants from memory (R = ceil(sigma^2 / eps))",
            .equations = "x <- x - lr g if delta < R, else g is discarded",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("delay_bound", bound_)
        .required()
        .at_least(1)
        .help("R: gradients with a delay of R updates or more are discarded");
  }

 private:
  Task<void> arrived(Message gradient) override {
    const std::int64_t late = delay(gradient);
    if (late < bound_) {
      co_await step(gradient.vector);
      merge(gradient, late);
    } else {
      discard(gradient, too_late);
    }
    reply(*gradient.from);
  }

  std::int64_t bound_ = 1;
};

class Rennala final : public GradientServer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "rennala"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Rennala SGD",
            .family = "asynchronous",
            .source = "Tyurin and Richtarik 2023, arXiv 2305.12387 (the rule as arXiv 2501.16168 tells it)",
            .certainty = "rule from a summary",
            .equations = "x <- x - lr mean of R gradients of x; gradients of older models are discarded",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("batch", batch_).required().at_least(1).help("R: fresh gradients of an update");
  }

 private:
  Task<void> arrived(Message gradient) override {
    if (delay(gradient) > 0) {
      discard(gradient, too_late);
    } else {
      merge(gradient, 0);
      fresh_.push_back(std::move(gradient.vector));
    }
    if (static_cast<std::int64_t>(fresh_.size()) == batch_) {
      Vector average;
      cluster().math([&] { average = mean(fresh_); });
      fresh_.clear();
      co_await step(std::move(average));
    }
    reply(*gradient.from);
  }

  std::int64_t batch_ = 1;
  std::vector<Vector> fresh_;
};

}  // namespace

void register_ringmaster(Registry& registry) {
  registry.add_algorithm("ringmaster", [] { return std::make_unique<Ringmaster>(); });
  registry.add_algorithm("rennala", [] { return std::make_unique<Rennala>(); });
}

}  // namespace convoy
