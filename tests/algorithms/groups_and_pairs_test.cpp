// Decentralized algorithms without barriers of all: pairs, groups, relays, hubs; and Scaffold beside K-GT.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "core/engine.hpp"
#include "support/run_json.hpp"
#include "training/replica_locks.hpp"

namespace convoy {
namespace {

using test::find;

constexpr const char* eight_minima =
    R"({"kind": "quadratic", "curvature": [1, 2, 0.5, 1.5, 1, 0.8, 2, 0.6],
        "minimum": [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5], "initial": 0})";

std::vector<test::JsonRun> run(
    const std::string& algorithms, const std::string& stop, double rate = 0.1,
    const std::string& cluster =
        R"({"workers": 8, "link": {"bandwidth": "1000 TB/s"}, "servers": {"update_time": "0 s"}, "network": {"contention": false}})",
    const std::string& task = eight_minima) {
  return test::run_json(fmt::format(
      R"({{"cluster": {}, "task": {}, "workload": {{"reference_batch": 1, "step_time": "1 s"}},
          "training": {{"optimizer": {{"kind": "sgd", "learning_rate": {}}}}},
          "algorithms": [{}], "stop": {{{}}}, "seeds": [0]}})",
      cluster, task, rate, algorithms, stop));
}

double mean_of(const RunResult& result) {
  double sum = 0;
  for (const auto& x : result.final_metrics.worker_parameters) sum += x.at(0);
  return sum / static_cast<double>(result.final_metrics.worker_parameters.size());
}

double entry(const RunResult& result, std::string_view name) {
  for (const ReportEntry& e : result.algorithm_report) {
    if (e.name == name)
      return e.value.kind == Node::Kind::integer ? static_cast<double>(e.value.integer) : e.value.number;
  }
  FAIL("no report entry");
  return 0;
}

Process hold(ReplicaLocks& locks, std::vector<int> replicas, Duration time, std::vector<int>& order,
             int name) {
  const ReplicaLocks::Held held = co_await locks.acquire(std::move(replicas));
  order.push_back(name);
  co_await delay(time);
}

TEST_CASE(
    "replica locks are granted in order of request, all at once, and pass nobody who waits for the same") {
  Engine engine;
  ReplicaLocks locks(4);
  std::vector<int> order;
  engine.spawn("a", hold(locks, {0, 1}, Duration::seconds(2), order, 0));
  engine.spawn("b", hold(locks, {1, 2}, Duration::seconds(2), order, 1));  // waits for a
  engine.spawn("c",
               hold(locks, {2, 3}, Duration::seconds(2), order, 2));    // 2 and 3 are free, but b was first
  engine.spawn("d", hold(locks, {0}, Duration::seconds(2), order, 3));  // waits for a alone
  static_cast<void>(engine.run({}));
  CHECK(order == std::vector<int>{0, 1, 3, 2});
  CHECK(engine.now() == Time::origin() + Duration::seconds(6));
}

TEST_CASE("AD-PSGD: pairwise averages change no sum, and equal curvatures lead the mean to the optimum") {
  const char* equal =
      R"({"kind": "quadratic", "curvature": [1, 1, 1, 1], "minimum": [0, 1, 2, 5], "initial": 0})";
  const auto runs = run(
      R"({"kind": "ad_psgd", "graph": {"kind": "complete"}})", R"("rounds": 400)", 0.05,
      R"({"speeds": [1, 0.9, 0.7, 0.4], "link": {"bandwidth": "1 GB/s"}, "network": {"contention": false}})",
      equal);
  // A worker that steps more often weighs more: sum_i r_i (x - b_i) = 0 for x common, r = (1, .9, .7,
  // .4): 1.4333. The consensus is loose at this rate, so the mean is near it.
  CHECK(mean_of(runs.at(0).result) == doctest::Approx((0.9 + 1.4 + 2.0) / 3.0).epsilon(0.15));
  CHECK(entry(runs.at(0).result, "averages") > 400);
}

