#include "topologies/fabric.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/error.hpp"

namespace convoy {

NodeId Fabric::Plan::add_switch(std::string name, const std::string& site) {
  return machines.graph.add_node(NodeSpec{.name = std::move(name), .site = site, .loopback = {}});
}

void Fabric::Plan::join(NodeId a, NodeId b, const LinkOptions& link, double times, std::string name) {
  machines.graph.add_link(a, b,
                          LinkSpec{.bandwidth = times * link.bandwidth,
                                   .latency = link.latency,
                                   .sharing = Sharing::full_duplex,
                                   .name = std::move(name)});
}

void Fabric::declare_hosts(Options& options) {
  if (!wires_hosts()) {
    options.add("devices_per_host", devices_per_host_)
        .between(1, 1024)
        .help("devices of each host, a worker each: h0.g0, h0.g1, ...");
    options.add("inside", inside_)
        .help(
            "link of each device to its host's hub (NVSwitch, PCIe); needed for more than one device a host");
  }
  options.add("devices", devices_)
      .or_single()
      .help(
          "accelerator of each device, or one for all (sim list devices); none: a stated step time is "
          "charged");
  options.add("speeds", speeds_)
      .more_than(0)
      .help("step rate of each device as a multiple of the stated one; not normalised");
  options.add("price", price_, Dimension::money_rate).at_least(0).help("of each device");
  options
      .add("routing", routing_,
           {{"ecmp", Routing::ecmp}, {"shortest", Routing::shortest}, {"fewest_hops", Routing::fewest_hops}})
      .help(
          "ecmp: among equally short ways one by a hash of the two ends; shortest: always the same one; "
          "fewest_hops: hops before latency");
}

void Fabric::declare_link(Options& options) {
  Option& bandwidth = options.add("bandwidth", link_.bandwidth, Dimension::bandwidth).more_than(0);
  bandwidth.help("of the link from each host to the network, each direction");
  if (link_.bandwidth == 0) bandwidth.required();
  options.add("latency", link_.latency).at_least(0).help("of one traversal of that link");
}

void Fabric::set_defaults(std::int64_t devices_per_host, std::string device,
                          std::optional<LinkOptions> inside, std::optional<LinkOptions> link) {
  devices_per_host_ = devices_per_host;
  if (!device.empty()) devices_ = {std::move(device)};
  inside_ = std::move(inside);
  if (link) link_ = *link;
}

FabricCounts Fabric::counts() const {
  const FabricCounts counts = count();
  if (counts.hosts > most_devices / devices_per_host_) {
    refuse_fabric({}, fmt::format("{} hosts of {} devices are too many", counts.hosts, devices_per_host_),
                  fmt::format("at most {} devices", most_devices));
  }
  if (counts.links > most_links || counts.switches > most_links) {
    refuse_fabric({}, fmt::format("{} switches and {} links are too many", counts.switches, counts.links),
                  fmt::format("at most {} links", most_links));
  }
  return counts;
}

PhysicalNetwork Fabric::build() const {
  const FabricCounts counts = this->counts();
  const std::int64_t devices = counts.hosts * devices_per_host_;
  if (devices_per_host_ > 1 && !inside_ && !wires_hosts()) {
    refuse_fabric("inside", "is missing: several devices of a host need links to each other", {},
                  "\"inside\": {\"bandwidth\": \"300 GB/s\", \"latency\": \"1 us\"}");
  }
  const auto check_list = [&](const char* option, std::size_t size, bool one_is_enough) {
    if (size == 0 || (one_is_enough && size == 1) || static_cast<std::int64_t>(size) == devices) return;
    refuse_fabric(option, fmt::format("has {} entries for {} devices", size, devices),
                  one_is_enough ? "one for all, or one a device" : "one a device");
  };
  check_list("devices", devices_.size(), true);
  check_list("speeds", speeds_.size(), false);
  Plan plan;
  plan.machines.graph.set_routing(routing_);
  lay_out(plan);
  return std::move(plan.machines);
}

NodeId Fabric::add_host(Plan& plan, const std::string& site, const std::string& prefix) const {
  const std::string host = fmt::format("{}h{}", prefix, plan.devices.size());
  std::vector<NodeId>& nodes = plan.devices.emplace_back();
  NodeId hub;
  if (devices_per_host_ > 1 && !wires_hosts()) hub = plan.add_switch(host, site);
  for (std::int64_t g = 0; g < devices_per_host_; ++g) {
    const std::size_t index = plan.machines.devices.size();
    const std::string name = fmt::format("{}.g{}", host, g);
    nodes.push_back(plan.add_switch(name, site));
    if (hub.index >= 0) plan.join(nodes.back(), hub, *inside_);
    plan.machines.devices.push_back(
        {.name = name,
         .site = site,
         .host = host,
         .node = nodes.back(),
         .model = devices_.empty() ? std::string() : devices_[devices_.size() == 1 ? 0 : index],
         .speed = speeds_.empty() ? 1 : speeds_[index],
         .price = price_});
  }
  return hub.index >= 0 ? hub : nodes.front();
}

void Fabric::set_site(Plan& plan, NodeId attach, const std::string& name) const {
  plan.machines.sites.push_back({.name = name,
                                 .attach = attach,
                                 .host_link = LinkSpec{.bandwidth = link_.bandwidth,
                                                       .latency = link_.latency,
                                                       .sharing = Sharing::full_duplex,
                                                       .name = {}}});
}

bool Fabric::host_is_no_bottleneck() const {
  return devices_per_host_ == 1 ||
         (inside_ && static_cast<double>(devices_per_host_) * inside_->bandwidth >= link_.bandwidth);
}

double tree_bisection(std::int64_t groups, std::int64_t size, double leaf, double up) {
  const std::int64_t leaves = groups * size;
  // Of a group with a leaves on the side without the root: they are cut off one by one, or the group's switch
  // changes sides too.
  const auto cost = [&](std::int64_t a) {
    return std::min(static_cast<double>(a) * leaf, static_cast<double>(size - a) * leaf + up);
  };
  const auto side = [&](std::int64_t half) {
    return static_cast<double>(half / size) * cost(size) + cost(half % size);
  };
  return std::min(side(leaves / 2), side(leaves - leaves / 2));
}

void refuse_fabric(std::string option, std::string message, std::string allowed, std::string hint) {
  ConfigFault fault;
  fault.path = option.empty() ? "fabric" : "fabric." + option;
  fault.message = std::move(message);
  fault.allowed = std::move(allowed);
  fault.hint = std::move(hint);
  throw ConfigError(std::move(fault));
}

}  // namespace convoy
