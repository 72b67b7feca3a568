// A cluster whose hosts are listed: from its options to the network.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/error.hpp"
#include "core/units.hpp"
#include "hardware/catalogue.hpp"
#include "training/cluster_options.hpp"
#include "training/host_names.hpp"
#include "training/host_network.hpp"
#include "training/host_routes.hpp"
#include "training/host_workers.hpp"

namespace convoy {
namespace {

/// Builds the network of listed hosts. Throws ConfigError; paths are below the cluster.
class HostNetwork {
 public:
  explicit HostNetwork(const ClusterOptions& cluster) : cluster_(cluster) {}

  PhysicalNetwork build() {
    machines_.guesses = cluster_.guesses;
    machines_.graph.set_routing(
        cluster_.routing.value_or(cluster_.region_pairs ? Routing::fewest_hops : Routing::shortest));
    count_devices();
    add_regions();
    for (const SwitchOptions& entry : cluster_.switches) {
      const std::string path =
          item_path("switches", static_cast<std::size_t>(&entry - cluster_.switches.data()));
      nodes_.add(entry.name, machines_.graph.add_node(NodeSpec{.name = entry.name, .site = entry.region}),
                 path + ".name");
    }
    for (std::size_t i = 0; i < cluster_.hosts.size(); ++i) add_host(i);
    for (std::size_t i = 0; i < cluster_.links.size(); ++i) {
      add_cable(cluster_.links[i], item_path("links", i), "", "");
    }
    join_regions();
    add_listed_routes(cluster_.routes, nodes_, links_,
                      unplaced_ ? std::optional(unplaced_->first) : std::nullopt, machines_.graph);
    machines_.links_without_ends = unplaced_.has_value();
    place_workers(cluster_, hosts_, regions_, machines_);
    add_sites();
    return std::move(machines_);
  }

 private:
  void count_devices() const {
    constexpr std::int64_t most = 1'000'000;
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < cluster_.hosts.size(); ++i) {
      sum += cluster_.hosts[i].count();
      if (sum > most) refuse_cluster(item_path("hosts", i) + ".devices", "makes more than 1,000,000 devices");
    }
    if (sum == 0)
      refuse_cluster("hosts", "have no devices", "\"devices\": {\"V100-SXM-16GB\": 8} in one of them");
  }

  /// A switch for each region with a NIC in it.
  void add_regions() {
    for (std::size_t i = 0; i < cluster_.hosts.size(); ++i) {
      const HostOptions& host = cluster_.hosts[i];
      if (std::find(regions_.begin(), regions_.end(), host.region) == regions_.end())
        regions_.push_back(host.region);
      if (!host.has_nic() || switches_.has(host.region)) continue;
      const NodeId node = machines_.graph.add_node(NodeSpec{.name = host.region, .site = host.region});
      switches_.add(host.region, node, item_path("hosts", i) + ".region");
      nodes_.add(host.region, node, item_path("hosts", i) + ".region");
    }
  }

  void add_host(std::size_t index) {
    const HostOptions& host = cluster_.hosts[index];
    const std::string path = item_path("hosts", index);
    HostMachine machine;
    for (const auto& entry : host.devices)
      machine.models.insert(machine.models.end(), static_cast<std::size_t>(entry.second), entry.first);
    machine.models.resize(static_cast<std::size_t>(host.count()));
    const bool wired = host.inside && !host.inside->links.empty();
    const std::size_t count = machine.models.size();
    if (!wired && count <= 1) {
      machine.hub = add_node(host, host.name, path + ".name");
      if (count == 1) machine.devices.push_back(machine.hub);
    } else {
      if (!wired) machine.hub = add_node(host, host.name, path + ".name");
      for (std::size_t i = 0; i < count; ++i) {
        machine.devices.push_back(add_node(host, fmt::format("{}.g{}", host.name, i), path + ".name", false));
      }
      if (wired) {
        wire(host, path, machine);
      } else {
        hang_on_hub(host, path, machine);
      }
    }
    add_nics(host, path, machine);
    hosts_.add(host.name, machine, path + ".name");
    machines_.hosts.push_back({.name = host.name, .site = host.region, .node = machine.hub});
  }

