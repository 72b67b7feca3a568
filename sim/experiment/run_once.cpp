#include "experiment/run_once.hpp"

#include <cstdlib>
#include <filesystem>

#include "core/job_pool.hpp"
#include "experiment/plan.hpp"
#include "experiment/run_setup.hpp"
#include "experiment/task_cache.hpp"

namespace convoy {

RunResult run_once(const Node& root, const Registry& registry, int threads) {
  const std::filesystem::path file = root.origin.file ? *root.origin.file : std::string();
  DataStore store(default_data_roots(file.parent_path(), std::getenv("CONVOY_DATA")));
  FileHashes hashes;
  const Plan plan = make_plan(root, registry, store, hashes);
  const PlanPoint& point = plan.points.front();
  TaskCache tasks(store, 1);
  JobPool pool(threads);
  const std::unique_ptr<Algorithm> algorithm = point.algorithm_block().make();
  return simulate(setup_of(point, tasks.task_of(point), *algorithm), pool);
}

}  // namespace convoy
