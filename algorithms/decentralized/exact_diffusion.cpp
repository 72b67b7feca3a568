// Exact diffusion (D2, NIDS) and EXTRA: decentralized gradient steps whose correction by the last iterate
// removes the bias of unequal data.
//
//   exact diffusion  x1 = V (x0 - a g0);     x+ = V (2 x - x_previous - a (g - g_previous))
//                    lazy: V = (I + W) / 2, the convention of "exact diffusion"; else V = W, that of D2
//   EXTRA            x1 = W x0 - a g0;       x+ = (I + W) x - (I + W)/2 x_previous - a (g - g_previous)
//
// W has to be symmetric. With equal curvatures L: exact diffusion is stable for a < 2/L where the smallest
// eigenvalue of V exceeds -1/(3 - 2 a L), EXTRA for a < (5 + 3 lambda_min) / (4 L).
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};

class ExactDiffusion final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "exact_diffusion"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Exact diffusion (D2, NIDS)",
            .family = "decentralized",
            .source = "Yuan et al. 2017, arXiv 1702.05122; Tang et al. 2018 (D2), arXiv 1803.07068",
            .certainty = "golden iterates and stability limits checked numerically",
            .equations = "x1 = V (x0 - a g0);  x+ = V (2 x - x_previous - a (g - g_previous))",
            .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("lazy", lazy_).help("V = (I + W) / 2; false: V = W (D2), which needs lambda_min > -1/3");
    options.add("unchecked", unchecked_)
        .help("run although lambda_min is -1/3 or less: small steps then diverge, large ones may not");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream}; }
  [[nodiscard]] const MixingRequirement* graph_requirement() const override {
    return lazy_ || unchecked_ ? &symmetric_mixing() : &symmetric_bounded_mixing();
  }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector previous;  // psi = x - a g of the last iteration
    while (true) {
      const double a = w.learning_rate();
      const Gradient g = co_await w.gradient();
      Vector psi = w.parameters(), phi;
      cluster.math([&] {
        psi.axpy(-a, g.mean);
        phi = psi;
        if (!previous.empty()) phi += w.parameters() - previous;
      });
      Vector next = co_await mix(w, model_stream, phi);
      if (lazy_) cluster.math([&] { next.lerp(phi, 0.5); });
      previous = psi;
      end_round(cluster, w, std::move(next));
    }
  }

  bool lazy_ = true, unchecked_ = false;
};

class Extra final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "extra"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "EXTRA",
            .family = "decentralized",
            .source = "Shi et al. 2015, arXiv 1404.6264",
            .certainty = "golden iterates and stability limits checked numerically",
            .equations = "x1 = W x0 - a g0;  x+ = (I + W) x - (I + W)/2 x_previous - a (g - g_previous)",
            .deployed = "the mean over workers"};
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream}; }
  [[nodiscard]] const MixingRequirement* graph_requirement() const override { return &symmetric_mixing(); }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector x_before, mixed_before, g_before;
    while (true) {
      const double a = w.learning_rate();
      const Completion<Vector> arriving = mix(w, model_stream, w.parameters());
      const Gradient g = co_await w.gradient();
      const Vector mixed = co_await arriving;
      Vector next = mixed;
      cluster.math([&] {
        next.axpy(-a, g.mean);
        if (x_before.empty()) return;
        next += w.parameters();
        next.axpy(-0.5, x_before);
        next.axpy(-0.5, mixed_before);
        next.axpy(a, g_before);
      });
      x_before = w.parameters();
      mixed_before = mixed;
      g_before = g.mean;
      end_round(cluster, w, std::move(next));
    }
  }
};

}  // namespace

void register_exact_diffusion(Registry& registry) {
  add_mixing_algorithm<ExactDiffusion>(registry, "exact_diffusion");
  add_mixing_algorithm<Extra>(registry, "extra");
}

}  // namespace convoy
