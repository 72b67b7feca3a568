// What theory says of decentralized algorithms: mean preservation, stability limits, rates, noise floors,
// timing, bytes.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>

#include "core/random.hpp"
#include "support/run_json.hpp"

namespace convoy {
namespace {

using test::find;
using test::JsonRun;

std::string list_of(int n, const std::function<double(int)>& value) {
  std::string text = "[";
  for (int i = 0; i < n; ++i) text += fmt::format("{}{:.17g}", i == 0 ? "" : ", ", value(i));
  return text + "]";
}

/// n nodes on links that take no time; f_i = 1/2 (x - b_i)^2, one second a gradient.
std::vector<JsonRun> run(int n, const std::string& algorithms, const std::string& stop, double rate,
                         const std::string& minima, double noise = 0, const std::string& more = "",
                         const std::string& variation = "[]") {
  return test::run_json(fmt::format(
      R"({{"cluster": {{"workers": {}, "link": {{"bandwidth": "1000 TB/s"}}, "servers": {{"update_time": "0 s"}},
                      "network": {{"contention": false}}, "variation": {}}},
          "task": {{"kind": "quadratic", "curvature": {}, "minimum": {}, "noise": {}, "initial": 0}},
          "workload": {{"reference_batch": 1, "step_time": "1 s"}}, {}
          "training": {{"optimizer": {{"kind": "sgd", "learning_rate": {}}}}},
          "algorithms": [{}], "stop": {{{}}}, "seeds": [0]}})",
      n, variation, list_of(n, [](int) { return 1.0; }), minima, noise, more, rate, algorithms, stop));
}

std::string random_minima(int n) {
  RandomStream stream(7, "minima of a test");
  return list_of(n, [&](int) { return stream.normal(); });
}

double mean_of(const RunResult& result) {
  double sum = 0;
  for (const auto& x : result.final_metrics.worker_parameters) sum += x.at(0);
  return sum / static_cast<double>(result.final_metrics.worker_parameters.size());
}

double largest(const RunResult& result) {
  double value = 0;
  for (const auto& x : result.final_metrics.worker_parameters) value = std::max(value, std::abs(x.at(0)));
  return value;
}

TEST_CASE("doubly stochastic algorithms move the mean by the mean gradient alone (T3)") {
  // Equal curvature 1: after 20 gradients a node the mean is (1 - 0.9^20) b_mean, whatever the graph and the
  // corrections.
  const std::string ring = R"("graph": {"kind": "ring"})";
  const std::string minima = list_of(8, [](int i) { return i * i * 0.3 - 2; });
  double b = 0;
  for (int i = 0; i < 8; ++i) b += (i * i * 0.3 - 2) / 8;
  const auto runs = run(
      8,
      fmt::format(
          R"({{"kind": "decentralized_sgd", "label": "atc", {0}}}, {{"kind": "decentralized_sgd", "label": "cta", "form": "cta", {0}}},
          {{"kind": "decentralized_sgd", "label": "mixed", "form": "mixed_point", {0}}},
          {{"kind": "gradient_tracking", "label": "gt", {0}}}, {{"kind": "gradient_tracking", "label": "semi", "form": "semi_atc", {0}}},
          {{"kind": "gradient_tracking", "label": "diging", "form": "diging", {0}}},
          {{"kind": "exact_diffusion", {0}}}, {{"kind": "extra", {0}}}, {{"kind": "local_dsgd", "local_steps": 5, {0}}},
          {{"kind": "oldsgd", "local_steps": 5, {0}}}, {{"kind": "lu_gt", "local_steps": 5, {0}}}, {{"kind": "k_gt", "local_steps": 5, {0}}},
          {{"kind": "choco_sgd", "consensus_step": 0.5, {0}}}, {{"kind": "prague", "group_size": 4, "grouping": "static"}},
          {{"kind": "gossip_pga", "average_every": 3, {0}}}, {{"kind": "lasgd"}},
          {{"kind": "decentralized_sgd", "label": "one_peer", "graph": {{"kind": "one_peer_exponential"}}}},
          {{"kind": "epidemic_learning", "receivers": 2}})",
          ring),
      R"("time": "20.5 s")", 0.1, minima);
  const double expected = (1 - std::pow(0.9, 20)) * b;
  for (const JsonRun& one : runs) {
    CAPTURE(one.label);
    if (one.label == "epidemic_learning") {
      CHECK(std::abs(mean_of(one.result) - expected) > 1e-6);  // rows alone sum to one
    } else {
      CHECK(std::abs(mean_of(one.result) - expected) < 1e-12);
    }
  }
}

