// Algorithms of the local and overlapped families: golden iterates of problem P, and reductions to each
// other.
#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/problem_p.hpp"

namespace convoy {
namespace {

using test::deployed;
using test::find;
using test::run_problem_p;

void check_close(double value, double golden, double tolerance = 1e-12) {
  CHECK(std::abs(value - golden) <= tolerance);
}

TEST_CASE("problem P: overlapped and gossiping local algorithms give the golden iterates") {
  // Reference script, 5 rounds of H = 4 at 0.1, mean over the workers.
  const auto runs = run_problem_p(
      R"({"kind": "eager_diloco", "label": "delayed", "mode": "delayed", "local_steps": 4, "outer": {"kind": "nesterov", "learning_rate": 0.7, "momentum": 0.9}},
         {"kind": "eager_diloco", "label": "eager", "local_steps": 4, "outer": {"kind": "nesterov", "learning_rate": 0.7, "momentum": 0.9}},
         {"kind": "cocod_sgd", "local_steps": 4})",
      R"("local_steps": 80)");
  check_close(deployed(find(runs, "delayed")), -0.9862607442983153);
  check_close(deployed(find(runs, "eager")), -0.7873721737550078);
  check_close(deployed(find(runs, "cocod_sgd")), 0.16761400650882818);

  // 6 rounds of H = 4, eta = gamma = 0.7, mu = 0.5, pairs (01)(23) in even and (02)(13) in odd rounds.
  const auto noloco = run_problem_p(R"({"kind": "noloco", "local_steps": 4, "grouping": "exponential"})",
                                    R"("local_steps": 96)");
  const std::vector<double> golden = {-0.0190068538, -0.1139718103, 0.0139752375, -0.0809897189};
  for (std::size_t i = 0; i < golden.size(); ++i) {
    check_close(noloco.at(0).result.final_metrics.worker_parameters.at(i).at(0), golden[i], 0.6e-10);
  }
}

TEST_CASE("problem P: PALSGD gives the golden iterate for the golden coins") {
  // p = 0.2, eta = 1, 5 rounds of H = 4; toss n is heads where (7n + 3) mod 10 < 2, n counting step-major and
  // worker-minor: n = 1 (10 mod 10 = 0) and n = 4 (31 mod 10 = 1), modulo 10.
  const auto runs = run_problem_p(
      R"({"kind": "palsgd", "local_steps": 4, "mixing": 1, "coins": [0, 1, 0, 0, 1, 0, 0, 0, 0, 0], "outer": {"kind": "nesterov", "learning_rate": 0.7, "momentum": 0.9}})",
      R"("rounds": 5)");
  check_close(deployed(runs.at(0).result), -0.31520093303475116);
}

TEST_CASE("SlowMo without momentum is local SGD, and with it DiLoCo with a heavy-ball outer optimizer") {
  const auto runs = run_problem_p(
      R"({"kind": "local_sgd", "local_steps": 4},
         {"kind": "slowmo", "label": "plain", "local_steps": 4, "slow_momentum": 0},
         {"kind": "slowmo", "label": "slow", "local_steps": 4, "slow_momentum": 0.6, "slow_learning_rate": 0.8},
         {"kind": "bmuf", "local_steps": 4, "block_momentum": 0.6, "block_learning_rate": 0.8},
         {"kind": "diloco", "label": "heavy_ball", "local_steps": 4, "outer": {"kind": "heavy_ball", "learning_rate": 0.8, "momentum": 0.6}})",
      R"("local_steps": 160)");
  check_close(deployed(find(runs, "plain")), deployed(find(runs, "local_sgd")));
  check_close(deployed(find(runs, "slow")), deployed(find(runs, "heavy_ball")));
  // Constant learning rate: BMUF's Delta is -alpha gamma u.
  check_close(deployed(find(runs, "bmuf")), deployed(find(runs, "slow")));
}

TEST_CASE("SlowMo with one local step and alpha = 1 is synchronous heavy-ball SGD") {
  const auto slow =
      run_problem_p(R"({"kind": "slowmo", "local_steps": 1, "slow_momentum": 0.5})", R"("rounds": 30)");
  // x <- x - 0.1 u, u <- 0.5 u + g(x), g(x) the mean gradient 0.975 x - 0.05.
  double x = 1, u = 0;
  for (int round = 0; round < 30; ++round) {
    u = 0.5 * u + (0.975 * x - 0.05);
    x -= 0.1 * u;
  }
  check_close(deployed(slow.at(0).result), x);
}

