// What has to hold for each algorithm of the registry, with the smallest options it can be run with.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <map>

#include "algorithms/all.hpp"
#include "support/run_json.hpp"
#include "topologies/all.hpp"

namespace convoy {
namespace {

/// The block of a kind: what it cannot do without on four workers.
std::string block_of(const std::string& kind, Algorithm& algorithm) {
  static const std::map<std::string, std::string> needed = {
      {"post_local_sgd", R"("switch_after": 4)"},
      {"ringmaster", R"("delay_bound": 3)"},
      {"rennala", R"("batch": 2)"},
      {"k_sync", R"("gradients": 2)"},
      {"backup_workers", R"("backups": 1)"},
      {"relay_sgd", R"("graph": {"kind": "path"})"},
      {"diloco", R"("local_steps": 4)"},
      {"eager_diloco", R"("local_steps": 4)"},
      {"palsgd", R"("local_steps": 4)"},
      {"noloco", R"("local_steps": 4)"},
      {"async_local_sgd", R"("local_steps": 4)"},
      {"streaming_diloco", R"("local_steps": 8, "fragments": 2)"},
      {"hsl", R"("hubs_per_hub": 0, "hubs_per_spoke": 1)"}};
  std::string more;
  if (const auto place = needed.find(kind); place != needed.end()) more = ", " + place->second;
  if (more.find("graph") == std::string::npos && algorithm.graph_requirement() != nullptr)
    more += R"(, "graph": {"kind": "ring"})";
  return fmt::format(R"({{"kind": "{}"{}}})", kind, more);
}

Registry registry() {
  Registry all;
  all.graphs = graph_makers();
  all.fabrics = fabric_makers();
  register_algorithms(all);
  return all;
}

/// Algorithms that know one kind of task alone, with one of it.
const std::map<std::string, std::string>& own_tasks() {
  static const std::map<std::string, std::string> tasks = {
      {"dga", R"({"kind": "resource_allocation", "resource_allocation": {"demand": [3], "upper": [2]}})"}};
  return tasks;
}

std::string experiment(const std::string& kind, Algorithm& algorithm, const char* schedule) {
  const auto own = own_tasks().find(kind);
  const std::string task =
      own != own_tasks().end()
          ? own->second
          : R"({"kind": "quadratic", "curvature": [[1, 2], [0.8, 1], [1.2, 0.5], [0.9, 1]],
                                    "minimum": [[0, 1], [1, 2], [2, 0], [3, 1]], "noise": 0.1, "initial": 0})";
  return fmt::format(
      R"({{"cluster": {{"speeds": [1, 0.9, 0.7, 0.5], "link": {{"bandwidth": "1 MB/s", "latency": "1 ms"}}, "servers": {{"update_time": "1 ms"}}}},
          "task": {},
          "workload": {{"reference_batch": 1, "step_time": "1 s"}},
          "training": {{"optimizer": {{"kind": "sgd", "learning_rate": 0.02}}, "schedule": {}}},
          "algorithms": [{}], "stop": {{"time": "100 s"}}, "seeds": [0]}})",
      task, schedule, block_of(kind, algorithm));
}

constexpr const char* constant = R"({"kind": "constant"})";

TEST_CASE("every algorithm makes progress, and gives the same run for any number of threads") {
  for (const auto& [kind, maker] : registry().algorithms) {
    const auto& shown = kind;
    CAPTURE(shown);
    const std::string text = experiment(kind, *maker(), constant);
    const RunResult one = test::run_json(text, 1).at(0).result, three = test::run_json(text, 3).at(0).result;
    CHECK(one.stop_reason == StopReason::max_time);
    CHECK(one.steps > 0);
    CHECK(one.digest == three.digest);
  }
}

TEST_CASE("a learning rate that starts at zero and ends at zero leaves every algorithm finite") {
  // Warm-up from 0 over the first steps, then down to 0: rules that divide by the learning rate meet both
  // ends.
  for (const char* counts : {"own", "dispatched", "reported"}) {
    const std::string schedule = fmt::format(
        R"({{"kind": "cosine", "warmup": "8 local_steps", "horizon": "80 local_steps", "final_factor": 0, "counts": "{}"}})",
        counts);
    for (const auto& [kind, maker] : registry().algorithms) {
      const auto& shown = kind;
      CAPTURE(shown);
      CAPTURE(counts);
      const RunResult run = test::run_json(experiment(kind, *maker(), schedule.c_str())).at(0).result;
      CHECK(run.stop_reason == StopReason::max_time);
      for (const double x : run.final_metrics.parameters) CHECK(std::isfinite(x));
    }
  }
}

TEST_CASE("every algorithm runs where nothing is learned") {
  for (const auto& [kind, maker] : registry().algorithms) {
    const auto& shown = kind;
    CAPTURE(shown);
    if (own_tasks().contains(kind)) continue;
    std::string text = experiment(kind, *maker(), constant);
    const std::size_t begin = text.find(R"("task": )"), end = text.find(R"("workload")");
    text.replace(begin, end - begin, R"("task": {"kind": "clock_only"}, )");
    text.replace(text.find(R"("reference_batch": 1)"), 20,
                 R"("stand_in": "pythia-70m", "reference_batch": 1)");
    const RunResult run = test::run_json(text).at(0).result;
    CHECK(run.stop_reason == StopReason::max_time);
  }
}

}  // namespace
}  // namespace convoy
