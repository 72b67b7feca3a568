#include "training/cluster_options.hpp"

#include <algorithm>
#include <set>

#include "core/units.hpp"
#include "training/host_network.hpp"

namespace convoy {
namespace {

/// Speeds, devices and worker counts of one region agree with one another.
void check_members(const RegionOptions& region, const Node& whole, const std::string& path,
                   FaultSink& faults) {
  const auto count = static_cast<std::size_t>(
      region.workers > 0 ? region.workers : static_cast<std::int64_t>(region.speeds.size()));
  if (count == 0) {
    faults.add(whole, path, "has no workers", "\"workers\": a count, or \"speeds\": one number a worker");
    return;
  }
  if (!region.speeds.empty() && region.speeds.size() != count) {
    faults.add(
        whole, path + ".speeds",
        "has " + std::to_string(region.speeds.size()) + " entries for " + std::to_string(count) + " workers");
  }
  if (!region.devices.empty() && region.devices.size() != 1 && region.devices.size() != count) {
    faults.add(
        whole, path + ".devices",
        "has " + std::to_string(region.devices.size()) + " entries for " + std::to_string(count) + " workers",
        "one name for all, or one a worker");
  }
}

std::string item(const std::string& path, std::size_t index) {
  return path + "[" + std::to_string(index) + "]";
}

/// Reads [["r0", "r1", "0.537 Gbit/s", "30 ms"], ...]; the latency may be left out.
void read_wan(const Node& node, const std::string& path, FaultSink& faults, std::vector<WanLink>& links) {
  const char* shape =
      "[\"region\", \"region\", \"0.5 Gbit/s\"] or [\"region\", \"region\", \"0.5 Gbit/s\", \"30 ms\"]";
  if (!node.is_list()) {
    faults.add(node, path, "must be a list of links", shape);
    return;
  }
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& entry = node.items[i];
    if (!entry.is_list() || entry.items.size() < 3 || entry.items.size() > 4 ||
        !std::all_of(entry.items.begin(), entry.items.end(),
                     [](const Node& part) { return part.is_text(); })) {
      faults.add(entry, item(path, i), "is no link", shape);
      continue;
    }
    WanLink link;
    link.from = entry.items[0].text;
    link.to = entry.items[1].text;
    try {
      link.bandwidth = parse_quantity(entry.items[2].text, Dimension::bandwidth);
      if (link.bandwidth <= 0) faults.add(entry.items[2], item(path, i) + "[2]", "must be > 0");
    } catch (const QuantityError& error) {
      faults.add(entry.items[2], item(path, i) + "[2]", error.what(),
                 std::string(examples_of(Dimension::bandwidth)), error.hint());
    }
    if (entry.items.size() == 4) {
      try {
        link.latency = parse_duration(entry.items[3].text);
        if (link.latency < Duration::zero())
          faults.add(entry.items[3], item(path, i) + "[3]", "must be >= 0");
      } catch (const QuantityError& error) {
        faults.add(entry.items[3], item(path, i) + "[3]", error.what(),
                   std::string(examples_of(Dimension::time)), error.hint());
      }
    }
    links.push_back(std::move(link));
  }
}

Node write_wan(const std::vector<WanLink>& links) {
  Node list = Node::list();
  for (const WanLink& link : links) {
    list.items.push_back(Node::list({Node::of(link.from), Node::of(link.to),
                                     Node::of(format_exact(link.bandwidth, Dimension::bandwidth)),
                                     Node::of(format_exact(link.latency))}));
  }
  return list;
}

}  // namespace

