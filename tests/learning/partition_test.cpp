#include "learning/partition.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <vector>

#include "learning/fixtures.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

constexpr std::size_t classes = 10;

// `each` samples of every class, classes interleaved.
std::vector<std::uint8_t> balanced(std::size_t each) {
  std::vector<std::uint8_t> labels;
  for (std::size_t i = 0; i < each * classes; ++i) labels.push_back(static_cast<std::uint8_t>(i % classes));
  return labels;
}

std::unique_ptr<Partition> dirichlet(const char* convention, double alpha) {
  return make(partition_makers(), "dirichlet",
              object({{"convention", text(convention)}, {"alpha", number(alpha)}}));
}

std::vector<std::uint32_t> all_positions(const WorkerSamples& parts) {
  std::vector<std::uint32_t> all;
  for (int w = 0; w < parts.workers(); ++w) all.insert(all.end(), parts.of(w).begin(), parts.of(w).end());
  std::sort(all.begin(), all.end());
  return all;
}

bool disjoint(const WorkerSamples& parts) {
  const auto all = all_positions(parts);
  return std::adjacent_find(all.begin(), all.end()) == all.end();
}

bool complete(const WorkerSamples& parts, std::size_t samples) {
  const auto all = all_positions(parts);
  return disjoint(parts) && all.size() == samples && all.front() == 0 && all.back() == samples - 1;
}

// Pearson's statistic of the label counts against equal shares of each worker's own size; expected value
// workers x (classes - 1) if labels are drawn independently, less without replacement.
double chi_square(const WorkerSamples& parts, const std::vector<std::uint8_t>& labels) {
  double sum = 0;
  for (const auto& row : parts.label_histograms(labels, classes)) {
    double total = 0;
    for (const std::size_t count : row) total += static_cast<double>(count);
    const double expected = total / classes;
    for (const std::size_t count : row) sum += std::pow(static_cast<double>(count) - expected, 2) / expected;
  }
  return sum;
}

double mean_largest_share(const WorkerSamples& parts, const std::vector<std::uint8_t>& labels) {
  double sum = 0;
  for (const auto& row : parts.label_histograms(labels, classes)) {
    double total = 0;
    for (const std::size_t count : row) total += static_cast<double>(count);
    sum += static_cast<double>(*std::max_element(row.begin(), row.end())) / total;
  }
  return sum / parts.workers();
}

