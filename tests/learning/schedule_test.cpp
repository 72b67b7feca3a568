#include "learning/schedule.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "learning/fixtures.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

std::unique_ptr<Schedule> cosine(const char* warmup, const char* horizon) {
  return make(schedule_makers(), "cosine",
              object({{"warmup", text(warmup)}, {"horizon", text(horizon)}, {"counts", text("dispatched")}}));
}

}  // namespace

TEST_CASE("a constant schedule is 1 and needs no clock") {
  const auto constant = make(schedule_makers(), "constant");
  CHECK(constant->factor(0) == 1);
  CHECK(constant->factor(1e9) == 1);
  CHECK(!constant->clock());
}

TEST_CASE("cosine: linear warm-up, then half a cosine to the final factor, which stays") {
  const auto schedule = cosine("300 rounds", "6144 rounds");
  CHECK(schedule->factor(0) == 0);
  CHECK(schedule->factor(75) == 0.25);
  CHECK(schedule->factor(300) == 1);
  // Half-way between warm-up and horizon cos = 0: 0.1 + 0.9 / 2 = 0.55. At a third cos(pi / 3) = 1/2: 0.1 +
  // 0.9 3/4.
  CHECK(schedule->factor(300 + 5844 / 2.0) == doctest::Approx(0.55).epsilon(1e-12));
  CHECK(schedule->factor(300 + 5844 / 3.0) == doctest::Approx(0.775).epsilon(1e-12));
  CHECK(schedule->factor(6144) == 0.1);
  CHECK(schedule->factor(1e6) == 0.1);
  CHECK(schedule->clock()->unit == Progress::Unit::rounds);
  CHECK(schedule->clock()->counts == ProgressCount::dispatched);
}

TEST_CASE("cosine without warm-up starts at 1") {
  const auto schedule = make(
      schedule_makers(), "cosine",
      object({{"horizon", text("100 local_steps")}, {"counts", text("own")}, {"final_factor", number(0)}}));
  CHECK(schedule->factor(0) == 1);
  CHECK(schedule->factor(50) == doctest::Approx(0.5).epsilon(1e-12));
  CHECK(schedule->factor(100) == 0);
}

TEST_CASE("a cosine schedule says whose progress it counts, and in one unit") {
  CHECK_THROWS_AS(
      static_cast<void>(make(schedule_makers(), "cosine", object({{"horizon", text("100 rounds")}}))),
      ConfigError);
  CHECK_THROWS_AS(static_cast<void>(make(schedule_makers(), "cosine", object({{"counts", text("own")}}))),
                  ConfigError);
  CHECK_THROWS_AS(static_cast<void>(cosine("10 samples", "100 rounds")), ConfigError);
  CHECK_THROWS_AS(static_cast<void>(cosine("100 rounds", "100 rounds")), ConfigError);
}