TEST_CASE("stability limits hold to 3 % on ring, torus and hypercube (T8) [slow]") {
  // Equal curvature 1, random minima, l = lambda_min of W.
  struct Graph {
    int n;
    const char* json;
    double l;
  };
  const Graph graphs[] = {{8, R"({"kind": "ring"})", -1.0 / 3},
                          {16, R"({"kind": "torus", "rows": 4})", -0.6},
                          {8, R"({"kind": "hypercube"})", -0.5}};
  for (const Graph& graph : graphs) {
    const double l = graph.l;
    const std::pair<const char*, double> limits[] = {
        {R"("kind": "decentralized_sgd", "form": "cta")", 1 + l},
        {R"("kind": "decentralized_sgd", "form": "atc")", 2},
        {R"("kind": "gradient_tracking", "form": "diging")", (1 + l) * (1 + l) / 2},
        {R"("kind": "gradient_tracking", "form": "atc")", std::min(2.0, (1 + l) * (1 + l) / (2 * l * l))},
        {R"("kind": "gradient_tracking", "form": "semi_atc")", std::min(2.0, (1 - l * l) / -l)},
        {R"("kind": "exact_diffusion")", 2},
        {R"("kind": "extra")", (5 + 3 * l) / 4}};
    for (const auto& [algorithm, limit] : limits) {
      const auto& shown = algorithm;
      CAPTURE(shown);
      CAPTURE(graph.json);
      const auto size_at = [&, name = algorithm](double rate, int rounds) {
        return largest(run(graph.n, fmt::format(R"({{{}, "graph": {}}})", name, graph.json),
                           fmt::format(R"("rounds": {})", rounds), rate, random_minima(graph.n))
                           .at(0)
                           .result);
      };
      CHECK(size_at(0.97 * limit, 1500) < 50);
      CHECK_FALSE(size_at(1.03 * limit, 3000) < 2000);  // or not finite
    }
  }
}

TEST_CASE("D2 without laziness on the torus diverges for small steps and converges for large ones") {
  // lambda_min = -0.6: stable iff lambda_min > -1/(3 - 2 a), that is a > 2/3.
  const auto size_at = [](double rate) {
    return largest(
        run(16,
            R"({"kind": "exact_diffusion", "lazy": false, "unchecked": true, "graph": {"kind": "torus", "rows": 4}})",
            R"("rounds": 400)", rate, random_minima(16))
            .at(0)
            .result);
  };
  CHECK_FALSE(size_at(0.3) < 1e6);
  CHECK(size_at(0.68) < 50);
  CHECK(size_at(0.8) < 50);
}

TEST_CASE("corrected methods converge at the listed linear rates (T9)") {
  // Ring of 8, rate 0.1: the error shrinks by .900 (ATC, semi-ATC), .9032 (DIGing), .900 to .902 (exact
  // diffusion, EXTRA) an iteration, measured between iterations 60 and 120.
  const std::string minima = random_minima(8);
  RandomStream stream(7, "minima of a test");
  double optimum = 0;
  for (int i = 0; i < 8; ++i) optimum += stream.normal() / 8;
  const std::tuple<const char*, double, double> rates[] = {
      {R"("kind": "gradient_tracking", "form": "atc")", 0.897, 0.903},
      {R"("kind": "gradient_tracking", "form": "semi_atc")", 0.897, 0.903},
      {R"("kind": "gradient_tracking", "form": "diging")", 0.9002, 0.9062},
      {R"("kind": "exact_diffusion")", 0.897, 0.905},
      {R"("kind": "extra")", 0.897, 0.905}};
  for (const auto& [algorithm, low, high] : rates) {
    const auto& shown = algorithm;
    CAPTURE(shown);
    const auto error_at = [&, name = algorithm](double seconds) {
      const auto runs = run(8, fmt::format(R"({{{}, "graph": {{"kind": "ring"}}}})", name),
                            fmt::format(R"("time": "{} s")", seconds), 0.1, minima);
      double square = 0;
      for (const auto& x : runs.at(0).result.final_metrics.worker_parameters)
        square += (x.at(0) - optimum) * (x.at(0) - optimum);
      return std::sqrt(square);
    };
    const double factor = std::pow(error_at(120.5) / error_at(60.5), 1.0 / 60);
    CHECK(factor >= low);
    CHECK(factor <= high);
  }
}

