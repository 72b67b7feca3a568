// Decentralized algorithms: golden iterates of problem P1, reductions to each other, exactness, invariants,
// timing.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::find;

/// Problem P1: ring of 8 with weights 1/3, f_i = h_i/2 (x - b_i)^2, h = (1, 2, .5, 1.5, 1, .8, 2, .6), b_i =
/// i - 3.5, x_0 = 0; x* = sum h_i b_i / sum h_i = -0.127659574468085.
constexpr double optimum = -0.127659574468085;

std::vector<test::JsonRun> run_p1(
    const std::string& algorithms, const std::string& stop, double rate = 0.1,
    const std::string& cluster =
        R"({"workers": 8, "link": {"bandwidth": "1000 TB/s"}, "network": {"contention": false}})") {
  return test::run_json(fmt::format(
      R"({{"cluster": {},
          "task": {{"kind": "quadratic", "curvature": [1, 2, 0.5, 1.5, 1, 0.8, 2, 0.6],
                   "minimum": [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5], "initial": 0}},
          "workload": {{"reference_batch": 1, "step_time": "1 s"}},
          "training": {{"optimizer": {{"kind": "sgd", "learning_rate": {}}}}},
          "algorithms": [{}], "stop": {{{}}}, "seeds": [0]}})",
      cluster, rate, algorithms, stop));
}

std::vector<double> models(const RunResult& result) {
  std::vector<double> values;
  for (const auto& x : result.final_metrics.worker_parameters) values.push_back(x.at(0));
  return values;
}

void check_close(const RunResult& result, const std::vector<double>& golden, double tolerance) {
  const std::vector<double> values = models(result);
  REQUIRE(values.size() == golden.size());
  for (std::size_t i = 0; i < golden.size(); ++i) {
    CAPTURE(i);
    CHECK(std::abs(values[i] - golden[i]) <= tolerance);
  }
}

double mean_of(const RunResult& result) {
  double sum = 0;
  for (const double x : models(result)) sum += x;
  return sum / static_cast<double>(models(result).size());
}

constexpr const char* ring = R"("graph": {"kind": "ring"})";

TEST_CASE("problem P1: exact diffusion, EXTRA, LU-GT and local DSGD give the golden iterates") {
  // Printed to six digits; EXTRA's and exact diffusion's after 10 iterations at 0.1.
  const auto runs =
      run_p1(fmt::format(R"({{"kind": "extra", {0}}}, {{"kind": "exact_diffusion", {0}}})", ring),
             R"("local_steps": 80)");
  check_close(find(runs, "extra"),
              {-0.111694, -0.138742, -0.091340, -0.095024, -0.083878, -0.071369, -0.038384, -0.075806},
              0.6e-6);
  check_close(find(runs, "exact_diffusion"),
              {-0.106653, -0.118883, -0.093577, -0.090536, -0.087514, -0.075766, -0.057437, -0.077696},
              0.6e-6);
  // 10 rounds of 5 local steps at 0.02.
  const auto tracking = run_p1(fmt::format(R"({{"kind": "lu_gt", "local_steps": 5, {0}}})", ring),
                               R"("local_steps": 400)", 0.02);
  check_close(find(tracking, "lu_gt"),
              {-0.235284, -0.394235, -0.371783, -0.182814, 0.063763, 0.221823, 0.200190, 0.010127}, 0.6e-6);
  const auto local = run_p1(fmt::format(R"({{"kind": "local_dsgd", "local_steps": 5, {0}}})", ring),
                            R"("local_steps": 400)", 0.02);
  check_close(find(local, "local_dsgd"),
              {-0.541781, -0.943371, -0.772390, -0.280832, 0.231517, 0.685835, 0.737272, 0.217090}, 0.6e-6);
}

TEST_CASE("special cases of the decentralized family are each other") {
  const auto runs = run_p1(
      fmt::format(
          R"({{"kind": "decentralized_sgd", "label": "atc", {0}}}, {{"kind": "decentralized_sgd", "label": "cta", "form": "cta", {0}}},
              {{"kind": "dmsgd", "momentum": 0, {0}}}, {{"kind": "decentlam", "momentum": 0, {0}}},
              {{"kind": "qg_dsgdm", "momentum": 0, {0}}}, {{"kind": "local_dsgd", "local_steps": 1, {0}}},
              {{"kind": "oldsgd", "local_steps": 1, {0}}}, {{"kind": "sgp", {0}}},
              {{"kind": "choco_sgd", "compressor": {{"kind": "identity"}}, "consensus_step": 1, {0}}},
              {{"kind": "gossip_pga", "average_every": 1000, {0}}},
              {{"kind": "gossip_pga", "label": "averaged", "average_every": 1, {0}}},
              {{"kind": "data_parallel"}},
              {{"kind": "gradient_tracking", "label": "gt_atc", {0}}}, {{"kind": "lu_gt", "local_steps": 1, {0}}},
              {{"kind": "gradient_tracking", "label": "gt_semi", "form": "semi_atc", {0}}},
              {{"kind": "k_gt", "local_steps": 1, "first_correction": "gradient", {0}}})",
          ring),
      R"("rounds": 12)");
  const std::vector<double> atc = models(find(runs, "atc"));
  for (const char* label :
       {"dmsgd", "decentlam", "qg_dsgdm", "local_dsgd", "sgp", "choco_sgd", "gossip_pga"}) {
    CAPTURE(label);
    check_close(find(runs, label), atc, 1e-13);
  }
  check_close(find(runs, "oldsgd"), models(find(runs, "cta")), 1e-13);
  check_close(find(runs, "averaged"), models(find(runs, "data_parallel")), 1e-13);
  check_close(find(runs, "lu_gt"), models(find(runs, "gt_atc")), 1e-13);
}

