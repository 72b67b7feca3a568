// What a physical network or a communication graph looks like.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <memory>

#include "cli/commands.hpp"
#include "cli/physical_graph.hpp"
#include "cli/session.hpp"
#include "core/units.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/table.hpp"
#include "training/mixing_matrix.hpp"

namespace convoy::cli {
namespace {

struct TopologyArguments {
  std::string file;
  std::vector<std::string> overrides;
  std::optional<int> nodes;
  bool dot = false;
};

void print(const std::string& text) {
  std::fputs(text.c_str(), stdout);
}

std::string bandwidth_text(double value) {
  constexpr double bits = 8, giga = 1e9;
  return fmt::format("{:.4g} Gbit/s", value * bits / giga);
}

std::string latency_text(Duration value) {
  return format_quantity(value.to_seconds(), Dimension::time);
}

void print_cluster(const ClusterOptions& cluster, bool dot) {
  const NetworkGraph graph = cluster.physical().graph;
  if (dot) return print(to_dot(graph));
  const std::vector<RegionOptions> regions = cluster.expanded();
  print(fmt::format("{} nodes ({} hosts, {} switches), {} links\n\n", graph.nodes(), cluster.worker_count(),
                    regions.size(), graph.links()));
  TextTable hosts({{.title = "region"},
                   {.title = "workers", .right = true},
                   {.title = "speeds"},
                   {.title = "host link", .right = true},
                   {.title = "latency", .right = true}});
  for (const RegionOptions& region : regions) {
    const auto [slowest, fastest] = std::minmax_element(region.speeds.begin(), region.speeds.end());
    hosts.add({region.name, fmt::format("{}", region.workers),
               fmt::format("{:.4g} to {:.4g}", *slowest, *fastest), bandwidth_text(region.bandwidth),
               latency_text(region.latency)});
  }
  print(hosts.text());
  if (!cluster.wan.empty()) {
    TextTable wan({{.title = "wide-area link"},
                   {.title = "bandwidth", .right = true},
                   {.title = "latency", .right = true}});
    for (const WanLink& link : cluster.wan) {
      wan.add({fmt::format("{} - {}", link.from, link.to), bandwidth_text(link.bandwidth),
               latency_text(link.latency)});
    }
    print("\n" + wan.text());
  }
  // Hosts of one region are alike, so two of each stand for all.
  std::vector<NodeId> ends;
  for (const RegionOptions& region : regions) {
    for (std::int64_t i = 0; i < std::min<std::int64_t>(2, region.workers); ++i) {
      ends.push_back(graph.find(fmt::format("{}.w{}", region.name, i)));
    }
  }
  PathSummary longest, narrowest{.bandwidth = INFINITY};
  std::string narrowest_name;
  for (const NodeId a : ends) {
    for (const NodeId b : ends) {
      if (a == b) continue;
      const PathSummary path = graph.path(a, b);
      longest.hops = std::max(longest.hops, path.hops);
      longest.latency = std::max(longest.latency, path.latency);
      if (path.bandwidth < narrowest.bandwidth) {
        narrowest = path;
        narrowest_name = fmt::format("{} - {}", graph.node(a).site, graph.node(b).site);
      }
    }
  }
  if (ends.size() < 2) return;
  print(fmt::format("\ndiameter          {} hops, {}\n", longest.hops, latency_text(longest.latency)));
  print(fmt::format("narrowest route   {} ({})\n", bandwidth_text(narrowest.bandwidth), narrowest_name));
  if (const double bisection = bisection_bandwidth(cluster); bisection > 0) {
    print(fmt::format("bisection         {}, each direction\n", bandwidth_text(bisection)));
  }
}

std::string graph_dot(const MixingMatrix& matrix) {
  std::string text = "digraph mixing {\n";
  for (int i = 0; i < matrix.size(); ++i) {
    for (const MixingMatrix::Entry& entry : matrix.row(i)) {
      if (entry.node != i)
        text += fmt::format("  {} -> {} [label=\"{:.4g}\"];\n", entry.node, i, entry.weight);
    }
  }
  return text + "}\n";
}

void print_graph(const GraphBuilder& builder, int nodes, bool dot) {
  const MixingMatrix matrix = builder.build(nodes);
  if (dot) return print(graph_dot(matrix));
  std::size_t most = 0, least = SIZE_MAX;
  for (int i = 0; i < matrix.size(); ++i) {
    most = std::max(most, matrix.in_neighbours(i).size());
    least = std::min(least, matrix.in_neighbours(i).size());
  }
  print(fmt::format("{} of {} nodes: {} directed edges, {} to {} neighbours\n\n", matrix.graph(),
                    matrix.size(), matrix.edges(), least, most));
  for (const MixingProperty property :
       {MixingProperty::nonnegative, MixingProperty::row_stochastic, MixingProperty::column_stochastic,
        MixingProperty::connected, MixingProperty::aperiodic, MixingProperty::symmetric}) {
    print(fmt::format("{:<20} {}\n", name_of(property), matrix.has(property) ? "yes" : "no"));
  }
  const Spectrum spectrum = builder.spectrum(matrix);
  print(fmt::format("\n{:<20} {:.12g}\n{:<20} {:.12g}\n{:<20} {:.12g}\n", "beta = |W - J|", spectrum.beta,
                    "gap = 1 - beta", spectrum.gap, "lambda_min", spectrum.lambda_min));
  constexpr std::size_t shown = 16;
  print("eigenvalues         ");
  for (std::size_t i = 0; i < std::min(shown, spectrum.eigenvalues.size()); ++i) {
    const auto value = spectrum.eigenvalues[i];
    print(std::abs(value.imag()) < 1e-12 ? fmt::format(" {:.4f}", value.real())
                                         : fmt::format(" {:.4f}{:+.4f}i", value.real(), value.imag()));
  }
  print(spectrum.eigenvalues.size() > shown ? " ...\n" : "\n");
  if (!matrix.has(MixingProperty::symmetric)) return;
  // Equal curvature L on every node, deterministic gradients; thresholds of each eigenmode's recursion.
  const double l = spectrum.lambda_min;
  const auto limit = [](const char* name, double value, const char* formula) {
    print(fmt::format("{:<28} {:<10.6g} {}\n", name, value, formula));
  };
  print("\nlargest stable step x L for equal curvatures L, l = lambda_min\n");
  limit("decentralized_sgd, CTA", 1 + l, "1 + l");
  limit("decentralized_sgd, ATC", 2, "2");
  limit("gradient_tracking, DIGing", (1 + l) * (1 + l) / 2, "(1 + l)^2 / 2");
  limit("gradient_tracking, semi-ATC", l < 0 ? std::min(2.0, (1 - l * l) / -l) : 2,
        "min(2, (1 - l^2) / |l|) for l < 0");
  limit("gradient_tracking, ATC", l < 0 ? std::min(2.0, (1 + l) * (1 + l) / (2 * l * l)) : 2,
        "min(2, (1 + l)^2 / (2 l^2)) for l < 0");
}

/// A graph as an algorithm's "graph" states it: {"kind": "torus", "rows": 4}.
std::unique_ptr<GraphBuilder> read_graph(const Node& root, const Registry& registry) {
  const Node* kind = root.find("kind");
  if (kind == nullptr || !kind->is_text() || !registry.graphs.contains(kind->text)) return nullptr;
  std::unique_ptr<GraphBuilder> builder = registry.graphs.at(kind->text)();
  Options options;
  builder->declare(options);
  FaultSink faults;
  read_options(root, "", options, faults, {"kind"});
  faults.throw_if_any();
  return builder;
}

int topology(const TopologyArguments& arguments) {
  const Session session;
  const Node root = read_experiment_file(arguments.file, arguments.overrides);
  if (const auto builder = read_graph(root, session.registry())) {
    if (!arguments.nodes) {
      ConfigFault fault;
      fault.path = "--nodes";
      fault.message = "is missing: a communication graph is built for a number of nodes";
      fault.hint = "--nodes 16";
      throw ConfigError(std::move(fault));
    }
    print_graph(*builder, *arguments.nodes, arguments.dot);
    return done;
  }
  const Node* cluster = root.find("cluster");
  ClusterOptions options;
  options.fabrics = session.registry().fabrics;
  FaultSink faults;
  read_options(cluster != nullptr ? *cluster : root, cluster != nullptr ? "cluster" : "", options, faults);
  faults.throw_if_any();
  print_cluster(options, arguments.dot);
  return done;
}

}  // namespace

void add_topology(CLI::App& app, Action& action) {
  constexpr int most_nodes = 4096;
  auto arguments = std::make_shared<TopologyArguments>();
  CLI::App* command = app.add_subcommand(
      "topology", "Show the network of a cluster, or a communication graph and its spectrum");
  command
      ->add_option("FILE", arguments->file,
                   "an experiment, a cluster, or a graph such as {\"kind\": \"ring\"}")
      ->required();
  command->add_option("--set", arguments->overrides, "PATH=VALUE: overrides the file")
      ->allow_extra_args(false);
  command->add_option("--nodes", arguments->nodes, "N: of a communication graph")
      ->check(CLI::Range(1, most_nodes));
  command->add_flag("--dot", arguments->dot, "print it for Graphviz");
  command->callback([&action, arguments] { action = [arguments] { return topology(*arguments); }; });
}

}  // namespace convoy::cli
