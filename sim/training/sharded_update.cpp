#include "training/sharded_update.hpp"

namespace convoy {

void GradientSum::add(const Gradient& gradient) {
  if (sum.empty()) {
    sum = gradient.mean;
  } else {
    sum += gradient.mean;
  }
  ++count;
}

void GradientSum::add(const GradientSum& other) {
  if (sum.empty()) {
    sum = other.sum;
  } else if (!other.sum.empty()) {
    sum += other.sum;
  }
  count += other.count;
}

ShardedOptimizer::ShardedOptimizer(Cluster& cluster, Duration update_time)
    : cluster_(cluster),
      shard_time_(Duration::seconds(update_time.to_seconds() / cluster.size())),
      parameters_(cluster.initial_parameters()),
      state_(cluster.worker(0).optimizer_state()) {}

Completion<Vector> ShardedOptimizer::start_round(Worker& w, const Stream& gradients, const Stream& parameters,
                                                 const GradientSum& sum, Keep keep) {
  Completion<Vector> done("the end of an update round");
  cluster_.spawn(w.name() + ".exchange", round(w, gradients, parameters, sum, keep, done));
  return done;
}

Process ShardedOptimizer::round(Worker& w, Stream gradients, Stream parameters, GradientSum sum, Keep keep,
                                Completion<Vector> done) {
  const Reduced reduced = co_await w.reduce_scatter(gradients, sum.sum, static_cast<double>(sum.count));
  if (computed_by_ == 0) {
    result_ = parameters_;
    OptimizerState state = state_;
    w.optimizer_step(result_, state, reduced.mean, reduced.progress);
    if (keep != Keep::tentative) {
      parameters_ = result_;
      state_ = state;
    }
    if (keep == Keep::predict) w.optimizer_step(result_, state, reduced.mean, reduced.progress);
    ++round_;
  }
  if (++computed_by_ == cluster_.size()) computed_by_ = 0;
  const Vector updated = result_;
  if (shard_time_ > Duration::zero()) co_await delay(shard_time_, EventClass::computation);
  co_await w.all_gather(parameters, updated);
  done.set(updated);
}

Task<GradientSum> accumulate_group(Worker& w, Vector at, std::int64_t group) {
  GradientSum total;
  for (std::int64_t i = 0; i < group; ++i) {
    const Gradient gradient = co_await w.gradient(at);
    w.math([&] { total.add(gradient); });
  }
  co_return total;
}

Task<GradientSum> accumulate_until(Worker& w, Vector at, std::int64_t group, Completion<Vector> exchange) {
  GradientSum total;
  do {
    const GradientSum one = co_await accumulate_group(w, at, group);
    w.math([&] { total.add(one); });
  } while (!exchange.done());
  co_return total;
}

}  // namespace convoy
