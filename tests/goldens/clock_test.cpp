// The published time models, end to end through configs/papers: virtual time without math.
#include <doctest/doctest.h>

#include "core/node.hpp"
#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::find;

double hours(const RunResult& result) {
  return result.virtual_time.to_seconds() / 3600;
}

Node report(const RunResult& result, std::string_view name) {
  for (const ReportEntry& entry : result.algorithm_report) {
    if (entry.name == name) return entry.value;
  }
  FAIL("no report entry " << name);
  return {};
}

TEST_CASE("98,304 local steps of Pythia-70M take the hours of HALoS's own simulator") {
  const auto runs = test::run_config_file("papers/halos_clock.json");
  // Replay of the authors' time model (reference: 60.23, 5.223, 3.506, 1.138, 0.676 h).
  CHECK(hours(find(runs, "data_parallel")) == doctest::Approx(60.23).epsilon(0.01 / 60.23));
  CHECK(std::abs(hours(find(runs, "diloco")) - 5.223) < 0.001);
  CHECK(std::abs(hours(find(runs, "diloco_dynupd")) - 3.506) < 0.001);
  CHECK(std::abs(hours(find(runs, "async_local_sgd")) - 1.138) < 0.001);
  CHECK(std::abs(hours(find(runs, "halos")) - 0.676) < 0.001);
  // DiLoCo: 192 rounds; with dynamic steps 303 rounds of 325 steps.
  CHECK(find(runs, "diloco").rounds == 192);
  CHECK(find(runs, "diloco_dynupd").rounds == 303);
  // Ideal: 98,304 steps over the sum of the workers' rates, 0.658 h.
  const RunResult& halos = find(runs, "halos");
  const double batch = static_cast<double>(halos.samples) / static_cast<double>(halos.steps);
  CHECK(std::abs(98304 * batch / halos.samples_per_second_ideal / 3600 - 0.658) < 0.001);
}

TEST_CASE("asynchronous local SGD has the replayed updates and staleness") {
  const auto runs = test::run_config_file("papers/halos_clock.json");
  const RunResult& run = find(runs, "async_local_sgd");
  CHECK(report(run, "updates").integer == 4875);
  CHECK(run.staleness_mean == doctest::Approx(14.97).epsilon(0.005 / 14.97));
  CHECK(run.staleness_max == 39);
}

TEST_CASE("HALoS has the replayed exchanges, staleness and in-flight loss") {
  const auto runs = test::run_config_file("papers/halos_clock.json");
  const RunResult& run = find(runs, "halos");
  CHECK(report(run, "global_updates").integer == 396);
  CHECK(report(run, "local_staleness_mean").number == doctest::Approx(3.00).epsilon(0.005 / 3));
  CHECK(report(run, "local_staleness_max").integer == 6);
  CHECK(report(run, "global_staleness_mean").number == doctest::Approx(2.98).epsilon(0.005 / 2.98));
  CHECK(report(run, "global_staleness_max").integer == 6);
  // Sends of r0..r3 and the share of each region's updates that ever enter a Delta (K = 32).
  const std::vector<std::int64_t> sends = {131, 95, 107, 63};
  const std::vector<double> shares = {0.998, 0.686, 0.793, 0.431};
  const Node regions = report(run, "regions");
  for (std::size_t r = 0; r < 4; ++r) {
    CHECK(regions.items[r].find("sends")->integer == sends[r]);
    CHECK(std::abs(regions.items[r].find("share_sent")->number - shares[r]) < 0.0005);
  }
}

}  // namespace
}  // namespace convoy
