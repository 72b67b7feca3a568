#include "experiment/runner.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <map>
#include <mutex>

#include "experiment/node_access.hpp"
#include "sample_experiment.hpp"

using namespace convoy;
using namespace convoy::test;
namespace fs = std::filesystem;

namespace {

struct Scratch {
  fs::path path = fs::temp_directory_path() / ("convoy_runner" + std::to_string(::getpid()));
  Scratch() { fs::remove_all(path); }
  ~Scratch() { fs::remove_all(path); }
};

/// A plan with what its runs need.
struct Prepared {
  DataStore store;
  FileHashes hashes;
  Plan plan;
  explicit Prepared(const Node& root) : plan(make_plan(root, registry(), store, hashes)) {}
};

std::map<std::string, std::string> digests(const Execution& execution) {
  std::map<std::string, std::string> result;
  for (const auto& record : execution.records) {
    REQUIRE(record);
    result[record->label + " " + std::to_string(record->seed)] = text_or(record->result, "digest", "");
  }
  return result;
}

Execution run(const Node& root, const fs::path& folder, RunnerOptions options = {},
              RunObserver* observer = nullptr) {
  Prepared prepared(root);
  check_runs(prepared.plan, folder, options.shard, prepared.store);
  const ResultFolder results(folder, options.shard);
  return execute(prepared.plan, results, prepared.store, options, observer);
}

/// Interrupts after the first finished run.
class InterruptAfterFirst final : public RunObserver {
 public:
  void planned(std::size_t, std::size_t) override {}
  void evaluated(const PlanPoint&, const MetricsRow&) override {}
  void finished(const PlanPoint&, const RunResult&) override { flag = true; }
  std::atomic<bool> flag = false;
};

}  // namespace

TEST_CASE("finished runs are not executed again") {
  const Scratch scratch;
  const Execution first = run(sample(), scratch.path);
  CHECK(first.executed == 4);
  CHECK(first.reused == 0);
  const Execution second = run(sample(), scratch.path);
  CHECK(second.executed == 0);
  CHECK(second.reused == 4);
  CHECK(digests(first) == digests(second));
  // A rename recomputes nothing, and the new name is shown.
  const Execution renamed = run(sample("/algorithms/local_sgd/label=other"), scratch.path);
  CHECK(renamed.executed == 0);
  CHECK(renamed.records[0]->label == "other");
}

TEST_CASE("digests are the same for any number of threads, and differ by seed") {
  const Scratch scratch;
  const auto one =
      digests(run(sample(), scratch.path / "1", {.threads = 1, .shard = {}, .interrupted = nullptr}));
  const auto two =
      digests(run(sample(), scratch.path / "2", {.threads = 2, .shard = {}, .interrupted = nullptr}));
  const auto eight =
      digests(run(sample(), scratch.path / "8", {.threads = 8, .shard = {}, .interrupted = nullptr}));
  CHECK(one == two);
  CHECK(one == eight);
  CHECK(one.at("local_sgd 0") != one.at("local_sgd 3"));
}

TEST_CASE("an interrupted experiment keeps what is finished and goes on") {
  const Scratch scratch;
  const auto whole = digests(run(sample(), scratch.path / "whole"));
  InterruptAfterFirst observer;
  const Execution cut = run(sample(), scratch.path / "cut",
                            {.threads = 1, .shard = {}, .interrupted = &observer.flag}, &observer);
  CHECK(cut.interrupted);
  CHECK(cut.executed == 1);
  const Execution rest = run(sample(), scratch.path / "cut");
  CHECK(rest.reused == 1);
  CHECK(rest.executed == 3);
  CHECK(digests(rest) == whole);
}

TEST_CASE("shards share out the runs, and together they are the whole") {
  const Scratch scratch;
  const Execution first =
      run(sample(), scratch.path, {.threads = 1, .shard = {.index = 0, .count = 2}, .interrupted = nullptr});
  const Execution second =
      run(sample(), scratch.path, {.threads = 1, .shard = {.index = 1, .count = 2}, .interrupted = nullptr});
  CHECK(first.executed == 2);
  CHECK(second.executed == 2);
  CHECK_FALSE(first.records[1]);
  CHECK(run(sample(), scratch.path).reused == 4);
}

TEST_CASE("a diverged run is a result like any other and takes no other down") {
  // A step of 30 on curvature 1 grows 29-fold a step: beyond 1e308 after 210 steps.
  const Scratch scratch;
  Node root = sample("training.clip=null");
  apply_override(root, "stop.local_steps=4000");
  apply_override(root, R"(/algorithms/data_parallel/optimizer={"kind": "sgd", "learning_rate": 30})");
  const Execution execution = run(root, scratch.path);
  CHECK(execution.records[0]->stop_reason == "max_steps");
  CHECK(execution.records[2]->stop_reason == "diverged");
  CHECK(execution.records[3]->stop_reason == "diverged");
  // It is finished: the next call does not repeat it.
  CHECK(run(root, scratch.path).reused == 4);
}

TEST_CASE("two labels with the same options share one run") {
  const Scratch scratch;
  const Execution execution = run(
      sample(R"(algorithms=["data_parallel", {"kind": "data_parallel", "label": "twin"}])"), scratch.path);
  CHECK(execution.executed == 2);
  REQUIRE(execution.records[2]);
  CHECK(execution.records[2]->label == "twin");
  CHECK(digests(execution).at("twin 0") == digests(execution).at("data_parallel 0"));
}

TEST_CASE("what is wrong with data or graphs is said before anything is written") {
  const Scratch scratch;
  CHECK_THROWS_AS(
      run(sample(R"(algorithms=[{"kind": "decentralized_sgd", "graph": {"kind": "torus", "rows": 3}}])"),
          scratch.path),
      ConfigError);
  CHECK_FALSE(fs::exists(scratch.path));
  // The graph does not know where it is written; the fault does.
  Node root = sample();
  root.find("algorithms")->items[1] = read_json_text(R"(
    {"kind": "decentralized_sgd", "graph": {"kind": "torus", "rows": 3}})",
                                                     "graphs.json");
  CHECK_THROWS_WITH_AS(run(root, scratch.path),
                       doctest::Contains("graphs.json:2:70: algorithms[1].graph.rows"), ConfigError);
}
