// Runs an experiment's JSON inside the test's process, without files.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "training/algorithm.hpp"
#include "training/run_result.hpp"

namespace convoy::test {

/// One run of an experiment.
struct JsonRun {
  std::string label;
  std::int64_t seed = 0;
  RunResult result;
};

/// Runs every point with all algorithms and graphs registered, on a pool of `threads`. In every run the
/// ledger of each worker must sum to the virtual time, to the nanosecond, and its work must be conserved:
/// asserted here. `more` may register further algorithms.
[[nodiscard]] std::vector<JsonRun> run_json(std::string_view text, int threads = 1,
                                            const std::function<void(Registry&)>& more = {});
/// The same for a file of configs/, "theory/problem_p.json", with overrides "stop.time=2 h".
[[nodiscard]] std::vector<JsonRun> run_config_file(const std::string& file,
                                                   std::vector<std::string> overrides = {}, int threads = 1);

/// The only run with that label (and seed).
[[nodiscard]] const RunResult& find(const std::vector<JsonRun>& runs, std::string_view label,
                                    std::int64_t seed = 0);

}  // namespace convoy::test
