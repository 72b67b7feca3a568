// Clusters whose network is built by a fabric, or from listed hosts: what can only be said once it is there.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "training/cluster_options.hpp"
#include "training/host_network.hpp"

namespace convoy {
namespace {

/// The node at `path` ("links[2].between[0]"), or the nearest one above it.
const Node& place(const Node& whole, std::string_view path) {
  const Node* at = &whole;
  while (!path.empty()) {
    if (path.front() == '.') path.remove_prefix(1);
    const Node* next = nullptr;
    if (path.front() == '[') {
      const std::size_t end = path.find(']');
      std::size_t index = 0;
      std::from_chars(path.data() + 1, path.data() + path.size(), index);
      if (at->is_list() && index < at->items.size()) next = &at->items[index];
      path.remove_prefix(end == std::string_view::npos ? path.size() : end + 1);
    } else {
      const std::size_t end = std::min(path.find_first_of(".["), path.size());
      next = at->find(path.substr(0, end));
      path.remove_prefix(end);
    }
    if (next == nullptr) return *at;
    at = next;
  }
  return *at;
}

}  // namespace

PhysicalNetwork ClusterOptions::fabric_network() const {
  return fabric_fits_ ? fabric->build() : PhysicalNetwork();
}

std::optional<PhysicalNetwork> ClusterOptions::built(const Node& whole, const std::string& path,
                                                     FaultSink& faults) const {
  try {
    PhysicalNetwork machines = fabric ? fabric->build() : host_network(*this);
    machines.require_connected(fabric ? "fabric" : "hosts");
    return machines;
  } catch (const ConfigError& error) {
    for (const ConfigFault& fault : error.faults()) {
      faults.add(place(whole, fault.path), path.empty() ? fault.path : path + "." + fault.path, fault.message,
                 fault.allowed, fault.hint);
    }
  }
  return std::nullopt;
}

void ClusterOptions::check_fabric(const Node& whole, const std::string& path, FaultSink& faults) const {
  const std::optional<PhysicalNetwork> machines = built(whole, path, faults);
  if (!machines) return;
  fabric_fits_ = true;
  check_device_names(*machines, whole, path, faults);
  check_global_region(*machines, whole, path, faults);
  check_server_hosts(*machines, whole, path, faults);
}

void ClusterOptions::check_hosts(const Node& whole, const std::string& path, FaultSink& faults) const {
  if (hosts.empty()) {
    faults.add(whole, path + ".hosts", "is missing: the cluster has links, routes or workers, and no hosts");
    return;
  }
  if (!host_devices_known(whole, path, faults)) return;
  const std::optional<PhysicalNetwork> machines = built(whole, path, faults);
  if (!machines) return;
  hosts_fit_ = true;
  host_workers_ = static_cast<int>(machines->devices.size());
  check_global_region(*machines, whole, path, faults);
  check_server_hosts(*machines, whole, path, faults);
}

bool ClusterOptions::host_devices_known(const Node& whole, const std::string& path, FaultSink& faults) const {
  const std::vector<std::string> known = hardware.known_names();
  bool all = true;
  for (std::size_t i = 0; i < hosts.size(); ++i) {
    for (const auto& entry : hosts[i].devices) {
      if (std::find(known.begin(), known.end(), entry.first) != known.end()) continue;
      all = false;
      const std::string option = item_path("hosts", i) + ".devices";
      faults.add(place(whole, option), member_path(path + "." + option, entry.first),
                 "no device has the name " + in_quotes(entry.first), "see `sim list devices`",
                 nearest_hint(entry.first, known));
    }
  }
  return all;
}

void ClusterOptions::check_device_names(const PhysicalNetwork& machines, const Node& whole,
                                        const std::string& path, FaultSink& faults) const {
  const std::vector<std::string> known = hardware.known_names();
  std::set<std::string> said;
  for (const PhysicalNetwork::Device& device : machines.devices) {
    if (device.model.empty() || std::find(known.begin(), known.end(), device.model) != known.end()) continue;
    if (!said.insert(device.model).second) continue;
    faults.add(place(whole, "fabric.devices"), path + ".fabric.devices",
               "no device has the name " + in_quotes(device.model), "see `sim list devices`",
               nearest_hint(device.model, known));
  }
}

void ClusterOptions::check_global_region(const PhysicalNetwork& machines, const Node& whole,
                                         const std::string& path, FaultSink& faults) const {
  if (!servers.global_region) return;
  std::vector<std::string> names;
  for (const PhysicalNetwork::Site& site : machines.sites) names.push_back(site.name);
  if (std::find(names.begin(), names.end(), *servers.global_region) != names.end()) return;
  faults.add(whole, path + ".servers.global_region",
             "names the unknown region " + in_quotes(*servers.global_region),
             fmt::format("{}", fmt::join(names, ", ")), nearest_hint(*servers.global_region, names));
}

void ClusterOptions::check_server_hosts(const PhysicalNetwork& machines, const Node& whole,
                                        const std::string& path, FaultSink& faults) const {
  std::vector<std::string> names;
  for (const PhysicalNetwork::Host& host : machines.hosts) names.push_back(host.name);
  const auto require = [&](const std::string& host, const std::string& option) {
    if (std::find(names.begin(), names.end(), host) != names.end()) return;
    faults.add(place(whole, option), path + "." + option, "names the unknown host " + in_quotes(host),
               names.empty() ? "nothing: the cluster lists no \"hosts\"" : "one of hosts",
               nearest_hint(host, names));
  };
  if (servers.global) {
    require(*servers.global, "servers.global");
    if (servers.global_region) {
      faults.add(whole, path + ".servers", "states both global and global_region", "one of them");
    }
  }
  for (const auto& [region, host] : servers.local) {
    const std::string option = member_path("servers.local", region);
    const bool known =
        std::any_of(machines.sites.begin(), machines.sites.end(),
                    [&, name = region](const PhysicalNetwork::Site& site) { return site.name == name; });
    if (!known)
      faults.add(place(whole, option), path + "." + option, "is of the unknown region " + in_quotes(region));
    require(host, option);
  }
}

void ClusterOptions::declare_hosts(Options& options) {
  options.add("hosts", hosts).help("machines one by one, instead of a form above");
  options.add("switches", switches).help("of listed hosts: nodes that only forward");
  options.add("links", links).help("of listed hosts: between hosts, their devices and switches");
  options.add("routes", routes).help("of listed hosts: ways that are not searched");
  options
      .add("routing", routing,
           {{"shortest", Routing::shortest}, {"ecmp", Routing::ecmp}, {"fewest_hops", Routing::fewest_hops}})
      .default_text("fewest_hops where regions are joined in pairs, else shortest")
      .help(
          "of listed hosts: how other ways are searched; by latency, ecmp among equals by hash, or by hops");
  options.add("guesses", guesses).help("what an importer assumed; shown by `sim topology`");
}

}  // namespace convoy
