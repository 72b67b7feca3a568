#include "hardware/variation_presets.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace convoy;

TEST_CASE("the Alibaba preset has the spread and the memory of the trace it is fitted to") {
  // Of ten workers, slowest over median in an iteration: p50 1.09 to 1.11, p95 1.14 to 1.23, p99 1.19 to 1.74
  // (trace of 2,000 iterations; 20,000 here); correlation of a worker's successive times 0.45 to 0.82.
  const auto source = variation_makers().at("alibaba_shared")();
  constexpr int workers = 10, rounds = 20'000;
  double states[workers] = {};
  std::vector<double> ratios, first;
  for (int round = 0; round < rounds; ++round) {
    std::vector<double> times;
    for (int worker = 0; worker < workers; ++worker) {
      const DrawKey key{.seed = 1, .entity = static_cast<std::uint64_t>(worker)};
      times.push_back(source->step(key, static_cast<std::uint64_t>(round), states[worker]).factor);
    }
    first.push_back(times[0]);
    std::sort(times.begin(), times.end());
    ratios.push_back(times.back() / ((times[4] + times[5]) / 2));
  }
  std::sort(ratios.begin(), ratios.end());
  const auto percentile = [&](double share) { return ratios[static_cast<std::size_t>(share * rounds)]; };
  CHECK(percentile(0.50) > 1.09);
  CHECK(percentile(0.50) < 1.11);
  CHECK(percentile(0.95) > 1.14);
  CHECK(percentile(0.95) < 1.23);
  CHECK(percentile(0.99) > 1.19);
  CHECK(percentile(0.99) < 1.74);
  double mean = 0, variance = 0, covariance = 0;
  for (const double time : first) mean += time / rounds;
  for (std::size_t i = 0; i + 1 < first.size(); ++i) {
    variance += (first[i] - mean) * (first[i] - mean);
    covariance += (first[i] - mean) * (first[i + 1] - mean);
  }
  CHECK(covariance / variance > 0.45);
  CHECK(covariance / variance < 0.82);
}
