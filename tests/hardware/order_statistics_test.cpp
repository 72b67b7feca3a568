// Slowest, fastest and average of several workers' steps against their closed forms (Dutta et al. 2018; Wang
// and Joshi, MLSys 2019): what barriers, K-sync and rounds of local steps cost in mean.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "core/options.hpp"
#include "hardware/variation.hpp"

namespace convoy {
namespace {

std::unique_ptr<Variation> make(const char* kind,
                                std::initializer_list<std::pair<const char*, Node>> values) {
  std::unique_ptr<Variation> source = variation_makers().at(kind)();
  Node node = Node::object();
  for (const auto& [key, value] : values) node.set(key, value);
  Options options;
  source->declare(options);
  FaultSink faults;
  read_options(node, "", options, faults);
  faults.throw_if_any();
  return source;
}

/// Factors of `workers` workers, each the mean of `average` steps, ascending.
std::vector<double> sorted_factors(const Variation& source, int workers, int average, int round) {
  std::vector<double> factors;
  double state = 0;
  for (int worker = 0; worker < workers; ++worker) {
    const DrawKey key{.seed = 7, .entity = static_cast<std::uint64_t>(worker)};
    double sum = 0;
    for (int i = 0; i < average; ++i) {
      sum += source.step(key, static_cast<std::uint64_t>(round * average + i), state).factor;
    }
    factors.push_back(sum / average);
  }
  std::sort(factors.begin(), factors.end());
  return factors;
}

/// (mean over the rounds - expected) / standard error of that mean.
double sigmas(double expected, int rounds, const std::function<double(int)>& value_of) {
  double sum = 0, squares = 0;
  for (int round = 0; round < rounds; ++round) {
    const double value = value_of(round);
    sum += value;
    squares += value * value;
  }
  const double mean = sum / rounds, variance = squares / rounds - mean * mean;
  return (mean - expected) / std::sqrt(variance / rounds);
}

double harmonic(int n) {
  double sum = 0;
  for (int k = 1; k <= n; ++k) sum += 1.0 / k;
  return sum;
}

TEST_CASE("the slowest of n shifted exponential steps takes s + H_n / mu") {
  // H_8 = 2.718, H_64 = 4.744, H_512 = 6.817.
  const auto source = make("shifted_exponential", {{"shift", Node::of(1.0)}, {"scale", Node::of(0.5)}});
  for (const int n : {1, 8, 64, 512}) {
    CAPTURE(n);
    const double expected = 1 + 0.5 * harmonic(n);
    CHECK(std::abs(sigmas(expected, 4000,
                          [&](int round) { return sorted_factors(*source, n, 1, round).back(); })) < 4);
  }
  CHECK(std::abs(harmonic(8) - 2.718) < 5e-4);
  CHECK(std::abs(harmonic(64) - 4.744) < 5e-4);
  CHECK(std::abs(harmonic(512) - 6.817) < 5e-4);
}

TEST_CASE("K-sync waits for the K-th of P steps: s + (H_P - H_{P-K}) / mu") {
  // P = 8, s = 1, mu = 2: 2.35893 for all 8, 1.21726 for 3; 96 of 100 take 2.55202, all 100 3.59369.
  const auto source = make("shifted_exponential", {{"shift", Node::of(1.0)}, {"scale", Node::of(0.5)}});
  struct Case {
    int workers, kept;
    double expected;
  };
  for (const Case& one :
       {Case{8, 8, 2.35893}, Case{8, 3, 1.21726}, Case{100, 96, 2.55202}, Case{100, 100, 3.59369}}) {
    CAPTURE(one.workers);
    CAPTURE(one.kept);
    CHECK(std::abs(sigmas(one.expected, 20'000, [&](int round) {
            return sorted_factors(*source, one.workers, 1, round)[static_cast<std::size_t>(one.kept - 1)];
          })) < 4);
  }
}

TEST_CASE("averages of tau steps straggle less: E[max of m Gamma(tau, rate tau mu)]") {
  // By quadrature; tau = 1 is H_m / mu.
  struct Case {
    int workers, tau;
    double mu, expected;
  };
  const Case cases[] = {{8, 1, 2, 1.35893},  {8, 2, 2, 1.09015},  {8, 4, 2, 0.90393},   {8, 8, 2, 0.77726},
                        {8, 16, 2, 0.69129}, {8, 32, 2, 0.63269}, {16, 1, 1, 3.38073},  {16, 2, 1, 2.58710},
                        {16, 4, 1, 2.06258}, {16, 8, 1, 1.71762}, {16, 16, 1, 1.48928}, {16, 32, 1, 1.33647}};
  // Gamma of shape 1 is the exponential without a shift.
  const auto source = make("gamma", {{"shape", Node::of(1.0)}});
  for (const Case& one : cases) {
    CAPTURE(one.workers);
    CAPTURE(one.tau);
    CHECK(std::abs(sigmas(one.expected, 4000, [&](int round) {
            return sorted_factors(*source, one.workers, one.tau, round).back() / one.mu;
          })) < 4);
  }
}

TEST_CASE("a barrier over 8 workers that are 6 times slower in an eighth of their steps takes 4.282 steps") {
  // 1 + (r - 1)(1 - (1 - p)^n) = 1 + 5 (1 - 0.875^8) = 4.282.
  const auto source = make("bernoulli", {{"probability", Node::of(0.125)}, {"slowdown", Node::of(6.0)}});
  const double expected = 1 + 5 * (1 - std::pow(0.875, 8));
  CHECK(std::abs(expected - 4.282) < 5e-4);
  CHECK(std::abs(sigmas(expected, 40'000,
                        [&](int round) { return sorted_factors(*source, 8, 1, round).back(); })) < 4);
}

}  // namespace
}  // namespace convoy
