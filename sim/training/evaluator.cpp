#include "training/evaluator.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "training/run_state.hpp"

namespace convoy {

/// One evaluation under way: what was seen at its instant, and what the job finds.
struct Evaluator::Pending {
  MetricsRow row;
  std::map<std::string, double> extra;  // recorded values, and the task's own metrics
  std::vector<Vector> members;
  std::vector<Vector> replicas;
  Evaluation validation;
  double consensus = 0;
  double seconds = 0;
  bool repeated = false;
  bool on_grid = true;
  JobHandle job;
};

namespace {

bool same_model(const std::vector<Vector>& a, const std::vector<Vector>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(),
                    [](const Vector& x, const Vector& y) { return x.shares_buffer_with(y); });
}

/// (1/n) sum_i ||x_i - mean||^2.
double consensus_distance(const std::vector<Vector>& replicas) {
  const Vector average = mean(replicas);
  double sum = 0;
  for (const Vector& replica : replicas) {
    const double distance = replica.distance(average);
    sum += distance * distance;
  }
  return sum / static_cast<double>(replicas.size());
}

/// Least, mean and largest loss and accuracy of the workers' own models, as "worker_accuracy_min", ...
void add_spread(const LearningTask& task, const std::vector<Vector>& replicas,
                std::map<std::string, double>& columns) {
  std::vector<double> losses, accuracies;
  for (std::size_t i = 0; i < replicas.size(); ++i) {
    const Evaluation evaluation = task.evaluate(replicas[i], Split::validation);
    losses.push_back(evaluation.loss);
    if (evaluation.accuracy) accuracies.push_back(*evaluation.accuracy);
  }
  const auto add = [&](const std::string& name, const std::vector<double>& values) {
    if (values.empty()) return;
    const auto [least, largest] = std::minmax_element(values.begin(), values.end());
    columns[name + "_min"] = *least;
    columns[name + "_mean"] =
        std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
    columns[name + "_max"] = *largest;
  };
  add("worker_loss", losses);
  add("worker_accuracy", accuracies);
}

}  // namespace

Evaluator::Evaluator(RunState& run) : run_(run) {
  if (run.setup.target != nullptr) tracker_.emplace(*run.setup.target);
}

Evaluator::~Evaluator() = default;

void Evaluator::begin() {
  const EvaluateOptions& options = run_.setup.evaluate;
  if (options.every_steps) {
    next_steps_ = *options.every_steps;
  } else {
    schedule_next();
  }
}

void Evaluator::schedule_next() {
  const EvaluateOptions& options = run_.setup.evaluate;
  Time next;
  if (options.every) {
    next = Time::origin() + *options.every * (index_ + 1);
  } else if (options.from && options.ratio) {
    next =
        Time::at_seconds(options.from->to_seconds() * std::pow(*options.ratio, static_cast<double>(index_)));
  } else {
    return;
  }
  ++index_;
  if (next < run_.engine.now()) return;
  run_.engine.at(
      next, EventClass::evaluation,
      [this] {
        instant();
        schedule_next();
      },
      Activity::ambient);
}

void Evaluator::on_report() {
  if (!run_.setup.evaluate.every_steps || scheduled_ || run_.progress.reported < next_steps_) return;
  scheduled_ = true;
  run_.engine.at(
      run_.engine.now(), EventClass::evaluation,
      [this] {
        scheduled_ = false;
        const std::int64_t every = *run_.setup.evaluate.every_steps;
        next_steps_ = (run_.progress.reported / every + 1) * every;
        instant();
      },
      Activity::ambient);
}

bool Evaluator::watches_gradients(const LearningTask& task) {
  return task.layout()->size <= 10'000;
}

void Evaluator::add_gradient(const Vector& gradient) {
  if (gradient.empty() || !watches_gradients(*run_.setup.task) || run_.setup.evaluate.never()) return;
  if (gradient_sum_.empty()) {
    gradient_sum_ = gradient;
  } else {
    gradient_sum_ += gradient;
  }
  ++gradients_;
}

MetricsRow Evaluator::row() const {
  MetricsRow row;
  row.at = run_.counters();
  const auto tokens = run_.workload.costs.tokens_per_sample;
  if (tokens > 1) row.tokens = row.at.samples * static_cast<double>(tokens);
  std::size_t samples = 0;
  for (int w = 0; w < run_.setup.task->workers() && run_.setup.task->has_math(); ++w)
    samples += run_.setup.task->worker_samples(w);
  if (samples > 0) row.epoch = row.at.samples / static_cast<double>(samples);
  if (losses_ > 0) row.train_loss = loss_sum_ / static_cast<double>(losses_);
  if (gradients_ > 0) row.gradient_norm = gradient_sum_.norm() / static_cast<double>(gradients_);
  std::int64_t count = 0, sum = 0;
  for (const auto& [versions, times] : run_.staleness_) {
    count += times;
    sum += versions * times;
  }
  if (count > 0) row.staleness_mean = static_cast<double>(sum) / static_cast<double>(count);
  return row;
}

