// Decentralized algorithms on graphs that change from round to round, and on fabrics: iterates by hand,
// bytes, times.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <string>
#include <vector>

#include "support/run_json.hpp"
#include "topologies/all.hpp"
#include "training/mixing_sequence.hpp"

namespace convoy {
namespace {

using test::find;

const std::vector<double> curvature = {1, 2, 0.5, 1.5, 1, 0.8, 2, 0.6};
constexpr int nodes = 8, rounds = 10;
constexpr double step = 0.1;

std::string experiment(const std::string& algorithms, const std::string& cluster, std::int64_t seed) {
  return fmt::format(R"({{
    "cluster": {},
    "task": {{"kind": "quadratic", "curvature": [1, 2, 0.5, 1.5, 1, 0.8, 2, 0.6],
              "minimum": [-3.5, -2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5], "initial": 0}},
    "workload": {{"reference_batch": 1, "step_time": "1 s"}},
    "training": {{"optimizer": {{"kind": "sgd", "learning_rate": 0.1}}}},
    "algorithms": [{}],
    "stop": {{"local_steps": {}}},
    "seeds": [{}]
  }})",
                     cluster, algorithms, nodes * rounds, seed);
}

const std::string one_switch =
    R"({"workers": 8, "link": {"bandwidth": "1000 TB/s"}, "network": {"contention": false}})";

/// x <- W_t (x - lr h (x - b)), f_i = h_i/2 (x - b_i)^2, b_i = i - 3.5.
std::vector<double> adapted(const GraphSequence& graphs) {
  std::vector<double> x(nodes, 0);
  for (int t = 0; t < rounds; ++t) {
    std::vector<double> half(nodes), next(nodes, 0);
    for (std::size_t i = 0; i < nodes; ++i)
      half[i] = x[i] - step * curvature[i] * (x[i] - (static_cast<double>(i) - 3.5));
    for (int i = 0; i < nodes; ++i) {
      for (const MixingMatrix::Entry& entry : graphs.at(t)->row(i))
        next[static_cast<std::size_t>(i)] += entry.weight * half[static_cast<std::size_t>(entry.node)];
    }
    x = next;
  }
  return x;
}

}  // namespace

TEST_CASE("round t of decentralized SGD mixes with the graph of round t") {
  constexpr std::int64_t seed = 3;
  for (const char* kind : {"one_peer_exponential", "random_matching", "base_k", "matcha", "pairwise"}) {
    CAPTURE(kind);
    const auto builder = graph_makers().at(kind)();
    const std::vector<double> expected = adapted(*builder->sequence(nodes, seed));
    const auto runs = test::run_json(
        experiment(fmt::format(R"({{"kind": "decentralized_sgd", "graph": "{}"}})", kind), one_switch, seed));
    const auto& workers = find(runs, "decentralized_sgd", seed).final_metrics.worker_parameters;
    REQUIRE(workers.size() == nodes);
    for (std::size_t i = 0; i < nodes; ++i) CHECK(std::abs(workers[i].at(0) - expected[i]) < 1e-12);
  }
}

TEST_CASE("a one-peer graph sends one model a node and round, a ring two") {
  const auto runs = test::run_json(experiment(
      R"({"kind": "decentralized_sgd", "label": "one", "graph": "one_peer_exponential"},
         {"kind": "decentralized_sgd", "label": "ring", "graph": "ring"})",
      one_switch, 0));
  // A message is sent at the end of a step: 10 rounds of 8 nodes.
  CHECK(find(runs, "one").messages == nodes * rounds);
  CHECK(find(runs, "ring").messages == 2 * nodes * rounds);
}

TEST_CASE("gradient tracking keeps sum y = sum g on graphs that change") {
  const auto runs = test::run_json(
      experiment(R"({"kind": "gradient_tracking", "graph": "one_peer_exponential"})", one_switch, 0));
  for (const ReportEntry& entry : find(runs, "gradient_tracking").algorithm_report) {
    if (entry.name == "tracker_sum_error") CHECK(entry.value.number < 1e-12);
  }
}

TEST_CASE("a fabric decides what a message costs, never what is computed") {
  // A torus of 4 x 2 hosts at 8 B/s and 1 s a link; a model of one parameter is 4 bytes. On the ring 0, 1,
  // ..., 7 node 0 is (0, 0), node 7 is (3, 1).
  const std::string fabric =
      R"({"fabric": {"kind": "torus", "sides": [4, 2], "bandwidth": "8 B/s", "latency": "1 s"}, "network": {"contention": false}})";
  const std::string ring = R"({"kind": "decentralized_sgd", "graph": "ring"})";
  const auto near = test::run_json(experiment(ring, one_switch, 0)),
             far = test::run_json(experiment(ring, fabric, 0));
  const RunResult &a = find(near, "decentralized_sgd"), &b = find(far, "decentralized_sgd");
  CHECK(a.final_metrics.worker_parameters == b.final_metrics.worker_parameters);
  // Step 1 s, then the slower of a node's two messages: 1 -> 2 leaves its row: (0, 1) to (1, 0), 2 hops, 2 s
  // + 0.5 s. Every node has such a neighbour, so each round takes 3.5 s; the run stops at the end of the
  // tenth step... of all.
  CHECK(b.virtual_time.to_seconds() >= 9 * 3.5 + 1);
  CHECK(b.virtual_time.to_seconds() <= 10 * 3.5);
}

}  // namespace convoy
