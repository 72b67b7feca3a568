// The same experiment gives the same bits: for any number of threads, twice in one process, whatever else is
// watched.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <set>

#include "core/node.hpp"
#include "experiment/json_reader.hpp"
#include "experiment/results_version.hpp"
#include "support/run_json.hpp"

namespace convoy {
namespace {

/// Every algorithm on the digits, on two regions with links that are shared, with encodings and staleness
/// weights.
std::string experiment(std::int64_t seed, const std::string& evaluate = R"({"every": "20 s"})") {
  return fmt::format(R"({{
    "cluster": {{"regions": [{{"name": "a", "bandwidth": "1 Gbit/s", "speeds": [1, 0.7]}}, {{"name": "b", "bandwidth": "1 Gbit/s", "speeds": [0.9, 0.4]}}],
                "wan": [["a", "b", "50 Mbit/s", "20 ms"]], "servers": {{"update_time": "1 ms"}}}},
    "task": {{"data": "digits", "path": "{}/configs/data/digits", "partition": {{"kind": "dirichlet", "convention": "noniid_bench", "alpha": 0.5}},
             "model": {{"kind": "mlp", "hidden": [16]}}, "batch_size": 16}},
    "workload": {{"parameters": 1000000, "reference_batch": 16, "step_time": "500 ms"}},
    "training": {{"optimizer": {{"kind": "adamw", "learning_rate": 0.003}}, "clip": 1.0,
                 "schedule": {{"kind": "cosine", "warmup": "20 local_steps", "horizon": "2000 local_steps", "counts": "dispatched"}}}},
    "algorithms": [
      {{"kind": "data_parallel"}}, {{"kind": "local_sgd", "local_steps": 4}},
      {{"kind": "diloco", "local_steps": 4, "messages": {{"pseudo_gradient": {{"compressor": "bf16"}}}}}},
      {{"kind": "async_local_sgd", "local_steps": 4, "staleness_weight": {{"kind": "polynomial"}}}},
      {{"kind": "halos", "local_steps": 4, "updates_per_exchange": 4,
        "messages": {{"local_to_global": {{"compressor": {{"kind": "top_k", "density": 0.1}}, "error_feedback": true}}}}}},
      {{"kind": "acco"}}, {{"kind": "delayed_parameter_update"}},
      {{"kind": "decentralized_sgd", "form": "cta", "graph": "ring"}}, {{"kind": "gradient_tracking", "graph": "complete", "optimizer": {{"kind": "sgd", "learning_rate": 0.05}}}}],
    "evaluate": {}, "stop": {{"time": "100 s"}}, "seeds": [{}]}})",
                     CONVOY_SOURCE_DIR, evaluate, seed);
}

std::vector<std::string> digests(const std::vector<test::JsonRun>& runs) {
  std::vector<std::string> result;
  for (const test::JsonRun& run : runs) result.push_back(run.result.digest);
  return result;
}

TEST_CASE("digests are the same for 1, 2 and 8 threads, and twice in one process (T1, T2)") {
  const auto one = test::run_json(experiment(0), 1);
  for (const test::JsonRun& run : one) {
    CAPTURE(run.label);
    CHECK(run.result.stop_reason == StopReason::max_time);
    CHECK(run.result.steps > 0);
  }
  const std::vector<std::string> expected = digests(one);
  CHECK(std::set<std::string>(expected.begin(), expected.end()).size() == expected.size());
  CHECK(digests(test::run_json(experiment(0), 1)) == expected);
  CHECK(digests(test::run_json(experiment(0), 2)) == expected);
  CHECK(digests(test::run_json(experiment(0), 8)) == expected);
}

TEST_CASE("another seed gives other digests, and seed 0 is a seed (T1)") {
  const std::vector<std::string> zero = digests(test::run_json(experiment(0))),
                                 one = digests(test::run_json(experiment(1)));
  for (std::size_t i = 0; i < zero.size(); ++i) CHECK(zero[i] != one[i]);
}

TEST_CASE("looking at the model more often changes nothing (T2)") {
  CHECK(digests(test::run_json(experiment(0))) ==
        digests(test::run_json(experiment(0, R"({"every": "3 s"})"))));
}

TEST_CASE("golden digests change only with results_version") {
  // goldens/digests.json holds what this source gave when results_version was last raised. If a change of
  // yours alters a digest on purpose, raise results_version (sim/experiment/results_version.hpp) and write
  // the new values here.
  const Node golden = read_json_file(CONVOY_SOURCE_DIR "/tests/goldens/digests.json");
  if (golden.find("instruction_set")->text != CONVOY_INSTRUCTION_SET) {
    MESSAGE("SKIPPED: the golden digests are those of another instruction set");
    return;
  }
  CHECK(golden.find("results_version")->integer == results_version);
  const Node* digests_of = golden.find("digests");
  for (const test::JsonRun& run : test::run_json(experiment(0))) {
    CAPTURE(run.label);
    const Node* expected = digests_of->find(run.label);
    CHECK(run.result.digest == (expected == nullptr ? "none" : expected->text));
  }
}

}  // namespace
}  // namespace convoy
