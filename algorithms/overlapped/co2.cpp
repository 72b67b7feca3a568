// CO2: local steps whose outer all-reduce is consumed one round later (ICLR 2024, arXiv 2401.16265).
//
//   theta: outer model, x <- theta;  tau local steps;  launch the all-reduce of x_i
//   with m the mean launched one round ago:
//     g = (theta - m) / Lambda
//     u <- beta u + g;  u <- clip(u, -phi, phi) coordinate by coordinate
//     theta <- theta - eta u
//
// The first round has no mean to consume and leaves theta as it is.
#include <algorithm>

#include "algorithms/all.hpp"
#include "learning/elementwise.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class Co2 final : public RoundAlgorithm {
 public:
  Co2() { steps_.local_steps = 12; }
  [[nodiscard]] std::string_view kind() const override { return "co2"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "CO2: full communication-computation overlap",
            .family = "overlapped",
            .source = "arXiv 2401.16265, ICLR 2024",
            .certainty =
                "read in the authors' code, whose gap penalty is a constant and whose clipping has no effect "
                "(its result is dropped): \"clip_values\" is therefore off by default",
            .equations = "u <- clip(beta u + (theta - m_previous) / Lambda);  theta <- theta - eta u",
            .deployed = "the outer model theta"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("outer_learning_rate", eta_).more_than(0).tunable(0.1, 2).help("eta");
    options.add("outer_momentum", beta_).at_least(0).less_than(1).tunable(0.1, 0.95).help("beta");
    options.add("gap_penalty", lambda_).more_than(0).help("Lambda: divides the outer gradient");
    options.add("clip_values", clip_)
        .more_than(0)
        .default_text("none")
        .help("phi: bound of each coordinate of u");
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::co2; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector theta = w.parameters();
    Vector u = 0 * theta;
    std::optional<Completion<Reduced>> launched;
    while (true) {
      co_await w.local_steps(steps_.of(w));
      const Completion<Reduced> next = w.all_reduce(average_stream, w.parameters());
      if (launched) {
        const Reduced average = co_await *launched;
        cluster.math([&] {
          u.combine(beta_, 1 / lambda_, theta - average.mean);
          if (clip_)
            transform(u, [bound = *clip_](double value) { return std::clamp(value, -bound, bound); });
          theta.axpy(-eta_, u);
        });
      }
      launched = next;
      end_round(cluster, w, theta);
    }
  }

  LocalStepOptions steps_;
  double eta_ = 1, beta_ = 0, lambda_ = 1;
  std::optional<double> clip_;
};

}  // namespace

void register_co2(Registry& registry) {
  registry.add_algorithm("co2", [] { return std::make_unique<Co2>(); });
}

}  // namespace convoy
