// Executes the runs of a plan: several at once, each finished one on disk at once, none of them twice.
//
//   ResultFolder folder(out);
//   Execution done = execute(plan, folder, store, {.threads = 2}, nullptr);
#pragma once

#include <atomic>
#include <optional>
#include <vector>

#include "experiment/plan.hpp"
#include "experiment/result_folder.hpp"
#include "experiment/run_record.hpp"
#include "learning/data_store.hpp"
#include "training/run_result.hpp"

namespace convoy {

struct RunnerOptions {
  int threads = 1;  ///< cores in use, over concurrent runs and inside each; never changes a result
  Shard shard;
  const std::atomic<bool>* interrupted = nullptr;  ///< polled; finished runs are kept
};

/// Told of the progress of runs, from several threads.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  /// `reused` runs were finished before, `pending` are to be executed.
  virtual void planned(std::size_t reused, std::size_t pending) = 0;
  virtual void evaluated(const PlanPoint& point, const MetricsRow& row) = 0;
  virtual void finished(const PlanPoint& point, const RunResult& result) = 0;
};

struct Execution {
  std::vector<std::optional<RunRecord>>
      records;  ///< by point; unset: not of this shard, or not reached when interrupted
  std::size_t reused = 0, executed = 0;
  bool interrupted = false;
};

/// The runs of `folder` that a plan need not execute again: complete, and not ended as deadlock, stalled,
/// limit or failed.
[[nodiscard]] std::optional<RunRecord> finished_record(const std::filesystem::path& folder,
                                                       const PlanPoint& point);

/// Reads the data of every run that `folder` does not hold yet, and makes its parts once: what is wrong with
/// them is said before anything is written. Throws ConfigError.
void check_runs(const Plan& plan, const std::filesystem::path& folder, Shard shard, DataStore& store);

/// A failed or diverged run is a result like any other. Throws std::runtime_error if the folder stops taking
/// results, and ConfigError if the parts of a run do not fit together.
[[nodiscard]] Execution execute(const Plan& plan, const ResultFolder& folder, DataStore& store,
                                const RunnerOptions& options, RunObserver* observer = nullptr);

}  // namespace convoy