void LinkOptions::declare(Options& options) {
  options
      .custom(
          "like", "text",
          [this](const Node& node, const std::string& path, FaultSink& faults) {
            std::string name;
            if (read_value(node, path, name, faults)) take(name, node, path, faults);
          },
          [this] { return like ? Node::of(*like) : Node(); })
      .help("kind of link (sim list links) that gives the bandwidth and latency that are left out");
  options.add("bandwidth", bandwidth, Dimension::bandwidth)
      .more_than(0)
      .default_text("required without \"like\"")
      .help("of each direction");
  options.add("latency", latency).at_least(0).help("of one traversal");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    if (bandwidth > 0) return;
    faults.add(whole, path + ".bandwidth", "is missing", "a bandwidth, or \"like\": a kind of link");
  });
}

void LinkOptions::take(const std::string& kind, const Node& node, const std::string& path,
                       FaultSink& faults) {
  std::vector<std::string> names;
  for (const LinkKind& known : links()) {
    names.push_back(known.name);
    if (known.name != kind) continue;
    like = kind;
    bandwidth = known.effective_bandwidth.value;
    latency = Duration::seconds(known.latency.value);
    return;
  }
  faults.add(node, path, "no kind of link has that name", "see `sim list links`", nearest_hint(kind, names));
}

void RegionOptions::declare(Options& options) {
  options.add("name", name).required().help("shown in results: workers are \"<name>.w0\", ...");
  options.add("workers", workers).at_least(1).default_text("as many as speeds").help("number of workers");
  options.add("speeds", speeds)
      .more_than(0)
      .help("step rate of each worker as a multiple of the stated one; not normalised");
  options.add("devices", devices).help("accelerator of each worker, or one for all (sim list devices)");
  options.add("bandwidth", bandwidth, Dimension::bandwidth)
      .required()
      .more_than(0)
      .help("of the link from each host to the region's switch, each direction");
  options.add("latency", latency).at_least(0).help("of that link");
  options.add("price", price, Dimension::money_rate).at_least(0).help("of each worker");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    check_members(*this, whole, path, faults);
  });
}

void ServerOptions::declare(Options& options) {
  options.add("update_time", update_time)
      .at_least(0)
      .help("time that a server takes to apply one pseudo-gradient; \"0 s\" has to be written");
  options.add("memory_bandwidth", memory_bandwidth, Dimension::bandwidth)
      .more_than(0)
      .help("instead of update_time: an update takes the bytes of the vectors it touches over this");
  options.add("global_region", global_region)
      .default_text("the first region")
      .help("region of the global server's host");
  options.add("global", global)
      .default_text("a host of its own")
      .help("listed host on which the global server is another process");
  options.add("local", local)
      .default_text("hosts of their own")
      .help("region -> listed host on which its server is another process");
  options.add("price", price, Dimension::money_rate).at_least(0).help("of each server host");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    if (update_time && memory_bandwidth) {
      faults.add(whole, path, "states both update_time and memory_bandwidth", "one of them");
    }
  });
}

void NetworkConfig::declare(Options& options) {
  options.add("contention", contention)
      .help(
          "true: transfers share links (max-min fair); false: each takes latency + bytes / slowest link, "
          "whatever else moves");
  options
      .add("collectives", collectives,
           {{"auto", Fidelity::automatic},
            {"formula", Fidelity::formula},
            {"fluid", Fidelity::fluid},
            {"steps", Fidelity::steps}})
      .help("fidelity of collectives; auto: formula without contention, else fluid");
}

