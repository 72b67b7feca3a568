// AdaComm: local SGD whose communication period follows the loss (Wang and Joshi, MLSys 2019, arXiv
// 1810.08313).
//
//   every T0 of virtual time, at the end of a round, with F the mean training loss of the last round:
//     tau = ceil(sqrt((gamma_0 / gamma) F / F_0) tau_0)
//     and where that does not go down: tau = ceil(tau / 2)
//   a round: tau local steps, then x_i <- (1/n) sum_j x_j
//
// The losses ride on the averages: one number a worker and round, not counted in bytes.
#include <algorithm>
#include <cmath>

#include "algorithms/all.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class AdaComm final : public RoundAlgorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "adacomm"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "AdaComm: adaptive communication period",
            .family = "local",
            .source = "Wang and Joshi, MLSys 2019, arXiv 1810.08313",
            .certainty = "rule and T0 = 60 s from memory, not checked against the paper",
            .equations = "every T0: tau = ceil(sqrt((gamma_0 / gamma) F / F_0) tau_0), at least halved",
            .deployed = "the last average"};
  }
  void declare(Options& options) override {
    options.add("initial_steps", first_tau_)
        .at_least(1)
        .tunable(2, 256)
        .help("tau_0: local steps between averages at the start");
    options.add("interval", interval_)
        .more_than(0)
        .help("T0: virtual time between changes of tau")
        .source("arXiv 1810.08313: 60 s");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override { return {{"last_steps", Node::of(tau_)}}; }

  void start(Cluster& cluster) override {
    tau_ = first_tau_;
    next_change_ = cluster.now() + interval_;
    RoundAlgorithm::start(cluster);
  }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    for (std::int64_t round = 0;; ++round) {
      const std::int64_t steps = tau_;
      w.begin_round(steps);
      for (std::int64_t step = 0; step < steps; ++step) {
        co_await w.local_step();
        loss_sum_ += w.last_loss();
      }
      const Reduced average = co_await w.all_reduce(average_stream, w.parameters());
      // Members resume one after another at one instant: the first of a round decides for all.
      if (decided_ == round) {
        ++decided_;
        adapt(cluster, w, loss_sum_ / static_cast<double>(steps * cluster.size()));
        loss_sum_ = 0;
      }
      end_round(cluster, w, average.mean);
    }
  }

  void adapt(Cluster& cluster, const Worker& w, double loss) {
    if (decided_ == 1) {
      first_loss_ = loss;
      first_rate_ = w.learning_rate();
    }
    cluster.record("local_steps", "steps", static_cast<double>(tau_));
    if (cluster.now() < next_change_) return;
    while (next_change_ <= cluster.now()) next_change_ = next_change_ + interval_;
    const double ratio = loss / first_loss_ * (first_rate_ / w.learning_rate());
    // Where nothing is learned, or the loss vanishes at once, the ratio says nothing: tau is halved.
    const double wanted = std::ceil(std::sqrt(std::max(0.0, ratio)) * static_cast<double>(first_tau_));
    const bool lower = std::isfinite(ratio) && wanted < static_cast<double>(tau_);
    tau_ = std::max<std::int64_t>(1, lower ? static_cast<std::int64_t>(wanted) : (tau_ + 1) / 2);
  }

  std::int64_t first_tau_ = 16;
  Duration interval_ = Duration::seconds(60);
  std::int64_t tau_ = 1;
  std::int64_t decided_ = 0;  // rounds whose next tau is decided
  Time next_change_;
  double loss_sum_ = 0, first_loss_ = 0, first_rate_ = 0;
};

}  // namespace

void register_adacomm(Registry& registry) {
  registry.add_algorithm("adacomm", [] { return std::make_unique<AdaComm>(); });
}

}  // namespace convoy