void Evaluator::take_snapshot() {
  auto next = std::make_unique<Pending>();
  next->row = row();
  for (const auto& [name, recorded] : run_.recorded_) next->extra["x." + name] = recorded.value;
  loss_sum_ = 0;
  losses_ = 0;
  gradient_sum_ = Vector();
  gradients_ = 0;
  if (run_.setup.task->has_math()) {
    next->members = run_.setup.algorithm->deployed().members;
    for (const auto& worker : run_.workers) next->replicas.push_back(worker->parameters());
    const bool same = last_ != nullptr && same_model(last_->members, next->members);
    if (same) next->validation = last_->validation;
    Pending* p = next.get();
    const LearningTask* task = run_.setup.task.get();
    const bool each = run_.setup.evaluate.every_worker;
    next->job = run_.pool.launch(run_.engine.now(), run_.setup.run_number, [p, task, same, each] {
      const auto begin = std::chrono::steady_clock::now();
      if (!same)
        p->validation =
            task->evaluate(p->members.size() == 1 ? p->members.front() : mean(p->members), Split::validation);
      if (p->replicas.size() > 1) p->consensus = consensus_distance(p->replicas);
      if (each) add_spread(*task, p->replicas, p->extra);
      p->replicas.clear();
      p->seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    });
  }
  pending_ = std::move(next);
}

std::optional<double> Evaluator::target_value(const MetricsRow& row) const {
  const std::string& metric = run_.setup.target->metric;
  if (metric == "validation_accuracy" || metric == "test_accuracy") return row.validation_accuracy;
  if (metric == "validation_loss" || metric == "test_loss") return row.validation_loss;
  if (metric == "train_loss") return row.train_loss;
  if (metric == "consensus_distance") return row.consensus_distance;
  const auto place = last_->extra.find(metric);
  if (place != last_->extra.end()) return place->second;
  return std::nullopt;
}

void Evaluator::join_pending() {
  if (pending_ == nullptr) return;
  Pending& p = *pending_;
  if (!p.job.empty()) {
    run_.join(p.job);
    seconds_ += p.seconds;
    p.row.validation_loss = p.validation.loss;
    p.row.validation_accuracy = p.validation.accuracy;
    if (run_.workers.size() > 1) p.row.consensus_distance = p.consensus;
    for (const auto& [name, value] : p.validation.extra) p.extra[name] = value;
    if (!std::isfinite(p.validation.loss)) run_.diverge("the loss of the deployed model is not finite");
  }
  last_ = std::move(pending_);
  rows_.push_back(last_->row);
  extras_.push_back(last_->extra);
  if (tracker_ && last_->on_grid) {
    if (const std::optional<double> value = target_value(last_->row)) tracker_->add(last_->row.at, *value);
  }
  if (run_.setup.progress) run_.setup.progress(rows_.back());
}

void Evaluator::instant() {
  join_pending();
  if (run_.setup.interrupted != nullptr && run_.setup.interrupted->load())
    run_.stop(StopReason::limit, "interrupted");
  if (tracker_ && tracker_->all_confirmed()) run_.stop(StopReason::target_reached);
  take_snapshot();
}

void Evaluator::finish(RunResult& result, StopReason reason) {
  join_pending();
  const bool stands = !rows_.empty() && rows_.back().at.time_s == run_.engine.now().to_seconds();
  if (!stands && reason != StopReason::failed) {
    take_snapshot();
    pending_->on_grid = false;
    join_pending();
  }
  if (tracker_) result.targets = tracker_->results(reason != StopReason::target_reached);
  if (!rows_.empty()) {
    FinalMetrics& final_metrics = result.final_metrics;
    for (auto row = rows_.rbegin(); row != rows_.rend() && !final_metrics.train_loss; ++row)
      final_metrics.train_loss = row->train_loss;
    final_metrics.validation_loss = rows_.back().validation_loss;
    final_metrics.validation_accuracy = rows_.back().validation_accuracy;
  }
  const std::vector<Vector> members = run_.setup.algorithm->deployed().members;
  if (run_.setup.task->has_math() && !members.empty() && reason != StopReason::failed) {
    const auto begin = std::chrono::steady_clock::now();
    const Evaluation test = run_.setup.task->evaluate(mean(members), Split::test);
    seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    result.final_metrics.test_loss = test.loss;
    result.final_metrics.test_accuracy = test.accuracy;
    result.final_metrics.extra = test.extra;
  }
  write_extras(result);
  result.metrics = std::move(rows_);
}

void Evaluator::write_extras(RunResult& result) {
  std::set<std::string> columns;
  for (const auto& row : extras_) {
    for (const auto& [name, value] : row) columns.insert(name);
  }
  for (const std::string& column : columns) {
    result.extra_columns.push_back(column);
    const auto recorded =
        column.starts_with("x.") ? run_.recorded_.find(column.substr(2)) : run_.recorded_.end();
    result.extra_units.push_back(recorded == run_.recorded_.end() ? "" : recorded->second.unit);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto place = extras_[i].find(column);
      rows_[i].extra.push_back(place == extras_[i].end() ? std::numeric_limits<double>::quiet_NaN()
                                                         : place->second);
    }
  }
}

}  // namespace convoy
