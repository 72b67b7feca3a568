// K-GT and ST-GT: gradient tracking on the averages of a round's gradients.
//
//   K-GT    (Liu et al. 2023, arXiv 2301.01313)      correction c_i, sum_i c_i = 0
//           K times  l <- l - a (g_i(l) + c_i);  z_i = (x_i - l) / (K a), the mean of its steps' directions
//           c_i <- c_i - z_i + sum_j w_ij z_j;  x_i <- sum_j w_ij (x_j - K a s z_j)
//   ST-GT   (Huang et al. 2025, arXiv 2512.01732)    K-GT in the words of averaged gradients, graphs may
//   change
//
// With K = 1 and s = 1 K-GT is semi-ATC gradient tracking, on the complete graph Scaffold with option II.
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};
constexpr Stream tracker_stream{"tracker", Payload::gradient};

class KGt : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "k_gt"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "K-GT: gradient tracking with local steps",
        .family = "decentralized",
        .source = "Liu et al. 2023, arXiv 2301.01313",
        .certainty = "rule read in public code; corrections start at zero as there",
        .equations =
            "K times l <- l - a (g(l) + c);  z = (x - l) / (K a);  c <- c - z + W z;  x <- W (x - K a s z)",
        .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("local_steps", steps_).at_least(1).tunable(1, 64).help("K: local steps of a round");
    options.add("server_step", scale_).more_than(0).help("s: scale of the step between rounds");
    options.add("first_correction", first_, {{"zero", First::zero}, {"gradient", First::gradient}})
        .help("c at the start: zero as public code has it, or mean gradient minus own, by one all-reduce");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream, tracker_stream}; }

  void start(Cluster& cluster) override {
    corrections_.assign(static_cast<std::size_t>(cluster.size()), 0 * cluster.initial_parameters());
    MixingAlgorithm::start(cluster);
  }
  /// |sum_i c_i|: zero up to rounding.
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    return {
        {"correction_sum", Node::of(static_cast<double>(corrections_.size()) * mean(corrections_).norm())}};
  }

 private:
  enum class First { zero, gradient };

  Process worker(Cluster& cluster, Worker& w) override {
    Vector& c = corrections_[static_cast<std::size_t>(w.index())];
    if (first_ == First::gradient) {
      const Gradient g = co_await w.gradient();
      const Reduced average = co_await w.all_reduce(tracker_stream, g.mean);
      cluster.math([&] { c = average.mean - g.mean; });
    }
    while (true) {
      w.begin_round(steps_);
      const double a = w.learning_rate();
      const Vector start = w.parameters();
      Vector z = 0 * start;
      for (std::int64_t step = 0; step < steps_; ++step) {
        const Gradient g = co_await w.gradient();
        Vector local = w.parameters();
        cluster.math([&] {
          const Vector direction = g.mean + c;
          local.axpy(-a, direction);
          z.axpy(1 / static_cast<double>(steps_), direction);
        });
        w.set_parameters(std::move(local));
      }
      Vector sent = start;
      cluster.math([&] { sent.axpy(-static_cast<double>(steps_) * a * scale_, z); });
      const Completion<Vector> mixed_x = mix(w, model_stream, sent);
      const Completion<Vector> mixed_z = mix(w, tracker_stream, z);
      Vector next = co_await mixed_x;
      const Vector tracked = co_await mixed_z;
      cluster.math([&] { c += tracked - z; });
      end_round(cluster, w, std::move(next));
    }
  }

  std::int64_t steps_ = 5;
  double scale_ = 1;
  First first_ = First::zero;
  std::vector<Vector> corrections_;
};

class StGt final : public KGt {
 public:
  using KGt::KGt;
  [[nodiscard]] std::string_view kind() const override { return "st_gt"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "ST-GT: spatio-temporal gradient tracking",
            .family = "decentralized",
            .source = "Huang et al. 2025, arXiv 2512.01732",
            .certainty =
                "reconstructed from the abstract: averaged local gradients and trackers y with c = y - "
                "average of "
                "the round before, which is K-GT with the graph of each round",
            .equations =
                "x <- x - a (g(x) - G_previous + y_previous), K times;  y <- W (y_previous + G - "
                "G_previous);  x <- "
                "W (x_start + s (x - x_start)), G the round's mean gradient",
            .deployed = "the mean over workers"};
  }
};

}  // namespace

void register_k_gt(Registry& registry) {
  add_mixing_algorithm<KGt>(registry, "k_gt");
  add_mixing_algorithm<StGt>(registry, "st_gt");
}

}  // namespace convoy
