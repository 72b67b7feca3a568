// ACCO: accumulate while you communicate (Nabli et al., arXiv 2406.02613, NeurIPS 2025).
//
// All workers hold the same theta; the optimizer state is sharded. g~ are sums of micro-batch gradients at
// the estimate theta~, g at the true theta. A round has two stages, in each of which a worker computes until
// the exchange has ended:
//
//   stage 1   compute  g_i   at theta              comm  theta~' = Opt(theta, sum g~_i / sum N~_i) (then
//   forgotten) stage 2   compute  g~_i' at theta~'            comm  theta'  = Opt(theta, sum (g~_i + g_i) /
//   sum (N~_i + N_i))
//
// Both Opt start from the same theta; only stage 2 keeps parameters and moments. The first g~ is one group of
// micro-batches at the initial theta. No gradient clipping in the authors' code; here the run's `clip`
// applies to the mean gradient. Certainty: schedule read in the authors' code, equations rebuilt from prose,
// code and figure. The estimate's gradients are one half-round stale; the staleness policy of the run does
// not touch them.
#include "algorithms/all.hpp"
#include "training/sharded_update.hpp"

namespace convoy {
namespace {

constexpr Stream gradient_stream{"gradient", Payload::gradient};
constexpr Stream parameter_stream{"parameters", Payload::state};

class Acco final : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "acco"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "ACCO: accumulate while you communicate",
            .family = "overlapped",
            .source = "Nabli et al., arXiv 2406.02613",
            .certainty =
                "schedule read in the authors' code; equations reconstructed from prose, code and figure",
            .equations =
                "stage 1: g_i at theta beside theta~ = Opt(theta, mean g~); stage 2: g~_i at theta~ beside "
                "theta = Opt(theta, mean (g~ + g)); only stage 2 keeps moments",
            .deployed = "the true theta, equal on all workers"};
  }
  void declare(Options& options) override {
    options.add("accumulation", group_)
        .at_least(1)
        .help("micro-batches in a group; a worker swaps only at the end of a group")
        .source("authors' configuration: 1 for pre-training, 2 for fine-tuning");
    options.add("update_time", update_time_)
        .at_least(0)
        .help("time of a whole optimizer step on one device; a shard takes 1/n of it");
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::acco; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {gradient_stream, parameter_stream}; }

  void start(Cluster& cluster) override {
    optimizer_ = std::make_unique<ShardedOptimizer>(cluster, update_time_);
    micro_batches_.assign(static_cast<std::size_t>(cluster.size()), 0);
    cluster.spawn_workers([&](Worker& w) { return worker(cluster, w); });
  }
  [[nodiscard]] Deployed deployed() const override { return {{optimizer_->parameters()}}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    Node last = Node::list();
    for (const std::int64_t count : micro_batches_) last.items.push_back(Node::of(count));
    return {{"updates", Node::of(updates_)},
            {"exchanges", Node::of(optimizer_->rounds())},
            {"micro_batches_last_stage", std::move(last)}};
  }

 private:
  Process worker(Cluster& cluster, Worker& w) {
    using Keep = ShardedOptimizer::Keep;
    std::int64_t& micro_batches = micro_batches_[static_cast<std::size_t>(w.index())];
    Vector theta = w.parameters();
    GradientSum first_half = co_await accumulate_group(w, theta, group_);
    while (true) {
      const Completion<Vector> estimate =
          optimizer_->start_round(w, gradient_stream, parameter_stream, first_half, Keep::tentative);
      const GradientSum second_half = co_await accumulate_until(w, theta, group_, estimate);
      const Vector theta_estimate = co_await estimate;

      w.math([&] { first_half.add(second_half); });
      Credits work = w.take_work();
      const Completion<Vector> update =
          optimizer_->start_round(w, gradient_stream, parameter_stream, first_half, Keep::commit);
      first_half = co_await accumulate_until(w, theta_estimate, group_, update);
      theta = co_await update;
      w.set_parameters(theta);
      micro_batches = first_half.count;

      const std::int64_t steps = work.steps();
      cluster.work().merge(std::move(work));
      if (w.index() == 0) {
        double distance = 0;
        w.math([&] { distance = theta.distance(theta_estimate); });
        cluster.record("estimate_distance", "", distance);
        ++updates_;
        cluster.report_round();
      }
      cluster.report_steps(steps);
    }
  }

  std::int64_t group_ = 1;
  Duration update_time_;
  std::unique_ptr<ShardedOptimizer> optimizer_;
  std::int64_t updates_ = 0;
  std::vector<std::int64_t> micro_batches_;
};

}  // namespace

void register_acco(Registry& registry) {
  registry.add_algorithm("acco", [] { return std::make_unique<Acco>(); });
}

}  // namespace convoy
