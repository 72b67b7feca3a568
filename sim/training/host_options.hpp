// A cluster whose machines are listed: what the block "hosts" and its companions hold.
//
//   {"hosts": [{"name": "v", "region": "iad", "devices": {"V100-SXM-16GB": 8}, "nic": "10 Gbit/s"},
//              {"name": "h", "region": "home", "devices": {"RTX-4090": 4}, "uplink": "40 Mbit/s", "downlink":
//              "1 Gbit/s"}],
//    "regions": {"bandwidth": [["iad", "home", "0.5 Gbit/s"]], "rtt": [["iad", "home", "40 ms"]]},
//    "workers": [{"on": "v", "devices_per_worker": 4, "inside": "zero2"}, {"on": "h"}]}
//
// Hosts hang on the switch of their region by their NIC; regions are joined in pairs. Instead, or besides,
// "switches", "links" and "routes" make any graph of hosts and switches. Devices of a host are g0, g1, ...;
// in the network "v.g0". How they are wired is said by "inside"; without it they hang on one hub.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "core/time.hpp"
#include "network/graph.hpp"

namespace convoy {

/// A link between two nodes, or one without ends that only listed routes use.
struct CableOptions {
  std::string name;
  std::vector<std::string> between;  ///< two nodes; empty: without ends
  double bandwidth = 0;              ///< B/s, of each direction where full_duplex
  Duration latency;
  Sharing sharing = Sharing::full_duplex;
  void declare(Options& options);
};

/// A network card: a link from a node inside of a host to the switch of its region.
struct NicOptions {
  std::string at;                   ///< node inside of the host
  std::optional<double> bandwidth;  ///< B/s a direction; unset: the host's "nic"
  std::optional<Duration> latency;  ///< unset: the host's
  void declare(Options& options);
};

/// How the devices of a host are wired: all on one hub, or any graph.
struct InsideOptions {
  std::optional<double> bandwidth;  ///< one hub: of each device to it, B/s a direction
  Duration latency;
  std::vector<std::string> switches;  ///< a graph: its nodes besides the devices
  std::vector<CableOptions> links;
  std::optional<std::string> hub;  ///< a graph: the node that stands for the host; unset: the first switch
  std::vector<NicOptions> nics;
  void declare(Options& options);
};

struct HostOptions {
  std::string name;
  std::string region = "local";
  std::optional<std::int64_t> device_count;     ///< "devices" without names
  std::map<std::string, std::int64_t> devices;  ///< catalogue name -> number
  std::optional<double> nic, uplink, downlink;  ///< B/s
  Duration latency;                             ///< of the NIC's link
  std::optional<InsideOptions> inside;
  double speed = 1;             ///< of each device
  std::optional<double> price;  ///< USD/s of each device
  void declare(Options& options);
  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] bool has_nic() const { return nic || uplink || downlink || own_nics(); }

 private:
  [[nodiscard]] bool own_nics() const { return inside && !inside->nics.empty(); }
};

/// A node that only forwards.
struct SwitchOptions {
  std::string name;
  std::string region = "local";
  void declare(Options& options);
};

/// The way from one node to another over named links, instead of a searched one.
struct RouteOptions {
  std::string from, to;
  std::vector<std::string> over;  ///< names of links; "-name": against the direction in which it was listed
  bool both_ways = true;
  void declare(Options& options);
};

/// Wide-area links between the switches of regions.
struct RegionPairs {
  struct Pair {
    std::string from, to;
    double bandwidth = 0;  ///< B/s
    bool one_way = false;
  };
  struct RoundTrip {
    std::string from, to;
    Duration time;
  };
  std::vector<Pair> bandwidth;
  std::vector<RoundTrip> rtt;
  void declare(Options& options);
};

/// What the devices of one worker exchange among themselves in a step; they split its batch.
enum class InsideExchange {
  none,   ///< nothing: k devices are one of k times the speed
  ddp,    ///< all-reduce of the gradient: 2 (k-1)/k of its bytes over the slowest hop of a ring
  zero2,  ///< reduce-scatter of the gradient, all-gather of the parameters: as many bytes
  zero3,  ///< and another all-gather of the parameters in the backward pass: 3 (k-1)/k
};

/// Workers on one host.
struct WorkerOptions {
  std::string on;
  std::int64_t devices_per_worker = 1;
  std::optional<std::int64_t> count;
  InsideExchange inside = InsideExchange::none;
  void declare(Options& options);
};

}  // namespace convoy
