// Sharing a demand out: the optimum in closed form, and DGA against it.
#include "learning/resource_allocation.hpp"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <numeric>

#include "support/run_json.hpp"

namespace convoy {
namespace {

TEST_CASE("the least-cost shares solve the KKT conditions") {
  // 1/2 x^2 + 1/2 y^2 where x + 2 y = 5: x = -m, y = -2m, m = -1.
  CHECK(best_allocation({.demand = {5}, .coefficient = {1, 2}, .lower = {-10}}, 2) ==
        std::vector<double>{1, 2});
  // x + y = 3 where x <= 1: the bound holds x, y takes the rest.
  CHECK(best_allocation({.demand = {3}, .upper = {1, 9}}, 2) == std::vector<double>{1, 2});
  // Costs 1/2 x^2, x^2 + y, 3/2 z^2 + 2z where the shares sum to 4: at multiplier m they are -m, -(1+m)/2 and
  // -(2+m)/3, together -(11m + 7)/6 = 4 at m = -31/11.
  const std::vector<double> three =
      best_allocation({.demand = {4}, .curvature = {1, 2, 3}, .slope = {0, 1, 2}}, 3);
  CHECK(three[0] == doctest::Approx(31.0 / 11).epsilon(1e-14));
  CHECK(three[1] == doctest::Approx(10.0 / 11).epsilon(1e-14));
  CHECK(three[2] == doctest::Approx(3.0 / 11).epsilon(1e-14));
  // Both bounds reached, two resources; the whole range of the bounds can be met, up to its ends.
  CHECK(best_allocation({.demand = {0, 4}, .upper = {2}}, 2) == std::vector<double>{0, 2, 0, 2});
  // Without any bound, and with one that gives the opposite of what is asked.
  CHECK(best_allocation({.demand = {2}, .coefficient = {-1}, .lower = {}}, 2) == std::vector<double>{-1, -1});
}

TEST_CASE("numbers that allow no allocation are refused, saying what is possible") {
  const auto message = [](const ResourceAllocationOptions& options) {
    try {
      static_cast<void>(best_allocation(options, 3));
    } catch (const ConfigError& error) {
      return std::string(error.what());
    }
    return std::string("accepted");
  };
  CHECK(message({.demand = {7}, .upper = {2}}).find("7 cannot be met within the bounds") !=
        std::string::npos);
  CHECK(message({.demand = {7}, .upper = {2}}).find("from 0 to 6") != std::string::npos);
  CHECK(message({.demand = {1}, .curvature = {1, 2}}).find("a list of 2 numbers for 3 workers") !=
        std::string::npos);
  CHECK(message({.demand = {1}, .lower = {3}, .upper = {2}}).find("above upper bound") != std::string::npos);
  CHECK(message({.demand = {1}, .coefficient = {1, 0, 1}}).find("must not be 0") != std::string::npos);
}

/// Eight nodes on a ring, shares within [0, 2] that sum to 10, all steps 0.3.
std::string eight_nodes(int iterations) {
  return fmt::format(
      R"({{"cluster": {{"workers": 8, "link": {{"bandwidth": "1 GB/s", "latency": "1 us"}}}},
          "task": {{"kind": "resource_allocation",
                   "resource_allocation": {{"demand": [10], "curvature": [1, 2, 0.5, 1.5, 1, 0.8, 2, 0.6],
                                            "slope": [-0.5, -0.25, 0, 0.25, 0.5, -0.1, 0.1, 0.3], "upper": [2]}}}},
          "workload": {{"reference_batch": 1, "step_time": "1 s"}},
          "training": {{"optimizer": {{"kind": "sgd", "learning_rate": 0.3}}}},
          "algorithms": [{{"kind": "dga", "graph": {{"kind": "ring"}}}}],
          "stop": {{"local_steps": {}}}, "seeds": [0]}})",
      8 * iterations);
}

double extra(const RunResult& run, std::string_view name) {
  for (const auto& [key, value] : run.final_metrics.extra) {
    if (key == name) return value;
  }
  FAIL("no metric");
  return 0;
}

TEST_CASE("DGA reaches the exact optimum under a coupled constraint") {
  // Costs are strongly convex: linear convergence, to the KKT point up to rounding.
  const RunResult early = test::run_json(eight_nodes(500)).at(0).result;
  CHECK(extra(early, "constraint_residual") < 1e-4);
  const RunResult middle = test::run_json(eight_nodes(1000)).at(0).result;
  CHECK(extra(middle, "constraint_residual") < 1e-2 * extra(early, "constraint_residual"));
  const RunResult late = test::run_json(eight_nodes(3000)).at(0).result;
  CHECK(extra(late, "constraint_residual") < 1e-12);
  CHECK(extra(late, "distance_to_optimum") < 1e-12);
  // The shares keep to their bounds at every stage.
  for (const double share : early.final_metrics.parameters) CHECK((share >= 0 && share <= 2));
}

TEST_CASE("DGA sends two numbers a constraint over each edge of an iteration, and no model") {
  // Eight nodes, two neighbours, two streams, 4 bytes a number on the wire.
  const RunResult run = test::run_json(eight_nodes(100)).at(0).result;
  CHECK(run.bytes == 100 * 8 * 2 * 2 * 4);
}

TEST_CASE("DGA refuses a task without a coupled constraint") {
  std::string text = eight_nodes(1);
  const std::size_t begin = text.find(R"("task": )"), end = text.find(R"("workload")");
  text.replace(begin, end - begin, R"("task": {"kind": "quadratic", "curvature": 1}, )");
  CHECK_THROWS_WITH_AS(static_cast<void>(test::run_json(text)), doctest::Contains("resource_allocation"),
                       ConfigError);
}

}  // namespace
}  // namespace convoy