/// Mean over the rows from the second quarter on.
double average_consensus(const RunResult& result) {
  double sum = 0;
  int rows = 0;
  for (std::size_t i = result.metrics.size() / 4; i < result.metrics.size(); ++i) {
    if (!result.metrics[i].consensus_distance) continue;
    sum += *result.metrics[i].consensus_distance;
    ++rows;
  }
  return sum / rows;
}

TEST_CASE("noise leaves the consensus distance that the spectrum predicts (T10)") {
  // CTA on a ring of 16, rate a = 0.1, noise 1: (1/n) sum_k a^2 / (1 - (l_k - a)^2) = 0.0147406. Slowest mode
  // 0.849: variance estimates decorrelate in 1/(1 - 0.72) = 4 rounds; 6,000 rounds of 15 modes: about 1 %
  // (one sigma 0.6 %).
  const std::string zero = list_of(16, [](int) { return 0.0; });
  const auto runs = run(16, R"({"kind": "decentralized_sgd", "form": "cta", "graph": {"kind": "ring"}})",
                        R"("rounds": 8000)", 0.1, zero, 1, R"("evaluate": {"every_steps": 16},)");
  CHECK(std::abs(average_consensus(runs.at(0).result) / 0.0147406 - 1) < 0.02);
}

TEST_CASE(
    "at 4 local steps LU-GT keeps the noise of the last gradient, ST-GT the mean of the round's (T10) "
    "[slow]") {
  // Ring of 16, rate a = 0.02, noise 1. LU-GT on the mode with eigenvalue l: state (x, y, noise of g), a
  // round of T linear steps, the last with l and the others with 1; its stationary covariance summed over the
  // 15 modes and divided by 16 is 3.0880e-3 at T = 4. Of 20,000 rounds of slow modes three standard errors
  // are 12 %. (Tables list a sampled 2.88e-3.) ST-GT: 9.5e-4.
  const std::string zero = list_of(16, [](int) { return 0.0; });
  const auto runs = run(16,
                        R"({"kind": "lu_gt", "local_steps": 4, "graph": {"kind": "ring"}},
                           {"kind": "st_gt", "local_steps": 4, "graph": {"kind": "ring"}})",
                        R"("local_steps": 1280000)", 0.02, zero, 1, R"("evaluate": {"every_steps": 64},)");
  CHECK(std::abs(average_consensus(find(runs, "lu_gt")) / 3.0880e-3 - 1) < 0.12);
  CHECK(std::abs(average_consensus(find(runs, "st_gt")) / 9.5e-4 - 1) < 0.06);
}

TEST_CASE("at 16 local steps the variance of LU-GT is 12 times that of ST-GT (T10) [slow]") {
  const std::string zero = list_of(16, [](int) { return 0.0; });
  const auto runs = run(
      16,
      R"({"kind": "lu_gt", "local_steps": 16, "graph": {"kind": "ring"}}, {"kind": "st_gt", "local_steps": 16, "graph": {"kind": "ring"}})",
      R"("local_steps": 768000)", 0.02, zero, 1, R"("evaluate": {"every_steps": 256},)");
  const double local = average_consensus(find(runs, "lu_gt")),
               averaged = average_consensus(find(runs, "st_gt"));
  CHECK(std::abs(local / 2.39e-2 - 1) < 0.08);
  CHECK(std::abs(averaged / 1.99e-3 - 1) < 0.08);
  CHECK(local / averaged == doctest::Approx(12.0).epsilon(0.12));
}

TEST_CASE("a delay travels one hop an iteration, and costs everybody no more than itself (T11)") {
  // Ring of 16, node 0 five seconds late in step 3. At 8.5 s it has computed 3 steps, a node d hops away
  // min(8, 3 + d).
  const std::string zero = list_of(16, [](int) { return 0.0; });
  const char* late = R"([{"kind": "delay", "workers": [0], "step": 3, "add": "5 s"}])";
  const char* ring = R"({"kind": "decentralized_sgd", "graph": {"kind": "ring"}})";
  const auto early = run(16, ring, R"("time": "8.5 s")", 0.1, zero, 0, "", late);
  for (int i = 0; i < 16; ++i) {
    CAPTURE(i);
    const std::int64_t hops = std::min(i, 16 - i);
    CHECK(early.at(0).result.work.at(static_cast<std::size_t>(i)).computed.steps ==
          std::min<std::int64_t>(8, 3 + hops));
  }
  const auto later = run(16, ring, R"("time": "105.5 s")", 0.1, zero, 0, "", late);
  for (const auto& row : later.at(0).result.work) CHECK(row.computed.steps == 100);
}

