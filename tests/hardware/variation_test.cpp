// Variation of step times: means of the distributions, exact ends under speeds that change in mid-step, and
// refusals.
#include "hardware/variation.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "core/options.hpp"
#include "hardware/step_clock.hpp"

namespace convoy {
namespace {

std::unique_ptr<Variation> make(const char* kind, std::initializer_list<std::pair<const char*, Node>> values,
                                FaultSink* faults = nullptr) {
  std::unique_ptr<Variation> source = variation_makers().at(kind)();
  Options options;
  source->declare(options);
  Node node = Node::object();
  for (const auto& [key, value] : values) node.set(key, value);
  FaultSink own;
  read_options(node, "", options, faults == nullptr ? own : *faults);
  if (faults == nullptr) own.throw_if_any();
  return source;
}

/// Mean and variance of the factors of steps 0 to n - 1.
std::pair<double, double> moments(const Variation& source, int n = 100'000) {
  double sum = 0, squares = 0, state = 0;
  for (int step = 0; step < n; ++step) {
    const double factor =
        source.step({.seed = 1, .entity = 3}, static_cast<std::uint64_t>(step), state).factor;
    sum += factor;
    squares += factor * factor;
  }
  return {sum / n, squares / n - sum / n * sum / n};
}

TEST_CASE("factors have the mean and variance of their distribution") {
  // Four standard errors of the mean of 100,000 draws; for the variance 5 %.
  struct Case {
    std::unique_ptr<Variation> source;
    double mean, variance;
  };
  std::vector<Case> cases;
  cases.push_back({make("log_normal", {{"sigma", Node::of(0.3)}}), 1, std::exp(0.09) - 1});
  cases.push_back(
      {make("shifted_exponential", {{"shift", Node::of(1.0)}, {"scale", Node::of(0.5)}}), 1.5, 0.25});
  cases.push_back({make("pareto", {{"alpha", Node::of(6.0)}}), 1.2, 6.0 / (25 * 4)});
  // Weibull: Gamma(1 + 1/k) and Gamma(1 + 2/k) - mean^2.
  cases.push_back({make("weibull", {{"shape", Node::of(2.0)}}), std::sqrt(M_PI) / 2, 1 - M_PI / 4});
  cases.push_back({make("gamma", {{"shape", Node::of(4.0)}}), 1, 0.25});
  cases.push_back({make("bernoulli", {{"probability", Node::of(0.125)}, {"slowdown", Node::of(6.0)}}), 1.625,
                   0.125 * 0.875 * 25});
  for (const Case& one : cases) {
    CAPTURE(one.source->kind());
    const auto [mean, variance] = moments(*one.source);
    CHECK(std::abs(mean - one.mean) < 4 * std::sqrt(one.variance / 100'000));
    CHECK(variance == doctest::Approx(one.variance).epsilon(0.05));
  }
  // AR(1): the same stationary law, but successive draws are correlated, so that the mean converges (1 +
  // c)/(1 - c) times slower in variance.
  const auto ar1 = make("ar1", {{"correlation", Node::of(0.8)}, {"sigma", Node::of(0.3)}});
  const auto [mean, variance] = moments(*ar1);
  CHECK(std::abs(mean - 1) < 4 * std::sqrt((std::exp(0.09) - 1) * 9 / 100'000));
  CHECK(variance == doctest::Approx(std::exp(0.09) - 1).epsilon(0.1));
}

TEST_CASE(
    "the synchronous step of 8 workers that are 6 times slower with probability 1/8 takes 4.282 on average") {
  // E[max] = 6 - 5 (7/8)^8 = 4.2820; standard error of 20,000 maxima 5 sqrt(p (1 - p) / 20,000) = 0.0168.
  const auto source = make("bernoulli", {{"probability", Node::of(0.125)}, {"slowdown", Node::of(6.0)}});
  double sum = 0, state = 0;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    double slowest = 0;
    for (std::uint64_t worker = 0; worker < 8; ++worker)
      slowest = std::max(slowest, source->step({.seed = 0, .entity = worker}, step, state).factor);
    sum += slowest;
  }
  CHECK(std::abs(sum / 20'000 - (6 - 5 * std::pow(0.875, 8))) < 4 * 0.0168);
}

TEST_CASE("order statistics of shifted exponential steps are those of the closed forms") {
  // P = 8, shift 1, rate 2: E[max] = 1 + H_8/2 = 2.35893, E[3rd of 8] = 1 + (H_8 - H_5)/2 = 1.21726. The
  // variance of the maximum is (1/4) sum 1/k^2 = 0.3819: standard error of 20,000 rounds 0.00437.
  const auto source = make("shifted_exponential", {{"shift", Node::of(1.0)}, {"scale", Node::of(0.5)}});
  double largest = 0, third = 0, state = 0;
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    std::vector<double> times;
    for (std::uint64_t worker = 0; worker < 8; ++worker)
      times.push_back(source->step({.seed = 5, .entity = worker}, step, state).factor);
    std::sort(times.begin(), times.end());
    largest += times[7];
    third += times[2];
  }
  CHECK(std::abs(largest / 20'000 - 2.35893) < 4 * 0.00437);
  CHECK(std::abs(third / 20'000 - 1.21726) < 4 * 0.001);
}

TEST_CASE("a step that meets a slow period ends at the nanosecond where its work is done") {
  // 5 times slower from 10 s to 60 s. A step of 4 s from 8 s: 2 s of work by 10 s, the other 2 s take 10 s:
  // 20 s.
  const auto slow = make("slow_period",
                         {{"slowdown", Node::of(5.0)}, {"from", Node::of("10 s")}, {"to", Node::of("60 s")}});
  const std::vector<StepClock::Source> sources = {{.variation = slow.get(), .key = {}}};
  const auto at = [](double seconds) { return Time::origin() + Duration::seconds(seconds); };
  StepClock clock(sources);
  CHECK(clock.end(Duration::seconds(4), 0, at(8)) == at(20));
  // From 59 s: 0.2 s of work by 60 s, the rest at full speed: 63.8 s.
  CHECK(clock.end(Duration::seconds(4), 1, at(59)) == at(63.8));
  CHECK(clock.end(Duration::seconds(4), 2, at(100)) == at(104));
  StepClock over(sources);
  // 12 s of work from 9 s: 1 s, then 50 s at 1/5 = 10 s, then 1 s: 61 s.
  CHECK(over.end(Duration::seconds(12), 0, at(9)) == at(61));
}

TEST_CASE("pauses stop the work, and a delay comes on top of one step") {
  const auto pauses =
      make("pauses", {{"every", Node::of("10 s")}, {"length", Node::of("3 s")}, {"first", Node::of("2 s")}});
  const auto delay = make("delay", {{"step", Node::of(std::int64_t{1})}, {"add", Node::of("5 s")}});
  const auto at = [](double seconds) { return Time::origin() + Duration::seconds(seconds); };
  const std::vector<StepClock::Source> both = {{.variation = pauses.get(), .key = {}},
                                               {.variation = delay.get(), .key = {}}};
  StepClock clock(both);
  CHECK(clock.end(Duration::seconds(1), 0, at(0)) == at(1));
  // 1 + 5 s from 1 s: 1 s until the pause at 2 s, 5 s more from 5 s to 10 s.
  CHECK(clock.end(Duration::seconds(1), 1, at(1)) == at(10));
  // From 11 s: 1 s by 12 s, pause until 15 s, 1 s more: 16 s.
  CHECK(clock.end(Duration::seconds(2), 2, at(11)) == at(16));
}

TEST_CASE("a two-state device is slow for its stationary share of the time, the same for every asker") {
  // Holding times 3 s and 1 s, slow state at 1/4: mean speed 0.75 + 0.25/4 = 0.8125. Over 40,000 s some
  // 10,000 cycles.
  const auto markov =
      make("markov", {{"slowdown", Node::of(4.0)}, {"normal", Node::of("3 s")}, {"slow", Node::of("1 s")}});
  const std::vector<StepClock::Source> sources = {
      {.variation = markov.get(), .key = {.seed = 2, .entity = 1}}};
  StepClock clock(sources), other(sources);
  Time now = Time::origin(), then = Time::origin();
  for (std::uint64_t step = 0; step < 32'500; ++step) now = clock.end(Duration::seconds(1), step, now);
  CHECK(now.to_seconds() == doctest::Approx(40'000).epsilon(0.02));
  // Steps of another length meet the same switches.
  for (std::uint64_t step = 0; step < 325; ++step) then = other.end(Duration::seconds(100), step, then);
  CHECK(std::abs((now - then).to_seconds()) < 1e-3);
}

TEST_CASE("parameters out of range are refused with their path") {
  const auto refused = [](const char* kind, std::initializer_list<std::pair<const char*, Node>> values) {
    FaultSink faults;
    static_cast<void>(make(kind, values, &faults));
    return !faults.empty();
  };
  CHECK(refused("bernoulli", {{"probability", Node::of(1.5)}, {"slowdown", Node::of(2.0)}}));
  CHECK(refused("bernoulli", {{"probability", Node::of(-0.1)}, {"slowdown", Node::of(2.0)}}));
  CHECK(refused("log_normal", {{"sigma", Node::of(-1.0)}}));
  CHECK(refused("log_normal", {{"sigma", Node::of(std::nan(""))}}));
  CHECK(refused("pauses", {{"every", Node::of("1 s")}, {"length", Node::of("2 s")}}));
  CHECK(refused("slow_period",
                {{"slowdown", Node::of(2.0)}, {"from", Node::of("5 s")}, {"to", Node::of("4 s")}}));
  CHECK(refused("persistent_uniform", {{"low", Node::of(2.0)}, {"high", Node::of(1.0)}}));
  CHECK(refused("markov",
                {{"slowdown", Node::of(2.0)}, {"normal", Node::of("0 s")}, {"slow", Node::of("1 s")}}));
}

}  // namespace
}  // namespace convoy
