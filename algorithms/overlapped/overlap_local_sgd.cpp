// Overlap-Local-SGD: the averages travel behind the next round of local steps (Wang, Liang, Joshi, ICASSP
// 2020, arXiv 2002.09539).
//
//   at the end of a round of tau local steps:
//     m: the mean that was launched one round ago
//     v   <- beta v + (z - m);  z <- z - v               anchor with momentum (z = m where beta = 0)
//     x_i <- (1 - alpha) x_i + alpha z                   pull-back
//     launch the all-reduce of x_i
//
// A round waits only where the mean takes longer than the next round's computation.
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class OverlapLocalSgd final : public RoundAlgorithm {
 public:
  OverlapLocalSgd() { steps_.local_steps = 2; }
  [[nodiscard]] std::string_view kind() const override { return "overlap_local_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Overlap-Local-SGD",
            .family = "overlapped",
            .source = "Wang, Liang and Joshi, ICASSP 2020, arXiv 2002.09539",
            .certainty = "rule read in the authors' code; alpha and beta from memory",
            .equations = "v <- beta v + (z - m); z <- z - v; x_i <- (1 - alpha) x_i + alpha z",
            .deployed = "the anchor z"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("pull_back", alpha_).between(0, 1).help("alpha: weight of the anchor");
    options.add("anchor_momentum", beta_).at_least(0).less_than(1).help("beta");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector anchor = w.parameters();
    Vector momentum = 0 * anchor;
    std::optional<Completion<Reduced>> launched;
    while (true) {
      co_await w.local_steps(steps_.of(w));
      Vector x = w.parameters();
      if (launched) {
        const Reduced average = co_await *launched;
        cluster.math([&] {
          momentum.combine(beta_, 1, anchor - average.mean);
          anchor -= momentum;
        });
      }
      cluster.math([&] { x.lerp(anchor, alpha_); });
      launched = w.all_reduce(average_stream, x);
      end_round(cluster, w, x, anchor);
    }
  }

  LocalStepOptions steps_;
  double alpha_ = 0.6, beta_ = 0.7;
};

}  // namespace

void register_overlap_local_sgd(Registry& registry) {
  registry.add_algorithm("overlap_local_sgd", [] { return std::make_unique<OverlapLocalSgd>(); });
}

}  // namespace convoy
