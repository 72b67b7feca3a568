// The physical network as text.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "cli/topology_views.hpp"
#include "core/units.hpp"
#include "experiment/table.hpp"
#include "training/bisection.hpp"

namespace convoy::cli {
namespace {

std::string bandwidth_text(double value) {
  constexpr double bits = 8, giga = 1e9;
  const double gigabits = value * bits / giga;
  return gigabits < 1e4 ? fmt::format("{:.4g} Gbit/s", gigabits)
                        : fmt::format("{:.4g} Tbit/s", gigabits / 1e3);
}

std::string latency_text(Duration value) {
  return format_quantity(value.to_seconds(), Dimension::time);
}

/// The link over which a node's bytes leave, if there is only one.
std::optional<LinkId> only_link(const std::vector<std::vector<LinkId>>& links, NodeId node) {
  const std::vector<LinkId>& own = links[static_cast<std::size_t>(node.index)];
  return own.size() == 1 ? std::optional(own.front()) : std::nullopt;
}

std::vector<std::vector<LinkId>> links_of_nodes(const NetworkGraph& graph) {
  std::vector<std::vector<LinkId>> links(graph.nodes());
  for (std::size_t i = 0; i < graph.links(); ++i) {
    const LinkId link{static_cast<std::int32_t>(i)};
    links[static_cast<std::size_t>(graph.tail(forward(link)).index)].push_back(link);
    links[static_cast<std::size_t>(graph.head(forward(link)).index)].push_back(link);
  }
  return links;
}

/// Devices that stand for all: two of those that hang on the same node over links alike.
struct Ends {
  std::vector<NodeId> nodes;
  bool complete = true;
};
Ends ends_of(const PhysicalNetwork& machines) {
  constexpr std::size_t most = 1024;
  const NetworkGraph& graph = machines.graph;
  const auto links = links_of_nodes(graph);
  std::map<std::tuple<NodeId, double, Duration>, int> seen;
  std::vector<NodeId> all;
  for (const PhysicalNetwork::Device& device : machines.devices) {
    if (const auto link = only_link(links, device.node)) {
      const NodeId a = graph.tail(forward(*link)), b = graph.head(forward(*link));
      const LinkSpec& spec = graph.link(*link);
      if (++seen[{a == device.node ? b : a, spec.bandwidth, spec.latency}] > 2) continue;
    }
    all.push_back(device.node);
  }
  if (all.size() <= most) return {std::move(all), true};
  Ends some{.nodes = {}, .complete = false};
  for (std::size_t i = 0; i < most; ++i) some.nodes.push_back(all[i * all.size() / most]);
  return some;
}

std::string routes_text(const PhysicalNetwork& machines) {
  const NetworkGraph& graph = machines.graph;
  const Ends ends = ends_of(machines);
  std::size_t hops = 0;
  Duration latency;
  PathSummary narrowest;
  std::string between;
  for (const NodeId a : ends.nodes) {
    for (const NodeId b : ends.nodes) {
      if (a == b) continue;
      const PathSummary path = graph.path(a, b);
      hops = std::max(hops, path.hops);
      latency = std::max(latency, path.latency);
      if (between.empty() || path.bandwidth < narrowest.bandwidth) {
        narrowest = path;
        between = fmt::format("{} - {}", graph.node(a).name, graph.node(b).name);
      }
    }
  }
  const char* bound = ends.complete ? "" : "at least ";
  return fmt::format("\ndiameter          {}{} hops, {}\nnarrowest route   {} ({})\n", bound, hops,
                     latency_text(latency), bandwidth_text(narrowest.bandwidth), between);
}

std::string sites_text(const PhysicalNetwork& machines) {
  const auto links = links_of_nodes(machines.graph);
  TextTable table({{.title = "region"},
                   {.title = "workers", .right = true},
                   {.title = "hosts", .right = true},
                   {.title = "devices"},
                   {.title = "speeds"},
                   {.title = "links of a worker"},
                   {.title = "servers attach to"}});
  for (const PhysicalNetwork::Site& site : machines.sites) {
    std::set<std::string> hosts, models;
    double slowest = 0, fastest = 0, least = 0, most = 0;
    std::size_t workers = 0;
    for (const PhysicalNetwork::Device& device : machines.devices) {
      if (device.site != site.name) continue;
      hosts.insert(device.host);
      if (!device.model.empty()) models.insert(device.model);
      slowest = workers == 0 ? device.speed : std::min(slowest, device.speed);
      fastest = std::max(fastest, device.speed);
      ++workers;
      for (const LinkId link : links[static_cast<std::size_t>(device.node.index)]) {
        const double bandwidth = machines.graph.link(link).bandwidth;
        least = most == 0 ? bandwidth : std::min(least, bandwidth);
        most = std::max(most, bandwidth);
      }
    }
    std::string names;
    for (const std::string& model : models) names += (names.empty() ? "" : ", ") + model;
    table.add({site.name, fmt::format("{}", workers), fmt::format("{}", hosts.size()),
               names.empty() ? "-" : names,
               slowest == fastest ? fmt::format("{:.4g}", slowest)
                                  : fmt::format("{:.4g} to {:.4g}", slowest, fastest),
               least == most ? bandwidth_text(least)
                             : fmt::format("{} to {}", bandwidth_text(least), bandwidth_text(most)),
               machines.graph.node(site.attach).name});
  }
  return table.text();
}

/// Links that join the sites.
std::string wan_text(const PhysicalNetwork& machines) {
  const NetworkGraph& graph = machines.graph;
  TextTable table({{.title = "link between regions"},
                   {.title = "bandwidth", .right = true},
                   {.title = "latency", .right = true}});
  bool any = false;
  for (std::size_t i = 0; i < graph.links(); ++i) {
    const LinkId link{static_cast<std::int32_t>(i)};
    const NodeId a = graph.tail(forward(link)), b = graph.head(forward(link));
    if (graph.node(a).site == graph.node(b).site) continue;
    any = true;
    const bool one_way = graph.link(link).sharing == Sharing::one_way;
    table.add({fmt::format("{} {} {}", graph.node(a).name, one_way ? "->" : "-", graph.node(b).name),
               bandwidth_text(graph.link(link).bandwidth), latency_text(graph.link(link).latency)});
  }
  return any ? "\n" + table.text() : std::string();
}

}  // namespace

std::string cluster_text(const ClusterOptions& cluster) {
  const PhysicalNetwork machines = cluster.physical();
  const std::size_t devices = machines.devices.size();
  std::string text =
      fmt::format("{} nodes ({} workers, {} switches and hubs), {} links\n", machines.graph.nodes(), devices,
                  machines.graph.nodes() - devices, machines.graph.links());
  for (const std::string& guess : machines.guesses) text += "assumed: " + guess + "\n";
  text += "\n" + sites_text(machines);
  if (machines.sites.size() > 1) text += wan_text(machines);
  if (devices < 2) return text;
  text += routes_text(machines);
  if (const auto bisection = bisection_bandwidth(machines, cluster.fabric.get())) {
    text += fmt::format("bisection         {}{}, each direction ({})\n", bisection->exact ? "" : "at most ",
                        bandwidth_text(bisection->bandwidth), bisection->how);
  } else if (machines.links_without_ends) {
    text += "bisection         not defined: links have no ends, and only listed routes use them\n";
  }
  return text;
}

}  // namespace convoy::cli
