#include "experiment/statistics.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <vector>

using namespace convoy;

TEST_CASE("Student's t quantiles are those of the tables") {
  // Two-sided 95 %: 12.7062 (1 degree of freedom), 4.30265 (2), 2.77645 (4), NIST/SEMATECH
  // e-Handbook 1.3.6.7.2.
  CHECK(student_t_quantile(1, 0.975) == doctest::Approx(12.7062).epsilon(1e-5));
  CHECK(student_t_quantile(2, 0.975) == doctest::Approx(4.30265).epsilon(1e-5));
  CHECK(student_t_quantile(4, 0.975) == doctest::Approx(2.77645).epsilon(1e-5));
}

TEST_CASE("a geometric mean has the t interval of the logarithms") {
  // logs 0, 1, 2: mean 1, s = 1, reach = exp(4.30265 / sqrt(3)) = exp(2.48414).
  const std::vector<double> values = {1, std::exp(1), std::exp(2)};
  const auto estimate = geometric_estimate(values);
  REQUIRE(estimate);
  CHECK(estimate->mean == doctest::Approx(std::exp(1)));
  CHECK(*estimate->low == doctest::Approx(std::exp(1 - 2.48414)).epsilon(1e-5));
  CHECK(*estimate->high == doctest::Approx(std::exp(1 + 2.48414)).epsilon(1e-5));
  CHECK(estimate->count == 3);
}

TEST_CASE("one value has no interval, equal values have one without width, and zero has no logarithm") {
  const auto one = geometric_estimate(std::vector<double>{3.0});
  REQUIRE(one);
  CHECK(one->mean == 3.0);
  CHECK_FALSE(one->low);
  const auto equal = geometric_estimate(std::vector<double>{0.1, 0.1, 0.1});
  REQUIRE(equal);
  CHECK(equal->mean == 0.1);
  CHECK(*equal->low == 0.1);
  CHECK(*equal->high == 0.1);
  CHECK_FALSE(geometric_estimate(std::vector<double>{}));
  CHECK_FALSE(geometric_estimate(std::vector<double>{1.0, 0.0}));
}

TEST_CASE("a speed-up whose interval contains 1 is no difference, and one pair decides nothing") {
  const auto verdict = [](double mean, double low, double high) {
    return verdict_of(Estimate{.mean = mean, .low = low, .high = high, .count = 3});
  };
  CHECK(verdict(2, 1.5, 2.5) == Verdict::faster);
  CHECK(verdict(0.5, 0.4, 0.9) == Verdict::slower);
  CHECK(verdict(1.2, 0.9, 1.5) == Verdict::no_difference);
  CHECK(verdict(1, 1, 1) == Verdict::no_difference);
  CHECK(verdict_of(Estimate{.mean = 9, .low = {}, .high = {}, .count = 1}) == Verdict::undecided);
  CHECK(verdict_of(std::nullopt) == Verdict::undecided);
}
