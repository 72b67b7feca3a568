// Parameter-server algorithms: golden iterates of problem P, reductions, invariants of delays, and mean times
// of an update.
#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/problem_p.hpp"

namespace convoy {
namespace {

using test::deployed;
using test::find;
using test::run_problem_p;

/// Step times 1, 1.3, 1.7 and 4.1 s.
constexpr const char* golden_speeds = "[1, 0.7692307692307692, 0.5882352941176471, 0.24390243902439024]";

void check_close(double value, double golden, double tolerance = 1e-12) {
  CHECK(std::abs(value - golden) <= tolerance);
}

double entry(const RunResult& result, std::string_view name) {
  for (const ReportEntry& e : result.algorithm_report) {
    if (e.name == name) return e.value.number;
  }
  FAIL("no report entry");
  return 0;
}

TEST_CASE("problem P: asynchronous SGD and its rules for late gradients give the golden iterates") {
  // Reference script, 20 updates at 0.05, delays 0 1 2 2 2 1 3 2 2 9 1 4 4 2 1 3 2 2 1 9.
  const auto runs = run_problem_p(
      R"({"kind": "asgd"}, {"kind": "asgd", "label": "staleness_aware", "rule": "staleness_aware"},
         {"kind": "asgd", "label": "delay_adaptive", "rule": "delay_adaptive", "smoothness": 1.2},
         {"kind": "ringmaster", "label": "unbounded", "delay_bound": 1000})",
      R"("rounds": 20)", 0.05, golden_speeds);
  check_close(deployed(find(runs, "asgd")), 0.33506082654003116);
  check_close(deployed(find(runs, "staleness_aware")), 0.5686908025535017);
  check_close(deployed(find(runs, "delay_adaptive")), 0.3661422481719757);
  CHECK(deployed(find(runs, "unbounded")) == deployed(find(runs, "asgd")));
  CHECK(find(runs, "asgd").virtual_time.to_seconds() == doctest::Approx(8.2).epsilon(1e-8));
}

TEST_CASE("problem P: ordered momentum gives the golden iterates") {
  const auto ormo = run_problem_p(R"({"kind": "ormo"})", R"("rounds": 20)", 0.02, golden_speeds);
  check_close(deployed(ormo.at(0).result), 0.010831964413892555);
  const auto orlomo =
      run_problem_p(R"({"kind": "orlomo", "local_steps": 3})", R"("rounds": 20)", 0.05, golden_speeds);
  check_close(deployed(orlomo.at(0).result), -0.343332385405728);
}

TEST_CASE("problem P: synchronous EASGD gives the golden centre after 20 steps") {
  // alpha = 0.225, tau = 4, exchanges before steps 0, 4, ..., 16: the fifth exchange, then four steps.
  const auto runs = run_problem_p(
      R"({"kind": "easgd", "synchronous": true, "elasticity": 0.225, "local_steps": 4})", R"("rounds": 5)");
  check_close(deployed(runs.at(0).result), 0.30384305968683745);
}

TEST_CASE("ordered momentum in synchronous order is momentum SGD, and without momentum asynchronous SGD") {
  // Equal speeds: the n gradients of a bucket arrive together. u <- 0.9 u + lr sum_i g_i, x <- x - u.
  const auto synchronous = run_problem_p(R"({"kind": "ormo"}, {"kind": "orlomo", "local_steps": 1},
      {"kind": "ormo", "label": "average", "average": true})",
                                         R"("rounds": 4)", 0.02);
  double u = 0, x = 1;
  const double a[] = {1, 0.8, 1.2, 0.9}, b[] = {0.1, -0.2, 0.3, 0};
  for (int i = 0; i < 4; ++i) u += 0.02 * (a[i] * x - b[i]);
  x -= u;
  check_close(deployed(find(synchronous, "ormo")), x);
  check_close(deployed(find(synchronous, "orlomo")), deployed(find(synchronous, "average")));

  const auto plain = run_problem_p(R"({"kind": "ormo", "momentum": 0}, {"kind": "asgd"})", R"("rounds": 40)",
                                   0.05, golden_speeds);
  check_close(deployed(find(plain, "ormo")), deployed(find(plain, "asgd")));
}

TEST_CASE("the delays of asynchronous SGD add up: applied and in flight are n - 1 for each update") {
  const auto runs = run_problem_p(R"({"kind": "asgd"})", R"("rounds": 400)", 0.05, golden_speeds);
  // Sum over applied gradients + over the n in flight = (n - 1) updates; a gradient in flight is at most the
  // largest delay late, so the mean is n - 1 to within n x largest / 400.
  const RunResult& run = runs.at(0).result;
  double sum = 0, count = 0, largest = 0;
  for (const auto& [delay, times] : run.staleness_histogram) {
    sum += static_cast<double>(delay * times);
    count += static_cast<double>(times);
    largest = std::max(largest, static_cast<double>(delay));
  }
  CHECK(count == 400);
  CHECK(sum <= 3 * 400);
  CHECK(sum >= 3 * 400 - 4 * largest);
}

