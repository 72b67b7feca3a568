// Overlapped rounds of a sharded optimizer (ZeRO-1), the part that ACCO and delayed parameter updates share.
#pragma once

#include <cstdint>

#include "training/cluster.hpp"

namespace convoy {

/// A sum of mini-batch gradients and their number.
struct GradientSum {
  Vector sum;
  std::int64_t count = 0;
  void add(const Gradient& gradient);
  void add(const GradientSum& other);
};

/// Parameters and optimizer state that all workers hold together, each its shard. A round is: reduce-scatter
/// of the workers' gradient sums, optimizer step on the mean gradient, all-gather of the new parameters.
/// Elementwise optimizers make the sharding transparent, so the step is computed once.
class ShardedOptimizer {
 public:
  /// `update_time` is what a whole optimizer step takes on one device; a shard takes 1/n of it.
  ShardedOptimizer(Cluster& cluster, Duration update_time);

  enum class Keep {
    tentative,  ///< parameters and optimizer state stay as they were
    commit,     ///< they become the committed ones
    predict,    ///< they become the committed ones; the round gives what a second step on the same gradient
                ///< would make
  };
  /// Starts worker w's part of the next round; completes with the new parameters, the same vector for all
  /// workers.
  Completion<Vector> start_round(Worker& w, const Stream& gradients, const Stream& parameters,
                                 const GradientSum& sum, Keep keep);
  [[nodiscard]] const Vector& parameters() const { return parameters_; }
  [[nodiscard]] const OptimizerState& state() const { return state_; }
  /// Rounds finished.
  [[nodiscard]] std::int64_t rounds() const { return round_; }

 private:
  Process round(Worker& w, Stream gradients, Stream parameters, GradientSum sum, Keep keep,
                Completion<Vector> done);

  Cluster& cluster_;
  Duration shard_time_;
  Vector parameters_;
  OptimizerState state_;
  std::int64_t round_ = 0;
  int computed_by_ = 0;  // members that have taken the present round's result
  Vector result_;
};

/// Adds micro-batch gradients at `at` to a sum, in groups of `group`, at least one group and until `exchange`
/// is done at the end of a group. A micro-batch is never cut short.
Task<GradientSum> accumulate_until(Worker& w, Vector at, std::int64_t group, Completion<Vector> exchange);
/// Exactly one group.
Task<GradientSum> accumulate_group(Worker& w, Vector at, std::int64_t group);

}  // namespace convoy
