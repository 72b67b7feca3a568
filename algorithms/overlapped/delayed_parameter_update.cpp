// Delayed parameter update (DPU, from ZeRO-Offload, Ren et al. 2021, arXiv 2101.06840), ACCO's baseline: the
// update of a round's gradients runs beside the next round's gradients, which are therefore one step stale.
//
//   theta^(t+1) = Opt(theta^(t), mean g^(t)),  g^(t) computed at theta^(t-1);   beside it  g^(t+1) at
//   theta^(t)
//
// Weight prediction, ACCO's other baseline, reuses the gradient that a round has received for a second,
// tentative step, and takes the next gradients there:
//
//   theta~^(t+1) = Opt(theta^(t+1), mean g^(t));   g^(t+2) at theta~^(t+1)
//
// A worker accumulates until the exchange has ended. `warmup_rounds` rounds at the start are not delayed.
// Certainty: as described in the ACCO paper; its released code differs (it is sequential).
#include "algorithms/all.hpp"
#include "training/sharded_update.hpp"

namespace convoy {
namespace {

constexpr Stream gradient_stream{"gradient", Payload::gradient};
constexpr Stream parameter_stream{"parameters", Payload::state};

class DelayedParameterUpdate : public Algorithm {
 public:
  [[nodiscard]] std::string_view kind() const override { return "delayed_parameter_update"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {.title = "Delayed parameter update (DPU)",
            .family = "overlapped",
            .source = "Ren et al. 2021, arXiv 2101.06840; as in ACCO, arXiv 2406.02613",
            .certainty = "as described in the ACCO paper",
            .equations = "theta^(t+1) = Opt(theta^(t), mean g^(t)) with g^(t) computed at theta^(t-1)",
            .deployed = "the committed theta, equal on all workers"};
  }
  void declare(Options& options) override {
    options.add("accumulation", group_).at_least(1).help("micro-batches in a group");
    options.add("warmup_rounds", warmup_rounds_)
        .at_least(0)
        .help("rounds at the start that are not delayed")
        .source("ACCO: 0, 40 or 500");
    options.add("update_time", update_time_)
        .at_least(0)
        .help("time of a whole optimizer step on one device; a shard takes 1/n of it");
  }
  [[nodiscard]] MemoryPlan memory_plan() const override { return MemoryPlan::acco; }
  [[nodiscard]] std::vector<Stream> streams() const override { return {gradient_stream, parameter_stream}; }

  void start(Cluster& cluster) override {
    optimizer_ = std::make_unique<ShardedOptimizer>(cluster, update_time_);
    cluster.spawn_workers([&](Worker& w) { return worker(cluster, w); });
  }
  [[nodiscard]] Deployed deployed() const override { return {{optimizer_->parameters()}}; }
  [[nodiscard]] std::vector<ReportEntry> report() const override {
    return {{"updates", Node::of(optimizer_->rounds())}};
  }

 private:
  /// What becomes of the parameters in a delayed round.
  [[nodiscard]] virtual ShardedOptimizer::Keep keep() const { return ShardedOptimizer::Keep::commit; }

  Process worker(Cluster& cluster, Worker& w) {
    using Keep = ShardedOptimizer::Keep;
    Vector theta = w.parameters();
    for (std::int64_t round = 0; round < warmup_rounds_; ++round) {
      const GradientSum gradients = co_await accumulate_group(w, theta, group_);
      theta = co_await optimizer_->start_round(w, gradient_stream, parameter_stream, gradients, Keep::commit);
      w.set_parameters(theta);
      w.merge_work();
      if (w.index() == 0) cluster.report_round();
    }
    GradientSum gradients = co_await accumulate_group(w, theta, group_);
    while (true) {
      Credits work = w.take_work();
      const Completion<Vector> update =
          optimizer_->start_round(w, gradient_stream, parameter_stream, gradients, keep());
      gradients = co_await accumulate_until(w, theta, group_, update);
      theta = co_await update;
      w.set_parameters(theta);
      const std::int64_t steps = work.steps();
      cluster.work().merge(std::move(work));
      if (w.index() == 0) cluster.report_round();
      cluster.report_steps(steps);
    }
  }

  std::int64_t group_ = 1;
  std::int64_t warmup_rounds_ = 0;
  Duration update_time_;
  std::unique_ptr<ShardedOptimizer> optimizer_;
};

class WeightPrediction final : public DelayedParameterUpdate {
 public:
  [[nodiscard]] std::string_view kind() const override { return "weight_prediction"; }
  [[nodiscard]] AlgorithmCard card() const override {
    return {
        .title = "Weight prediction (WP)",
        .family = "overlapped",
        .source = "as in ACCO, arXiv 2406.02613, after Kosson et al. 2021",
        .certainty = "as described in the ACCO paper; the tentative step's state is dropped",
        .equations =
            "theta^(t+1) = Opt(theta^(t), mean g^(t));  theta~^(t+1) = Opt(theta^(t+1), mean g^(t)), where "
            "the next gradients are taken",
        .deployed = "the committed theta, equal on all workers"};
  }

 private:
  [[nodiscard]] ShardedOptimizer::Keep keep() const override { return ShardedOptimizer::Keep::predict; }
};

}  // namespace

void register_delayed_parameter_update(Registry& registry) {
  registry.add_algorithm("delayed_parameter_update",
                         [] { return std::make_unique<DelayedParameterUpdate>(); });
  registry.add_algorithm("weight_prediction", [] { return std::make_unique<WeightPrediction>(); });
}

}  // namespace convoy
