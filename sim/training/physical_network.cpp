#include "training/physical_network.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"

namespace convoy {

const PhysicalNetwork::Site& PhysicalNetwork::site(std::string_view name) const {
  const auto found =
      std::find_if(sites.begin(), sites.end(), [&](const Site& entry) { return entry.name == name; });
  if (found == sites.end()) throw std::logic_error("no site has the name \"" + std::string(name) + "\"");
  return *found;
}

std::size_t PhysicalNetwork::devices_of(std::string_view site_name) const {
  return static_cast<std::size_t>(std::count_if(
      devices.begin(), devices.end(), [&](const Device& device) { return device.site == site_name; }));
}

NodeId PhysicalNetwork::add_host(std::string name, const Site& at) {
  const NodeId attach = at.attach;
  LinkSpec link = at.host_link;
  const NodeId node = graph.add_node(NodeSpec{.name = std::move(name), .site = at.name, .loopback = {}});
  const LinkId up = graph.add_link(node, attach, std::move(link));
  std::vector<std::pair<std::pair<NodeId, NodeId>, std::vector<ArcId>>> longer;
  for (const auto& [ends, way] : graph.fixed_routes()) {
    if (ends.first == attach) {
      longer.push_back({{node, ends.second}, way});
      longer.back().second.insert(longer.back().second.begin(), forward(up));
    } else if (ends.second == attach) {
      longer.push_back({{ends.first, node}, way});
      longer.back().second.push_back(backward(up));
    }
  }
  for (auto& [ends, way] : longer) graph.set_listed_route(ends.first, ends.second, std::move(way));
  return node;
}

void PhysicalNetwork::require_connected(const std::string& path) const {
  if (devices.empty()) return;
  std::vector<NodeId> ends;
  for (const Device& device : devices) ends.push_back(device.node);
  for (const Site& entry : sites) ends.push_back(entry.attach);
  const auto refuse = [&](NodeId from, NodeId to) {
    ConfigFault fault;
    fault.path = path;
    fault.message =
        "no route leads from \"" + graph.node(from).name + "\" to \"" + graph.node(to).name + "\"";
    fault.hint = "every worker has to reach every other";
    throw ConfigError(std::move(fault));
  };
  // Listed routes over links without ends, and devices that forward nothing: only the routes themselves tell.
  if (!graph.fixed_routes().empty() || !graph.node(ends.front()).forwards) {
    constexpr std::size_t most_pairs = 4'000'000;
    if (ends.size() <= most_pairs / ends.size()) return require_routes(ends, refuse);
  }
  // Whoever the first device reaches, and by whom it is reached.
  for (const bool outwards : {true, false}) {
    const std::vector<bool> seen = reached(ends.front(), outwards);
    for (const NodeId end : ends) {
      if (seen[static_cast<std::size_t>(end.index)]) continue;
      refuse(outwards ? ends.front() : end, outwards ? end : ends.front());
    }
  }
}

void PhysicalNetwork::require_routes(const std::vector<NodeId>& ends,
                                     const std::function<void(NodeId, NodeId)>& refuse) const {
  for (const NodeId from : ends) {
    for (const NodeId to : ends) {
      if (from != to && !graph.reaches(from, to)) refuse(from, to);
    }
  }
}

std::vector<bool> PhysicalNetwork::reached(NodeId from, bool outwards) const {
  std::vector<std::vector<NodeId>> next(graph.nodes());
  for (std::size_t i = 0; i < graph.arcs(); ++i) {
    const ArcId arc{static_cast<std::int32_t>(i)};
    if (!graph.usable(arc)) continue;
    const NodeId start = outwards ? graph.tail(arc) : graph.head(arc),
                 end = outwards ? graph.head(arc) : graph.tail(arc);
    next[static_cast<std::size_t>(start.index)].push_back(end);
  }
  std::vector<bool> seen(graph.nodes(), false);
  std::vector<NodeId> queue{from};
  seen[static_cast<std::size_t>(from.index)] = true;
  for (std::size_t i = 0; i < queue.size(); ++i) {
    if (i > 0 && !graph.node(queue[i]).forwards) continue;
    for (const NodeId node : next[static_cast<std::size_t>(queue[i].index)]) {
      if (seen[static_cast<std::size_t>(node.index)]) continue;
      seen[static_cast<std::size_t>(node.index)] = true;
      queue.push_back(node);
    }
  }
  return seen;
}

void PhysicalNetwork::require_consistent() const {
  std::size_t next = 0;
  for (const Site& entry : sites) {
    while (next < devices.size() && devices[next].site == entry.name) ++next;
  }
  if (next < devices.size()) {
    throw std::logic_error("device \"" + devices[next].name +
                           "\" stands at no site, or out of the order of sites");
  }
}

}  // namespace convoy
