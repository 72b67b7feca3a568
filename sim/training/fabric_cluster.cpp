// A cluster whose network a fabric builds.
#include <algorithm>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "training/cluster_options.hpp"

namespace convoy {

PhysicalNetwork ClusterOptions::fabric_network() const {
  return fabric_fits_ ? fabric->build() : PhysicalNetwork();
}

void ClusterOptions::check_fabric(const Node& whole, const std::string& path, FaultSink& faults) const {
  const Node* block = whole.find("fabric");
  const Node& place = block != nullptr ? *block : whole;
  try {
    const PhysicalNetwork machines = fabric->build();
    machines.require_connected("fabric");
    fabric_fits_ = true;
    check_global_region(machines, whole, path, faults);
    const std::vector<std::string> known = hardware.known_names();
    std::set<std::string> said;
    for (const PhysicalNetwork::Device& device : machines.devices) {
      if (device.model.empty() || std::find(known.begin(), known.end(), device.model) != known.end())
        continue;
      if (!said.insert(device.model).second) continue;
      const Node* named = place.find("devices");
      faults.add(named != nullptr ? *named : place, path + ".fabric.devices",
                 "no device has the name " + in_quotes(device.model), "see `sim list devices`",
                 nearest_hint(device.model, known));
    }
  } catch (const ConfigError& error) {
    for (const ConfigFault& fault : error.faults()) {
      const std::string option = fault.path.starts_with("fabric.") ? fault.path.substr(7) : std::string();
      const Node* at = place.find(option.substr(0, option.find_first_of(".[")));
      faults.add(at != nullptr ? *at : place, path.empty() ? fault.path : path + "." + fault.path,
                 fault.message, fault.allowed, fault.hint);
    }
  }
}

void ClusterOptions::check_global_region(const PhysicalNetwork& machines, const Node& whole,
                                         const std::string& path, FaultSink& faults) const {
  if (!servers.global_region) return;
  std::vector<std::string> names;
  std::string allowed;
  for (const PhysicalNetwork::Site& site : machines.sites) {
    if (site.name == *servers.global_region) return;
    names.push_back(site.name);
    allowed += (allowed.empty() ? "" : ", ") + site.name;
  }
  faults.add(whole, path + ".servers.global_region",
             "names the unknown region " + in_quotes(*servers.global_region), allowed,
             nearest_hint(*servers.global_region, names));
}

}  // namespace convoy
