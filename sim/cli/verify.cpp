// Closed-form self-check of this binary on this machine.
#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <functional>
#include <limits>
#include <vector>

#include "cli/commands.hpp"
#include "cli/session.hpp"
#include "core/engine.hpp"
#include "core/random.hpp"
#include "core/units.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/json_reader.hpp"
#include "experiment/run_once.hpp"
#include "experiment/table.hpp"
#include "hardware/compute_model.hpp"
#include "network/collective.hpp"

namespace convoy::cli {
namespace {

struct Case {
  std::string name;
  double expected;
  std::function<double()> got;
  double tolerance;  ///< relative; 0: the very bits
};

/// A star of hosts around one switch; the last node is the switch.
NetworkGraph star(int hosts, double bandwidth, Duration latency) {
  NetworkGraph graph;
  std::vector<NodeId> nodes;
  for (int i = 0; i < hosts; ++i) nodes.push_back(graph.add_node("host" + std::to_string(i)));
  const NodeId center = graph.add_node("switch");
  for (const NodeId node : nodes)
    graph.add_link(node, center, LinkSpec{.bandwidth = bandwidth, .latency = latency});
  return graph;
}

/// Ring all-reduce of 100 MB over 8 hosts at 50 GB/s and 10 ns a hop between neighbours, in seconds.
double ring_all_reduce(Fidelity fidelity) {
  constexpr int hosts = 8;
  Engine engine;
  Network network(engine, star(hosts, 50e9, Duration::nanoseconds(5)));
  Collectives collectives(network);
  CollectiveSpec spec{.kind = CollectiveKind::all_reduce, .bytes = 100'000'000, .fidelity = fidelity};
  for (int i = 0; i < hosts; ++i) spec.members.push_back({i});
  double end = 0;
  collectives.start(std::move(spec), [&] { end = engine.now().to_seconds(); });
  static_cast<void>(engine.run({}));
  return end;
}

/// Two flows of 1 GB over one link of 1 GB/s, the second half a second later: when the first and the second
/// end.
std::vector<double> two_flows() {
  Engine engine;
  NetworkGraph graph;
  const NodeId a = graph.add_node("a"), b = graph.add_node("b");
  graph.add_link(a, b, LinkSpec{.bandwidth = 1e9});
  Network network(engine, std::move(graph));
  std::vector<double> ends(2);
  network.start(a, b, 1'000'000'000, [&] { ends[0] = engine.now().to_seconds(); });
  engine.at(Time::at_seconds(0.5), EventClass::timer,
            [&] { network.start(a, b, 1'000'000'000, [&] { ends[1] = engine.now().to_seconds(); }); });
  static_cast<void>(engine.run({}));
  return ends;
}

/// Four workers on quadratics 1/2 a x^2 - b x, run as an experiment; the deployed x at the end.
double golden_quadratic(const std::string& algorithm, int steps) {
  const std::string text = fmt::format(
      R"({{"name": "verify", "cluster": {{"workers": 4, "link": {{"bandwidth": "1 GB/s", "latency": "0 s"}}}},
          "task": {{"kind": "quadratic", "curvature": [1, 0.8, 1.2, 0.9], "linear": [0.1, -0.2, 0.3, 0], "initial": 1}},
          "workload": {{"step_time": "1 s", "reference_batch": 1}}, "algorithms": [{}],
          "training": {{"optimizer": {{"kind": "sgd", "learning_rate": 0.1}}}},
          "stop": {{"local_steps": {}}}, "seeds": [0]}})",
      algorithm, steps);
  const Session session;
  const RunResult result = run_once(read_json_text(text, "verify"), session.registry());
  if (result.final_metrics.parameters.empty())
    throw std::runtime_error("the run ended without a model: " + result.message);
  return result.final_metrics.parameters.front();
}

std::vector<Case> cases() {
  constexpr double exact = 0, rounded = 1e-12, nanosecond = 1e-8;
  const auto bytes_over = [](const char* amount, const char* rate) {
    return [amount, rate] {
      return parse_quantity(amount, Dimension::bytes) / parse_quantity(rate, Dimension::bandwidth);
    };
  };
  const auto philox = [](std::size_t word) {
    return [word] {
      return static_cast<double>(
          philox4x32_10({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0})[word]);
    };
  };
  return {
      // 2 (n-1) a + 2 (n-1)/n S/B = 14 x 10 ns + 14/8 x 2 ms
      {"ring all-reduce, closed form, s", 3.50014e-3, [] { return ring_all_reduce(Fidelity::formula); },
       nanosecond},
      {"ring all-reduce, every message, s", 3.50014e-3, [] { return ring_all_reduce(Fidelity::steps); },
       nanosecond},
      // max-min: 0.5 GB alone, then both at 0.5 GB/s until the first ends, then the second alone
      {"two flows on a link, first ends, s", 1.5, [] { return two_flows()[0]; }, nanosecond},
      {"two flows on a link, second ends, s", 2.0, [] { return two_flows()[1]; }, nanosecond},
      {"1 GB at 1 Gbit/s, s", 8, bytes_over("1 GB", "1 Gbit/s"), exact},
      {"1 GiB at 1 Gbit/s, s", 8.589934592, bytes_over("1 GiB", "1 Gbit/s"), exact},
      {"1 GB at 1 GB/s, s", 1, bytes_over("1 GB", "1 GB/s"), exact},
      // 2 GFLOP over 1 GB at 1 TFLOP/s and 1 GB/s: bound by memory, 1 s
      {"roofline, bound by memory, s", 1,
       [] { return Roofline{.efficiency = 1}.time({.flops = 2e9, .bytes = 1e9}, 1e12, 1e9).to_seconds(); },
       exact},
      // Random123, tests/kat_vectors: philox4x32 with 10 rounds, digits of pi
      {"Philox4x32-10, word 0", 0xd16cfe09, philox(0), exact},
      {"Philox4x32-10, word 1", 0x94fdcceb, philox(1), exact},
      {"Philox4x32-10, word 2", 0x5001e420, philox(2), exact},
      {"Philox4x32-10, word 3", 0x24126ea1, philox(3), exact},
      // golden values in float64: 10 synchronous steps; 5 rounds of 4 local steps
      {"quadratic, data_parallel, 10 rounds", 0.3913840802337452,
       [] { return golden_quadratic(R"({"kind": "data_parallel"})", 40); }, rounded},
      {"quadratic, local_sgd, 5 rounds of 4", 0.1707735761010381,
       [] { return golden_quadratic(R"({"kind": "local_sgd", "local_steps": 4})", 80); }, rounded},
  };
}

int verify() {
  TextTable table({{.title = "case"},
                   {.title = "expected", .right = true},
                   {.title = "got", .right = true},
                   {.title = "error", .right = true},
                   {.title = ""}});
  std::size_t wrong = 0, count = 0;
  for (const Case& one : cases()) {
    double got = std::numeric_limits<double>::quiet_NaN();
    std::string failure;
    try {
      got = one.got();
    } catch (const std::exception& error) {
      failure = error.what();
    }
    const double error = std::abs(got - one.expected) / std::max(std::abs(one.expected), 1e-300);
    const bool right = error <= one.tolerance;
    ++count;
    wrong += right ? 0 : 1;
    table.add({one.name, fmt::format("{:.15g}", one.expected), fmt::format("{:.15g}", got),
               fmt::format("{:.1e}", error),
               right             ? "ok"
               : failure.empty() ? "WRONG"
                                 : "FAILED: " + failure});
  }
  std::fputs(table.text().c_str(), stdout);
  std::fputs(fmt::format("{} of {} cases are right\n", count - wrong, count).c_str(), stdout);
  return wrong == 0 ? done : run_failed;
}

}  // namespace

void add_verify(CLI::App& app, Action& action) {
  CLI::App* command = app.add_subcommand("verify", "Check this binary on this machine against closed forms");
  command->callback([&action] { action = verify; });
}

}  // namespace convoy::cli
