// OrMo: momentum in the order of the gradients' iterations, whatever the order of their arrival (Shi, Wang,
// Li, NeurIPS 2024, arXiv 2407.19234).
//
//   A gradient computed at version v belongs to bucket b = ceil(v / n). Server: x, momentum u, open bucket I
//   = 0. on g:  while b > I:  x <- x - beta u;  u <- beta u;  I <- I + 1     the step that older buckets owe
//          d = I - b
//          u <- u + beta^d lr g
//          x <- x - (1 - beta^(d+1)) / (1 - beta) lr g                  all steps it would have taken by now
//
// Gradients that arrive in order give synchronous momentum SGD, u <- beta u + lr sum g, x <- x - u; beta = 0
// gives ASGD. The learning rate is that of the run's optimizer, whose own rule is not used.
#include <cmath>

#include "algorithms/all.hpp"
#include "training/gradient_server.hpp"

namespace convoy {
namespace {

class OrMo final : public GradientServer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "ormo"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "OrMo: ordered momentum for asynchronous SGD",
        .family = "asynchronous",
        .source = "Shi, Wang and Li, NeurIPS 2024, arXiv 2407.19234",
        .certainty =
            "reconstructed from the abstract and its figure; the synchronous order is checked against "
            "momentum "
            "SGD",
        .equations =
            "u <- u + beta^d lr g;  x <- x - (1 - beta^(d+1)) / (1 - beta) lr g, d buckets late; each opened "
            "bucket: x <- x - beta u, u <- beta u",
        .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("momentum", beta_).at_least(0).less_than(1).tunable(0.5, 0.99).help("beta");
    options.add("average", average_)
        .help(
            "divide each gradient by the number of workers, so that a bucket counts as a mean and not as a "
            "sum");
    options.add("delay_adaptive", smoothness_)
        .more_than(0)
        .default_text("off")
        .help("L of OrMo-DA: lr becomes min(lr, 1 / (4 L delta)) for delays over 2 n")
        .source("from memory, after Koloskova et al. 2022");
  }

 private:
  Task<void> arrived(Message gradient) override {
    const std::int64_t late = delay(gradient);
    co_await server().spend_update(ServerModel::vectors_touched);
    const std::int64_t n = cluster().size();
    const std::int64_t bucket = (gradient.version + n - 1) / n;
    Vector x = model().parameters();
    cluster().math([&] {
      if (momentum_.empty()) momentum_ = 0 * x;
      for (; bucket > open_; ++open_) {
        x.axpy(-beta_, momentum_);
        momentum_.scale(beta_);
      }
      const auto behind = static_cast<double>(open_ - bucket);
      const double rate = learning_rate(late) / (average_ ? static_cast<double>(n) : 1);
      momentum_.axpy(std::pow(beta_, behind) * rate, gradient.vector);
      x.axpy(-(1 - std::pow(beta_, behind + 1)) / (1 - beta_) * rate, gradient.vector);
    });
    model().set_parameters(std::move(x));
    model().count_update();
    cluster().report_round();
    merge(gradient, late);
    reply(*gradient.from);
  }

  [[nodiscard]] double learning_rate(std::int64_t late) const {
    const double rate = model().learning_rate();
    if (!smoothness_ || late <= 2 * cluster().size()) return rate;
    return std::min(rate, 1 / (4 * *smoothness_ * static_cast<double>(late)));
  }

  double beta_ = 0.9;
  bool average_ = false;
  std::optional<double> smoothness_;
  std::int64_t open_ = 0;
  Vector momentum_;
};

}  // namespace

void register_ormo(Registry& registry) {
  registry.add_algorithm("ormo", [] { return std::make_unique<OrMo>(); });
}

}  // namespace convoy