TEST_CASE("members of the family without their own part are DiLoCo or local SGD") {
  const char* outer = R"("outer": {"kind": "nesterov", "learning_rate": 0.7, "momentum": 0.9})";
  const auto diloco = run_problem_p(fmt::format(R"({{"kind": "diloco", "local_steps": 4, {0}}},
                      {{"kind": "palsgd", "local_steps": 4, "pseudo_sync_probability": 0, {0}}},
                      {{"kind": "eager_diloco", "local_steps": 4, "mode": "sync", {0}}})",
                                                outer),
                                    R"("local_steps": 80)");
  check_close(deployed(find(diloco, "palsgd")), deployed(find(diloco, "diloco")));
  check_close(deployed(find(diloco, "eager_diloco")), deployed(find(diloco, "diloco")));

  // One group of all: heavy-ball DiLoCo (outer rate 0.7, momentum 0.5), whatever gamma.
  const auto noloco = run_problem_p(
      R"({"kind": "noloco", "local_steps": 4, "group_size": 4},
         {"kind": "diloco", "local_steps": 4, "outer": {"kind": "heavy_ball", "learning_rate": 0.7, "momentum": 0.5}})",
      R"("local_steps": 80)");
  check_close(deployed(find(noloco, "noloco")), deployed(find(noloco, "diloco")));

  const auto local = run_problem_p(
      R"({"kind": "local_sgd", "local_steps": 4}, {"kind": "local_sgd", "label": "sync", "local_steps": 1},
         {"kind": "post_local_sgd", "label": "late", "local_steps": 4, "switch_after": 1000},
         {"kind": "post_local_sgd", "label": "early", "local_steps": 4, "switch_after": 0},
         {"kind": "sparta", "share": 1},
         {"kind": "fedavg", "participation": 1, "local_steps": 4},
         {"kind": "fedavg", "label": "fedprox", "participation": 1, "local_steps": 4, "proximal": 0})",
      R"("local_steps": 80)");
  check_close(deployed(find(local, "late")), deployed(find(local, "sync")));
  check_close(deployed(find(local, "early")), deployed(find(local, "local_sgd")));
  check_close(deployed(find(local, "sparta")), deployed(find(local, "sync")));
  check_close(deployed(find(local, "fedavg")), deployed(find(local, "local_sgd")));
  check_close(deployed(find(local, "fedprox")), deployed(find(local, "local_sgd")));
}

TEST_CASE("FedProx's proximal term and FedAdam's rule do what their formulas say") {
  // One client: a = 1, b = 0.1. Two steps at 0.1 with mu = 0.5 around x_0 = 1: x <- x - 0.1 (x - 0.1 + 0.5 (x
  // - 1)).
  const auto run = [](const char* server) {
    return test::run_json(fmt::format(
        R"({{"cluster": {{"workers": 1, "link": {{"bandwidth": "1 GB/s"}}, "servers": {{"update_time": "0 s"}}}},
            "task": {{"kind": "quadratic", "curvature": [1], "linear": [0.1], "initial": 1}},
            "workload": {{"reference_batch": 1, "step_time": "1 s"}},
            "training": {{"optimizer": {{"kind": "sgd", "learning_rate": 0.1}}}},
            "algorithms": [{{"kind": "fedavg", "participation": 1, "local_steps": 2, "proximal": 0.5, "server": {}}}],
            "stop": {{"rounds": 1}}, "seeds": [0]}})",
        server));
  };
  double x = 1;
  for (int step = 0; step < 2; ++step) x -= 0.1 * (x - 0.1 + 0.5 * (x - 1));
  check_close(deployed(run(R"({"kind": "sgd", "learning_rate": 1})").at(0).result), x);
  // Delta = 1 - x; m = 0.1 Delta, v = 0.99 tau^2 + 0.01 Delta^2, theta = 1 - 0.1 m / (sqrt(v) + tau), tau =
  // 1e-3.
  const double delta = 1 - x, v = 0.99 * 1e-6 + 0.01 * delta * delta;
  check_close(deployed(run(R"({"kind": "adam", "learning_rate": 0.1, "momentum": 0.9})").at(0).result),
              1 - 0.1 * 0.1 * delta / (std::sqrt(v) + 1e-3));
}

