#include "experiment/plan.hpp"

#include <doctest/doctest.h>

#include <set>

#include "experiment/results_version.hpp"
#include "sample_experiment.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

Plan plan_of(const Node& root) {
  DataStore store;
  FileHashes hashes;
  return make_plan(root, registry(), store, hashes);
}

std::string first_id(const std::string& set) {
  return plan_of(sample(set)).points.front().run_id;
}

}  // namespace

TEST_CASE("a plan is algorithm by algorithm, each with every seed, and no id twice") {
  const Plan plan = plan_of(sample());
  REQUIRE(plan.points.size() == 4);
  CHECK(plan.points[0].label == "local_sgd");
  CHECK(plan.points[1].seed == 3);
  CHECK(plan.points[2].algorithm == "data_parallel");
  std::set<std::string> ids;
  for (const PlanPoint& point : plan.points) {
    ids.insert(point.run_id);
    CHECK(point.run_id.size() == 16);
    CHECK(point.index == static_cast<std::size_t>(&point - plan.points.data()));
  }
  CHECK(ids.size() == 4);
}

TEST_CASE("an id depends on what changes results, not on names, spellings or defaults written out") {
  const std::string id = first_id("");
  // The same: another label, another name, another unit, a default written out.
  CHECK(first_id("/algorithms/local_sgd/label=other") == id);
  CHECK(first_id("name=other") == id);
  CHECK(first_id("cluster.name=here") == id);
  CHECK(first_id("workload.step_time=1000 ms") == id);
  CHECK(first_id("cluster.network.contention=true") == id);
  CHECK(first_id("seeds=[0]") == id);
  // Others.
  CHECK(first_id("/algorithms/local_sgd/local_steps=5") != id);
  CHECK(first_id("training.optimizer.learning_rate=0.2") != id);
  CHECK(first_id("training.clip=4") != id);
  CHECK(first_id("stop.local_steps=41") != id);
  CHECK(first_id("seeds=[1]") != id);
  CHECK(first_id("cluster.link.latency=1 us") != id);
}

TEST_CASE("an id hashes config, data, plug-in, results version and instruction set") {
  const RunIdentity base{
      .config = "c", .data = "d", .plugin = "p", .results_version = 1, .instruction_set = "x86-64-v3"};
  std::set<std::string> ids = {base.run_id()};
  RunIdentity other = base;
  other.config = "e";
  ids.insert(other.run_id());
  other = base;
  other.data = "e";
  ids.insert(other.run_id());
  other = base;
  other.plugin = "e";
  ids.insert(other.run_id());
  other = base;
  other.results_version = 2;
  ids.insert(other.run_id());
  other = base;
  other.instruction_set = "x86-64";
  ids.insert(other.run_id());
  CHECK(ids.size() == 6);
  CHECK(plan_of(sample()).points[0].identity.results_version == results_version);
}

TEST_CASE("the canonical hash does not depend on the order of members, and null counts as absent") {
  const auto hash = [](const char* text) {
    StableHasher hasher;
    hash_canonical(read_json_text(text, "test"), hasher);
    return hasher.hex();
  };
  CHECK(hash(R"({"a": 1, "b": [true, "x"]})") == hash(R"({"b": [true, "x"], "a": 1, "c": null})"));
  CHECK(hash(R"({"a": 1})") != hash(R"({"a": 2})"));
  CHECK(hash(R"([1, 2])") != hash(R"([2, 1])"));
  CHECK(hash(R"(["ab", "c"])") != hash(R"(["a", "bc"])"));
}

TEST_CASE("a run's config is an experiment of its own with the same id") {
  const Plan plan = plan_of(sample(R"(algorithms=["halos", {"kind": "diloco", "clip": null}])"));
  for (const PlanPoint& point : plan.points) {
    const Plan alone = plan_of(run_config(point));
    REQUIRE(alone.points.size() == 1);
    CHECK(alone.points[0].run_id == point.run_id);
    CHECK(alone.points[0].label == point.label);
  }
}

TEST_CASE("an axis of the cluster multiplies all algorithms, one of an algorithm that one only") {
  const Plan plan = plan_of(sample(
      R"(sweep={"/cluster/network/contention": [true, false], "/algorithms/local_sgd/local_steps": [2, 4, 8]})"));
  // local_sgd 2 x 3 x 2 seeds, data_parallel 2 x 2 seeds
  REQUIRE(plan.points.size() == 16);
  CHECK(plan.points[0].row == "local_sgd contention=true local_steps=2");
  CHECK(plan.points[0].axes.find("/algorithms/local_sgd/local_steps")->integer == 2);
  CHECK(plan.points[12].row == "data_parallel contention=true");
  std::set<std::string> ids;
  for (const PlanPoint& point : plan.points) ids.insert(point.run_id);
  CHECK(ids.size() == 16);
  // The point with the values of the file is the run that the file without a sweep has.
  CHECK(ids.contains(plan_of(sample()).points[0].run_id));
}

TEST_CASE("a sweep that names nothing, or whose value is wrong, is refused at its place") {
  const auto refused = [](const char* set, const char* part) {
    CHECK_THROWS_WITH_AS(plan_of(sample(set)), doctest::Contains(part), ConfigError);
  };
  refused(R"(sweep={"/algorithms/local_sdg/local_steps": [2]})", "did you mean \"local_sgd\"?");
  refused(R"(sweep={"/algorithms/local_sgd/local_steps": []})", "at least one value");
  refused(R"(sweep={"/algorithms/local_sgd/local_steps": 3})", "list");
  refused(R"(sweep={"/algorithms/local_sgd/local_steps": [0]})", "local_steps");
  refused(R"(sweep={"/algorithms/local_sgd/local_stps": [1]})", "local_stps");
  refused(R"(sweep={"/seeds": [[1]]})", "no axis");
}

TEST_CASE("the content of data files is hashed, whatever their names") {
  FileHashes hashes;
  const auto digits = std::filesystem::path(CONVOY_SOURCE_DIR) / "configs/data/digits/digits.csv.gz";
  const std::string hash = hashes.of(digits);
  CHECK(hash.size() == 32);
  const auto copy = std::filesystem::temp_directory_path() / "convoy_digits_copy";
  std::filesystem::copy_file(digits, copy, std::filesystem::copy_options::overwrite_existing);
  CHECK(hashes.of(copy) == hash);
  std::filesystem::remove(copy);
  CHECK_THROWS_AS(static_cast<void>(hashes.of("/nowhere/at/all")), ConfigError);
}
