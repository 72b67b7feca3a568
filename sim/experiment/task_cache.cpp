#include "experiment/task_cache.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy {

std::shared_ptr<const LearningTask> TaskCache::task_of(const PlanPoint& point) {
  const ExperimentConfig& config = *point.config;
  const std::string key = fmt::format("{} {}", point.task_key, point.seed);
  const std::lock_guard lock(mutex_);
  const auto found =
      std::find_if(tasks_.begin(), tasks_.end(), [&key](const auto& entry) { return entry.first == key; });
  if (found != tasks_.end()) return found->second;
  auto task =
      make_task(config.task, store_, static_cast<std::uint64_t>(point.seed), config.cluster.worker_count(),
                config.target_on == TargetOn::test, config.batch_sizes());
  tasks_.emplace_back(key, task);
  if (tasks_.size() > kept_) tasks_.pop_front();
  return task;
}

}  // namespace convoy