  NodeId add_node(const HostOptions& host, const std::string& name, const std::string& path,
                  bool forwards = true) {
    if (nodes_.has(name))
      refuse_cluster(path, "repeats the name " + in_quotes(name),
                     "names of hosts, switches and regions that differ");
    const NodeId node = machines_.graph.add_node(
        NodeSpec{.name = name, .site = host.region, .loopback = {}, .forwards = forwards});
    nodes_.add(name, node, path);
    return node;
  }

  void hang_on_hub(const HostOptions& host, const std::string& path, const HostMachine& machine) {
    std::set<std::string> told;
    const std::vector<DeviceSpec> own = cluster_.hardware.specs();
    for (std::size_t i = 0; i < machine.devices.size(); ++i) {
      LinkSpec link{.latency = host.inside ? host.inside->latency : Duration()};
      if (host.inside && host.inside->bandwidth) {
        link.bandwidth = *host.inside->bandwidth;
      } else if (!machine.models[i].empty()) {
        const DeviceSpec& device = find_device(machine.models[i], path + ".devices", own);
        link.bandwidth = device.interconnect_bandwidth.value;
        if (told.insert(machine.models[i]).second) {
          machines_.guesses.push_back(
              fmt::format("host {}: each {} hangs on the host's hub by {}, {} in the catalogue", host.name,
                          device.name, format_quantity(link.bandwidth, Dimension::bandwidth),
                          device.interconnect == Interconnect::nvlink ? "its NVLinks" : "its PCIe link"));
        }
      } else {
        refuse_cluster(
            path + ".inside",
            fmt::format("is missing: nothing says how the {} devices of {} are wired", machine.devices.size(),
                        in_quotes(host.name)),
            "{\"bandwidth\": \"300 GB/s\"} for one hub, or names of devices that are in the catalogue");
      }
      machines_.graph.add_link(machine.devices[i], machine.hub, std::move(link));
    }
  }

  void wire(const HostOptions& host, const std::string& path, HostMachine& machine) {
    const InsideOptions& inside = *host.inside;
    for (std::size_t i = 0; i < inside.switches.size(); ++i) {
      (void)add_node(host, host.name + "." + inside.switches[i], item_path(path + ".inside.switches", i));
    }
    if (inside.hub) {
      machine.hub = nodes_.at(host.name + "." + *inside.hub, path + ".inside.hub");
    } else if (!inside.switches.empty()) {
      machine.hub = nodes_.at(host.name + "." + inside.switches.front(), path + ".inside.switches");
    } else {
      if (machine.devices.empty()) refuse_cluster(path + ".inside", "has no nodes to wire");
      machine.hub = machine.devices.front();
    }
    nodes_.add(host.name, machine.hub, path + ".name");
    for (std::size_t i = 0; i < inside.links.size(); ++i) {
      const std::string place = item_path(path + ".inside.links", i);
      if (inside.links[i].between.empty())
        refuse_cluster(place + ".between", "is missing: a link inside of a host has ends");
      add_cable(inside.links[i], place, host.name + ".", " inside of " + in_quotes(host.name));
    }
  }

  void add_cable(const CableOptions& cable, const std::string& path, const std::string& prefix,
                 const std::string& where) {
    LinkSpec link{
        .bandwidth = cable.bandwidth, .latency = cable.latency, .sharing = cable.sharing, .name = cable.name};
    if (!cable.name.empty() && !prefix.empty()) link.name = prefix + cable.name;
    std::pair<NodeId, NodeId> ends;
    if (cable.between.empty()) {
      ends = unplaced();
    } else {
      const auto end = [&](std::size_t i) {
        const std::string place = item_path(path + ".between", i);
        if (!where.empty() && !nodes_.has(prefix + cable.between[i])) {
          refuse_cluster(place,
                         fmt::format("names the unknown node {}{}", in_quotes(cable.between[i]), where),
                         "g0, g1, ... for its devices, or one of inside.switches");
        }
        return nodes_.at(prefix + cable.between[i], place);
      };
      ends = {end(0), end(1)};
      if (ends.first == ends.second) refuse_cluster(path + ".between", "joins a node with itself");
    }
    const std::string name = link.name;
    const bool named = !name.empty();
    const LinkId id = machines_.graph.add_link(ends.first, ends.second, std::move(link));
    if (named) links_.add(name, id, path + ".name");
  }

