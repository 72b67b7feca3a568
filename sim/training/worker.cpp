#include "training/worker.hpp"

#include <algorithm>
#include <cmath>

#include "learning/gradient_clip.hpp"
#include "training/run_state.hpp"

namespace convoy {

/// What the math of one step yields; written by the job, committed at the step's end.
struct Worker::StepResult {
  Vector parameters;
  OptimizerState state;
  Vector gradient;
  BatchResult batch;
};

Worker::Worker(Cluster& cluster, int index, std::string name, std::string region, NodeId node, double speed,
               Duration step_time, StepClock clock)
    : Endpoint(cluster, std::move(name), std::move(region), node, index),
      index_(index),
      speed_(speed),
      step_time_(step_time),
      clock_(std::move(clock)) {
  const RunState& run = cluster_.run_;
  parameters_ = run.initial_parameters;
  if (run.setup.optimizer != nullptr) {
    optimizer_state_ =
        run.setup.optimizer->initial_state(run.setup.task->layout(), run.setup.task->precision());
  }
}

double Worker::relative_speed() const {
  return speed_ / cluster_.run_.largest_speed;
}

void Worker::compute(std::uint64_t step, std::function<void(StepResult&)> job,
                     std::function<void(StepResult&)> commit, std::function<void()> abort) {
  RunState& run = cluster_.run_;
  clock_.forget_before(run.engine.now());
  // The device runs its computations one after another.
  const Time begin = std::max(run.engine.now(), device_free_);
  device_free_ = clock_.end(step_time_, step, begin);
  const Duration time = device_free_ - begin;
  ledger_.computing(run.engine.now(), +1);
  auto result = std::make_shared<StepResult>();
  JobHandle handle;
  if (job) {
    handle = run.launch(device_free_, [job = std::move(job), result] { job(*result); });
  }
  const EventId end =
      run.engine.at(device_free_, EventClass::computation,
                    [this, result, time, handle = std::move(handle), commit = std::move(commit)]() mutable {
                      RunState& state = cluster_.run_;
                      running_.pop_front();
                      if (state.setup.task->has_math()) state.join(handle);
                      ledger_.computing(state.engine.now(), -1);
                      ++steps_;
                      state.digest_event(DigestKind::step, index_, {}, steps_);
                      unspent_.add(state.work.computed(index_, time));
                      if (state.setup.task->has_math()) {
                        last_loss_ = result->batch.loss;
                        state.evaluator.add_loss(result->batch.loss);
                        state.evaluator.add_gradient(result->gradient);
                        if (!std::isfinite(result->batch.loss))
                          state.diverge("the loss of " + name() + " is not finite");
                      }
                      commit(*result);
                    });
  running_.push_back({end, begin, std::move(abort)});
}

void Worker::abort_steps() {
  RunState& run = cluster_.run_;
  const Time now = run.engine.now();
  const std::deque<Running> ended = std::exchange(running_, {});
  for (const Running& step : ended) {
    run.engine.cancel(step.end);
    ledger_.computing(now, -1);
    run.work.discard(run.work.computed(index_, now - std::min(step.begin, now)), "aborted");
    run.digest_event(DigestKind::abort, index_, {}, steps_);
    step.abort();
  }
  device_free_ = std::min(device_free_, now);
}

void Worker::begin_round(std::int64_t steps) {
  RunState& run = cluster_.run_;
  schedule_.shared = run.progress;
  schedule_.own = schedule_.started;
  schedule_.left = steps;
  schedule_.done = 0;
  ++schedule_.own_rounds;
  run.progress.dispatched += steps;
}

double Worker::schedule_factor(std::optional<SharedProgress> shared) const {
  return cluster_.run_.schedule_factor({.own_steps = schedule_.own + schedule_.done,
                                        .own_rounds = std::max<std::int64_t>(schedule_.own_rounds - 1, 0),
                                        .shared = shared ? *shared : schedule_.shared,
                                        .started_since = shared ? 0 : schedule_.done});
}

double Worker::learning_rate() const {
  const Optimizer* optimizer = cluster_.run_.setup.optimizer;
  return optimizer == nullptr ? 0 : optimizer->base_learning_rate() * schedule_factor();
}

double Worker::learning_rate(const Reduced& reduced) const {
  const Optimizer* optimizer = cluster_.run_.setup.optimizer;
  return optimizer == nullptr ? 0 : optimizer->base_learning_rate() * schedule_factor(reduced.progress);
}

std::uint64_t Worker::start_step() {
  if (schedule_.left == 0) begin_round(1);
  --schedule_.left;
  return cursor_++;
}

Completion<void> Worker::local_step(StepRule rule) {
  RunState& run = cluster_.run_;
  Completion<void> done("the end of its local step");
  const std::uint64_t step = start_step();
  const double factor = schedule_factor() * rule.learning_rate_factor;
  ++schedule_.done;
  ++schedule_.started;
  if (!run.setup.task->has_math()) {
    compute(
        step, {}, [done](StepResult&) { done.set(); }, [done] { done.set(); });
    return done;
  }
  const RunSetup& setup = run.setup;
  compute(
      step,
      [&setup, parameters = parameters_, state = optimizer_state_, worker = index_, step, factor,
       rule = std::move(rule)](StepResult& r) {
        thread_local Vector gradient;  // scratch: overwritten by every step of this thread
        r.batch = setup.task->gradient(parameters, worker, step, gradient);
        if (rule.proximal > 0) gradient.axpy(rule.proximal, parameters - rule.anchor);
        if (setup.clip) clip_global_norm(gradient, *setup.clip);
        r.parameters = parameters;
        r.state = state;
        setup.optimizer->step(r.parameters, gradient, r.state, factor);
        if (Evaluator::watches_gradients(*setup.task)) r.gradient = gradient;
      },
      [this, done](StepResult& r) {
        parameters_ = std::move(r.parameters);
        optimizer_state_ = std::move(r.state);
        done.set();
      },
      [done] { done.set(); });
  return done;
}

Task<void> Worker::local_steps(std::int64_t count, StepRule rule) {
  begin_round(count);
  for (std::int64_t step = 0; step < count; ++step) co_await local_step(rule);
}

void Worker::skip_step() {
  static_cast<void>(start_step());
  ++schedule_.done;
  ++schedule_.started;
}

std::size_t Worker::samples() const {
  return cluster_.run_.setup.task->worker_samples(index_);
}

std::size_t Worker::batch_size() const {
  return cluster_.run_.setup.task->batch_size(index_);
}

Completion<Gradient> Worker::gradient(Vector at) {
  RunState& run = cluster_.run_;
  Completion<Gradient> done("the end of its gradient");
  const std::uint64_t step = start_step();
  ++schedule_.started;
  std::function<void(StepResult&)> job;
  if (run.setup.task->has_math()) {
    job = [task = run.setup.task.get(), at = std::move(at), worker = index_, step](StepResult& r) {
      r.batch = task->gradient(at, worker, step, r.gradient);
    };
  }
  compute(
      step, std::move(job),
      [done](StepResult& r) {
        done.set({.mean = std::move(r.gradient),
                  .loss = r.batch.loss,
                  .samples = static_cast<std::int64_t>(r.batch.samples)});
      },
      [done] {
        Gradient none;
        none.aborted = true;
        done.set(std::move(none));
      });
  return done;
}

void Worker::apply(Vector gradient) {
  optimizer_step(parameters_, optimizer_state_, std::move(gradient));
}

void Worker::apply(const Reduced& reduced) {
  optimizer_step(parameters_, optimizer_state_, reduced.mean, reduced.progress);
}

void Worker::optimizer_step(Vector& parameters, OptimizerState& state, Vector gradient,
                            std::optional<SharedProgress> shared) const {
  RunState& run = cluster_.run_;
  if (!run.setup.task->has_math()) return;
  const double factor = schedule_factor(shared);
  run.math([&] {
    if (run.setup.clip) clip_global_norm(gradient, *run.setup.clip);
    run.setup.optimizer->step(parameters, gradient, state, factor);
  });
}

Completion<Reduced> Worker::all_reduce(const Stream& stream, const Vector& x, double weight,
                                       const ModelPart& part) {
  return all_reduce(cluster_.all(), stream, x, weight, part);
}

Completion<Reduced> Worker::all_reduce(const Group& group, const Stream& stream, const Vector& x,
                                       double weight, const ModelPart& part) {
  return cluster_.run_.collective(CollectiveKind::all_reduce, group, *this, stream, x, weight, part);
}

Completion<Reduced> Worker::reduce_scatter(const Stream& stream, const Vector& x, double weight) {
  return cluster_.run_.collective(CollectiveKind::reduce_scatter, cluster_.all(), *this, stream, x, weight);
}

Completion<Reduced> Worker::all_gather(const Stream& stream, const Vector& x) {
  return cluster_.run_.collective(CollectiveKind::all_gather, cluster_.all(), *this, stream, x, 1);
}

Vector Worker::decoded(const Stream& stream, const Vector& x) const {
  const EncodingOptions* encoding = cluster_.run_.encoding(stream.name);
  return encoding == nullptr || encoding->compressor == nullptr ? x : encoding->compressor->decoded(x);
}

Completion<Vector> Worker::mix(const MixingMatrix& graph, const Stream& stream, const Vector& x,
                               const ModelPart& part) {
  return cluster_.run_.mix(graph, *this, stream, x, part);
}
Completion<Vector> Worker::mix(const GraphSequence& graphs, const Stream& stream, const Vector& x,
                               const ModelPart& part) {
  return cluster_.run_.mix(graphs, *this, stream, x, part);
}

void Worker::math(const std::function<void()>& job) const {
  cluster_.run_.math(job);
}

Credits Worker::take_work() {
  return std::exchange(unspent_, Credits());
}

void Worker::merge_work() {
  Credits work = take_work();
  const std::int64_t steps = work.steps();
  cluster_.work().merge(std::move(work));
  cluster_.report_steps(steps);
}

}  // namespace convoy
