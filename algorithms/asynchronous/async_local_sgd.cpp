// Asynchronous local SGD with delayed Nesterov and dynamic local steps (Liu et al. 2024, arXiv 2401.09135),
// as HALoS runs it for its baseline.
//
//   worker: receive theta;  H_w inner steps;  push Delta = start - end
//   server: on each push  theta <- DelayedNesterov(theta, weight(staleness) Delta);  send theta back
//
// One parameter server; workers never wait for each other. Inner optimizer state stays with its worker.
#include "algorithms/all.hpp"
#include "training/push_pull.hpp"

namespace convoy {
namespace {

constexpr Stream worker_to_server{"worker_to_server", Payload::delta};
constexpr Stream server_to_worker{"server_to_worker", Payload::state};

class AsyncLocalSgd final : public Algorithm {
 public:
  AsyncLocalSgd() {
    steps_.local_steps = 32;
    steps_.dynamic_local_steps = true;
  }
  [[nodiscard]] std::string_view kind() const override { return "async_local_sgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Asynchronous local SGD with delayed Nesterov",
            .family = "asynchronous",
            .source = "Liu et al. 2024, arXiv 2401.09135; defaults of HALoS' baseline",
            .certainty = "read in HALoS' code",
            .equations =
                "on each push Delta: theta <- DelayedNesterov(theta, weight(staleness) Delta); theta goes "
                "back to that worker",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("server", server_)
        .help("optimizer of the server")
        .source("HALoS scripts: eta 0.05, passed as 0.05 x 32; beta 0.9; N 32");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {worker_to_server, server_to_worker}; }
  [[nodiscard]] bool uses_servers() const override { return true; }

  void start(Cluster& cluster) override {
    model_ = std::make_unique<ServerModel>(cluster, cluster.initial_parameters(), server_);
    Server& s = cluster.global_server();
    cluster.spawn_workers([&](Worker& w) { return push_pull_cycle(w, s, worker_to_server, steps_.of(w)); });
    cluster.spawn(s.name(), server(cluster, s));
  }
  [[nodiscard]] Deployed deployed() const override { return {{model_->parameters()}}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    return {{"updates", Node::of(model_->version())},
            {"staleness_mean", Node::of(model_->mean_staleness())},
            {"staleness_max", Node::of(model_->max_staleness())}};
  }

 private:
  Process server(Cluster& cluster, Server& s) {
    for (int i = 0; i < cluster.size(); ++i) {
      s.send(cluster.worker(i), server_to_worker,
             {.vector = model_->parameters(), .version = model_->version()});
    }
    while (true) {
      Message push = co_await s.receive();
      co_await s.spend_update(ServerModel::vectors_touched);
      model_->apply(push);
      cluster.work().merge(std::move(push.work));
      cluster.report_round();
      cluster.report_steps(push.steps);
      s.send(*push.from, server_to_worker, {.vector = model_->parameters(), .version = model_->version()});
    }
  }

  LocalStepOptions steps_;
  OuterOptimizerOptions server_{.kind = OuterOptimizerOptions::Kind::delayed_nesterov,
                                .learning_rate = 1.6,
                                .momentum = 0.9,
                                .period = 32};
  std::unique_ptr<ServerModel> model_;
};

}  // namespace

void register_async_local_sgd(Registry& registry) {
  registry.add_algorithm("async_local_sgd", [] { return std::make_unique<AsyncLocalSgd>(); });
}

}  // namespace convoy
