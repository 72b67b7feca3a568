#include "training/host_options.hpp"

#include <utility>

#include "core/units.hpp"

namespace convoy {
namespace {

/// Reads [["a", "b", "1 Gbit/s"], ...]; `rest` reads what follows the two names.
template <class Entry, class Rest>
void read_pairs(const Node& node, const std::string& path, FaultSink& faults, const char* shape,
                std::size_t most, std::vector<Entry>& entries, Rest rest) {
  entries.clear();
  if (!node.is_list()) return faults.add(node, path, "must be a list of pairs of regions", shape);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const Node& item = node.items[i];
    const std::string place = item_path(path, i);
    if (!item.is_list() || item.items.size() < 3 || item.items.size() > most || !item.items[0].is_text() ||
        !item.items[1].is_text()) {
      faults.add(item, place, "is no pair of regions", shape);
      continue;
    }
    Entry entry;
    entry.from = item.items[0].text;
    entry.to = item.items[1].text;
    rest(item, place, entry);
    entries.push_back(std::move(entry));
  }
}

void add_bandwidth_pairs(Options& options, std::vector<RegionPairs::Pair>& pairs) {
  const char* shape = "[\"fra\", \"iad\", \"1.02 Gbit/s\"], with \"one_way\" as a fourth for one direction";
  options
      .custom(
          "bandwidth", "list of [region, region, bandwidth]",
          [&pairs, shape](const Node& node, const std::string& path, FaultSink& faults) {
            read_pairs(node, path, faults, shape, 4, pairs,
                       [&](const Node& item, const std::string& place, RegionPairs::Pair& pair) {
                         (void)read_value(item.items[2], item_path(place, 2), pair.bandwidth,
                                          Dimension::bandwidth, faults, Option().more_than(0));
                         if (item.items.size() < 4) return;
                         pair.one_way = item.items[3].is_text() && item.items[3].text == "one_way";
                         if (!pair.one_way)
                           faults.add(item.items[3], item_path(place, 3), "is not understood", "\"one_way\"");
                       });
          },
          [&pairs] {
            Node list = Node::list();
            for (const RegionPairs::Pair& pair : pairs) {
              Node item = Node::list({Node::of(pair.from), Node::of(pair.to),
                                      Node::of(format_exact(pair.bandwidth, Dimension::bandwidth))});
              if (pair.one_way) item.items.push_back(Node::of("one_way"));
              list.items.push_back(std::move(item));
            }
            return list;
          })
      .help("of each direction; with \"one_way\" as a fourth only from the first to the second");
}

void add_round_trips(Options& options, std::vector<RegionPairs::RoundTrip>& trips) {
  options
      .custom(
          "rtt", "list of [region, region, time]",
          [&trips](const Node& node, const std::string& path, FaultSink& faults) {
            read_pairs(node, path, faults, "[\"fra\", \"iad\", \"92 ms\"]", 3, trips,
                       [&](const Node& item, const std::string& place, RegionPairs::RoundTrip& trip) {
                         (void)read_value(item.items[2], item_path(place, 2), trip.time, faults,
                                          Option().at_least(0));
                       });
          },
          [&trips] {
            Node list = Node::list();
            for (const RegionPairs::RoundTrip& trip : trips) {
              list.items.push_back(
                  Node::list({Node::of(trip.from), Node::of(trip.to), Node::of(format_exact(trip.time))}));
            }
            return list;
          })
      .help("round-trip times; half is charged a way; a pair without one has none");
}

void check_nic(const HostOptions& host, const Node& whole, const std::string& path, FaultSink& faults) {
  if (host.nic && (host.uplink || host.downlink)) {
    faults.add(whole, path, "states both nic and uplink or downlink", "nic, or uplink and downlink");
  } else if (host.uplink.has_value() != host.downlink.has_value()) {
    faults.add(
        whole, path + (host.uplink ? ".downlink" : ".uplink"),
        "is missing: the way from and to " + in_quotes(host.name) + " has to be stated in both directions",
        "uplink and downlink, or nic for both");
  }
  if (!host.inside || host.nic) return;
  for (std::size_t i = 0; i < host.inside->nics.size(); ++i) {
    if (host.inside->nics[i].bandwidth) continue;
    faults.add(whole, item_path(path + ".inside.nics", i) + ".bandwidth",
               "is missing, and the host states no nic", "\"bandwidth\" here, or \"nic\" of the host");
  }
}

}  // namespace