  /// Where links without ends are kept: two nodes that nothing else reaches.
  std::pair<NodeId, NodeId> unplaced() {
    if (!unplaced_) {
      NetworkGraph& graph = machines_.graph;
      unplaced_ = {graph.add_node("(links without ends)"), graph.add_node("(their other side)")};
    }
    return *unplaced_;
  }

  void add_nics(const HostOptions& host, const std::string& path, const HostMachine& machine) {
    if (!host.has_nic()) return;
    const NodeId center = switches_.at(host.region, path + ".region");
    NetworkGraph& graph = machines_.graph;
    if (host.inside && !host.inside->nics.empty()) {
      for (std::size_t i = 0; i < host.inside->nics.size(); ++i) {
        const NicOptions& nic = host.inside->nics[i];
        const std::string place = item_path(path + ".inside.nics", i) + ".at";
        const NodeId at = nodes_.has(host.name + "." + nic.at) || nic.at != host.name
                              ? nodes_.at(host.name + "." + nic.at, place)
                              : machine.hub;
        graph.add_link(at, center,
                       LinkSpec{.bandwidth = nic.bandwidth ? *nic.bandwidth : *host.nic,
                                .latency = nic.latency.value_or(host.latency),
                                .name = fmt::format("{}.nic{}", host.name, i)});
      }
      note_site_link(host);
      return;
    }
    if (host.nic) {
      graph.add_link(machine.hub, center, LinkSpec{.bandwidth = *host.nic, .latency = host.latency});
    } else {
      const auto one_way = [&](double bandwidth, const char* name) {
        return LinkSpec{.bandwidth = bandwidth,
                        .latency = host.latency,
                        .sharing = Sharing::one_way,
                        .name = host.name + name};
      };
      graph.add_link(machine.hub, center, one_way(*host.uplink, ".uplink"));
      graph.add_link(center, machine.hub, one_way(*host.downlink, ".downlink"));
    }
    note_site_link(host);
  }

  /// The link of a server's host is that of the first host of its region.
  void note_site_link(const HostOptions& host) {
    double bandwidth =
        host.nic.value_or(host.uplink && host.downlink ? std::min(*host.uplink, *host.downlink) : 0);
    if (host.inside && !host.inside->nics.empty())
      bandwidth = host.inside->nics.front().bandwidth.value_or(bandwidth);
    site_links_.try_emplace(host.region, LinkSpec{.bandwidth = bandwidth, .latency = host.latency});
  }

