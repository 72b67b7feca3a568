// Overlapped and asynchronous algorithms of fragments, masks and tables: special cases, merges, bounds of
// delays.
#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/problem_p.hpp"
#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::deployed;
using test::find;
using test::run_problem_p;

double entry(const RunResult& result, std::string_view name) {
  for (const ReportEntry& e : result.algorithm_report) {
    if (e.name == name) return e.value.kind == Node::Kind::number ? e.value.number : 0;
  }
  FAIL("no report entry");
  return 0;
}

TEST_CASE("Decoupled DiLoCo with one fragment, all learners, no delay and plain averages is DiLoCo") {
  // Golden value of DiLoCo on problem P (local-and-asynchronous.md 4.3).
  const auto runs = run_problem_p(
      R"({"kind": "decoupled_diloco", "local_steps": 4, "fragments": 1, "delay": 0, "quorum": 4, "merge": "average"},
         {"kind": "diloco", "local_steps": 4})",
      R"("rounds": 5)");
  CHECK(std::abs(deployed(find(runs, "decoupled_diloco")) - -0.3515398960659918) < 1e-12);
  CHECK(entry(find(runs, "decoupled_diloco"), "learners_a_merge") == 4);
}

TEST_CASE("on one learner the rotation-preserving average is the identity") {
  const std::string setup =
      R"({"cluster": {"workers": 1, "link": {"bandwidth": "1000 TB/s"}, "servers": {"update_time": "0 s"}},
          "task": {"kind": "quadratic", "curvature": [[1, 2]], "minimum": [[3, -1]], "initial": 0},
          "workload": {"reference_batch": 1, "step_time": "1 s"},
          "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
          "algorithms": [
            {"kind": "decoupled_diloco", "label": "rda", "local_steps": 3, "fragments": 1, "delay": 0},
            {"kind": "decoupled_diloco", "label": "average", "local_steps": 3, "fragments": 1, "delay": 0, "merge": "average"}],
          "stop": {"rounds": 6}, "seeds": [0]})";
  const auto runs = test::run_json(setup);
  for (const std::size_t i : {0, 1}) {
    CHECK(std::abs(find(runs, "rda").final_metrics.parameters[i] -
                   find(runs, "average").final_metrics.parameters[i]) < 1e-12);
  }
}

TEST_CASE("the rotation-preserving average of two orthogonal vectors keeps their length") {
  // From 0, one step of rate 1 towards (2, 0) and (0, 2); outer SGD of rate 1: the merged model has norm 2,
  // the plain average sqrt 2 (local-and-asynchronous.md 4.5).
  const auto merged = [](const char* merge) {
    const auto runs = test::run_json(
        std::string(
            R"({"cluster": {"workers": 2, "link": {"bandwidth": "1000 TB/s"}, "servers": {"update_time": "0 s"}},
            "task": {"kind": "quadratic", "curvature": 1, "minimum": [[2, 0], [0, 2]], "initial": 0},
            "workload": {"reference_batch": 1, "step_time": "1 s"},
            "training": {"optimizer": {"kind": "sgd", "learning_rate": 1}},
            "algorithms": [{"kind": "decoupled_diloco", "local_steps": 1, "fragments": 1, "delay": 0, "quorum": 2,
                            "outer": {"kind": "sgd", "learning_rate": 1}, "merge": ")") +
        merge + R"("}], "stop": {"rounds": 1}, "seeds": [0]})");
    const std::vector<double>& x = runs.at(0).result.final_metrics.parameters;
    return std::hypot(x[0], x[1]);
  };
  CHECK(merged("rda") == doctest::Approx(2).epsilon(1e-12));
  CHECK(merged("average") == doctest::Approx(std::sqrt(2)).epsilon(1e-12));
}

TEST_CASE("learners of Decoupled DiLoCo never wait, however slow one of them is") {
  const auto runs = run_problem_p(
      R"({"kind": "decoupled_diloco", "local_steps": 8, "fragments": 4, "delay": 1, "quorum": 2})",
      R"("time": "200 s")", 0.05, "[1, 1, 1, 0.1]");
  for (const Ledger::Totals& worker : runs.at(0).result.ledger) CHECK(worker.wait == Duration::zero());
}

TEST_CASE("LOSCAR of all coordinates is CoCoD-SGD, and any share keeps the mean") {
  const auto runs = run_problem_p(
      R"({"kind": "loscar", "share": 1, "local_steps": 4}, {"kind": "cocod_sgd", "local_steps": 4})",
      R"("rounds": 5)");
  CHECK(std::abs(deployed(find(runs, "loscar")) - deployed(find(runs, "cocod_sgd"))) < 1e-12);
}

TEST_CASE("Ringleader is SGD on one worker, weighs unequal speeds equally, and bounds its delays by 2n - 2") {
  // Speeds 1, 1, 1 and 1/4 on problem P: asynchronous SGD leans towards the optima of the fast, Ringleader
  // ends at that of the mean loss, sum b / sum a = 0.2 / 3.9.
  const auto runs = run_problem_p(R"({"kind": "ringleader"}, {"kind": "asgd"})", R"("rounds": 4000)", 0.02,
                                  "[1, 0.97, 0.89, 0.25]");
  const double optimum = 0.2 / 3.9;
  CHECK(std::abs(deployed(find(runs, "ringleader")) - optimum) < 1e-3);
  CHECK(std::abs(deployed(find(runs, "asgd")) - optimum) > 3e-3);
  CHECK(entry(find(runs, "ringleader"), "staleness_max") <= 2 * 4 - 2);
}

TEST_CASE("weight prediction takes its gradients one step ahead") {
  // One worker, f = (x - 1)^2 / 2, rate 0.1, no delay of messages: each round commits the step of the
  // gradient taken one round earlier at the predicted point. g0 = g(0) = -1 at x = 0; in round 1 the exchange
  // of g0 runs beside the gradient at 0. x1 = 0.1, predicted 0.2; the gradient beside it, again at 0, gives
  // x2 = 0.2, predicted 0.3; then g(0.2) = -0.8: x3 = 0.28, predicted 0.36; g(0.3) = -0.7: x4 = 0.35.
  const auto runs = test::run_json(
      R"({"cluster": {"workers": 1, "link": {"bandwidth": "1000 TB/s"}, "network": {"contention": false}},
          "task": {"kind": "quadratic", "curvature": 1, "minimum": 1, "initial": 0},
          "workload": {"reference_batch": 1, "step_time": "1 s"},
          "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
          "algorithms": [{"kind": "weight_prediction"}], "stop": {"rounds": 4}, "seeds": [0]})");
  CHECK(deployed(runs.at(0).result) == doctest::Approx(0.35).epsilon(1e-12));
}

}  // namespace
}  // namespace convoy
