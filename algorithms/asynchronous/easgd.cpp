// EASGD: workers tied to a centre by an elastic force (Zhang, Choromanska, LeCun, NIPS 2015, arXiv
// 1412.6651).
//
//   every tau local steps, before the first of them:
//     e = alpha (x_i - z);   x_i <- x_i - e;   z <- z + e
//
//   asynchronous: one worker at a time with a server that holds z; only that worker waits
//   synchronous:  all at once with the same z: z <- z + alpha sum_i (x_i - z), blocking all-reduce
//
// An exchange keeps sum_i x_i + z. alpha = 0 leaves the workers independent.
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"

namespace convoy {
namespace {

constexpr Stream worker_to_centre{"worker_to_centre", Payload::state};
constexpr Stream centre_to_worker{"centre_to_worker", Payload::delta};
constexpr Stream difference_stream{"difference", Payload::delta};

class Easgd final : public Algorithm {
 public:
  Easgd() { steps_.local_steps = 4; }
  [[nodiscard]] std::string_view kind() const override { return "easgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "EASGD: elastic averaging SGD",
            .family = "asynchronous",
            .source = "Zhang, Choromanska and LeCun, NIPS 2015, arXiv 1412.6651",
            .certainty = "rule read in the code of Overlap-Local-SGD's authors; beta = 0.9 from memory",
            .equations = "e = alpha (x_i - z);  x_i <- x_i - e;  z <- z + e",
            .deployed = "the centre z"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("elasticity", alpha_)
        .between(0, 1)
        .default_text("0.9 / workers")
        .help("alpha")
        .source("arXiv 1412.6651: beta / n with beta = 0.9");
    options.add("synchronous", synchronous_).help("all workers exchange at once, by all-reduce");
  }
  [[nodiscard]] std::vector<Stream> streams() const override {
    return {worker_to_centre, centre_to_worker, difference_stream};
  }
  [[nodiscard]] bool uses_servers() const override { return !synchronous_; }
  [[nodiscard]] Deployed deployed() const override { return {{centre_}}; }

  void start(Cluster& cluster) override {
    centre_ = cluster.initial_parameters();
    const double alpha = alpha_.value_or(0.9 / cluster.size());
    if (synchronous_) {
      cluster.spawn_workers([&, alpha](Worker& w) { return barrier_worker(cluster, w, alpha); });
      return;
    }
    Server& s = cluster.global_server();
    cluster.spawn_workers([&](Worker& w) { return worker(cluster, w, s); });
    cluster.spawn(s.name(), server(cluster, s, alpha));
  }

 private:
  /// Pulls w back by the elastic force; the work since its last exchange is in the centre with it.
  static void pull_back(Cluster& cluster, Worker& w, double factor, const Vector& difference) {
    Vector x = w.parameters();
    cluster.math([&] { x.axpy(-factor, difference); });
    w.set_parameters(std::move(x));
    w.merge_work();
  }

  Process worker(Cluster& cluster, Worker& w, Server& s) {
    while (true) {
      w.send(s, worker_to_centre, {.vector = w.parameters()});
      const Message force = co_await w.receive();
      pull_back(cluster, w, 1, force.vector);
      co_await w.local_steps(steps_.of(w));
    }
  }

  Process server(Cluster& cluster, Server& s, double alpha) {
    while (true) {
      const Message model = co_await s.receive();
      co_await s.spend_update(3);  // reads x_i and z, writes z
      Vector force;
      cluster.math([&] {
        force = alpha * (model.vector - centre_);
        centre_ += force;
      });
      cluster.report_round();
      s.send(*model.from, centre_to_worker, {.vector = std::move(force)});
    }
  }

  Process barrier_worker(Cluster& cluster, Worker& w, double alpha) {
    Vector z = w.parameters();
    while (true) {
      const Vector difference = w.parameters() - z;
      const Reduced mean = co_await w.all_reduce(difference_stream, difference);
      cluster.math([&] { z.axpy(alpha * cluster.size(), mean.mean); });
      pull_back(cluster, w, alpha, difference);
      if (w.index() == 0) {
        centre_ = z;
        cluster.report_round();
      }
      co_await w.local_steps(steps_.of(w));
    }
  }

  LocalStepOptions steps_;
  std::optional<double> alpha_;
  bool synchronous_ = false;
  Vector centre_;
};

}  // namespace

void register_easgd(Registry& registry) {
  registry.add_algorithm("easgd", [] { return std::make_unique<Easgd>(); });
}

}  // namespace convoy