TEST_CASE("Ringmaster applies no gradient that is R updates late, and Rennala none that is late at all") {
  const auto runs =
      run_problem_p(R"({"kind": "ringmaster", "delay_bound": 3}, {"kind": "rennala", "batch": 3})",
                    R"("rounds": 100)", 0.05, golden_speeds);
  CHECK(find(runs, "ringmaster").staleness_histogram.rbegin()->first <= 2);
  CHECK(find(runs, "ringmaster").work_total.discarded.at("too_late").steps > 0);
  CHECK(find(runs, "rennala").staleness_histogram.rbegin()->first == 0);
  CHECK(find(runs, "rennala").work_total.discarded.at("too_late").steps > 0);
}

TEST_CASE("SSP: fast workers finish ten iterations at the golden times, the slowest always at 41 s") {
  // Worker 0 (1 s a step) beside one of 4.1 s: 37.9, 33.8, 29.7 and 17.4 s for s = 0, 1, 2 and 5. It has
  // finished its tenth iteration once 10 of its steps are computed.
  const std::pair<int, double> golden[] = {{0, 37.9}, {1, 33.8}, {2, 29.7}, {5, 17.4}};
  for (const auto& [s, seconds] : golden) {
    const auto& shown = s;
    CAPTURE(shown);
    const auto steps_at = [&, bound = s](double time) {
      const auto runs = run_problem_p(fmt::format(R"({{"kind": "ssp", "staleness": {}}})", bound),
                                      fmt::format(R"("time": "{} s")", time), 0.05, golden_speeds);
      return runs.at(0).result.work.at(0).computed.steps;
    };
    CHECK(steps_at(seconds - 0.01) == 9);
    CHECK(steps_at(seconds + 0.01) == 10);
  }
}

TEST_CASE(
    "SSP with s = 0 takes as long as bulk-synchronous steps, and without a bound it is asynchronous SGD") {
  const auto bound =
      run_problem_p(R"({"kind": "ssp", "staleness": 0})", R"("rounds": 40)", 0.05, golden_speeds);
  CHECK(bound.at(0).result.virtual_time.to_seconds() == doctest::Approx(41).epsilon(1e-8));
  const auto free_running =
      run_problem_p(R"({"kind": "ssp", "staleness": 1000000})", R"("rounds": 60)", 0.2, golden_speeds);
  const auto asgd = run_problem_p(R"({"kind": "asgd"})", R"("rounds": 60)", 0.05, golden_speeds);
  check_close(deployed(free_running.at(0).result), deployed(asgd.at(0).result));  // lr 0.2 / 4 workers
}

TEST_CASE("K-async of all workers is synchronous SGD, K-async of one asynchronous SGD") {
  const auto all = run_problem_p(R"({"kind": "k_async", "gradients": 4}, {"kind": "data_parallel"})",
                                 R"("rounds": 20)", 0.1, golden_speeds);
  check_close(deployed(find(all, "k_async")), deployed(find(all, "data_parallel")));
  CHECK(find(all, "k_async").virtual_time.to_seconds() == doctest::Approx(20 * 4.1).epsilon(1e-8));
  const auto one = run_problem_p(
      R"({"kind": "k_async", "gradients": 1}, {"kind": "n_softsync", "splits": 4}, {"kind": "asgd"})",
      R"("rounds": 20)", 0.05, golden_speeds);
  CHECK(deployed(find(one, "k_async")) == deployed(find(one, "asgd")));
  CHECK(deployed(find(one, "n_softsync")) == deployed(find(one, "asgd")));
}

TEST_CASE("K-batch-async makes an update in K / (rate of all workers)") {
  // Rates 1 + 1/1.3 + 1/1.7 + 1/4.1 = 2.6014 gradients a second: 200 updates of K = 3 in 230.6 s, to within a
  // few gradients at the ends.
  const auto runs = run_problem_p(R"({"kind": "k_async", "gradients": 3, "batch": true})", R"("rounds": 200)",
                                  0.01, golden_speeds);
  const double rate = 1 + 1 / 1.3 + 1 / 1.7 + 1 / 4.1;
  CHECK(std::abs(runs.at(0).result.virtual_time.to_seconds() - 600 / rate) < 4.1);
}

TEST_CASE(
    "FedBuff's first full buffer is FedAvg's first round, and EASGD without force leaves workers alone") {
  // All four push from theta_0 before the first update; later the first three of a buffer went on from
  // theta_0.
  const auto runs = run_problem_p(
      R"({"kind": "fedbuff", "buffer": 4, "local_steps": 4}, {"kind": "fedavg", "participation": 1, "local_steps": 4},
         {"kind": "easgd", "elasticity": 0, "local_steps": 4})",
      R"("rounds": 1)");
  check_close(deployed(find(runs, "fedbuff")), deployed(find(runs, "fedavg")));
  CHECK(deployed(find(runs, "easgd")) == 1);
  CHECK(entry(find(runs, "fedbuff"), "updates") == 1);
}

TEST_CASE("misuse of parameter-server algorithms is refused with path and range") {
  CHECK_THROWS_WITH_AS(
      static_cast<void>(run_problem_p(R"({"kind": "k_async", "gradients": 5})", R"("rounds": 1)")),
      doctest::Contains("exceeds the workers"), ConfigError);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(run_problem_p(R"({"kind": "ssp", "staleness": -1})", R"("rounds": 1)")),
      doctest::Contains(">= 0"), ConfigError);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(run_problem_p(R"({"kind": "asgd", "rule": "delay_adaptive"})", R"("rounds": 1)")),
      doctest::Contains("smoothness"), ConfigError);
}

}  // namespace
}  // namespace convoy
