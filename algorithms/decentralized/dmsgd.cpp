// Decentralized SGD with momentum: DmSGD, and two forms whose bias the momentum does not inflate.
//
//   DmSGD       m <- b m + g;                               x <- W (x - a m)
//   DecentLaM   m <- b m + (x - W (x - a g)) / a;           x <- x - a m                 arXiv 2104.11981
//   QG-DSGDm    h = x - a (b m + g);  x+ = W h;  m <- mu m + (1 - mu) (x - x+) / a       arXiv 2102.04761
//
// DmSGD ends where adapt-then-combine ends with the step a / (1 - b); the other two where it ends with a.
// With b = 0 all are adapt-then-combine SGD.
#include "algorithms/all.hpp"
#include "training/mixing_algorithm.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"model", Payload::state};

/// The options and the card that the three share.
class MomentumMixing : public MixingAlgorithm {
 public:
  using MixingAlgorithm::MixingAlgorithm;
  void declare(Options& options) override {
    options.add("momentum", b_).at_least(0).less_than(1).tunable(0.5, 0.99).help("b");
    MixingAlgorithm::declare(options);
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {model_stream}; }

 protected:
  [[nodiscard]] static AlgorithmCard card_of(std::string title, std::string source, std::string equations) {
    return {.title = std::move(title),
            .family = "decentralized",
            .source = std::move(source),
            .certainty = "rule and fixed point checked numerically",
            .equations = std::move(equations),
            .deployed = "the mean over workers"};
  }
  double b_ = 0.9;
};

class DmSgd final : public MomentumMixing {
 public:
  using MomentumMixing::MomentumMixing;
  [[nodiscard]] std::string_view kind() const override { return "dmsgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return card_of("DmSGD: decentralized momentum SGD", "as compared in Yuan et al. 2021, arXiv 2104.11981",
                   "m <- b m + g;  x <- W (x - a m)");
  }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector m = 0 * w.parameters();
    while (true) {
      const double a = w.learning_rate();
      const Gradient g = co_await w.gradient();
      Vector sent = w.parameters();
      cluster.math([&] {
        m.combine(b_, 1, g.mean);
        sent.axpy(-a, m);
      });
      Vector next = co_await mix(w, model_stream, sent);
      end_round(cluster, w, std::move(next));
    }
  }
};

class DecentLaM final : public MomentumMixing {
 public:
  using MomentumMixing::MomentumMixing;
  [[nodiscard]] std::string_view kind() const override { return "decentlam"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return card_of("DecentLaM", "Yuan et al. 2021, arXiv 2104.11981",
                   "m <- b m + (x - W (x - a g)) / a;  x <- x - a m");
  }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector m = 0 * w.parameters();
    while (true) {
      const double a = w.learning_rate();
      const Gradient g = co_await w.gradient();
      Vector sent = w.parameters(), x = sent;
      cluster.math([&] { sent.axpy(-a, g.mean); });
      const Vector mixed = co_await mix(w, model_stream, sent);
      cluster.math([&] {
        if (a > 0) m.combine(b_, 1 / a, x - mixed);
        x = a > 0 ? x - a * m : mixed;
      });
      end_round(cluster, w, std::move(x));
    }
  }
};

class QuasiGlobalMomentum final : public MomentumMixing {
 public:
  using MomentumMixing::MomentumMixing;
  [[nodiscard]] std::string_view kind() const override { return "qg_dsgdm"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return card_of("QG-DSGDm: quasi-global momentum", "Lin et al. 2021, arXiv 2102.04761",
                   "h = x - a (b m + g);  x+ = W h;  m <- mu m + (1 - mu) (x - x+) / a");
  }
  void declare(Options& options) override {
    MomentumMixing::declare(options);
    options.add("averaging", mu_).at_least(0).less_than(1).help("mu of the quasi-global momentum");
    options.add("nesterov", nesterov_).help("the local step takes g + b (b m + g)");
  }

 private:
  Process worker(Cluster& cluster, Worker& w) override {
    Vector m = 0 * w.parameters();
    while (true) {
      const double a = w.learning_rate();
      const Gradient g = co_await w.gradient();
      const Vector x = w.parameters();
      Vector sent = x;
      cluster.math([&] {
        Vector direction = g.mean;
        direction.axpy(b_, m);
        if (nesterov_) direction.combine(b_, 1, g.mean);
        sent.axpy(-a, direction);
      });
      Vector next = co_await mix(w, model_stream, sent);
      cluster.math([&] {
        if (a > 0) m.combine(mu_, (1 - mu_) / a, x - next);
      });
      end_round(cluster, w, std::move(next));
    }
  }

  double mu_ = 0.9;
  bool nesterov_ = false;
};

}  // namespace

void register_dmsgd(Registry& registry) {
  add_mixing_algorithm<DmSgd>(registry, "dmsgd");
  add_mixing_algorithm<DecentLaM>(registry, "decentlam");
  add_mixing_algorithm<QuasiGlobalMomentum>(registry, "qg_dsgdm");
}

}  // namespace convoy
