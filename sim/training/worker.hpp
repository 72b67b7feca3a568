// One training replica on one device, as an algorithm sees it.
//
//   for (int h = 0; h < local_steps; ++h) co_await w.local_step();
//   Reduced average = co_await w.all_reduce(model, w.parameters());
//   w.set_parameters(average.mean);
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>

#include "core/engine.hpp"
#include "core/process.hpp"
#include "hardware/step_clock.hpp"
#include "learning/optimizer.hpp"
#include "learning/task.hpp"
#include "training/endpoint.hpp"
#include "training/ledger.hpp"

namespace convoy {

class Group;
class GraphSequence;
class MixingMatrix;

/// How a local step departs from the plain one.
struct StepRule {
  double learning_rate_factor = 1;  ///< on top of the schedule's
  double proximal = 0;              ///< mu: the gradient gains mu (x - anchor) (FedProx)
  Vector anchor = {};               ///< used where proximal > 0
};

/// The mean gradient of one mini-batch.
struct Gradient {
  Vector mean;
  double loss = 0;
  std::int64_t samples = 0;
  bool aborted = false;  ///< by Worker::abort_steps: there is no gradient
};

class Worker final : public Endpoint {
 public:
  Worker(Cluster& cluster, int index, std::string name, std::string region, NodeId node, double speed,
         Duration step_time, StepClock clock);

  [[nodiscard]] int index() const { return index_; }
  /// Multiplies the workload's step rate; not normalised.
  [[nodiscard]] double speed() const { return speed_; }
  /// Nominal device time of one mini-batch.
  [[nodiscard]] Duration step_time() const { return step_time_; }
  /// speed / the largest speed of the cluster: what dynamic local steps scale with.
  [[nodiscard]] double relative_speed() const;

  [[nodiscard]] const Vector& parameters() const { return parameters_; }
  void set_parameters(Vector parameters) { parameters_ = std::move(parameters); }

  /// One local step: mini-batch gradient at the present parameters, clipping, inner optimizer step. Takes
  /// step_time() of the device; the new parameters are committed at its end.
  Completion<void> local_step(StepRule rule = {});
  /// A local round: reads the schedule's position once, then `count` local steps.
  Task<void> local_steps(std::int64_t count, StepRule rule = {});
  /// Opens a local round of `count` steps that are then asked for one by one.
  void begin_round(std::int64_t count);
  /// Passes over the next mini-batch and one step of the round, in no time and without a gradient (PALSGD).
  void skip_step();
  /// Loss of the mini-batch of the last finished step; 0 before.
  [[nodiscard]] double last_loss() const { return last_loss_; }
  /// Samples of this worker's share of the data.
  [[nodiscard]] std::size_t samples() const;
  /// Samples of its mini-batches.
  [[nodiscard]] std::size_t batch_size() const;
  /// Mean gradient of one mini-batch at `at`; takes step_time() of the device.
  Completion<Gradient> gradient(Vector at);
  /// The gradient of the present parameters.
  Completion<Gradient> gradient() { return gradient(parameters_); }

  /// Ends what the device computes, and what it was going to compute next, now: each handle completes at
  /// once, a local step without effect, a gradient as aborted. The mini-batches count as drawn, the time as
  /// computing, the work as discarded for the reason "aborted".
  void abort_steps();

  /// Clips `gradient` and makes one inner optimizer step on parameters(), at no time (a step's cost includes
  /// it).
  void apply(Vector gradient);
  /// The same at the schedule position that all members of a reduction share: `reduced.mean` is the gradient.
  void apply(const Reduced& reduced);
  /// The step of apply on other parameters and another state: for shared or tentative updates.
  void optimizer_step(Vector& parameters, OptimizerState& state, Vector gradient,
                      std::optional<SharedProgress> shared = {}) const;
  [[nodiscard]] const OptimizerState& optimizer_state() const { return optimizer_state_; }
  /// Learning rate at the present position of the schedule.
  [[nodiscard]] double learning_rate() const;
  /// At the position that all members of a reduction share.
  [[nodiscard]] double learning_rate(const Reduced& reduced) const;

