// What a physical network or a communication graph looks like.
#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.hpp"
#include "cli/physical_graph.hpp"
#include "cli/session.hpp"
#include "cli/topology_views.hpp"
#include "experiment/experiment_config.hpp"

namespace convoy::cli {
namespace {

struct TopologyArguments {
  std::string file, algorithm, svg;
  std::vector<std::string> overrides, plugins;
  std::optional<int> nodes;
  bool dot = false;
};

[[noreturn]] void refuse(std::string path, std::string message, std::string allowed, std::string hint = {}) {
  ConfigFault fault;
  fault.path = std::move(path);
  fault.message = std::move(message);
  fault.allowed = std::move(allowed);
  fault.hint = std::move(hint);
  throw ConfigError(std::move(fault));
}

/// A graph as an algorithm's "graph" states it: {"kind": "torus", "rows": 4}, or short "ring".
std::unique_ptr<GraphBuilder> read_graph(const Node& root, const std::string& path,
                                         const Registry& registry) {
  const Node* kind = root.is_text() ? &root : root.find("kind");
  if (kind == nullptr || !kind->is_text() || !registry.graphs.contains(kind->text)) return nullptr;
  std::unique_ptr<GraphBuilder> builder = registry.graphs.at(kind->text)();
  if (root.is_text()) return builder;
  Options options;
  builder->declare(options);
  FaultSink faults;
  read_options(root, path, options, faults, {"kind"});
  faults.throw_if_any();
  return builder;
}

/// The graph of the first block of that kind or label, in an experiment.
std::unique_ptr<GraphBuilder> graph_of_block(const Node& root, const std::string& name,
                                             const Registry& registry) {
  const Node* blocks = root.find("algorithms");
  if (blocks == nullptr || !blocks->is_list()) return nullptr;
  for (std::size_t i = 0; i < blocks->items.size(); ++i) {
    const Node* graph = blocks->items[i].find("graph");
    if (graph == nullptr) continue;
    for (const char* key : {"kind", "label"}) {
      const Node* text = blocks->items[i].find(key);
      if (text != nullptr && text->is_text() && text->text == name)
        return read_graph(*graph, item_path("algorithms", i) + ".graph", registry);
    }
  }
  return nullptr;
}

int show(const TopologyArguments& arguments, const std::string& text, const std::string& dot) {
  if (!arguments.svg.empty()) write_svg(dot, arguments.svg);
  if (arguments.dot || arguments.svg.empty()) std::fputs((arguments.dot ? dot : text).c_str(), stdout);
  return done;
}

int show_graph(const TopologyArguments& arguments, const GraphBuilder& builder, int nodes,
               const Registry& registry) {
  std::vector<Judge> all = judges(registry);
  if (!arguments.algorithm.empty()) {
    std::string known;
    for (const Judge& judge : all) known += (known.empty() ? "" : ", ") + judge.name;
    std::erase_if(all, [&](const Judge& judge) { return judge.name != arguments.algorithm; });
    if (all.empty()) refuse("--for", arguments.algorithm + " asks nothing of a mixing matrix", known);
  }
  const bool drawn_only = !arguments.svg.empty() || arguments.dot;
  return show(arguments, drawn_only ? std::string() : graph_text(builder, nodes, all),
              drawn_only ? graph_dot(builder, nodes) : std::string());
}

/// The cluster of an experiment, or one that stands alone.
ClusterOptions read_cluster(const Node& root, const Registry& registry) {
  const Node* block = root.find("cluster");
  ClusterOptions cluster;
  cluster.fabrics = registry.fabrics;
  FaultSink faults;
  read_options(block != nullptr ? *block : root, block != nullptr ? "cluster" : "", cluster, faults);
  faults.throw_if_any();
  return cluster;
}

int topology(const TopologyArguments& arguments) {
  const Session session(arguments.plugins);
  const Registry& registry = session.registry();
  const Node root = read_experiment_file(arguments.file, arguments.overrides);
  if (const auto builder = read_graph(root, "", registry)) {
    if (!arguments.nodes) {
      refuse("--nodes", "is missing: a communication graph is built for a number of nodes", {}, "--nodes 16");
    }
    return show_graph(arguments, *builder, *arguments.nodes, registry);
  }
  const ClusterOptions cluster = read_cluster(root, registry);
  if (!arguments.algorithm.empty()) {
    const auto builder = graph_of_block(root, arguments.algorithm, registry);
    if (builder == nullptr) {
      refuse("--for", arguments.file + " has no algorithm \"" + arguments.algorithm + "\" with a graph",
             "the kind or label of one of its algorithms");
    }
    return show_graph(arguments, *builder, arguments.nodes.value_or(cluster.worker_count()), registry);
  }
  return show(arguments, cluster_text(cluster), to_dot(cluster.physical()));
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
  command->add_option(
      "--for", arguments->algorithm,
      "ALGORITHM: what it asks of the weights; with an experiment, the graph of that algorithm");
  command->add_flag("--dot", arguments->dot, "print it for Graphviz");
  command->add_option("--svg", arguments->svg, "OUT: draw it with Graphviz's dot");
  add_plugin_option(*command, arguments->plugins);
  command->callback([&action, arguments] { action = [arguments] { return topology(*arguments); }; });
}

}  // namespace convoy::cli
