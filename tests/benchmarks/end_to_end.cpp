// Whole runs, with checked answers: how much of the wall time is math, and what two threads give.
//
//   build/benchmarks/end_to_end
//
// `math_share` is math / wall, evaluation left out of both; `events_per_second` counts the engine's events.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <vector>

#include "algorithms/all.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/plan.hpp"
#include "experiment/run_setup.hpp"
#include "experiment/task_cache.hpp"
#include "topologies/all.hpp"

namespace {

using namespace convoy;

/// All runs of a config, one after another on a pool of `threads`.
class Runs {
 public:
  Runs(const std::string& file, const std::vector<std::string>& overrides) : tasks_(store_, 8) {
    registry_.graphs = graph_makers();
    registry_.fabrics = fabric_makers();
    register_algorithms(registry_);
    plan_ = make_plan(read_experiment_file(std::string(CONVOY_SOURCE_DIR "/configs/") + file, overrides),
                      registry_, store_, hashes_);
    for (const PlanPoint& point : plan_.points) (void)tasks_.task_of(point);  // reads the data
  }

  std::vector<RunResult> operator()(int threads) {
    JobPool pool(threads);
    std::vector<RunResult> results;
    for (const PlanPoint& point : plan_.points) {
      const std::unique_ptr<Algorithm> algorithm = point.algorithm_block().make();
      const RunSetup setup = setup_of(point, tasks_.task_of(point), *algorithm);
      results.push_back(simulate(setup, pool));
    }
    return results;
  }

 private:
  Registry registry_;
  DataStore store_{default_data_roots(CONVOY_SOURCE_DIR "/configs")};
  FileHashes hashes_;
  TaskCache tasks_;
  Plan plan_;
};

void count(benchmark::State& state, const std::vector<RunResult>& results) {
  double wall = 0, math = 0, evaluation = 0;
  std::uint64_t events = 0;
  for (const RunResult& result : results) {
    wall += result.wall_s;
    math += result.math_s;
    evaluation += result.evaluation_s;
    events += result.events;
  }
  state.counters["math_share"] = math / (wall - evaluation);
  state.counters["events_per_second"] = static_cast<double>(events) / wall;
}

/// HALoS's clock, all five algorithms: 60.23, 5.223, 3.506, 1.138 and 0.676 h of virtual time.
void halos_clock(benchmark::State& state) {
  Runs runs("papers/halos_clock.json", {});
  const std::vector<double> hours = {60.23, 5.223, 3.506, 1.138, 0.676};
  for (auto _ : state) {
    const std::vector<RunResult> results = runs(1);
    for (std::size_t i = 0; i < hours.size(); ++i) {
      if (std::abs(results[i].virtual_time.to_seconds() / 3600 - hours[i]) > 0.01)
        state.SkipWithError("a wrong virtual time");
    }
    count(state, results);
  }
}
BENCHMARK(halos_clock)->Unit(benchmark::kMillisecond);

/// One seed of quickstart, one run after another; the digests must not depend on the threads.
void quickstart(benchmark::State& state) {
  Runs runs("quickstart.json", {"seeds=[0]"});
  std::vector<std::string> digests;
  const auto threads = static_cast<int>(state.range(0));
  for (const RunResult& result : runs(1)) digests.push_back(result.digest);
  for (auto _ : state) {
    const std::vector<RunResult> results = runs(threads);
    for (std::size_t i = 0; i < digests.size(); ++i) {
      if (results[i].digest != digests[i]) state.SkipWithError("a digest depends on the number of threads");
    }
    count(state, results);
  }
}
BENCHMARK(quickstart)->Arg(1)->Arg(2)->Unit(benchmark::kSecond)->UseRealTime()->Iterations(1);

}  // namespace

BENCHMARK_MAIN();