bool same(const WorkerSamples& a, const WorkerSamples& b) {
  if (a.workers() != b.workers()) return false;
  for (int w = 0; w < a.workers(); ++w) {
    if (!std::equal(a.of(w).begin(), a.of(w).end(), b.of(w).begin(), b.of(w).end())) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("iid gives every sample to one worker, in equal numbers") {
  const auto labels = balanced(101);
  const auto parts = make(partition_makers(), "iid")->split(labels, classes, 16, 0);
  CHECK(complete(parts, 1010));
  for (int w = 0; w < 16; ++w) CHECK((parts.of(w).size() == 63 || parts.of(w).size() == 64));
  // 16 x 9 = 144 degrees of freedom, deviation sqrt(2 x 144) = 17.
  CHECK(chi_square(parts, labels) < 144 + 5 * 17);
}

TEST_CASE("replicated gives every sample to every worker") {
  const auto labels = balanced(3);
  const auto parts = make(partition_makers(), "replicated")->split(labels, classes, 1000, 0);
  CHECK(parts.workers() == 1000);
  CHECK(parts.of(0).size() == 30);
  CHECK(parts.of(999).size() == 30);
  CHECK(parts.label_histograms(labels, classes)[7] == std::vector<std::size_t>(classes, 3));
  CHECK_THROWS_AS(static_cast<void>(parts.of(1000)), std::logic_error);
}

TEST_CASE("every partition is a pure function of seed, labels and workers") {
  const auto labels = balanced(200);
  std::vector<std::unique_ptr<Partition>> partitions;
  partitions.push_back(make(partition_makers(), "iid"));
  partitions.push_back(dirichlet("hsu", 0.5));
  partitions.push_back(dirichlet("noniid_bench", 0.5));
  for (const auto& partition : partitions) {
    CAPTURE(partition->describe());
    const auto first = partition->split(labels, classes, 8, 7);
    CHECK(same(first, partition->split(labels, classes, 8, 7)));
    CHECK(!same(first, partition->split(labels, classes, 8, 8)));
    for (int w = 0; w < 8; ++w) CHECK(!first.of(w).empty());
  }
}

TEST_CASE("hsu: every worker draws the same number without replacement and may leave a remainder") {
  const auto labels = balanced(600);
  for (const double alpha : {100.0, 1.0, 0.1, 0.0}) {
    const auto parts = dirichlet("hsu", alpha)->split(labels, classes, 7, 0);
    CHECK(disjoint(parts));
    for (int w = 0; w < 7; ++w) CHECK(parts.of(w).size() == 857);  // floor(6000 / 7)
  }
  const auto few =
      make(partition_makers(), "dirichlet",
           object({{"convention", text("hsu")}, {"alpha", number(1)}, {"samples_per_worker", integer(50)}}));
  CHECK(few->split(labels, classes, 7, 0).of(3).size() == 50);
}

TEST_CASE("hsu: the whole data set can be drawn to the last sample") {
  // 10 workers of 600 leave nothing over: classes run out and are renormalised away.
  const auto labels = balanced(600);
  for (const double alpha : {1e6, 0.5, 1e-3, 0.0})
    CHECK(complete(dirichlet("hsu", alpha)->split(labels, classes, 10, 3), 6000));
}

TEST_CASE("noniid_bench: every sample goes to one worker, sizes vary and none is below ten") {
  const auto labels = balanced(600);
  for (const double alpha : {100.0, 0.5, 0.1}) {
    const auto parts = dirichlet("noniid_bench", alpha)->split(labels, classes, 10, 0);
    CHECK(complete(parts, 6000));
    std::set<std::size_t> sizes;
    for (int w = 0; w < 10; ++w) sizes.insert(parts.of(w).size());
    CHECK(*sizes.begin() >= 10);
    CHECK(sizes.size() > 1);
  }
}

TEST_CASE("a large alpha looks like iid") {
  // 10 workers x 9 = 90 degrees of freedom, deviation sqrt(180) = 13.4. In hsu 500 of 600 a worker: drawing
  // all would leave the last worker what the others' chance left over.
  const auto labels = balanced(600);
  const auto hsu = make(
      partition_makers(), "dirichlet",
      object({{"convention", text("hsu")}, {"alpha", number(1e6)}, {"samples_per_worker", integer(500)}}));
  const double statistic = chi_square(hsu->split(labels, classes, 10, 1), labels);
  CHECK(statistic > 90 - 5 * 13.4);
  CHECK(statistic < 90 + 5 * 13.4);
  // noniid_bench cuts each class by shares that are nearly equal.
  const auto bench = dirichlet("noniid_bench", 1e6)->split(labels, classes, 10, 1);
  CHECK(chi_square(bench, labels) < 90 + 5 * 13.4);
  for (int w = 0; w < 10; ++w) CHECK(bench.of(w).size() == doctest::Approx(600).epsilon(0.02));
}

TEST_CASE("a tiny alpha gives about one label a worker") {
  const auto labels = balanced(600);
  const auto few = make(
      partition_makers(), "dirichlet",
      object({{"convention", text("hsu")}, {"alpha", number(1e-3)}, {"samples_per_worker", integer(300)}}));
  CHECK(mean_largest_share(few->split(labels, classes, 10, 1), labels) > 0.95);
  // Ten classes of 600 and ten workers that take no more once they hold 600: one class each.
  CHECK(mean_largest_share(dirichlet("noniid_bench", 1e-3)->split(labels, classes, 10, 1), labels) > 0.95);
}

TEST_CASE("alpha 0 in the convention hsu is exactly one class a worker while classes last") {
  const auto labels = balanced(600);
  const auto partition =
      make(partition_makers(), "dirichlet",
           object({{"convention", text("hsu")}, {"alpha", number(0)}, {"samples_per_worker", integer(10)}}));
  CHECK(mean_largest_share(partition->split(labels, classes, 50, 2), labels) == 1);
}

TEST_CASE("the same alpha is more skewed in the convention hsu than in noniid_bench") {
  // hsu spreads alpha over ten classes (0.1 each for alpha 1), noniid_bench gives alpha to every worker.
  const auto labels = balanced(600);
  double hsu = 0;
  double bench = 0;
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    hsu += mean_largest_share(dirichlet("hsu", 1)->split(labels, classes, 10, seed), labels);
    bench += mean_largest_share(dirichlet("noniid_bench", 1)->split(labels, classes, 10, seed), labels);
  }
  CHECK(hsu > bench + 0.5);
}

TEST_CASE("data that do not suffice are a fault of the config, not an endless loop") {
  const auto labels = balanced(3);
  CHECK_THROWS_AS(static_cast<void>(make(partition_makers(), "iid")->split(labels, classes, 31, 0)),
                  ConfigError);
  CHECK_THROWS_AS(static_cast<void>(dirichlet("hsu", 1)->split(labels, classes, 31, 0)), ConfigError);
  // 30 samples cannot give four workers ten each.
  CHECK_THROWS_AS(static_cast<void>(dirichlet("noniid_bench", 1)->split(labels, classes, 4, 0)), ConfigError);
  // One class of 100 in five workers at a tiny alpha: one worker gets all, whatever the draw.
  const std::vector<std::uint8_t> single(100, 0);
  CHECK_THROWS_AS(static_cast<void>(dirichlet("noniid_bench", 1e-6)->split(single, 1, 5, 0)), ConfigError);
}

TEST_CASE("a dirichlet partition names its convention and uses that one's options only") {
  const auto refused = [](const Node& node) {
    CHECK_THROWS_AS(static_cast<void>(make(partition_makers(), "dirichlet", node)), ConfigError);
  };
  refused(object({{"alpha", number(0.5)}}));
  refused(object({{"convention", text("hsu")}}));
  refused(object({{"convention", text("noniid_bench")}, {"alpha", number(0)}}));
  refused(object(
      {{"convention", text("noniid_bench")}, {"alpha", number(1)}, {"samples_per_worker", integer(5)}}));
  refused(object({{"convention", text("hsu")}, {"alpha", number(1)}, {"least_samples", integer(5)}}));
  CHECK(dirichlet("hsu", 0.5)->describe() == "dirichlet (hsu, alpha 0.5)");
}
