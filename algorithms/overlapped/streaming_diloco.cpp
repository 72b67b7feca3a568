// Streaming DiLoCo: the model synchronises fragment by fragment, behind the computation (Douillard et al.
// 2025, arXiv 2501.18512).
//
//   P fragments; fragment p synchronises every H local steps, H/P steps after fragment p - 1:
//     Delta_p = theta_p - x_p;  launch the all-reduce of Delta_p
//     tau steps later:  theta_p <- Outer_p(theta_p, (1/n) sum_i Delta_p,i)
//                       x_p <- alpha x_p + (1 - alpha) theta_p
//
// alpha is the weight of the local parameters: 0 drops what was learned during the tau steps, 1 ignores the
// others. One fragment with tau = 0 and alpha = 0 is DiLoCo. The wire is 4-bit floating point unless
// "messages" says otherwise.
#include <deque>

#include "algorithms/all.hpp"
#include "training/fragment_schedule.hpp"
#include "training/push_pull.hpp"
#include "training/round_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream pseudo_gradient{"pseudo_gradient", Payload::delta};

class StreamingDiLoCo final : public RoundAlgorithm {
 public:
  StreamingDiLoCo() { wire_.compressor = compressor_makers().at("fp4_e3m0")(); }
  [[nodiscard]] std::string_view kind() const override { return "streaming_diloco"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "Streaming DiLoCo",
        .family = "overlapped",
        .source = "Douillard et al. 2025, arXiv 2501.18512",
        .certainty =
            "schedule as torchft's code has it; alpha 0.5, outer rate 0.4 and FP4 E3M0 from summaries. "
            "Fragments are runs of equal bytes here, strided layer groups in the paper",
        .equations =
            "theta_p <- Outer(theta_p, mean_i (theta_p - x_p,i));  tau steps later x_p <- alpha x_p + (1 - "
            "alpha) theta_p",
        .deployed = "the outer model of worker 0"};
  }
  void declare(Options& options) override {
    options.add("local_steps", period_)
        .at_least(1)
        .tunable(8, 512)
        .help("H: local steps between two synchronisations of a fragment");
    options.add("fragments", fragments_)
        .at_least(1)
        .help("P: runs of equal bytes that the model is cut into");
    options.add("delay", delay_)
        .at_least(0)
        .help("tau: local steps behind which an all-reduce is hidden, below H / P")
        .source("arXiv 2501.18512: up to 5");
    options.add("local_weight", alpha_)
        .between(0, 1)
        .help("alpha: weight of the local parameters in a merge");
    options.add("outer", outer_)
        .help("outer optimizer of each fragment")
        .source("arXiv 2501.18512: Nesterov 0.4 / 0.9");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      if (fragments_ > period_) {
        faults.add(whole, path + ".fragments", "exceeds local_steps: one synchronisation a step at most",
                   "1 to " + std::to_string(period_));
      } else if (delay_ > 0 && delay_ >= period_ / fragments_) {
        faults.add(whole, path + ".delay", "must be below local_steps / fragments",
                   "0 to " + std::to_string(period_ / fragments_ - 1));
      }
    });
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::diloco; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {pseudo_gradient}; }
  [[nodiscard]] std::map<std::string, const EncodingOptions*> encodings() const override {
    return {{"pseudo_gradient", &wire_}};
  }

 private:
  struct Launched {
    std::int64_t fragment, due;  // local step after which it is merged
    Completion<Reduced> mean;
  };

  Process worker(Cluster& cluster, Worker& w) override {
    Vector theta = w.parameters();
    std::vector<OuterOptimizer> outers(static_cast<std::size_t>(fragments_), OuterOptimizer(outer_));
    std::deque<Launched> launched;
    for (std::int64_t step = 1;; ++step) {
      co_await w.local_step();
      if (const auto fragment = due_fragment(step, period_, fragments_)) {
        const ModelPart part = ModelPart::fragment(*fragment, fragments_);
        launched.push_back(
            {.fragment = *fragment,
             .due = step + delay_,
             .mean = w.all_reduce(pseudo_gradient, part.of(theta) - part.of(w.parameters()), 1, part)});
      }
      while (!launched.empty() && launched.front().due <= step) {
        const Launched merged = std::move(launched.front());
        launched.pop_front();
        const Reduced delta = co_await merged.mean;
        const ModelPart part = ModelPart::fragment(merged.fragment, fragments_);
        Vector x = w.parameters();
        cluster.math([&] {
          Vector own = part.of(theta), local = part.of(x);
          outers[static_cast<std::size_t>(merged.fragment)].step(own, delta.mean);
          part.write(theta, own);
          local.lerp(own, 1 - alpha_);
          part.write(x, local);
        });
        end_round(cluster, w, x, theta);
      }
    }
  }

  std::int64_t period_ = 100, fragments_ = 4, delay_ = 1;
  double alpha_ = 0.5;
  OuterOptimizerOptions outer_{
      .kind = OuterOptimizerOptions::Kind::nesterov, .learning_rate = 0.4, .momentum = 0.9};
  EncodingOptions wire_;
};

}  // namespace

void register_streaming_diloco(Registry& registry) {
  registry.add_algorithm("streaming_diloco", [] { return std::make_unique<StreamingDiLoCo>(); });
}

}  // namespace convoy