TEST_CASE("one node that is three times slower sets everybody's pace, the farthest 14 s ahead (T11)") {
  // 200 iterations: node 0 at 600 s, the node 8 hops away at 586 s.
  const std::string zero = list_of(16, [](int) { return 0.0; });
  const char* slow = R"([{"kind": "slow_period", "workers": [0], "slowdown": 3}])";
  const auto steps_at = [&](double seconds, std::size_t node) {
    return run(16, R"({"kind": "decentralized_sgd", "graph": {"kind": "ring"}})",
               fmt::format(R"("time": "{} s")", seconds), 0.1, zero, 0, "", slow)
        .at(0)
        .result.work.at(node)
        .computed.steps;
  };
  CHECK(steps_at(599.9, 0) == 199);
  CHECK(steps_at(600.1, 0) == 200);
  CHECK(steps_at(585.9, 8) >= 199);
  CHECK(steps_at(586.1, 8) >= 200);
}

TEST_CASE("with exponential steps a barrier costs H_n an iteration, neighbours a plateau below 2.4 (T11)") {
  // H_8 = 2.718, H_32 = 4.058; ring 2.15 and 2.34. 1,500 iterations: standard error of the barrier's mean
  // below 1.28 / sqrt(1,500) = 0.033.
  const std::tuple<int, double, double> expected[] = {{8, 2.7179, 2.15}, {32, 4.0585, 2.34}};
  for (const auto& [n, barrier, neighbours] : expected) {
    const auto& shown = n;
    CAPTURE(shown);
    const std::string zero = list_of(n, [](int) { return 0.0; });
    const auto runs =
        run(n, R"({"kind": "data_parallel"}, {"kind": "decentralized_sgd", "graph": {"kind": "ring"}})",
            R"("rounds": 1500)", 0.1, zero, 0, "",
            R"([{"kind": "shifted_exponential", "shift": 0, "scale": 1}])");
    CHECK(std::abs(find(runs, "data_parallel").virtual_time.to_seconds() / 1500 - barrier) < 4 * 0.033);
    CHECK(std::abs(find(runs, "decentralized_sgd").virtual_time.to_seconds() / 1500 - neighbours) < 0.08);
  }
}

TEST_CASE("bytes per round are those of the cost table, counted by the network (T14)") {
  // Ring of 8, a model of one parameter at 4 B: out-degree 2 x v vectors x 4 B x 8 nodes a round.
  const std::string zero = list_of(8, [](int) { return 0.0; });
  const std::string ring = R"("graph": {"kind": "ring"})";
  struct Row {
    const char* algorithm;
    double vectors;  // per edge and round
    int steps;       // seconds of a round
  };
  const Row rows[] = {{R"("kind": "decentralized_sgd")", 1, 1},
                      {R"("kind": "dmsgd")", 1, 1},
                      {R"("kind": "decentlam")", 1, 1},
                      {R"("kind": "qg_dsgdm")", 1, 1},
                      {R"("kind": "exact_diffusion")", 1, 1},
                      {R"("kind": "local_dsgd", "local_steps": 5)", 1, 5},
                      {R"("kind": "k_gt", "local_steps": 5)", 2, 5},
                      {R"("kind": "st_gt", "local_steps": 5)", 2, 5},
                      {R"("kind": "sgp")", 1, 1},
                      {R"("kind": "choco_sgd", "compressor": {"kind": "identity"})", 1, 1}};
  for (const Row& row : rows) {
    CAPTURE(row.algorithm);
    const auto runs =
        run(8, fmt::format("{{{}, {}}}", row.algorithm, ring), R"("time": "20.5 s")", 0.1, zero);
    CHECK(static_cast<double>(runs.at(0).result.bytes) == 20.0 / row.steps * 2 * row.vectors * 4 * 8);
  }
  // Groups of 4: 2 (g - 1)/g M sent by each member; pairs: M each way.
  const auto groups = run(8, R"({"kind": "prague", "group_size": 4, "grouping": "static"})",
                          R"("time": "20.5 s")", 0.1, zero);
  CHECK(groups.at(0).result.bytes == 20 * 2 * (2 * 3 * 4));
  const auto pairs =
      run(8, R"({"kind": "ad_psgd", "graph": {"kind": "complete"}})", R"("time": "20.5 s")", 0.1, zero);
  CHECK(pairs.at(0).result.bytes == 20 * 8 * 2 * 4);
}

}  // namespace
}  // namespace convoy
