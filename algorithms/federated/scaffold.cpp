// Scaffold: control variates against client drift (Karimireddy et al. 2020, arXiv 1910.06378).
//
//   the server sends x and c;  client: y = x;  K times  y <- y - a (g_i(y) - c_i + c)
//   option II:  c_i+ = c_i - c + (x - y) / (K a), the mean of its K gradients;   the client sends y - x and
//   c_i+ - c_i server:     x <- x + s mean(y - x);  c <- c + mean(c_i+ - c_i)            over all clients
//
// c is the mean of the c_i. With K = 1, s = 1 it is SGD; on a complete graph K-GT is this.
#include "algorithms/all.hpp"
#include "training/cluster.hpp"
#include "training/paired_messages.hpp"

namespace convoy {
namespace {

constexpr Stream model_down{"model_to_client", Payload::state};
constexpr Stream control_down{"control_to_client", Payload::gradient};
constexpr Stream model_up{"model_to_server", Payload::delta};
constexpr Stream control_up{"control_to_server", Payload::gradient};

class Scaffold final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "scaffold"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "Scaffold: stochastic controlled averaging",
        .family = "federated",
        .source = "Karimireddy et al. 2020, arXiv 1910.06378",
        .certainty = "option II with full participation; equality with K-GT on the complete graph checked",
        .equations =
            "y <- y - a (g_i(y) - c_i + c);  c_i+ = c_i - c + (x - y) / (K a);  x <- x + s mean(y - x)",
        .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("local_steps", steps_).at_least(1).tunable(1, 64).help("K: local steps of a round");
    options.add("server_step", scale_).more_than(0).help("s: scale of the server's step");
  }
  [[nodiscard]] std::vector<Stream> streams() const override {
    return {model_down, control_down, model_up, control_up};
  }
  [[nodiscard]] bool uses_servers() const override { return true; }
  [[nodiscard]] Deployed deployed() const override { return {{x_}}; }

  void start(Cluster& cluster) override {
    x_ = cluster.initial_parameters();
    Server& s = cluster.global_server();
    cluster.spawn_workers([&](Worker& w) { return client(cluster, w, s); });
    cluster.spawn(s.name(), server(cluster, s));
  }

 private:
  Process client(Cluster& cluster, Worker& w, Server& s) {
    Vector own = 0 * w.parameters();  // c_i
    PairedMessages inbox(model_down);
    while (true) {
      auto pair = inbox.add(co_await w.receive());
      if (!pair) continue;
      const Vector x = pair->first.vector, c = pair->second.vector;
      w.set_parameters(x);
      w.begin_round(steps_);
      const double a = w.learning_rate();
      Vector average = 0 * x;  // of the round's gradients
      for (std::int64_t step = 0; step < steps_; ++step) {
        const Gradient g = co_await w.gradient();
        Vector y = w.parameters();
        cluster.math([&] {
          y.axpy(-a, g.mean - own + c);
          average.axpy(1 / static_cast<double>(steps_), g.mean);
        });
        w.set_parameters(std::move(y));
      }
      Vector change;
      cluster.math([&] {
        change = average - own;
        own = average;
      });
      w.send(s, model_up, {.vector = w.parameters() - x, .work = w.take_work(), .steps = steps_});
      w.send(s, control_up, {.vector = std::move(change)});
    }
  }

  Process server(Cluster& cluster, Server& s) {
    Vector c = 0 * x_;
    while (true) {
      for (int i = 0; i < cluster.size(); ++i) {
        s.send(cluster.worker(i), model_down, {.vector = x_});
        s.send(cluster.worker(i), control_down, {.vector = c});
      }
      PairedMessages inbox(model_up);
      const auto n = static_cast<std::size_t>(cluster.size());
      std::vector<Vector> models(n), controls(n);
      std::int64_t steps = 0;
      for (std::size_t arrived = 0; arrived < n;) {
        auto pair = inbox.add(co_await s.receive());
        if (!pair) continue;
        ++arrived;
        const auto from = static_cast<std::size_t>(pair->first.from->number());
        models[from] = std::move(pair->first.vector);
        controls[from] = std::move(pair->second.vector);
        cluster.work().merge(std::move(pair->first.work));
        steps += pair->first.steps;
      }
      co_await s.spend_update(2 * ServerModel::vectors_touched);
      cluster.math([&] {
        x_.axpy(scale_, mean(models));
        c += mean(controls);
      });
      cluster.report_round();
      cluster.report_steps(steps);
    }
  }

  std::int64_t steps_ = 5;
  double scale_ = 1;
  Vector x_;
};

}  // namespace

void register_scaffold(Registry& registry) {
  registry.add_algorithm("scaffold", [] { return std::make_unique<Scaffold>(); });
}

}  // namespace convoy