  void join_regions() {
    if (!cluster_.region_pairs) return;
    const RegionPairs& pairs = *cluster_.region_pairs;
    std::map<std::pair<std::string, std::string>, Duration> latencies;
    for (std::size_t i = 0; i < pairs.rtt.size(); ++i) {
      const RegionPairs::RoundTrip& trip = pairs.rtt[i];
      const std::string path = item_path("regions.rtt", i);
      (void)region_switch(trip.from, path + "[0]");
      (void)region_switch(trip.to, path + "[1]");
      const Duration half = Duration::seconds(trip.time.to_seconds() / 2);
      if (!latencies.emplace(std::minmax(trip.from, trip.to), half).second)
        refuse_cluster(path, fmt::format("states the round trip of {} and {} twice", trip.from, trip.to));
    }
    std::set<std::pair<std::string, std::string>> known;
    for (std::size_t i = 0; i < pairs.bandwidth.size(); ++i) {
      const RegionPairs::Pair& pair = pairs.bandwidth[i];
      const std::string path = item_path("regions.bandwidth", i);
      const NodeId a = region_switch(pair.from, path + "[0]"), b = region_switch(pair.to, path + "[1]");
      if (a == b) refuse_cluster(path, "joins the region " + in_quotes(pair.from) + " with itself");
      const bool again = !known.emplace(pair.from, pair.to).second ||
                         (!pair.one_way && !known.emplace(pair.to, pair.from).second);
      if (again) refuse_cluster(path, fmt::format("states the way from {} to {} twice", pair.from, pair.to));
      const auto latency = latencies.find(std::minmax(pair.from, pair.to));
      machines_.graph.add_link(a, b,
                               LinkSpec{.bandwidth = pair.bandwidth,
                                        .latency = latency == latencies.end() ? Duration() : latency->second,
                                        .sharing = pair.one_way ? Sharing::one_way : Sharing::full_duplex});
    }
    for (std::size_t i = 0; i < pairs.rtt.size(); ++i) {
      const RegionPairs::RoundTrip& trip = pairs.rtt[i];
      if (known.contains({trip.from, trip.to}) || known.contains({trip.to, trip.from})) continue;
      refuse_cluster(
          item_path("regions.rtt", i),
          fmt::format("is the round trip of {} and {}, which no bandwidth joins", trip.from, trip.to),
          "a bandwidth of the same pair");
    }
  }

  NodeId region_switch(const std::string& region, const std::string& path) const {
    if (switches_.has(region)) return switches_.at(region, path);
    if (std::find(regions_.begin(), regions_.end(), region) != regions_.end()) {
      refuse_cluster(path, fmt::format("names the region {}, in which no host has a NIC", in_quotes(region)),
                     "\"nic\", or \"uplink\" and \"downlink\", of one of its hosts");
    }
    return switches_.at(region, path);
  }

  void add_sites() {
    for (const std::string& region : regions_) {
      if (machines_.devices_of(region) == 0) continue;
      PhysicalNetwork::Site site{.name = region, .attach = {}};
      if (switches_.has(region)) {
        site.attach = switches_.at(region, "hosts");
        site.host_link = site_links_.at(region);
      } else {
        const auto first = std::find_if(cluster_.switches.begin(), cluster_.switches.end(),
                                        [&](const SwitchOptions& entry) { return entry.region == region; });
        const auto host =
            std::find_if(machines_.hosts.begin(), machines_.hosts.end(),
                         [&](const PhysicalNetwork::Host& entry) { return entry.site == region; });
        site.attach = first != cluster_.switches.end() ? nodes_.at(first->name, "switches") : host->node;
        site.host_link = widest_link(site.attach);
      }
      machines_.sites.push_back(std::move(site));
    }
  }

  /// The link of a server where no host has a NIC: as the widest of the node, or of all.
  [[nodiscard]] LinkSpec widest_link(NodeId node) const {
    const NetworkGraph& graph = machines_.graph;
    LinkSpec widest, own;
    for (std::size_t i = 0; i < graph.links(); ++i) {
      const LinkId id{static_cast<std::int32_t>(i)};
      const LinkSpec& link = graph.link(id);
      const bool here = graph.tail(forward(id)) == node || graph.head(forward(id)) == node;
      LinkSpec& best = here ? own : widest;
      if (link.bandwidth > best.bandwidth)
        best = LinkSpec{.bandwidth = link.bandwidth, .latency = link.latency};
    }
    return own.bandwidth > 0 ? own : widest;
  }

  const ClusterOptions& cluster_;
  PhysicalNetwork machines_;
  std::vector<std::string> regions_;  // in the order of their hosts
  Names<NodeId> switches_{"region", "a region of the hosts"};
  Names<NodeId> nodes_{"node", "a host, a device of one (\"a.g0\"), a switch or a region"};
  Names<LinkId> links_{"link", "the name of a link"};
  Names<HostMachine> hosts_{"host", "one of hosts"};
  std::map<std::string, LinkSpec> site_links_;
  std::optional<std::pair<NodeId, NodeId>> unplaced_;
};

}  // namespace

PhysicalNetwork host_network(const ClusterOptions& cluster) {
  return HostNetwork(cluster).build();
}

}  // namespace convoy