void ClusterOptions::declare(Options& options) {
  options.add("name", name).help("shown in results");
  options.add("workers", workers).at_least(1).at_most(1'000'000).help("number of workers on one switch");
  options.add("speeds", speeds)
      .more_than(0)
      .help("one-switch form: step rate of each worker as a multiple of the stated one");
  options.add("devices", devices).help("one-switch form: accelerator of each worker, or one for all");
  options.add("link", link).help("one-switch form: link from each host to the switch");
  options.add("price", price, Dimension::money_rate).at_least(0).help("one-switch form: of each worker");
  options.also("workers", worker_list);
  options.add("regions", regions)
      .help("regions with a network of their own, joined by \"wan\"; or what joins those of listed hosts");
  options.also("regions", region_pairs);
  options
      .custom(
          "wan", "list of [region, region, bandwidth, latency]",
          [this](const Node& node, const std::string& path, FaultSink& faults) {
            read_wan(node, path, faults, wan);
          },
          [this] { return write_wan(wan); })
      .help("full-duplex links between the regions' switches");
  if (!fabrics.empty()) {
    options.add("fabric", fabric, fabrics).help("a whole network built from a few numbers");
  }
  declare_hosts(options);
  options.add("servers", servers).help("hosts of parameter servers and aggregators");
  options.add("network", network).help("how the network is simulated");
  options.add("variation", variation, variation_makers())
      .help("sources of variation of the step times; they multiply");
  options.add("hardware", hardware)
      .or_file()
      .help("devices of the user's own, in the form of configs/hardware; they go before the catalogue's");
  options.add("compute", compute).help("roofline of the devices, where the workload states no step time");
  options.check(
      [this](const Node& whole, const std::string& path, FaultSink& faults) { check(whole, path, faults); });
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    check_variation(whole, path, faults);
  });
}

void ClusterOptions::check_variation(const Node& whole, const std::string& path, FaultSink& faults) const {
  const int count = worker_count();
  if (count == 0) return;  // said already
  for (std::size_t i = 0; i < variation.size(); ++i) {
    if (variation[i] == nullptr) continue;
    for (const std::int64_t worker : variation[i]->workers()) {
      if (worker < count) continue;
      faults.add(whole, item(path + ".variation", i) + ".workers",
                 "names worker " + std::to_string(worker) + " of " + std::to_string(count),
                 "0 to " + std::to_string(count - 1));
    }
  }
}

void ClusterOptions::check(const Node& whole, const std::string& path, FaultSink& faults) const {
  const char* forms =
      "\"workers\" or \"speeds\" with \"link\" (one switch), \"regions\" with \"wan\", \"fabric\", or "
      "\"hosts\"";
  const bool others =
      workers || !speeds.empty() || link || !devices.empty() || price || !regions.empty() || !wan.empty();
  if (lists_hosts()) {
    if (fabric || others) faults.add(whole, path, "mixes listed hosts with another form of a cluster", forms);
    return check_hosts(whole, path, faults);
  }
  if (fabric) {
    if (others) {
      faults.add(whole, path, "mixes \"fabric\" with another form of a cluster", forms,
                 "speeds, devices and price are said inside \"fabric\"");
    }
    return check_fabric(whole, path, faults);
  }
  if (regions.empty()) {
    if (!workers && speeds.empty()) {
      faults.add(whole, path, "has no workers", forms);
      return;
    }
    if (!link)
      faults.add(whole, path + ".link", "is missing: workers on one switch need a link",
                 "{\"bandwidth\": \"10 Gbit/s\", \"latency\": \"5 us\"}");
    if (!wan.empty()) faults.add(whole, path + ".wan", "joins regions, but there are none", forms);
    check_members(expanded().front(), whole, path, faults);
    check_server_hosts({}, whole, path, faults);
    return;
  }
  if (workers || !speeds.empty() || link || !devices.empty()) {
    faults.add(whole, path, "mixes the one-switch form with regions", forms);
  }
  std::vector<std::string> names;
  std::set<std::string> seen;
  for (std::size_t i = 0; i < regions.size(); ++i) {
    names.push_back(regions[i].name);
    if (!seen.insert(regions[i].name).second) {
      faults.add(whole, item(path + ".regions", i) + ".name",
                 "repeats the region name \"" + regions[i].name + "\"");
    }
  }
  const auto require_region = [&](const std::string& wanted, const std::string& where) {
    if (seen.contains(wanted)) return;
    const std::string near = nearest_word(wanted, names);
    faults.add(whole, where, "names the unknown region \"" + wanted + "\"", "one of the regions",
               near.empty() ? "" : "did you mean \"" + near + "\"?");
  };
  for (std::size_t i = 0; i < wan.size(); ++i) {
    require_region(wan[i].from, item(path + ".wan", i) + "[0]");
    require_region(wan[i].to, item(path + ".wan", i) + "[1]");
    if (wan[i].from == wan[i].to) faults.add(whole, item(path + ".wan", i), "joins a region with itself");
  }
  if (servers.global_region) require_region(*servers.global_region, path + ".servers.global_region");
  check_connected(names, whole, path, faults);
  check_server_hosts({}, whole, path, faults);
}

