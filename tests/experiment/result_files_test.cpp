#include "experiment/result_files.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "experiment/json_reader.hpp"
#include "experiment/json_writer.hpp"
#include "experiment/node_access.hpp"
#include "experiment/run_record.hpp"
#include "experiment/summary.hpp"
#include "sample_experiment.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

PlanPoint sample_point() {
  DataStore store;
  FileHashes hashes;
  return make_plan(sample(), registry(), store, hashes).points.front();
}

RunResult sample_result() {
  RunResult result;
  result.stop_reason = StopReason::max_steps;
  result.virtual_time = Time::at_nanoseconds(238'391'000);
  result.steps = 40;
  result.samples = 40;
  result.bytes = 7;
  result.worker_names = {"local.w0"};
  result.ledger = {{.compute = Duration::nanoseconds(1),
                    .communication = {},
                    .wait = Duration::nanoseconds(2),
                    .down = {}}};
  result.ledger_total = result.ledger[0];
  WorkAccount::Row work;
  work.computed = {.steps = 5, .time = Duration::nanoseconds(5'000'000'000)};
  work.merged = {.steps = 3, .time = Duration::nanoseconds(3'000'000'000)};
  work.discarded["overwritten"] = {.steps = 2, .time = Duration::nanoseconds(2'000'000'000)};
  result.work = {work};
  result.work_total = work;
  result.targets.push_back({.metric = "validation_loss",
                            .value = 0.5,
                            .reached = false,
                            .at = {},
                            .first_time_s = {},
                            .near_plateau = false});
  result.final_metrics.validation_loss = NAN;
  result.final_metrics.extra = {{"distance_to_optimum", 0.25}};
  result.final_metrics.parameters = {1.5};
  result.final_metrics.worker_parameters = {{1.25}};
  result.extra_columns = {"x.momentum"};
  result.extra_units = {"1"};
  result.algorithm_report = {{"sends", Node::of(12)}};
  result.samples_per_second_ideal = 4;
  result.digest = "00ff";
  return result;
}

}  // namespace

TEST_CASE("result.json holds the contract's keys, and survives writing and reading") {
  const PlanPoint point = sample_point();
  const Node result = result_node(point, sample_result(), nullptr);
  for (const char* key : {"schema_version",
                          "run_id",
                          "experiment",
                          "algorithm",
                          "label",
                          "seed",
                          "axes",
                          "stop_reason",
                          "virtual_time_s",
                          "steps",
                          "rounds",
                          "samples",
                          "targets",
                          "final.train_loss",
                          "final.validation_loss",
                          "final.test_accuracy",
                          "final.distance_to_optimum",
                          "final.parameters",
                          "final.worker_parameters",
                          "network.bytes",
                          "network.messages",
                          "network.links",
                          "ledger.workers",
                          "ledger.total.compute_s",
                          "ledger.workers[0].down_s",
                          "staleness.mean",
                          "staleness.max",
                          "staleness.histogram",
                          "algorithm_report.sends",
                          "work.total.computed",
                          "work.workers[0].discarded.overwritten",
                          "servers",
                          "digest",
                          "performance.wall_s",
                          "performance.math_s",
                          "performance.events",
                          "performance.threads",
                          "identity.config",
                          "identity.results_version",
                          "identity.instruction_set"}) {
    CHECK_MESSAGE(find_path(result, key) != nullptr, key);
  }
  CHECK(find_path(result, "virtual_time_s")->number == 0.238391);
  CHECK(find_path(result, "stop_reason")->text == "max_steps");
  CHECK(find_path(result, "final.validation_loss")->is_null());
  CHECK(find_path(result, "targets[0].time_s")->is_null());
  CHECK(find_path(result, "work.total.seconds.merged")->number == 3.0);
  CHECK(read_json_text(write_json(result), "result.json") == result);
}

TEST_CASE("a record of a run read from disk is that of the run just made") {
  const PlanPoint point = sample_point();
  const Node result = result_node(point, sample_result(), nullptr);
  const RunRecord fresh = make_record(point, result);
  const RunRecord again = make_record(point, read_json_text(write_json(result), "result.json"));
  CHECK(fresh.result == again.result);
  CHECK(fresh.virtual_time_s == again.virtual_time_s);
  CHECK(fresh.samples_per_second_ideal == 4);
  CHECK(fresh.result.find("final")->find("parameters") == nullptr);
}

TEST_CASE("metrics.csv has the contract's columns, then what was recorded; empty where it does not apply") {
  RunResult result = sample_result();
  MetricsRow row;
  row.at = {.time_s = 0.5,
            .steps = 98304,
            .rounds = 2,
            .samples = 10,
            .bytes = 1e15,
            .energy_j = {},
            .cost_usd = {}};
  row.validation_loss = 0.1;
  row.gradient_norm = NAN;
  row.extra = {0.25};
  result.metrics = {row};
  CHECK(metrics_csv(result) ==
        "time_s,step,round,samples,tokens,epoch,train_loss,validation_loss,validation_accuracy,gradient_norm,"
        "consensus_distance,bytes_sent,"
        "staleness_mean,energy_j,cost_usd,x.momentum\n"
        "0.5,98304,2,10,,,,0.1,,,,1000000000000000,,,,0.25\n");
}

TEST_CASE("fields of CSV are in quotes where they have to be") {
  CHECK(csv_field("plain") == "plain");
  CHECK(csv_field("a,b \"c\"") == "\"a,b \"\"c\"\"\"");
  CHECK(csv_field(std::optional<double>(0.1)) == "0.1");
  CHECK(csv_field(std::optional<double>(-0.5)) == "-0.5");
  CHECK(csv_field(std::optional<double>()) == "");
}

TEST_CASE("summary.json has a row a run and the ideal of fixed work, and summary.csv the same rows") {
  const auto config = read_experiment(sample(), registry());
  const PlanPoint point = sample_point();
  const std::vector<RunRecord> records = {make_record(point, result_node(point, sample_result(), nullptr))};
  const Race race = race_of(*config);
  const Node summary = summary_node(records, compare(records, race), race);
  const Node& rows = *summary.find("rows");
  REQUIRE(rows.items.size() == 2);
  CHECK(rows.items[0].find("label")->text == "local_sgd");
  CHECK(rows.items[1].find("label")->text == "ideal");
  // 40 steps of one sample at 4 samples/s
  CHECK(rows.items[1].find("virtual_time_s")->number == 10.0);
  const std::string csv = summary_csv(summary);
  CHECK(csv.starts_with("run_id,label,algorithm,seed,"));
  CHECK(csv.find("time_to_0.5_s") != std::string::npos);
  CHECK(csv.find("work.discarded.overwritten") != std::string::npos);
  CHECK(std::count(csv.begin(), csv.end(), '\n') == 3);
}

TEST_CASE("experiment.json names points, cluster and build") {
  DataStore store;
  FileHashes hashes;
  const Node node = experiment_node(make_plan(sample(), registry(), store, hashes));
  CHECK(find_path(node, "points[0].run_id") != nullptr);
  CHECK(find_path(node, "cluster.workers[3].name")->text == "local.w3");
  CHECK(find_path(node, "cluster.bandwidth[0][0]")->number == 1e9);
  CHECK(find_path(node, "build.instruction_set") != nullptr);
  CHECK(find_path(node, "description")->text.starts_with("4 workers"));
  CHECK(find_path(node, "target")->is_null());
}
