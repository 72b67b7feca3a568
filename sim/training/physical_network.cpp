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
  graph.add_link(node, attach, std::move(link));
  return node;
}

void PhysicalNetwork::require_connected(const std::string& path) const {
  if (devices.empty()) return;
  std::vector<NodeId> ends;
  for (const Device& device : devices) ends.push_back(device.node);
  for (const Site& entry : sites) ends.push_back(entry.attach);
  // Whoever the first device reaches, and by whom it is reached.
  for (const bool outwards : {true, false}) {
    std::vector<std::vector<NodeId>> next(graph.nodes());
    for (std::size_t i = 0; i < graph.arcs(); ++i) {
      const ArcId arc{static_cast<std::int32_t>(i)};
      if (!graph.usable(arc)) continue;
      const NodeId from = outwards ? graph.tail(arc) : graph.head(arc),
                   to = outwards ? graph.head(arc) : graph.tail(arc);
      next[static_cast<std::size_t>(from.index)].push_back(to);
    }
    std::vector<bool> seen(graph.nodes(), false);
    std::vector<NodeId> queue{ends.front()};
    seen[static_cast<std::size_t>(ends.front().index)] = true;
    for (std::size_t i = 0; i < queue.size(); ++i) {
      for (const NodeId node : next[static_cast<std::size_t>(queue[i].index)]) {
        if (seen[static_cast<std::size_t>(node.index)]) continue;
        seen[static_cast<std::size_t>(node.index)] = true;
        queue.push_back(node);
      }
    }
    for (const NodeId end : ends) {
      if (seen[static_cast<std::size_t>(end.index)]) continue;
      const std::string first = graph.node(ends.front()).name, other = graph.node(end).name;
      ConfigFault fault;
      fault.path = path;
      fault.message = "no route leads from \"" + (outwards ? first : other) + "\" to \"" +
                      (outwards ? other : first) + "\"";
      fault.hint = "every worker has to reach every other";
      throw ConfigError(std::move(fault));
    }
  }
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
