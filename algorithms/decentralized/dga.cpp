// DGA: a distributed gradient algorithm for coupled equality constraints (Qiu and Lin 2025, arXiv
// 2511.19723).
//
//   minimise sum f_i(x_i)  where  sum A_i x_i = sum b_i,  x_i in X_i;    L = I - W
//
//   x_i+ = Proj_X_i[ x_i - a (grad f_i(x_i) + A_i^T m_i) ]
//   y_i+ = y_i + c sum_j L_ij m_j
//   m_i+ = m_i + b ( A_i (2 x_i+ - x_i) - b_i - sum_j L_ij (2 y_j+ - y_j) )
//
// Neither x nor gradients travel: m and 2 y+ - y do, one number a constraint each. The update lines are
// reconstructed from the abstract; they converge to the exact optimum.
#include "algorithms/all.hpp"
#include "learning/coupled_constraint.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream multiplier_stream{"multiplier", Payload::state};
constexpr Stream consensus_stream{"consensus", Payload::state};

class Dga final : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  [[nodiscard]] std::string_view kind() const override { return "dga"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "DGA: gradient algorithm for coupled equality constraints",
        .family = "decentralized",
        .source = "Qiu, Lin 2025, arXiv 2511.19723",
        .certainty = "update lines reconstructed from the abstract; exactness checked against the KKT point",
        .equations =
            "x+ = Proj[x - a (g + A^T m)];  y+ = y + c L m;  m+ = m + b (A (2x+ - x) - b - L (2y+ - y)), "
            "L = I - W",
        .deployed = "the shares of all workers together"};
  }
  void declare(Options& options) override {
    options.add("multiplier_step", multiplier_step_)
        .more_than(0)
        .default_text("the learning rate")
        .tunable(0.01, 1)
        .help("b: step of the multipliers");
    options.add("consensus_step", consensus_step_)
        .more_than(0)
        .default_text("the learning rate")
        .tunable(0.01, 1)
        .help("c: step of what drives the multipliers to consensus");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {multiplier_stream, consensus_stream}; }

  void start(Cluster& cluster) override {
    coupling_ = cluster.coupled_constraint();
    if (coupling_ == nullptr) {
      throw ConfigError(
          ConfigFault{.path = "task.kind",
                      .message = "dga needs a task whose workers own shares under a common constraint",
                      .found = {},
                      .allowed = "resource_allocation",
                      .hint = {},
                      .file = {}});
    }
    all_ = cluster.initial_parameters();
    MixingAlgorithm::start(cluster);
  }
  [[nodiscard]] Deployed deployed() const override { return {{all_}}; }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    // Multipliers weigh as much as a worker's block: one number a constraint.
    const ModelPart block = ModelPart::fragment(w.index(), cluster.size());
    Vector m = coupling_->zero_multipliers(), y = m;
    while (true) {
      const Vector x = w.parameters();
      const Completion<Vector> mixed = mix(w, multiplier_stream, m, block);  // travels behind the gradient
      Vector g = (co_await w.gradient()).mean;
      const double a = w.learning_rate();
      Vector next = x;
      cluster.math([&] {
        coupling_->add_pull(g, m, w.index());
        next.axpy(-a, g);
        coupling_->project(next, w.index());
      });
      const Vector neighbours = co_await mixed;
      Vector ahead;  // 2 y+ - y
      cluster.math([&] {
        const Vector before = y;
        y.axpy(consensus_step_.value_or(a), m - neighbours);
        ahead = 2 * y - before;
      });
      const Vector agreed = co_await mix(w, consensus_stream, ahead, block);
      cluster.math([&] {
        const Vector missing = coupling_->residual(2 * next - x, w.index());
        m.axpy(multiplier_step_.value_or(a), missing - (ahead - agreed));
        coupling_->copy_block(all_, next, w.index());
      });
      end_round(cluster, w, std::move(next));
    }
  }

  std::optional<double> multiplier_step_, consensus_step_;
  const CoupledConstraint* coupling_ = nullptr;
  Vector all_;  // each worker's block as of its last round
};

}  // namespace

void register_dga(Registry& registry) {
  add_mixing_algorithm<Dga>(registry, "dga");
}

}  // namespace convoy
