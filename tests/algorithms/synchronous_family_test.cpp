// Updates that wait for the first K gradients: mean times, work that is cut off, reductions.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "algorithms/problem_p.hpp"
#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::deployed;
using test::find;
using test::run_problem_p;

/// `rounds` updates of n workers whose steps take shift + scale Exp(1) seconds; messages take no time.
RunResult shifted_exponential(int n, double shift, double scale, const std::string& algorithm, int rounds) {
  return test::run_json(
             fmt::format(
                 R"({{"cluster": {{"workers": {}, "link": {{"bandwidth": "1000 TB/s"}}, "servers": {{"update_time": "0 s"}},
                      "network": {{"contention": false}},
                      "variation": [{{"kind": "shifted_exponential", "shift": {}, "scale": {}}}]}},
          "task": {{"kind": "clock_only"}},
          "workload": {{"parameters": 1, "reference_batch": 1, "step_time": "1 s"}},
          "algorithms": [{}], "stop": {{"rounds": {}}}, "seeds": [0]}})",
                 n, shift, scale, algorithm, rounds))
      .at(0)
      .result;
}

double mean_time(const RunResult& run) {
  return run.virtual_time.to_seconds() / static_cast<double>(run.rounds);
}

TEST_CASE("K-sync, K-batch-sync and backup workers take the mean times of order statistics") {
  // Shifted exponential, P = 8, mu = 2 (local-and-asynchronous.md 3): the K-th of P takes shift + (H_P -
  // H_{P-K}) / mu, with variance sum 1/(mu j)^2 over j = P-K+1..P; K gradients of P memoryless workers take K
  // / (P mu), with variance K / (P mu)^2. Bounds are four standard errors.
  const int rounds = 4000;
  const auto within = [&](double value, double mean, double variance) {
    CHECK(std::abs(value - mean) < 4 * std::sqrt(variance / rounds));
  };
  const double third = (1 / 64.0 + 1 / 49.0 + 1 / 36.0) / 4;
  within(mean_time(shifted_exponential(8, 1, 0.5, R"({"kind": "k_sync", "gradients": 3})", rounds)), 1.21726,
         third);
  within(mean_time(shifted_exponential(8, 1, 0.5, R"({"kind": "backup_workers", "backups": 5})", rounds)),
         1.21726, third);
  within(mean_time(
             shifted_exponential(8, 0, 0.5, R"({"kind": "k_sync", "gradients": 3, "batch": true})", rounds)),
         0.1875, 3 / 256.0);
}

TEST_CASE("96 of 100 workers update in 2.55 s where all 100 take 3.59 [slow]") {
  double variance = 0;
  for (int j = 5; j <= 100; ++j) variance += 1 / (4.0 * j * j);
  const double mean =
      mean_time(shifted_exponential(100, 1, 0.5, R"({"kind": "backup_workers", "backups": 4})", 2000));
  CHECK(std::abs(mean - 2.55202) < 4 * std::sqrt(variance / 2000));
}

TEST_CASE("what a worker computes when the update is made is cut off, and its time counts as computing") {
  // Step times 1, 1.3, 1.7 and 4.1 s, K = 2: an update every 1.3 s; the third and fourth worker never finish
  // a step, the first waits 0.3 s each time.
  const RunResult run = run_problem_p(R"({"kind": "k_sync", "gradients": 2})", R"("rounds": 10)", 0.1,
                                      "[1, 0.7692307692307692, 0.5882352941176471, 0.24390243902439024]")
                            .at(0)
                            .result;
  CHECK(run.virtual_time.to_seconds() == doctest::Approx(13).epsilon(1e-7));
  CHECK(run.ledger[0].compute.to_seconds() == doctest::Approx(10).epsilon(1e-7));
  for (const std::size_t late : {2, 3}) {
    CHECK(run.ledger[late].compute.to_seconds() == doctest::Approx(13).epsilon(1e-7));
    CHECK(run.work[late].merged.steps == 0);
    CHECK(run.work[late].discarded.at("aborted").steps >= 9);
  }
}

TEST_CASE("K-sync with all workers is data-parallel SGD, and no backups are K = n") {
  const auto runs = run_problem_p(
      R"({"kind": "k_sync", "gradients": 4}, {"kind": "backup_workers", "backups": 0}, {"kind": "data_parallel"})",
      R"("rounds": 10)", 0.1);
  CHECK(deployed(find(runs, "k_sync")) == doctest::Approx(0.3913840802337452).epsilon(1e-12));
  CHECK(deployed(find(runs, "backup_workers")) == deployed(find(runs, "k_sync")));
  CHECK(std::abs(deployed(find(runs, "data_parallel")) - deployed(find(runs, "k_sync"))) < 1e-12);
}

TEST_CASE("K beyond the workers is refused, with what is allowed") {
  for (const char* block :
       {R"({"kind": "k_sync", "gradients": 5})", R"({"kind": "backup_workers", "backups": 4})"}) {
    CHECK_THROWS_WITH_AS(static_cast<void>(run_problem_p(block, R"("rounds": 1)")),
                         doctest::Contains("at most"), ConfigError);
  }
}

}  // namespace
}  // namespace convoy
