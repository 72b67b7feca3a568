// Problem P: K = 4, g_i(x) = a_i x - b_i, a = (1, .8, 1.2, .9), b = (.1, -.2, .3, 0), x_0 = 1, links that
// take no time, one step a second. Its golden iterates are those of the algorithms' reference scripts in
// float64.
#pragma once

#include <fmt/format.h>

#include <string>
#include <vector>

#include "support/run_json.hpp"

namespace convoy::test {

/// Runs the algorithms (a JSON list without brackets) on problem P until the stop rule, with SGD at `rate`.
inline std::vector<JsonRun> run_problem_p(const std::string& algorithms, const std::string& stop,
                                          double rate = 0.1, const std::string& speeds = "[1, 1, 1, 1]") {
  return run_json(fmt::format(
      R"({{"cluster": {{"speeds": {}, "link": {{"bandwidth": "1000 TB/s"}}, "servers": {{"update_time": "0 s"}},
                      "network": {{"contention": false}}}},
          "task": {{"kind": "quadratic", "curvature": [1, 0.8, 1.2, 0.9], "linear": [0.1, -0.2, 0.3, 0], "initial": 1}},
          "workload": {{"reference_batch": 1, "step_time": "1 s"}},
          "training": {{"optimizer": {{"kind": "sgd", "learning_rate": {}}}}},
          "algorithms": [{}], "stop": {{{}}}, "seeds": [0]}})",
      speeds, rate, algorithms, stop));
}

/// The scalar that would be deployed.
inline double deployed(const RunResult& result) {
  return result.final_metrics.parameters.at(0);
}

}  // namespace convoy::test
