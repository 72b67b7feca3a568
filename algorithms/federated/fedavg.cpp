// FedAvg, FedProx and FedOpt: a server samples clients, which make local steps on its model (McMahan et al.
// 2017, arXiv 1602.05629; Li et al. 2020, arXiv 1812.06127; Reddi et al. 2021, arXiv 2003.00295).
//
//   round: the server sends theta to a random set S of max(1, C n) clients
//   client i: H local steps on f_i(x) + (mu/2) |x - theta|^2;  sends Delta_i = theta - x_i
//   server: theta <- Server(theta, sum_S n_i Delta_i / sum_S n_i)        n_i: samples of client i
//
// The server's rule sgd with learning rate 1 is FedAvg (with mu > 0 FedProx), adam FedAdam.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "algorithms/all.hpp"
#include "training/push_pull.hpp"

namespace convoy {
namespace {

constexpr Stream server_to_client{"server_to_client", Payload::state};
constexpr Stream client_to_server{"client_to_server", Payload::delta};

class FedAvg final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "fedavg"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "FedAvg, FedProx and FedOpt",
        .family = "federated",
        .source = "McMahan et al. 2017, arXiv 1602.05629; arXiv 1812.06127; arXiv 2003.00295",
        .certainty = "FedAvg and FedProx: closed form; the adaptive servers' rules and defaults from memory",
        .equations = "theta <- Server(theta, sum_S n_i (theta - x_i) / sum_S n_i)",
        .deployed = "the server's"};
  }
  void declare(Options& options) override {
    options.add("participation", participation_)
        .more_than(0)
        .at_most(1)
        .help("C: share of the clients that a round samples")
        .source("arXiv 1602.05629: 0.1");
    options.add("epochs", epochs_)
        .more_than(0)
        .default_text("local_steps")
        .help("E: passes of a client over its own data a round, instead of local_steps");
    steps_.declare(options);
    options.add("proximal", proximal_).at_least(0).help("mu of FedProx");
    options.add("server", server_).help("rule on the mean difference");
    options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
      if (epochs_ && steps_.dynamic_local_steps) {
        faults.add(whole, path + ".epochs", "and dynamic_local_steps both say how many steps a client makes",
                   "one of them");
      }
    });
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {server_to_client, client_to_server}; }
  [[nodiscard]] bool uses_servers() const override { return true; }
  [[nodiscard]] Deployed deployed() const override { return {{theta_}}; }

  void start(Cluster& cluster) override {
    theta_ = cluster.initial_parameters();
    Server& s = cluster.global_server();
    cluster.spawn_workers(
        [&](Worker& w) { return push_pull_cycle(w, s, client_to_server, steps_of(w), proximal_); });
    cluster.spawn(s.name(), server(cluster, s));
  }

 private:
  [[nodiscard]] std::int64_t steps_of(const Worker& w) const {
    if (!epochs_) return steps_.of(w);
    const double batches = static_cast<double>(w.samples()) / static_cast<double>(w.batch_size());
    return std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(*epochs_ * batches)));
  }

  Process server(Cluster& cluster, Server& s) {
    OuterOptimizer rule(server_);
    std::vector<int> clients(static_cast<std::size_t>(cluster.size()));
    std::iota(clients.begin(), clients.end(), 0);
    const auto sampled = static_cast<std::size_t>(
        std::max<std::int64_t>(1, std::llround(participation_ * static_cast<double>(clients.size()))));
    for (std::int64_t round = 0;; ++round) {
      cluster.random("sampled clients", 0, static_cast<std::uint64_t>(round))
          .shuffle(clients.begin(), clients.end());
      std::vector<int> sample(clients.begin(), clients.begin() + static_cast<std::ptrdiff_t>(sampled));
      std::sort(sample.begin(), sample.end());
      for (const int i : sample) {
        s.send(cluster.worker(i), server_to_client, {.vector = theta_, .version = round});
      }
      // Sums in the order of the clients, not of their arrival.
      std::vector<Message> pushes;
      while (pushes.size() < sampled) pushes.push_back(co_await s.receive());
      std::sort(pushes.begin(), pushes.end(),
                [](const Message& a, const Message& b) { return a.from->number() < b.from->number(); });
      co_await s.spend_update(ServerModel::vectors_touched);
      std::int64_t steps = 0;
      std::vector<double> weights;
      std::vector<Vector> deltas;
      for (Message& push : pushes) {
        weights.push_back(static_cast<double>(cluster.worker(push.from->number()).samples()));
        deltas.push_back(std::move(push.vector));
        cluster.work().merge(std::move(push.work));
        steps += push.steps;
      }
      const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
      for (double& weight : weights) weight /= total;
      cluster.math([&] { rule.step(theta_, weighted_sum(weights, deltas)); });
      cluster.report_round();
      cluster.report_steps(steps);
    }
  }

  double participation_ = 0.1;
  std::optional<double> epochs_;
  LocalStepOptions steps_;
  double proximal_ = 0;
  OuterOptimizerOptions server_;
  Vector theta_;
};

}  // namespace

void register_fedavg(Registry& registry) {
  registry.add_algorithm("fedavg", [] { return std::make_unique<FedAvg>(); });
}

}  // namespace convoy