TEST_CASE("AD-PSGD with naive locks deadlocks on a triangle, and not with atomic locks or one active side") {
  const char* three = R"({"kind": "quadratic", "curvature": [1, 1, 1], "minimum": [0, 1, 2], "initial": 0})";
  const char* cluster =
      R"({"workers": 3, "link": {"bandwidth": "1 GB/s", "latency": "1 ms"}, "network": {"contention": false}})";
  const auto naive = run(R"({"kind": "ad_psgd", "locking": "naive", "graph": {"kind": "ring"}})",
                         R"("rounds": 1000)", 0.05, cluster, three);
  CHECK(naive.at(0).result.stop_reason == StopReason::deadlock);
  REQUIRE(!naive.at(0).result.waiting.empty());
  CHECK(naive.at(0).result.waiting.front().waits_for.find("the locks of replicas") != std::string::npos);
  const auto atomic =
      run(R"({"kind": "ad_psgd", "graph": {"kind": "ring"}})", R"("rounds": 1000)", 0.05, cluster, three);
  CHECK(atomic.at(0).result.stop_reason == StopReason::max_rounds);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(run(R"({"kind": "ad_psgd", "initiators": "bipartite", "graph": {"kind": "ring"}})",
                            R"("rounds": 1)", 0.05, cluster, three)),
      doctest::Contains("odd cycle"), ConfigError);
  const auto bipartite =
      run(R"({"kind": "ad_psgd", "locking": "naive", "initiators": "bipartite", "graph": {"kind": "ring"}})",
          R"("rounds": 1000)");
  CHECK(bipartite.at(0).result.stop_reason == StopReason::max_rounds);
}

TEST_CASE(
    "Prague with one group of all is local SGD with one step, and any grouping keeps the mean of equal "
    "steps") {
  const auto all = run(
      R"({"kind": "prague", "group_size": 8, "grouping": "static"}, {"kind": "local_sgd", "local_steps": 1})",
      R"("local_steps": 160)");
  CHECK(std::abs(mean_of(find(all, "prague")) - find(all, "local_sgd").final_metrics.parameters.at(0)) <
        1e-13);

  // Equal curvature 1, rate 0.1: every worker makes t steps, and the mean is (1 - 0.9^t) x 0.5.
  const char* equal =
      R"({"kind": "quadratic", "curvature": [1, 1, 1, 1, 1, 1, 1, 1], "minimum": [-3, -2, -1, 0, 1, 2, 3, 4], "initial": 0})";
  const auto runs = run(
      R"({"kind": "prague", "group_size": 2, "grouping": "static"}, {"kind": "prague", "label": "four", "group_size": 4, "grouping": "static"},
      {"kind": "prague", "label": "first", "group_size": 4, "grouping": "first_ready"})",
      R"("local_steps": 160)", 0.1,
      R"({"workers": 8, "link": {"bandwidth": "1000 TB/s"}, "network": {"contention": false}})", equal);
  for (const char* label : {"prague", "four", "first"}) {
    CAPTURE(label);
    CHECK(std::abs(mean_of(find(runs, label)) - 0.5 * (1 - std::pow(0.9, 20))) < 1e-12);
  }
}