void CableOptions::declare(Options& options) {
  options.add("name", name).default_text("\"a-b\"").help("shown in results, and named by routes");
  options.add("between", between)
      .items(0, 2)
      .default_text("none: only listed routes use it")
      .help("the two nodes it joins");
  options.add("bandwidth", bandwidth, Dimension::bandwidth).required().more_than(0).help("of each direction");
  options.add("latency", latency).at_least(0).help("of one traversal");
  options
      .add("sharing", sharing,
           {{"full_duplex", Sharing::full_duplex},
            {"half_duplex", Sharing::half_duplex},
            {"one_way", Sharing::one_way},
            {"fat_pipe", Sharing::fat_pipe}})
      .help(
          "full_duplex: each direction has the bandwidth; half_duplex: both share it; one_way: from the "
          "first to the second; fat_pipe: bounds each transfer alone");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    if (between.size() == 1) {
      faults.add(whole, path + ".between", "names one node", "two nodes, or none");
    } else if (between.size() == 2 && between[0] == between[1]) {
      faults.add(whole, path + ".between", "joins " + in_quotes(between[0]) + " with itself");
    } else if (between.empty() && name.empty()) {
      faults.add(whole, path, "has neither ends nor a name",
                 "\"between\": two nodes, or a \"name\" for routes");
    }
  });
}

void NicOptions::declare(Options& options) {
  options.add("at", at).required().help("node of the host that it hangs on");
  options.add("bandwidth", bandwidth, Dimension::bandwidth)
      .more_than(0)
      .default_text("the host's nic")
      .help("of each direction");
  options.add("latency", latency)
      .at_least(0)
      .default_text("the host's")
      .help("of the link to the region's switch");
}

void InsideOptions::declare(Options& options) {
  options.add("bandwidth", bandwidth, Dimension::bandwidth)
      .more_than(0)
      .default_text("of the catalogue")
      .help("one hub: of each device to it, each direction");
  options.add("latency", latency).at_least(0).help("one hub: of that link");
  options.add("switches", switches).help("a graph: its nodes besides the devices g0, g1, ...");
  options.add("links", links).help("a graph: links between devices and switches");
  options.add("hub", hub).default_text("the first switch").help("a graph: the node that stands for the host");
  options.add("nics", nics)
      .help("network cards, each on a node; the one card of a host is said by its \"nic\"");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    if (bandwidth && !links.empty()) {
      faults.add(whole, path, "states both a hub's bandwidth and links", "one of them");
    }
    if (links.empty() && (!switches.empty() || hub)) {
      faults.add(whole, path + ".links", "is missing: nothing joins the switches", "links, or bandwidth");
    }
  });
}

void HostOptions::declare(Options& options) {
  options.add("name", name).required().help("shown in results");
  options.add("region", region).help("hosts of a region are near each other");
  options.add("devices", device_count)
      .between(0, 1e6)
      .default_text("none")
      .help("their number, or how many of each name (sim list devices)");
  options.also("devices", devices).at_least(1).at_most(1e6);
  options.add("nic", nic, Dimension::bandwidth)
      .more_than(0)
      .help(
          "of the link to the region's switch, each direction; also of each of inside.nics that states none");
  options.add("uplink", uplink, Dimension::bandwidth).more_than(0).help("instead of nic: from the host");
  options.add("downlink", downlink, Dimension::bandwidth).more_than(0).help("instead of nic: to the host");
  options.add("latency", latency).at_least(0).help("of that link");
  options.add("inside", inside)
      .help("how its devices are wired")
      .default_text("one hub, as in the catalogue");
  options.add("speed", speed).more_than(0).help("multiplies the step rate of its devices");
  options.add("price", price, Dimension::money_rate).at_least(0).help("of each device");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    check_nic(*this, whole, path, faults);
  });
}

std::int64_t HostOptions::count() const {
  std::int64_t sum = device_count.value_or(0);
  for (const auto& entry : devices) sum += entry.second;
  return sum;
}

void SwitchOptions::declare(Options& options) {
  options.add("name", name).required().help("of a node that only forwards");
  options.add("region", region).help("servers of a region without NICs attach to its first switch");
}

void RouteOptions::declare(Options& options) {
  options.add("from", from).required().help("a host, a device such as \"a.g0\", or a switch");
  options.add("to", to).required().help("where it leads");
  options.add("over", over)
      .required()
      .items(1)
      .help(
          "names of links in order, joined end to end where they have ends; \"-name\": against the direction "
          "in "
          "which it was listed, where it has none");
  options.add("both_ways", both_ways).help("whether the way back takes the same links");
}

void RegionPairs::declare(Options& options) {
  add_bandwidth_pairs(options, bandwidth);
  add_round_trips(options, rtt);
}

void WorkerOptions::declare(Options& options) {
  options.add("on", on).required().help("a host");
  options.add("devices_per_worker", devices_per_worker)
      .at_least(1)
      .help("devices that act as one worker and split its batch");
  options.add("count", count)
      .at_least(1)
      .default_text("as many as the devices make")
      .help("number of workers");
  options
      .add("inside", inside,
           {{"none", InsideExchange::none},
            {"ddp", InsideExchange::ddp},
            {"zero2", InsideExchange::zero2},
            {"zero3", InsideExchange::zero3}})
      .help(
          "what its devices exchange after each step, over a ring of them: nothing; the gradient (2 (k-1)/k "
          "of "
          "its bytes); gradient and parameters (as many, and 3 (k-1)/k)")
      .source("ZeRO, arXiv 1910.02054, section 7");
}

}  // namespace convoy
