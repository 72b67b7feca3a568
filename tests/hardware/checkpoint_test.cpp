#include "hardware/checkpoint.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "core/random.hpp"

using namespace convoy;

namespace {

constexpr double hour = 3600;

}  // namespace

TEST_CASE("intervals and waste of Young and Daly are their golden values") {
  // delta 60 s, M 3.09 h: Young 1155.4 s, Daly 1115.7 s, waste 10.4 %; delta 300 s: 2583.5, 2387.4, 23.2 %;
  // delta 60 s, M 7.9 h: 1847.4, 1807.6, 6.5 %.
  struct Case {
    double write, interval, young, daly, waste;
  };
  for (const Case& one :
       {Case{60, 3.09 * hour, 1155.4, 1115.7, 0.104}, Case{300, 3.09 * hour, 2583.5, 2387.4, 0.232},
        Case{60, 7.9 * hour, 1847.4, 1807.6, 0.065}}) {
    CAPTURE(one.write);
    const Checkpointing job{.write_time = one.write, .failure_interval = one.interval};
    CHECK(std::abs(young_interval(job) - one.young) < 0.06);
    CHECK(std::abs(daly_interval(job) - one.daly) < 0.06);
    CHECK(std::abs(first_order_waste(job, young_interval(job)) - one.waste) < 6e-4);
  }
  CHECK(daly_interval({.write_time = 10, .failure_interval = 5}) == 5);
}

TEST_CASE("simulated work with exponential failures takes Daly's exact expectation") {
  // Segments of tau + delta are tried until one ends before a failure; a restart may fail too. The mean of
  // 200,000 segments is within 1 %.
  const Checkpointing job{.write_time = 60, .failure_interval = 3.09 * hour, .restart_time = 300};
  const double interval = daly_interval(job);
  RandomStream stream(5, "checkpoint test", 0, 0);
  double time = 0;
  constexpr int segments = 200'000;
  for (int i = 0; i < segments; ++i) {
    const double needed = interval + job.write_time;
    double failure = stream.exponential() * job.failure_interval;
    while (failure < needed) {
      time += failure;
      while ((failure = stream.exponential() * job.failure_interval) < job.restart_time) time += failure;
      time += job.restart_time;
      failure = stream.exponential() * job.failure_interval;
    }
    time += needed;
  }
  CHECK(std::abs(time / expected_time(job, interval, segments * interval) - 1) < 0.01);
}

TEST_CASE("jobs fail as often as their hosts do together") {
  // Meta RSC-1, 6.5 failures a 1,000 node-days of 8 GPUs: 1.803 h at 16,384 GPUs, 0.225 h at 131,072, 28.8 h
  // at 1,024.
  CHECK(std::abs(job_failure_interval(16'384, 8, 6.5e-3) / hour - 1.803) < 5e-4);
  CHECK(std::abs(job_failure_interval(131'072, 8, 6.5e-3) / hour - 0.225) < 5e-4);
  CHECK(std::abs(job_failure_interval(1'024, 8, 6.5e-3) / hour - 28.8) < 0.06);
  // Llama 3: 419 unexpected interruptions in 54 days on 16,384 GPUs: 3.09 h; with checkpoints that stop the
  // job for 10 s and restarts of 10 minutes more than 90 % of the time is effective.
  const double interval = job_failure_interval(16'384, 16'384, 419.0 / 54);
  CHECK(std::abs(interval / hour - 3.09) < 5e-3);
  const Checkpointing job{.write_time = 10, .failure_interval = interval, .restart_time = 600};
  const double every = daly_interval(job);
  CHECK(expected_time(job, every, 1) < 1 / 0.9);
}
