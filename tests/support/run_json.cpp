#include "support/run_json.hpp"

#include <doctest/doctest.h>

#include <stdexcept>

#include "algorithms/all.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/json_reader.hpp"
#include "experiment/plan.hpp"
#include "experiment/run_setup.hpp"
#include "experiment/task_cache.hpp"
#include "topologies/all.hpp"

namespace convoy::test {
namespace {

void check_conservation(const RunResult& result) {
  for (const Ledger::Totals& totals : result.ledger) {
    CHECK(totals.sum() == result.virtual_time - Time::origin());
  }
  for (const WorkAccount::Row& row : result.work) {
    WorkAmount sum = row.merged;
    sum += row.in_flight_at_end;
    for (const auto& [reason, amount] : row.discarded) sum += amount;
    CHECK(sum == row.computed);
  }
}

std::vector<JsonRun> run_node(const Node& root, int threads,
                              const std::function<void(Registry&)>& more = {}) {
  Registry registry;
  registry.graphs = graph_makers();
  registry.fabrics = fabric_makers();
  register_algorithms(registry);
  if (more) more(registry);
  DataStore store(default_data_roots(CONVOY_SOURCE_DIR "/configs"));
  FileHashes hashes;
  const Plan plan = make_plan(root, registry, store, hashes);
  TaskCache tasks(store, 4);
  JobPool pool(threads);
  std::vector<JsonRun> runs;
  for (const PlanPoint& point : plan.points) {
    const std::unique_ptr<Algorithm> algorithm = point.algorithm_block().make();
    const RunSetup setup = setup_of(point, tasks.task_of(point), *algorithm);
    runs.push_back({point.label, point.seed, simulate(setup, pool)});
    if (runs.back().result.stop_reason == StopReason::failed)
      throw std::runtime_error(runs.back().result.message);
    check_conservation(runs.back().result);
  }
  return runs;
}

}  // namespace

std::vector<JsonRun> run_json(std::string_view text, int threads,
                              const std::function<void(Registry&)>& more) {
  return run_node(read_json_text(text, "test.json"), threads, more);
}

std::vector<JsonRun> run_config_file(const std::string& file, std::vector<std::string> overrides,
                                     int threads) {
  return run_node(read_experiment_file(std::string(CONVOY_SOURCE_DIR "/configs/") + file, overrides),
                  threads);
}

const RunResult& find(const std::vector<JsonRun>& runs, std::string_view label, std::int64_t seed) {
  for (const JsonRun& run : runs) {
    if (run.label == label && run.seed == seed) return run.result;
  }
  throw std::invalid_argument("no run is called " + std::string(label));
}

}  // namespace convoy::test
