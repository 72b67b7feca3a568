// Golden iterates of the theory problems, end to end through configs/theory.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::find;

double deployed(const RunResult& result) {
  return result.final_metrics.parameters.at(0);
}

TEST_CASE("problem P: ten synchronous steps give the golden iterate, and local SGD with H = 1 the same") {
  const auto runs = test::run_config_file("theory/problem_p.json");
  // x after 10 steps of x -= 0.1 mean_i(a_i x - b_i), from 1: 0.3913840802337452.
  CHECK(std::abs(deployed(find(runs, "sync")) - 0.3913840802337452) < 1e-12);
  CHECK(std::abs(deployed(find(runs, "local_1")) - deployed(find(runs, "sync"))) < 1e-12);
}

TEST_CASE("problem P: local SGD and DiLoCo give the golden iterates after 5 rounds of 4 steps") {
  const auto runs = test::run_config_file("theory/problem_p_local.json");
  CHECK(std::abs(deployed(find(runs, "local_sgd")) - 0.1707735761010381) < 1e-12);
  CHECK(std::abs(deployed(find(runs, "diloco")) - -0.3515398960659918) < 1e-12);
  // DiLoCo with outer learning rate 1 and no momentum is local SGD.
  CHECK(std::abs(deployed(find(runs, "diloco_plain")) - deployed(find(runs, "local_sgd"))) < 1e-12);
}

TEST_CASE("problem P: twenty asynchronous updates give the golden iterates and delays") {
  const auto runs = test::run_config_file("theory/problem_p_async.json");
  const RunResult& asgd = find(runs, "asgd");
  CHECK(std::abs(deployed(asgd) - 0.33506082654003116) < 1e-9);
  CHECK(asgd.virtual_time.to_seconds() == doctest::Approx(8.2).epsilon(1e-9));
  // 0 1 2 2 2 1 3 2 2 9 1 4 4 2 1 3 2 2 1 9: one 0, five 1, eight 2, two 3, two 4, two 9.
  const std::map<std::int64_t, std::int64_t> delays = {{0, 1}, {1, 5}, {2, 8}, {3, 2}, {4, 2}, {9, 2}};
  CHECK(asgd.staleness_histogram == delays);
  CHECK(std::abs(deployed(find(runs, "staleness_aware")) - 0.5686908025535017) < 1e-9);
}

TEST_CASE("problem P1: decentralized SGD and gradient tracking give the golden iterates") {
  auto runs = test::run_config_file("theory/problem_p1.json");
  for (auto& run : test::run_config_file("theory/problem_p1_tracking.json")) runs.push_back(std::move(run));
  const auto check = [&runs](const char* label, const std::vector<double>& golden) {
    const auto& workers = find(runs, label).final_metrics.worker_parameters;
    REQUIRE(workers.size() == golden.size());
    for (std::size_t i = 0; i < golden.size(); ++i) {
      CAPTURE(label);
      CAPTURE(i);
      CHECK(std::abs(workers[i].at(0) - golden[i]) < 0.6e-6);  // printed to six digits
    }
  };
  check("cta", {-0.783722, -1.163122, -0.768967, -0.297951, 0.245784, 0.712113, 0.998583, 0.390258});
  check("atc", {-0.567756, -0.986034, -0.807549, -0.293289, 0.241011, 0.717686, 0.771155, 0.228755});
  check("diging", {-0.280757, -0.458781, -0.441134, -0.196926, 0.084671, 0.293317, 0.257524, 0.038020});
  check("semi_atc", {-0.241698, -0.401965, -0.378700, -0.186095, 0.062441, 0.224332, 0.202924, 0.010324});
}

}  // namespace
}  // namespace convoy