TEST_CASE("K-GT with one local step is semi-ATC gradient tracking with the same start") {
  // x_1 = W (x_0 - a g_0) there, y_0 = g_0; K-GT from c = 0 makes the same first step, z_0 = g_0, and then
  // c + g(x_1) = W z_0 - z_0 + g(x_1) = y_1.
  const auto runs = run_p1(
      fmt::format(
          R"({{"kind": "gradient_tracking", "form": "semi_atc", {0}}}, {{"kind": "k_gt", "local_steps": 1, {0}}},
                      {{"kind": "st_gt", "local_steps": 1, {0}}})",
          ring),
      R"("rounds": 10)");
  check_close(find(runs, "k_gt"), models(find(runs, "gradient_tracking")), 1e-13);
  check_close(find(runs, "st_gt"), models(find(runs, "gradient_tracking")), 1e-13);
}

TEST_CASE("corrected algorithms reach the optimum of unequal quadratics, uncorrected ones stall") {
  const auto runs = run_p1(
      fmt::format(
          R"({{"kind": "exact_diffusion", {0}}}, {{"kind": "extra", {0}}}, {{"kind": "lu_gt", "local_steps": 5, {0}}},
                      {{"kind": "k_gt", "local_steps": 5, {0}}})",
          ring),
      R"("rounds": 4000)", 0.02);
  for (const char* label : {"exact_diffusion", "extra", "lu_gt", "k_gt"}) {
    CAPTURE(label);
    check_close(find(runs, label), std::vector<double>(8, optimum), 1e-10);
  }
  const auto stalled = run_p1(
      fmt::format(
          R"({{"kind": "local_dsgd", "local_steps": 5, {0}}}, {{"kind": "oldsgd", "local_steps": 5, {0}}})",
          ring),
      R"("local_steps": 160000)", 0.02);
  // Floors of the consensus error, root mean square about the mean: 0.623 and 0.721.
  const std::pair<const char*, double> floors[] = {{"local_dsgd", 0.623}, {"oldsgd", 0.721}};
  for (const auto& [label, floor] : floors) {
    const auto& shown = label;
    CAPTURE(shown);
    double square = 0;
    const double mean = mean_of(find(stalled, label));
    for (const double x : models(find(stalled, label))) square += (x - mean) * (x - mean);
    CHECK(std::sqrt(square / 8) == doctest::Approx(floor).epsilon(2e-3));
  }
}

TEST_CASE(
    "momentum's fixed points: DmSGD ends where ATC with step a / (1 - b) does, DecentLaM and QG where a "
    "does") {
  const auto slow = run_p1(
      fmt::format(R"({{"kind": "dmsgd", "momentum": 0.9, {0}}}, {{"kind": "decentlam", "momentum": 0.9, {0}}},
      {{"kind": "qg_dsgdm", "momentum": 0.9, {0}}}, {{"kind": "decentralized_sgd", {0}}})",
                  ring),
      R"("rounds": 3000)", 0.02);
  const auto fast =
      run_p1(fmt::format(R"({{"kind": "decentralized_sgd", {0}}})", ring), R"("rounds": 3000)", 0.2);
  check_close(find(slow, "dmsgd"), models(fast.at(0).result), 1e-9);
  check_close(find(slow, "decentlam"), models(find(slow, "decentralized_sgd")), 1e-9);
  check_close(find(slow, "qg_dsgdm"), models(find(slow, "decentralized_sgd")), 1e-9);
}

TEST_CASE("push-sum finds the mean where columns alone sum to one, and keeps all mass with late messages") {
  // Zero curvature at rate 1: gossip of the initial values, after one step by the linear terms.
  const char* graph =
      R"("graph": {"kind": "edges", "edges": [[0, 1], [1, 2], [2, 3], [3, 4], [4, 5], [5, 0], [0, 3]], "directed": true, "weights": "push_sum"})";
  const auto run = [&](const char* more) {
    return test::run_json(fmt::format(
        R"({{"cluster": {{"workers": 6, "link": {{"bandwidth": "1 GB/s"}}}},
            "task": {{"kind": "quadratic", "curvature": [1, 1, 1, 1, 1, 1], "minimum": [0, 1, 2, 3, 4, 5], "initial": 0}},
            "workload": {{"reference_batch": 1, "step_time": "1 s"}}, "training": {{"optimizer": {{"kind": "sgd", "learning_rate": 0.002}}}},
            "algorithms": [{{"kind": "sgp", {}{}}}], "stop": {{"rounds": 6000}}, "seeds": [0]}})",
        graph, more));
  };
  for (const char* more : {"", R"(, "overlap": true)"}) {
    CAPTURE(more);
    const auto runs = run(more);
    const RunResult& result = runs.at(0).result;
    // Equal curvature: the minimum 2.5 of the sum, up to the constant step's bias.
    CHECK(mean_of(result) == doctest::Approx(2.5).epsilon(2e-2));
    for (const ReportEntry& entry : result.algorithm_report) {
      if (entry.name == "weight_sum") CHECK(entry.value.number == doctest::Approx(6).epsilon(1e-12));
    }
  }
}

