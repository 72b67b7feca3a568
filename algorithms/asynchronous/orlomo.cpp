// OrLoMo: OrMo for workers that make M local momentum steps (Shi, Wang, Li, AAAI 2026, arXiv 2601.12322).
//
//   worker: receive (x, u);  y = x, v = u, h = p = 0
//           M times:  v <- beta v + g;  y <- y - lr v;     h <- beta h + g;  p <- p + h      own contribution
//           push (h, p), computed at version v
//   server: bucket b = ceil(version / n), open bucket I;  S(k) = (1 - beta^k) / (1 - beta)
//           while b > I:  x <- x - lr beta S(M) u;  u <- beta^M u;  I <- I + 1
//           d = I - b;  u <- u + beta^(M d) h / n;  x <- x - (lr / n) (p + beta S(M d) h)
//
// In synchronous order it is momentum SGD with averaged parameters and momenta every M steps (PRSGDm, Yu et
// al. 2019); M = 1 is OrMo with averages. The learning rate is that of the run's optimizer, whose rule is not
// used.
#include <cmath>

#include "algorithms/all.hpp"
#include "training/gradient_server.hpp"
#include "training/paired_messages.hpp"
#include "training/push_pull.hpp"

namespace convoy {
namespace {

constexpr Stream model_stream{"server_to_worker", Payload::state};
constexpr Stream momentum_stream{"momentum_to_worker", Payload::state};
constexpr Stream last_stream{"last_gradients", Payload::gradient};  // h
constexpr Stream path_stream{"path", Payload::gradient};            // p

class OrLoMo final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "orlomo"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "OrLoMo: ordered local momentum",
        .family = "asynchronous",
        .source = "Shi, Wang and Li, AAAI 2026, arXiv 2601.12322",
        .certainty =
            "derived: consistent with the abstract and with its synchronous counterpart PRSGDm, not checked "
            "against the paper",
        .equations =
            "u <- u + beta^(M d) h / n;  x <- x - (lr / n) (p + beta S(M d) h), d buckets late; each opened "
            "bucket: x <- x - lr beta S(M) u, u <- beta^M u",
        .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("local_steps", steps_).at_least(1).tunable(1, 64).help("M: local momentum steps of a push");
    options.add("momentum", beta_).at_least(0).less_than(1).tunable(0.5, 0.99).help("beta");
  }
  [[nodiscard]] std::vector<Stream> streams() const override {
    return {model_stream, momentum_stream, last_stream, path_stream};
  }
  [[nodiscard]] bool uses_servers() const override { return true; }
  [[nodiscard]] Deployed deployed() const override { return {{model_->parameters()}}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override { return delays_.report(); }

  void start(Cluster& cluster) override {
    model_ = std::make_unique<GradientModel>(cluster);
    momentum_ = 0 * cluster.initial_parameters();
    Server& s = cluster.global_server();
    cluster.spawn_workers([&](Worker& w) { return worker(cluster, w, s); });
    cluster.spawn(s.name(), server(cluster, s));
  }

 private:
  Process worker(Cluster& cluster, Worker& w, Server& s) {
    while (true) {
      const Message model = co_await w.receive();
      const Message momentum = co_await w.receive();
      Vector v = momentum.vector, h = 0 * v, p = 0 * v;
      w.set_parameters(model.vector);
      w.begin_round(steps_);
      for (std::int64_t step = 0; step < steps_; ++step) {
        const Gradient g = co_await w.gradient();
        Vector y = w.parameters();
        cluster.math([&] {
          v.combine(beta_, 1, g.mean);
          y.axpy(-w.learning_rate(), v);
          h.combine(beta_, 1, g.mean);
          p += h;
        });
        w.set_parameters(std::move(y));
      }
      w.send(s, last_stream, {.vector = std::move(h), .version = model.version});
      w.send(s, path_stream,
             {.vector = std::move(p), .version = model.version, .work = w.take_work(), .steps = steps_});
    }
  }

  Process server(Cluster& cluster, Server& s) {
    PairedMessages pushes(last_stream);
    for (int i = 0; i < cluster.size(); ++i) reply(s, cluster.worker(i));
    while (true) {
      auto push = pushes.add(co_await s.receive());
      if (!push) continue;
      auto& [last, path] = *push;
      co_await s.spend_update(2 * ServerModel::vectors_touched);
      const std::int64_t late = model_->version() - path.version;
      insert(cluster, path, last);
      model_->count_update();
      delays_.add(late);
      cluster.record_staleness(late);
      cluster.report_round();
      cluster.work().merge(std::move(path.work));
      cluster.report_steps(path.steps);
      reply(s, *path.from);
    }
  }

  /// (1 - beta^k) / (1 - beta): sum of k powers of beta.
  [[nodiscard]] double powers(double k) const { return (1 - std::pow(beta_, k)) / (1 - beta_); }

  void insert(Cluster& cluster, const Message& path, const Message& last) {
    const double rate = model_->learning_rate(), n = cluster.size(), m = static_cast<double>(steps_);
    const std::int64_t bucket = (path.version + cluster.size() - 1) / cluster.size();
    Vector x = model_->parameters();
    cluster.math([&] {
      for (; bucket > open_; ++open_) {
        x.axpy(-rate * beta_ * powers(m), momentum_);
        momentum_.scale(std::pow(beta_, m));
      }
      const double behind = m * static_cast<double>(open_ - bucket);
      momentum_.axpy(std::pow(beta_, behind) / n, last.vector);
      x.axpy(-rate / n, path.vector);
      x.axpy(-rate / n * beta_ * powers(behind), last.vector);
    });
    model_->set_parameters(std::move(x));
  }

  void reply(Server& s, Endpoint& to) {
    s.send(to, model_stream, {.vector = model_->parameters(), .version = model_->version()});
    s.send(to, momentum_stream, {.vector = momentum_, .version = model_->version()});
  }

  std::int64_t steps_ = 8;
  double beta_ = 0.9;
  std::unique_ptr<GradientModel> model_;
  Vector momentum_;
  std::int64_t open_ = 0;
  DelayCount delays_;
};

}  // namespace

void register_orlomo(Registry& registry) {
  registry.add_algorithm("orlomo", [] { return std::make_unique<OrLoMo>(); });
}

}  // namespace convoy
