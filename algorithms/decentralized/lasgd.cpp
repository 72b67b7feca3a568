// LASGD: exact averages in the background of local steps (arXiv 2203.13085).
//
//   computation: x_i <- x_i - a g_i(x_i), without ever waiting
//   background:  snapshot s_i = x_i at a step's end, join the all-reduce;  at its end x_i <- x_i + (mean_j
//   s_j - s_i);
//                then the next snapshot
//
// An average changes no sum of models. Its cadence is the slowest worker's step plus the all-reduce.
#include "algorithms/all.hpp"
#include "training/cluster.hpp"

namespace convoy {
namespace {

constexpr Stream average_stream{"average", Payload::state};

class LocallyAsynchronousSgd final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "lasgd"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "LASGD: locally asynchronous SGD",
            .family = "decentralized",
            .source = "arXiv 2203.13085",
            .certainty = "reconstructed from the abstract's claims",
            .equations = "local steps without waiting; in the background x_i <- x_i + (mean_j s_j - s_i)",
            .deployed = "the mean over workers"};
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {average_stream}; }
  [[nodiscard]] Deployed deployed() const override { return mean_of_workers(*cluster_); }
  void start(Cluster& cluster) override {
    cluster_ = &cluster;
    cluster.spawn_workers([this, &cluster](Worker& w) { return worker(cluster, w); });
  }

 private:
  Process worker(Cluster& cluster, Worker& w) {
    std::optional<Completion<Reduced>> average;
    Vector snapshot;
    while (true) {
      co_await w.local_step();
      w.merge_work();
      if (average && average->done()) {
        Vector x = w.parameters();
        const Reduced reduced = co_await *average;
        cluster.math([&] { x += reduced.mean - snapshot; });
        w.set_parameters(std::move(x));
        average.reset();
        if (w.index() == 0) cluster.report_round();
      }
      if (!average) {
        snapshot = w.parameters();
        average = w.all_reduce(average_stream, snapshot);
      }
    }
  }

  Cluster* cluster_ = nullptr;
};

}  // namespace

void register_lasgd(Registry& registry) {
  registry.add_algorithm("lasgd", [] { return std::make_unique<LocallyAsynchronousSgd>(); });
}

}  // namespace convoy