TEST_CASE("OLDSGD's round takes the longer of computation and exchange, local DSGD's their sum") {
  // 4 B at 1 B/s to each of two neighbours, no contention: 4 s; 4 local steps of 1 s.
  const auto runs = run_p1(
      fmt::format(
          R"({{"kind": "local_dsgd", "local_steps": 4, {0}}}, {{"kind": "oldsgd", "local_steps": 4, {0}}})",
          ring),
      R"("rounds": 10)", 0.02,
      R"({"workers": 8, "link": {"bandwidth": "1 B/s"}, "network": {"contention": false}})");
  CHECK(find(runs, "local_dsgd").virtual_time.to_seconds() == doctest::Approx(80));
  CHECK(find(runs, "oldsgd").virtual_time.to_seconds() == doctest::Approx(40));
}

TEST_CASE("Choco keeps the mean for any compressor, and LASGD and epidemic learning run to their end") {
  // Two coordinates, top-k of one: the mean moves by the mean gradient alone. Equal curvature 1 and rate 0.1:
  // the mean is (1 - 0.9^t) times the mean of the minima.
  const auto runs = test::run_json(R"({"cluster": {"workers": 4, "link": {"bandwidth": "1 GB/s"}},
      "task": {"kind": "quadratic", "curvature": [[1, 1], [1, 1], [1, 1], [1, 1]],
               "minimum": [[0, 4], [1, 3], [2, 1], [5, 0]], "initial": 0},
      "workload": {"reference_batch": 1, "step_time": "1 s"}, "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.1}},
      "algorithms": [{"kind": "choco_sgd", "compressor": {"kind": "top_k", "density": 0.5}, "consensus_step": 0.3, "graph": {"kind": "ring"}},
                     {"kind": "lasgd"}, {"kind": "epidemic_learning", "receivers": 2, "sampling": "oracle"},
                     {"kind": "epidemic_learning", "label": "local", "receivers": 2}],
      "stop": {"local_steps": 80}, "seeds": [0]})");
  for (const char* label : {"choco_sgd", "lasgd", "epidemic_learning"}) {
    CAPTURE(label);
    const auto& x = find(runs, label).final_metrics.parameters;
    const double shrunk = 1 - std::pow(0.9, 20);
    CHECK(x.at(0) == doctest::Approx(2 * shrunk).epsilon(1e-12));
    CHECK(x.at(1) == doctest::Approx(2 * shrunk).epsilon(1e-12));
  }
  CHECK(find(runs, "local").rounds >= 20);
}

TEST_CASE("Choco encodes as the stream's messages say, as if its own compressor said so") {
  const auto run = [](const char* compressor) {
    return test::run_json(fmt::format(
        R"({{"cluster": {{"workers": 4, "link": {{"bandwidth": "1 GB/s"}}}},
            "task": {{"kind": "quadratic", "curvature": [[1, 2], [1, 1], [2, 1], [1, 1]],
                     "minimum": [[0, 4], [1, 3], [2, 1], [5, 0]], "initial": 0}},
            "workload": {{"reference_batch": 1, "step_time": "1 s"}}, "training": {{"optimizer": {{"kind": "sgd", "learning_rate": 0.1}}}},
            "algorithms": [{{"kind": "choco_sgd", "consensus_step": 0.3, "graph": {{"kind": "ring"}}, {}}}],
            "stop": {{"local_steps": 80}}, "seeds": [0]}})",
        compressor));
  };
  const auto own = run(R"("compressor": {"kind": "top_k", "density": 0.5})");
  const auto messages =
      run(R"("messages": {"difference": {"compressor": {"kind": "top_k", "density": 0.5}}})");
  CHECK(own.at(0).result.digest == messages.at(0).result.digest);
  CHECK(own.at(0).result.digest != run(R"("compressor": {"kind": "identity"})").at(0).result.digest);
}

TEST_CASE("a matrix that an algorithm cannot use is refused before the run") {
  // Hypercube of 8: smallest eigenvalue -1/2, below D2's -1/3.
  CHECK_THROWS_WITH_AS(
      static_cast<void>(run_p1(
          R"({"kind": "exact_diffusion", "lazy": false, "graph": {"kind": "hypercube"}})", R"("rounds": 1)")),
      doctest::Contains("exact_diffusion"), ConfigError);
  CHECK_THROWS_AS(
      static_cast<void>(run_p1(R"({"kind": "epidemic_learning", "receivers": 8})", R"("rounds": 1)")),
      ConfigError);
}

}  // namespace
}  // namespace convoy
