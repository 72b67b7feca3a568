// Gradient tracking (DSGT): each node tracks the mean gradient in y, so that unequal data leave no bias.
//
//   y_i = g_i(x_i) at the start
//   DIGing    x+ = W x - lr y         y+ = W y + g(x+) - g(x)
//   semi-ATC  x+ = W (x - lr y)       y+ = W y + g(x+) - g(x)
//   ATC       x+ = W (x - lr y)       y+ = W (y + g(x+) - g(x))       (Aug-DGM)
//
// g(x) is the stored sample, not a new one, so sum_i y_i = sum_i g_i exactly for doubly stochastic W. The
// step is plain SGD with the inner optimizer's learning rate; gradients are not clipped. Sources: DIGing
// arXiv 1607.03218; Aug-DGM Xu et al. 2015; the three forms as in Koloskova et al. 2021, arXiv 2202.03836.
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};
constexpr Stream tracker_stream{"tracker", Payload::gradient};

class GradientTracking final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "gradient_tracking"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "Decentralized stochastic gradient tracking",
        .family = "decentralized",
        .source = "DIGing arXiv 1607.03218; Aug-DGM; arXiv 2202.03836",
        .certainty = "golden iterates and stability limits checked numerically",
        .equations =
            "diging: x+ = W x - lr y, y+ = W y + g(x+) - g(x);  semi_atc: x+ = W (x - lr y), y+ as before;  "
            "atc: x+ = W (x - lr y), y+ = W (y + g(x+) - g(x))",
        .deployed = "the mean over workers"};
  }
  void declare(Options& options) override {
    options.add("form", form_, {{"atc", Form::atc}, {"semi_atc", Form::semi_atc}, {"diging", Form::diging}})
        .help("which of the two mixings comes after the local change");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream, tracker_stream}; }

  void start(Cluster& cluster) override {
    nodes_.resize(static_cast<std::size_t>(cluster.size()));
    MixingAlgorithm::start(cluster);
  }
  /// ||sum_i y_i - sum_i g_i||: zero up to rounding whenever all nodes have finished the same number of
  /// iterations.
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    std::vector<Vector> trackers, gradients;
    for (const NodeState& node : nodes_) {
      if (node.iterations != nodes_.front().iterations || node.tracker.empty()) return {};
      trackers.push_back(node.tracker);
      gradients.push_back(node.gradient);
    }
    const auto n = static_cast<double>(nodes_.size());
    return {{"tracker_sum_error", Node::of(n * mean(trackers).distance(mean(gradients)))}};
  }

 private:
  enum class Form { atc, semi_atc, diging };

  /// What one node keeps beside its model.
  struct NodeState {
    Vector gradient;  // g(x), the stored sample
    Vector tracker;   // y
    std::int64_t iterations = 0;
  };

  Process worker(Cluster& cluster, Worker& w) override {
    NodeState& node = nodes_[static_cast<std::size_t>(w.index())];
    Vector& g = node.gradient;
    Vector& y = node.tracker;
    g = (co_await w.gradient()).mean;
    y = g;
    while (true) {
      const Vector x = w.parameters();
      const double lr = w.learning_rate();
      Vector sent = x;
      if (form_ != Form::diging) w.math([&] { sent.axpy(-lr, y); });
      const Completion<Vector> mixed_x = mix(w, model_stream, sent);
      if (form_ == Form::atc) {
        w.set_parameters(co_await mixed_x);
        const Gradient next = co_await w.gradient();
        Vector corrected;
        w.math([&] { corrected = y + (next.mean - g); });
        const Vector mixed_y = co_await mix(w, tracker_stream, corrected);
        y = mixed_y;
        g = next.mean;
      } else {
        const Completion<Vector> mixed_y = mix(w, tracker_stream, y);
        Vector x_next = co_await mixed_x;
        if (form_ == Form::diging) w.math([&] { x_next.axpy(-lr, y); });
        w.set_parameters(x_next);
        const Gradient next = co_await w.gradient();
        const Vector arrived = co_await mixed_y;
        w.math([&] { y = arrived + (next.mean - g); });
        g = next.mean;
      }
      ++node.iterations;
      end_round(cluster, w, w.parameters());
    }
  }

  Form form_ = Form::atc;
  std::vector<NodeState> nodes_;
};

}  // namespace

void register_gradient_tracking(Registry& registry) {
  add_mixing_algorithm<GradientTracking>(registry, "gradient_tracking");
}

}  // namespace convoy
