#include "core/time.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>

using namespace convoy;

TEST_CASE("seconds become nanoseconds upwards, so that no cost is rounded to nothing") {
  // 1 B at 10 TB/s takes 1e-13 s, which is 0.0001 ns; 2.5 ns needs 3; a third of a second 333333333.33...
  CHECK(Duration::seconds(1e-13).count() == 1);
  CHECK(Duration::seconds(2.5e-9).count() == 3);
  CHECK(Duration::seconds(1.0 / 3).count() == 333'333'334);
  CHECK(Duration::seconds(0).count() == 0);
  CHECK(Duration::seconds(-2.5e-9).count() == -2);  // upwards is towards zero here
}

TEST_CASE("a product within rounding of an integer is that integer") {
  // 0.238391 is not a binary fraction; times 1e9 it is a few ulps from 238391000.
  CHECK(Duration::seconds(0.238391).count() == 238'391'000);
  CHECK(Duration::seconds(0.1 * 3).count() == 300'000'000);
  CHECK(Duration::seconds(1.0000001).count() == 1'000'000'100);
}

TEST_CASE("durations beyond 292 years and what is not finite overflow") {
  CHECK(Duration::seconds(9.2e9).count() == 9'200'000'000'000'000'000);
  CHECK_THROWS_AS(static_cast<void>(Duration::seconds(9.3e9)), std::overflow_error);
  CHECK_THROWS_AS(static_cast<void>(Duration::seconds(-9.3e9)), std::overflow_error);
  CHECK_THROWS_AS(static_cast<void>(Duration::seconds(std::numeric_limits<double>::infinity())),
                  std::overflow_error);
  CHECK_THROWS_AS(static_cast<void>(Duration::seconds(std::numeric_limits<double>::quiet_NaN())),
                  std::overflow_error);
}

TEST_CASE("arithmetic throws instead of wrapping") {
  const Duration one = Duration::nanoseconds(1);
  const Duration longest = Duration::nanoseconds(INT64_MAX);
  CHECK_THROWS_AS(static_cast<void>(longest + one), std::overflow_error);
  CHECK_THROWS_AS(static_cast<void>(Duration::nanoseconds(INT64_MIN) - one), std::overflow_error);
  CHECK_THROWS_AS(static_cast<void>(longest * 2), std::overflow_error);
  CHECK_THROWS_AS(static_cast<void>(Time::latest() + one), std::overflow_error);
  CHECK((Time::latest() - one) + one == Time::latest());
}

TEST_CASE("whole seconds are exact both ways") {
  // 3e9 ns is exactly 3.0 s: the quotient is rounded once.
  CHECK(Duration::nanoseconds(3'000'000'000).to_seconds() == 3.0);
  CHECK(Time::at_seconds(1e9).to_seconds() == 1e9);
  CHECK(Duration::nanoseconds(30).to_seconds() == 3e-8);
  CHECK((Time::at_seconds(5) - Time::at_seconds(2)) == Duration::seconds(3));
}
