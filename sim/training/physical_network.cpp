#include "training/physical_network.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

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