void ClusterOptions::check_connected(const std::vector<std::string>& names, const Node& whole,
                                     const std::string& path, FaultSink& faults) const {
  std::set<std::string> reached = {names.front()};
  for (bool grew = true; grew;) {
    grew = false;
    for (const WanLink& edge : wan) {
      if (reached.contains(edge.from) != reached.contains(edge.to)) {
        reached.insert(edge.from);
        reached.insert(edge.to);
        grew = true;
      }
    }
  }
  for (const std::string& region : names) {
    if (!reached.contains(region)) {
      faults.add(whole, path + ".wan",
                 "leaves region \"" + region + "\" without a way to \"" + names.front() + "\"");
    }
  }
}

std::vector<RegionOptions> ClusterOptions::expanded() const {
  std::vector<RegionOptions> result = regions;
  if (result.empty()) {
    RegionOptions single;
    single.name = "local";
    single.workers = workers.value_or(0);
    single.speeds = speeds;
    single.devices = devices;
    if (link) {
      single.bandwidth = link->bandwidth;
      single.latency = link->latency;
    }
    single.price = price;
    result.push_back(std::move(single));
  }
  for (RegionOptions& region : result) {
    if (region.workers == 0) region.workers = static_cast<std::int64_t>(region.speeds.size());
    const auto count = static_cast<std::size_t>(region.workers);
    if (region.speeds.empty()) region.speeds.assign(count, 1.0);
    if (region.devices.size() == 1) region.devices.assign(count, region.devices.front());
  }
  return result;
}

PhysicalNetwork ClusterOptions::physical() const {
  if (fabric) return fabric_network();
  if (lists_hosts()) return hosts_fit_ ? host_network(*this) : PhysicalNetwork();
  PhysicalNetwork machines;
  for (const RegionOptions& region : expanded()) {
    const LinkSpec host_link{.bandwidth = region.bandwidth,
                             .latency = region.latency,
                             .sharing = Sharing::full_duplex,
                             .name = {}};
    const NodeId center =
        machines.graph.add_node(NodeSpec{.name = region.name, .site = region.name, .loopback = {}});
    machines.sites.push_back({.name = region.name, .attach = center, .host_link = host_link});
    for (std::size_t i = 0; i < static_cast<std::size_t>(region.workers); ++i) {
      const std::string worker = region.name + ".w" + std::to_string(i);
      machines.devices.push_back({.name = worker,
                                  .site = region.name,
                                  .host = worker,
                                  .node = machines.add_host(worker, machines.sites.back()),
                                  .model = region.devices.empty() ? std::string() : region.devices[i],
                                  .speed = region.speeds[i],
                                  .price = region.price});
    }
  }
  for (const WanLink& edge : wan) {
    machines.graph.add_link(machines.site(edge.from).attach, machines.site(edge.to).attach,
                            LinkSpec{.bandwidth = edge.bandwidth,
                                     .latency = edge.latency,
                                     .sharing = Sharing::full_duplex,
                                     .name = {}});
  }
  return machines;
}

int ClusterOptions::worker_count() const {
  if (fabric) return fabric_fits_ ? static_cast<int>(fabric->device_count()) : 0;
  if (lists_hosts()) return host_workers_;
  std::int64_t count = 0;
  for (const RegionOptions& region : expanded()) count += region.workers;
  return static_cast<int>(count);
}

}  // namespace convoy