  /// All-reduce over all workers: sum of vectors and weights. Opens when the first member calls it, moves
  /// bytes when the last has. Members' k-th calls on a stream belong together.
  Completion<Reduced> all_reduce(const Stream& stream, const Vector& x, double weight = 1,
                                 const ModelPart& part = {});
  /// The same among the members of a group, of which this worker is one.
  Completion<Reduced> all_reduce(const Group& group, const Stream& stream, const Vector& x, double weight = 1,
                                 const ModelPart& part = {});
  /// Reduce-scatter: as all_reduce, at the cost of the first half; each member owns its shard of the sum.
  Completion<Reduced> reduce_scatter(const Stream& stream, const Vector& x, double weight = 1);
  /// All-gather of the shards of a vector that the members hold together; each passes the whole, which is the
  /// result.
  Completion<Reduced> all_gather(const Stream& stream, const Vector& x);
  /// What the receivers of x on that stream decode, without error feedback.
  [[nodiscard]] Vector decoded(const Stream& stream, const Vector& x) const;
  /// Sends x to the out-neighbours of this worker in `graph`, and completes with sum_j w_ij x_j once the
  /// in-neighbours' vectors of the same round are here. `part`: what x weighs as on the wire.
  Completion<Vector> mix(const MixingMatrix& graph, const Stream& stream, const Vector& x,
                         const ModelPart& part = {});
  /// The same with the graph of the round: the k-th call on a stream mixes with graphs.at(k), k = 0, 1, ...
  Completion<Vector> mix(const GraphSequence& graphs, const Stream& stream, const Vector& x,
                         const ModelPart& part = {});

  /// Runs math on the spot and counts its wall time as math.
  void math(const std::function<void()>& job) const;

  /// The credits of the steps finished since the last call.
  [[nodiscard]] Credits take_work();
  /// Spends them as merged and reports their number of steps.
  void merge_work();
  /// Local steps finished so far.
  [[nodiscard]] std::int64_t steps() const { return steps_; }
  /// Device time spent on steps so far.
  [[nodiscard]] Ledger& ledger() { return ledger_; }
  [[nodiscard]] const Ledger& ledger() const { return ledger_; }

 private:
  struct StepResult;
  /// A computation whose end is scheduled.
  struct Running {
    EventId end;
    Time begin;
    std::function<void()> abort;
  };
  /// Position of this worker in the learning-rate schedule: read at the start of a local round.
  struct SchedulePosition {
    SharedProgress shared;        // at the start of the round
    std::int64_t own = 0;         // own steps started before it
    std::int64_t done = 0;        // local steps started in it
    std::int64_t left = 0;        // steps of it that have not started
    std::int64_t started = 0;     // steps started in all rounds
    std::int64_t own_rounds = 0;  // rounds started
  };
  /// Takes the next mini-batch; opens a round of one step if none is open.
  [[nodiscard]] std::uint64_t start_step();
  /// `shared` replaces the counters read at the start of the round.
  [[nodiscard]] double schedule_factor(std::optional<SharedProgress> shared = {}) const;
  /// Occupies the device for mini-batch `step` with `job` (may be empty) and calls `commit` at its end, or
  /// `abort` where it is cut off.
  void compute(std::uint64_t step, std::function<void(StepResult&)> job,
               std::function<void(StepResult&)> commit, std::function<void()> abort);

  int index_;
  double speed_;
  Duration step_time_;
  StepClock clock_;
  Time device_free_;
  std::deque<Running> running_;  // in the order of their ends
  Vector parameters_;
  OptimizerState optimizer_state_;
  std::uint64_t cursor_ = 0;  // mini-batches started
  std::int64_t steps_ = 0;    // mini-batches finished
  double last_loss_ = 0;
  SchedulePosition schedule_;
  Credits unspent_;
  Ledger ledger_;
};

}  // namespace convoy