TEST_CASE(
    "Prague's groups do not deadlock, and the slowdown filter keeps fast workers from waiting for a slow "
    "one") {
  // Seven workers at 1 step a second and one at 1/5. Without the filter everybody meets the slow one now and
  // then.
  const char* slow =
      R"({"speeds": [1, 1, 1, 1, 1, 1, 1, 0.2], "link": {"bandwidth": "1 GB/s"}, "network": {"contention": false}})";
  const auto runs = run(
      R"({"kind": "prague", "group_size": 3, "grouping": "random"}, {"kind": "prague", "label": "filtered", "group_size": 3, "grouping": "division", "slowdown_filter": 2},
      {"kind": "prague", "label": "division", "group_size": 3, "grouping": "division"},
      {"kind": "prague", "label": "ready", "group_size": 3, "grouping": "first_ready"})",
      R"("time": "200 s")", 0.01, slow);
  const auto steps = [&](const char* label) { return find(runs, label).work_total.computed.steps; };
  for (const char* label : {"prague", "filtered", "division", "ready"}) {
    CAPTURE(label);
    CHECK(find(runs, label).stop_reason == StopReason::max_time);
  }
  CHECK(steps("prague") < 900);     // all near the slow one's pace of 40: far from 7 x 200
  CHECK(steps("filtered") > 1200);  // the seven are free
  CHECK(steps("ready") > 1000);
}

TEST_CASE(
    "RelaySGD reaches the optimum of unequal quadratics as the rate falls, and averages exactly on a star") {
  // On a path of 8 with a small constant rate the bias is of the order of the rate: 0.002 leaves under 0.02.
  const auto runs = run(R"({"kind": "relay_sgd", "graph": {"kind": "path"}})", R"("rounds": 8000)", 0.002);
  for (const auto& x : runs.at(0).result.final_metrics.worker_parameters)
    CHECK(std::abs(x.at(0) - -0.127659574468085) < 0.02);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(run(R"({"kind": "relay_sgd", "graph": {"kind": "ring"}})", R"("rounds": 1)")),
      doctest::Contains("tree"), ConfigError);
}

TEST_CASE("one hub that hears all spokes is FedAvg with equal weights") {
  const auto runs =
      run(R"({"kind": "hsl", "spokes_per_hub": 8, "hubs_per_hub": 0, "hubs_per_spoke": 1, "local_steps": 3},
      {"kind": "fedavg", "participation": 1, "local_steps": 3})",
          R"("rounds": 6)");
  const auto local = run(R"({"kind": "local_sgd", "local_steps": 3})", R"("local_steps": 144)");
  CHECK(std::abs(find(runs, "fedavg").final_metrics.parameters.at(0) -
                 local.at(0).result.final_metrics.parameters.at(0)) < 1e-12);
  CHECK(std::abs(find(runs, "hsl").final_metrics.worker_parameters.at(0).at(0) -
                 local.at(0).result.final_metrics.parameters.at(0)) < 1e-12);
}

TEST_CASE(
    "hubs and spokes over several regions run without deadlock and count their directed edges in bytes") {
  const char* regions =
      R"({"regions": [{"name": "a", "workers": 4, "bandwidth": "1 GB/s"}, {"name": "b", "workers": 4, "bandwidth": "1 GB/s"}],
      "wan": [["a", "b", "1 GB/s"]], "servers": {"update_time": "0 s"}})";
  const auto runs = run(R"({"kind": "hsl", "spokes_per_hub": 3, "hubs_per_hub": 1, "hubs_per_spoke": 1})",
                        R"("time": "20.5 s")", 0.05, regions);
  // n_h b_hs + n_h b_hh + n_s b_sh = 6 + 2 + 8 messages of 4 B a round; 20 rounds.
  CHECK(runs.at(0).result.messages == 20 * 16);
  CHECK(runs.at(0).result.bytes == 20 * 16 * 4);
}

TEST_CASE("K-GT on the complete graph is Scaffold with option II") {
  const auto runs =
      run(R"({"kind": "scaffold", "local_steps": 4, "server_step": 0.8})", R"("rounds": 6)", 0.05);
  const auto tracking =
      run(R"({"kind": "k_gt", "local_steps": 4, "server_step": 0.8, "graph": {"kind": "complete"}})",
          R"("local_steps": 192)", 0.05);
  CHECK(std::abs(runs.at(0).result.final_metrics.parameters.at(0) - mean_of(tracking.at(0).result)) < 1e-12);
}

}  // namespace
}  // namespace convoy
