// LU-GT: gradient tracking with local updates (Nguyen et al. 2022, arXiv 2210.04757).
//
//   W_k = W every T-th iteration, else I
//   x+ = W_k (x - a y);  y+ = W_k (y + g(x+) - g(x));  y = g(x) at the start
//
// With T = 1 it is ATC gradient tracking (Aug-DGM). It is also the periodical gradient tracking that K-GT's
// paper compares with.
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};
constexpr Stream tracker_stream{"tracker", Payload::gradient};

class LuGt final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "lu_gt"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "LU-GT: gradient tracking with local updates",
        .family = "decentralized",
        .source = "Nguyen et al. 2022, arXiv 2210.04757",
        .certainty =
            "update lines from memory, its equivalences and golden iterates checked numerically; the "
            "paper's two step sizes are one here",
        .equations = "x+ = W_k (x - a y);  y+ = W_k (y + g(x+) - g(x)), W_k = W every T-th iteration, else I",
        .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("local_steps", period_).at_least(1).tunable(1, 64).help("T: iterations between mixings");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream, tracker_stream}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector g, y;
    for (std::int64_t iteration = 0;; ++iteration) {
      const Vector next = (co_await w.gradient()).mean;
      cluster.math([&] { y = iteration == 0 ? next : y + (next - g); });
      g = next;
      if (iteration > 0 && iteration % period_ == 0) y = co_await mix(w, tracker_stream, y);
      Vector x = w.parameters();
      cluster.math([&] { x.axpy(-w.learning_rate(), y); });
      if ((iteration + 1) % period_ == 0) {
        x = co_await mix(w, model_stream, x);
        end_round(cluster, w, std::move(x));
      } else {
        w.set_parameters(std::move(x));
      }
    }
  }

  std::int64_t period_ = 4;
};

}  // namespace

void register_lu_gt(Registry& registry) {
  add_mixing_algorithm<LuGt>(registry, "lu_gt");
}

}  // namespace convoy
