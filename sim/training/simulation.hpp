// One run: one algorithm on one cluster and task with one seed.
//
//   RunResult result = simulate(setup, pool);
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>

#include "core/job_pool.hpp"
#include "hardware/workload.hpp"
#include "learning/task.hpp"
#include "training/algorithm.hpp"
#include "training/cluster_options.hpp"
#include "training/run_options.hpp"
#include "training/run_result.hpp"

namespace convoy {

/// The parts of a run. Referenced parts must outlive the call.
struct RunSetup {
  std::shared_ptr<const LearningTask> task;
  const ClusterOptions* cluster = nullptr;
  const WorkloadOptions* workload = nullptr;  ///< what a step is charged as
  Algorithm* algorithm = nullptr;             ///< a fresh instance: it holds the state of this run
  const Optimizer* optimizer = nullptr;       ///< may be null for a task without math
  const Schedule* schedule = nullptr;         ///< may be null: constant
  std::optional<double> clip;
  const std::map<std::string, EncodingOptions>* messages = nullptr;
  const MemoryOptions* memory = nullptr;  ///< may be null: the algorithm's plan, the whole batch at a time
  StalenessWeight staleness_weight;
  const TargetOptions* target = nullptr;  ///< may be null
  StopOptions stop;
  EvaluateOptions evaluate;
  std::uint64_t seed = 0;
  std::uint64_t run_number = 0;  ///< orders this run's jobs among others'; no influence on results
  std::function<void(const MetricsRow&)> progress;  ///< called at each evaluation; may be empty
  const std::atomic<bool>* interrupted = nullptr;   ///< polled; ends the run as StopReason::limit
};

/// Makes the parts of a run without running it. Throws ConfigError if they do not fit together: no step time,
/// no update time for servers, regions without a way to each other, a graph that the algorithm cannot use.
void check_setup(const RunSetup& setup);

/// Runs to the end. Faults of the setup throw ConfigError before any event; a failure inside is a result.
[[nodiscard]] RunResult simulate(const RunSetup& setup, JobPool& pool);

}  // namespace convoy