TEST_CASE("eager DiLoCo of one worker is DiLoCo, and delayed DiLoCo ignores the first round") {
  const std::string one = R"({"cluster": {"workers": 1, "link": {"bandwidth": "1 GB/s"}},
      "task": {"kind": "quadratic", "curvature": [1], "linear": [0.1], "initial": 1},
      "workload": {"reference_batch": 1, "step_time": "1 s"}, "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
      "algorithms": [{"kind": "eager_diloco", "local_steps": 4}, {"kind": "eager_diloco", "label": "delayed", "mode": "delayed", "local_steps": 4},
                     {"kind": "diloco", "local_steps": 4, "outer": {"kind": "nesterov", "learning_rate": 0.4, "momentum": 0.9}}],
      "stop": {"local_steps": STEPS}, "seeds": [0]})";
  const auto run = [&](const char* steps) {
    std::string text = one;
    return test::run_json(text.replace(text.find("STEPS"), 5, steps));
  };
  const auto long_runs = run("40");
  check_close(deployed(find(long_runs, "eager_diloco")), deployed(find(long_runs, "diloco")));
  CHECK(deployed(find(run("4"), "delayed")) == 1);
}

TEST_CASE("a coin of PALSGD passes over its batch in no time") {
  // Toss n = 4 t + i shows heads where n is a multiple of 4: worker 0 computes no gradient at all, the others
  // all 10 of their steps of 1 s.
  const auto runs =
      run_problem_p(R"({"kind": "palsgd", "local_steps": 10, "coins": [1, 0, 0, 0]})", R"("rounds": 1)");
  CHECK(runs.at(0).result.virtual_time.to_seconds() == doctest::Approx(10));
  CHECK(runs.at(0).result.work_total.computed.steps == 30);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(run_problem_p(R"({"kind": "palsgd", "pseudo_sync_probability": 0, "coins": [1]})",
                                      R"("rounds": 1)")),
      doctest::Contains("pseudo_sync_probability"), ConfigError);
}

TEST_CASE("AdaComm's period goes down to one as the loss does") {
  // The mean loss passes 0 on problem P (its minimum is below), and sqrt(max(0, F / F_0)) with it.
  const auto runs =
      run_problem_p(R"({"kind": "adacomm", "initial_steps": 8, "interval": "10 s"})", R"("time": "200 s")");
  const auto& report = runs.at(0).result.algorithm_report;
  REQUIRE(report.size() == 1);
  CHECK(report.front().name == "last_steps");
  CHECK(report.front().value.integer == 1);
}

TEST_CASE("overlapped averages cost no time while they are shorter than a round") {
  // 4 workers, 8 B of a float64... the charged model is one parameter of 4 B; at 1 B/s a ring of 4 takes
  // 2 x 3/4 x 4 s = 6 s, a round of 8 steps 8 s: local SGD takes 14 s a round, the overlapped ones 8 s.
  const auto runs = test::run_json(
      R"({"cluster": {"workers": 4, "link": {"bandwidth": "1 B/s"}, "network": {"contention": false}},
      "task": {"kind": "quadratic", "curvature": [1, 1, 1, 1], "linear": [0, 0, 0, 0], "initial": 1},
      "workload": {"reference_batch": 1, "step_time": "1 s"}, "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
      "algorithms": [{"kind": "local_sgd", "local_steps": 8}, {"kind": "overlap_local_sgd", "local_steps": 8},
                     {"kind": "cocod_sgd", "local_steps": 8}, {"kind": "co2", "local_steps": 8},
                     {"kind": "eager_diloco", "local_steps": 8}],
      "stop": {"rounds": 10}, "seeds": [0]})");
  CHECK(find(runs, "local_sgd").virtual_time.to_seconds() == doctest::Approx(140));
  for (const char* label : {"overlap_local_sgd", "cocod_sgd", "co2", "eager_diloco"}) {
    CAPTURE(label);
    CHECK(find(runs, label).virtual_time.to_seconds() == doctest::Approx(80));
  }
}

}  // namespace
}  // namespace convoy
