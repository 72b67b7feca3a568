// Streaming DiLoCo: its reduction to DiLoCo, its bytes, and its hours.
#include <doctest/doctest.h>

#include <cmath>

#include "algorithms/problem_p.hpp"

namespace convoy {
namespace {

using test::deployed;
using test::find;

constexpr const char* lossless = R"("messages": {"pseudo_gradient": {"compressor": {"kind": "identity"}}})";

/// Four workers on a quadratic in `size` coordinates, charged as 4 B each; links of 1 B/s.
std::vector<test::JsonRun> run(const std::string& algorithms, const std::string& stop, int size = 8,
                               const char* bandwidth = "1000 TB/s") {
  std::string rows;
  for (const char* value : {"1", "0.8", "1.2", "0.9"}) {
    std::string row;
    for (int i = 0; i < size; ++i) row += fmt::format("{}{}", i == 0 ? "" : ", ", value);
    rows += fmt::format("{}[{}]", rows.empty() ? "" : ", ", row);
  }
  return test::run_json(fmt::format(
      R"({{"cluster": {{"workers": 4, "link": {{"bandwidth": "{}"}}, "network": {{"contention": false}}}},
          "task": {{"kind": "quadratic", "curvature": [{}], "noise": 0.1, "initial": 1}},
          "workload": {{"reference_batch": 1, "step_time": "1 s"}},
          "training": {{"optimizer": {{"kind": "sgd", "learning_rate": 0.1}}}},
          "algorithms": [{}], "stop": {{{}}}, "seeds": [0]}})",
      bandwidth, rows, algorithms, stop));
}

TEST_CASE("Streaming DiLoCo with one fragment, no delay and no local weight is DiLoCo") {
  const auto runs = run(
      fmt::format(
          R"({{"kind": "streaming_diloco", "fragments": 1, "delay": 0, "local_weight": 0, "local_steps": 4, {}}},
                      {{"kind": "diloco", "local_steps": 4, "outer": {{"kind": "nesterov", "learning_rate": 0.4, "momentum": 0.9}}}})",
          lossless),
      R"("local_steps": 160)");
  const auto& a = find(runs, "streaming_diloco").final_metrics.parameters;
  const auto& b = find(runs, "diloco").final_metrics.parameters;
  REQUIRE(a.size() == b.size());
  for (std::size_t i = 0; i < a.size(); ++i) CHECK(std::abs(a[i] - b[i]) < 1e-12);
}

TEST_CASE(
    "Streaming DiLoCo moves the bytes of DiLoCo, a fragment at a time, and a fourth of a half with FP4") {
  // 41.5 s, H = 8, 32 coordinates of 4 B, ring of 4: 5 rounds of 2 x 3 x 128 B = 768 B. In four
  // fragments the same bytes (32 B each). FP4: half a byte each and 4 B a tensor: 2 x 3 x (4 + 4) B a
  // fragment.
  const auto runs = run(fmt::format(R"({{"kind": "diloco", "local_steps": 8}},
                      {{"kind": "streaming_diloco", "label": "plain", "fragments": 4, "delay": 1, "local_steps": 8, {}}},
                      {{"kind": "streaming_diloco", "label": "fp4", "fragments": 4, "delay": 1, "local_steps": 8}})",
                                    lossless),
                        R"("time": "41.5 s")", 32);
  CHECK(find(runs, "diloco").bytes == 5 * 768);
  CHECK(find(runs, "plain").bytes == 5 * 768);
  CHECK(find(runs, "fp4").bytes == 5 * 4 * 2 * 3 * 8);
}

TEST_CASE("Streaming DiLoCo hides a fragment that travels in no more than the delay") {
  // 32 coordinates of 4 B in 4 fragments of 32 B: a ring of 4 at 24 B/s takes 2 x 3/4 x 32 / 24 = 2 s, a step
  // 1 s. With delay 1 each of the four synchronisations of a round of 16 steps waits 1 s: 20 s a round; with
  // 2 none.
  const auto waits = [](int delay) {
    const auto runs = run(
        fmt::format(R"({{"kind": "streaming_diloco", "fragments": 4, "delay": {}, "local_steps": 16, {}}})",
                    delay, lossless),
        R"("time": "640 s")", 32, "24 B/s");
    return runs.at(0).result.work_total.computed.steps;
  };
  CHECK(waits(2) == 4 * 640);
  CHECK(std::abs(static_cast<double>(waits(1)) - 4 * 512) <= 8);
}

TEST_CASE("Streaming DiLoCo with all weight on the local parameters leaves the workers alone") {
  // 40 steps each: the same as EASGD whose springs have no force.
  const auto runs = run(
      fmt::format(
          R"({{"kind": "streaming_diloco", "fragments": 2, "delay": 0, "local_weight": 1, "local_steps": 4, {}}},
              {{"kind": "easgd", "synchronous": true, "elasticity": 0, "local_steps": 4}})",
          lossless),
      R"("time": "40.5 s")", 2);
  CHECK(find(runs, "streaming_diloco").final_metrics.worker_parameters ==
        find(runs, "easgd").final_metrics.worker_parameters);
}

TEST_CASE("fragments and delays that do not fit the period are refused") {
  CHECK_THROWS_WITH_AS(
      static_cast<void>(
          run(R"({"kind": "streaming_diloco", "fragments": 8, "local_steps": 4})", R"("rounds": 1)")),
      doctest::Contains("fragments"), ConfigError);
  CHECK_THROWS_WITH_AS(
      static_cast<void>(run(R"({"kind": "streaming_diloco", "fragments": 4, "delay": 4, "local_steps": 16})",
                            R"("rounds": 1)")),
      doctest::Contains("delay"), ConfigError);
}

}  // namespace
}  // namespace convoy
