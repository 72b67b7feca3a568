// Data-parallel SGD: every step, the mean gradient of all workers.
//
//   x <- Opt(x, (1/n) sum_i g_i(x))
//
// A blocking ring all-reduce of the gradient after each step; no bucketed overlap. Source: textbook.
#include "algorithms/all.hpp"
#include "training/cluster.hpp"

namespace convoy {
namespace {

constexpr Stream gradient_stream{"gradient", Payload::gradient};

class DataParallel final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "data_parallel"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Synchronous data-parallel SGD",
            .family = "synchronous",
            .source = "textbook; Chen et al. 2016, arXiv 1604.00981",
            .certainty = "closed form",
            .equations = "x <- Opt(x, (1/n) sum_i g_i(x)), one all-reduce of the gradient a step",
            .deployed = "every worker's (they are equal)"};
  }
  [[nodiscard]] std::vector<Stream> streams() const override { return {gradient_stream}; }

  void start(Cluster& cluster) override {
    deployed_ = cluster.initial_parameters();
    cluster.spawn_workers([&](Worker& w) { return worker(cluster, w); });
  }
  [[nodiscard]] Deployed deployed() const override { return {{deployed_}}; }

 private:
  Process worker(Cluster& cluster, Worker& w) {
    while (true) {
      const Gradient gradient = co_await w.gradient();
      const Reduced average = co_await w.all_reduce(gradient_stream, gradient.mean);
      w.apply(average);
      w.merge_work();
      if (w.index() == 0) {
        deployed_ = w.parameters();
        cluster.report_round();
      }
    }
  }

  Vector deployed_;
};

}  // namespace

void register_data_parallel(Registry& registry) {
  registry.add_algorithm("data_parallel", [] { return std::make_unique<DataParallel>(); });
}

}  // namespace convoy
