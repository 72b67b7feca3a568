// Learning tasks shared by the runs that have the same one: every algorithm of a seed trains on the same
// luck.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "experiment/plan.hpp"
#include "learning/data_store.hpp"
#include "learning/task.hpp"

namespace convoy {

/// Thread-safe. Keeps the last few tasks alive.
class TaskCache {
 public:
  TaskCache(DataStore& store, std::size_t kept) : store_(store), kept_(kept) {}
  /// Throws ConfigError for what the data or the options do not allow.
  [[nodiscard]] std::shared_ptr<const LearningTask> task_of(const PlanPoint& point);

 private:
  DataStore& store_;
  std::size_t kept_;
  std::mutex mutex_;
  std::deque<std::pair<std::string, std::shared_ptr<const LearningTask>>> tasks_;  ///< newest last
};

}  // namespace convoy
