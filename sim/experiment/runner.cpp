#include "experiment/runner.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "core/job_pool.hpp"
#include "experiment/experiment_checks.hpp"
#include "experiment/json_writer.hpp"
#include "experiment/node_access.hpp"
#include "experiment/result_files.hpp"
#include "experiment/run_setup.hpp"
#include "experiment/task_cache.hpp"
#include "training/simulation.hpp"

namespace convoy {
namespace {

bool is_finished_text(std::string_view reason) {
  for (const StopReason again :
       {StopReason::deadlock, StopReason::stalled, StopReason::limit, StopReason::failed}) {
    if (reason == to_string(again)) return false;
  }
  return true;
}

class Executor {
 public:
  Executor(const Plan& plan, const ResultFolder& folder, DataStore& store, const RunnerOptions& options,
           RunObserver* observer)
      : plan_(plan),
        folder_(folder),
        options_(options),
        observer_(observer),
        pool_(options.threads),
        tasks_(store, static_cast<std::size_t>(options.threads) + 1) {}

  Execution run() {
    execution_.records.resize(plan_.points.size());
    collect_work();
    if (observer_ != nullptr) observer_->planned(execution_.reused, pending_.size());
    const std::size_t count = std::min(pending_.size(), static_cast<std::size_t>(options_.threads));
    std::vector<std::thread> others;
    for (std::size_t i = 1; i < count; ++i) others.emplace_back([this] { work(); });
    work();
    for (std::thread& thread : others) thread.join();
    if (failure_) std::rethrow_exception(failure_);
    share_records();
    execution_.interrupted = interrupted();
    return std::move(execution_);
  }

 private:
  [[nodiscard]] bool interrupted() const {
    return options_.interrupted != nullptr && options_.interrupted->load(std::memory_order_relaxed);
  }

  /// One point for each run to execute: points with the same id share a run. Seeds come first, so that an
  /// interrupted experiment has whole comparisons, and runs at the same time share a task.
  void collect_work() {
    std::set<std::string> seen;
    for (const PlanPoint& point : plan_.points) {
      if (!options_.shard.takes(point.index) || !seen.insert(point.run_id).second) continue;
      if (auto record = finished_record(folder_.path(), point)) {
        execution_.records[point.index] = std::move(record);
        ++execution_.reused;
      } else {
        pending_.push_back(&point);
      }
    }
    const auto rank = [this](const PlanPoint& point) {
      const auto& seeds = plan_.experiment->seeds;
      return std::find(seeds.begin(), seeds.end(), point.seed) - seeds.begin();
    };
    std::stable_sort(pending_.begin(), pending_.end(),
                     [&](const PlanPoint* a, const PlanPoint* b) { return rank(*a) < rank(*b); });
  }

  void work() {
    const JobPool::Caller caller(pool_);
    while (const PlanPoint* point = next()) {
      try {
        execute_point(*point);
      } catch (...) {
        const std::lock_guard lock(mutex_);
        if (!failure_) failure_ = std::current_exception();
        return;
      }
    }
  }

  const PlanPoint* next() {
    const std::lock_guard lock(mutex_);
    if (failure_ || interrupted() || taken_ == pending_.size()) return nullptr;
    return pending_[taken_++];
  }

  void execute_point(const PlanPoint& point) {
    std::shared_ptr<const LearningTask> task;
    const RunResult result = simulate_point(point, task);
    if (result.stop_reason == StopReason::limit && interrupted()) return;
    Node node = result_node(point, result, task.get());
    folder_.publish(point.run_id, {{"config.json", config_text(point)},
                                   {"metrics.csv", metrics_csv(result)},
                                   {"result.json", write_json(node)}});
    if (observer_ != nullptr) observer_->finished(point, result);
    const std::lock_guard lock(mutex_);
    execution_.records[point.index] = make_record(point, std::move(node));
    ++execution_.executed;
  }

  RunResult simulate_point(const PlanPoint& point, std::shared_ptr<const LearningTask>& task) {
    try {
      task = tasks_.task_of(point);
      const std::unique_ptr<Algorithm> algorithm = make_algorithm(point);
      RunSetup setup = setup_of(point, task, *algorithm);
      setup.interrupted = options_.interrupted;
      if (observer_ != nullptr) {
        setup.progress = [this, &point](const MetricsRow& row) { observer_->evaluated(point, row); };
      }
      return simulate(setup, pool_);
    } catch (const ConfigError&) {
      throw;  // said before, unless a file has changed since
    } catch (const std::exception& error) {
      RunResult failed;
      failed.stop_reason = StopReason::failed;
      failed.message = error.what();
      failed.threads = options_.threads;
      return failed;
    }
  }

  // Declaring options binds to the parts that all runs of an algorithm share: one thread at a time.
  std::unique_ptr<Algorithm> make_algorithm(const PlanPoint& point) {
    const std::lock_guard lock(mutex_);
    return point.algorithm_block().make();
  }
  std::string config_text(const PlanPoint& point) {
    const std::lock_guard lock(mutex_);
    return write_json(run_config(point));
  }

  void share_records() {
    std::map<std::string, std::size_t> made;
    for (const PlanPoint& point : plan_.points) {
      if (execution_.records[point.index]) made.emplace(point.run_id, point.index);
    }
    for (const PlanPoint& point : plan_.points) {
      const auto source = made.find(point.run_id);
      if (execution_.records[point.index] || source == made.end() || !options_.shard.takes(point.index))
        continue;
      execution_.records[point.index] = make_record(point, execution_.records[source->second]->result);
    }
  }

  const Plan& plan_;
  const ResultFolder& folder_;
  const RunnerOptions& options_;
  RunObserver* observer_;
  JobPool pool_;
  TaskCache tasks_;
  std::vector<const PlanPoint*> pending_;
  std::mutex mutex_;
  std::size_t taken_ = 0;
  Execution execution_;
  std::exception_ptr failure_;
};

}  // namespace

std::optional<RunRecord> finished_record(const std::filesystem::path& folder, const PlanPoint& point) {
  std::optional<Node> result = read_result(folder, point.run_id);
  if (!result || !is_finished_text(text_or(*result, "stop_reason", "failed"))) return std::nullopt;
  return make_record(point, std::move(*result));
}

void check_runs(const Plan& plan, const std::filesystem::path& folder, Shard shard, DataStore& store) {
  TaskCache tasks(store, 1);
  std::set<std::pair<const ExperimentConfig*, std::size_t>> seen;
  for (const PlanPoint& point : plan.points) {
    if (!shard.takes(point.index) || seen.contains({point.config.get(), point.block})) continue;
    if (finished_record(folder, point)) continue;
    seen.insert({point.config.get(), point.block});
    try {
      const std::unique_ptr<Algorithm> algorithm = point.algorithm_block().make();
      check_setup(setup_of(point, tasks.task_of(point), *algorithm));
    } catch (const ConfigError& error) {
      throw located(error, point.config->source, point.block);
    }
  }
}

Execution execute(const Plan& plan, const ResultFolder& folder, DataStore& store,
                  const RunnerOptions& options, RunObserver* observer) {
  return Executor(plan, folder, store, options, observer).run();
}

}  // namespace convoy
