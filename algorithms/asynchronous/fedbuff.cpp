// FedBuff: asynchronous clients, a server that steps once its buffer is full (Nguyen et al., AISTATS 2022,
// arXiv 2106.06639).
//
//   client: receive theta;  H local steps;  push Delta = start - end
//   server: buffer <- buffer + s(delta) Delta, s = (1 + delta)^-1/2; that client gets theta
//           after K_b pushes:  theta <- theta - eta buffer / K_b;  buffer <- 0
//
// delta counts the server's updates since the client's model was sent.
#include "algorithms/all.hpp"
#include "training/gradient_server.hpp"
#include "training/push_pull.hpp"

namespace convoy {
namespace {

constexpr Stream client_to_server{"client_to_server", Payload::delta};
constexpr Stream server_to_client{"server_to_client", Payload::state};

class FedBuff final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "fedbuff"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "FedBuff: buffered asynchronous aggregation",
            .family = "asynchronous",
            .source = "Nguyen et al., AISTATS 2022, arXiv 2106.06639",
            .certainty = "rule from the abstract and memory; buffer of 10 from memory",
            .equations = "theta <- theta - eta (1/K_b) sum of K_b (1 + delta)^-1/2 Delta",
            .deployed = "the server's"};
  }
  void declare(Options& options) override {
    steps_.declare(options);
    options.add("buffer", buffer_size_).at_least(1).help("K_b: pushes of an update");
    options.add("server_learning_rate", eta_).more_than(0).tunable(0.1, 10).help("eta");
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {client_to_server, server_to_client}; }
  [[nodiscard]] std::optional<StalenessWeight> staleness_weight() const override {
    return StalenessWeight{.kind = StalenessWeight::Kind::polynomial, .exponent = 0.5};
  }
  [[nodiscard]] bool uses_servers() const override { return true; }
  [[nodiscard]] Deployed deployed() const override { return {{theta_}}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    std::vector<ReportEntry> entries = delays_.report();
    entries.insert(entries.begin(), {"updates", Node::of(version_)});
    return entries;
  }

  void start(Cluster& cluster) override {
    theta_ = cluster.initial_parameters();
    Server& s = cluster.global_server();
    cluster.spawn_workers([&](Worker& w) { return push_pull_cycle(w, s, client_to_server, steps_.of(w)); });
    cluster.spawn(s.name(), server(cluster, s));
  }

 private:
  Process server(Cluster& cluster, Server& s) {
    Vector buffer = 0 * theta_;
    std::int64_t buffered = 0;
    const auto reply = [this, &s](Endpoint& to) {
      s.send(to, server_to_client, {.vector = theta_, .version = version_});
    };
    for (int i = 0; i < cluster.size(); ++i) reply(cluster.worker(i));
    while (true) {
      Message push = co_await s.receive();
      const std::int64_t late = version_ - push.version;
      delays_.add(late);
      cluster.record_staleness(late);
      cluster.math([&] { buffer.axpy(cluster.staleness_weight(late), push.vector); });
      cluster.work().merge(std::move(push.work));
      if (++buffered == buffer_size_) {
        co_await s.spend_update(ServerModel::vectors_touched);
        cluster.math([&] {
          theta_.axpy(-eta_ / static_cast<double>(buffered), buffer);
          buffer.assign_zero();
        });
        buffered = 0;
        ++version_;
        cluster.report_round();
      }
      cluster.report_steps(push.steps);
      reply(*push.from);
    }
  }

  LocalStepOptions steps_;
  std::int64_t buffer_size_ = 10;
  double eta_ = 1;
  Vector theta_;
  std::int64_t version_ = 0;
  DelayCount delays_;
};

}  // namespace

void register_fedbuff(Registry& registry) {
  registry.add_algorithm("fedbuff", [] { return std::make_unique<FedBuff>(); });
}

}  // namespace convoy
