// The `cluster` block: hosts or regions, their devices and links, servers.
//
// Short forms:
//   {"workers": 8, "speeds": [1, 0.5, ...], "link": {"bandwidth": "10 Gbit/s", "latency": "5 us"}}
//   {"regions": [{"name": "r0", "speeds": [0.2558, 1, ...], "bandwidth": "100 Gbit/s"}, ...],
//    "wan": [["r0", "r1", "0.537 Gbit/s", "0 s"], ...], "servers": {"update_time": "0 s"}, "network":
//    {"contention": false}}
// A network from a few numbers: "fabric" (physical_network.hpp). Hosts one by one: "hosts"
// (host_options.hpp).
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "core/time.hpp"
#include "hardware/compute_model.hpp"
#include "hardware/device_options.hpp"
#include "hardware/variation.hpp"
#include "network/collective.hpp"
#include "training/host_options.hpp"
#include "training/physical_network.hpp"

namespace convoy {

/// A link as configs write it.
struct LinkOptions {
  std::optional<std::string> like{};  ///< kind of the catalogue that gives what is left out
  double bandwidth = 0;               ///< B/s a direction
  Duration latency{};
  void declare(Options& options);

  /// The figures of that kind of link; a fault where there is none.
  void take(const std::string& kind, const Node& node, const std::string& path, FaultSink& faults);
};

/// Workers that share a region's switch.
struct RegionOptions {
  std::string name;
  std::int64_t workers = 0;    ///< 0: as many as speeds
  std::vector<double> speeds;  ///< one a worker; empty: all 1
  std::vector<std::string>
      devices;           ///< catalogue name for each worker, or one for all; empty: none (stated step time)
  double bandwidth = 0;  ///< of each host's link to the region's switch, B/s a direction
  Duration latency;
  std::optional<double> price;  ///< USD/s for each worker
  void declare(Options& options);
};

/// A wide-area link between two regions.
struct WanLink {
  std::string from, to;
  double bandwidth = 0;
  Duration latency;
};

struct ServerOptions {
  std::optional<Duration> update_time;       ///< of one update of a server's model
  std::optional<double> memory_bandwidth;    ///< B/s; the update's time is bytes touched over it
  std::optional<std::string> global_region;  ///< default: the first region
  std::optional<std::string> global;         ///< a listed host; default: a host of its own
  std::map<std::string, std::string> local;  ///< region -> listed host; default: a host of its own
  std::optional<double> price;               ///< USD/s for each server host
  void declare(Options& options);
};

struct NetworkConfig {
  bool contention = true;
  Fidelity collectives = Fidelity::automatic;
  void declare(Options& options);
};

struct ClusterOptions {
  std::string name;
  // one switch
  std::optional<std::int64_t> workers;
  std::vector<double> speeds;
  std::vector<std::string> devices;
  std::optional<LinkOptions> link;
  std::optional<double> price;
  // regions
  std::vector<RegionOptions> regions;
  std::vector<WanLink> wan;
  // a whole network from a few numbers
  std::unique_ptr<FabricBuilder> fabric;
  // hosts that are listed
  std::vector<HostOptions> hosts;
  std::vector<SwitchOptions> switches;
  std::vector<CableOptions> links;
  std::vector<RouteOptions> routes;
  std::optional<RegionPairs> region_pairs;  ///< "regions" as an object
  std::vector<WorkerOptions> worker_list;   ///< "workers" as a list
  std::optional<Routing> routing;
  std::vector<std::string> guesses;
  ServerOptions servers;
  NetworkConfig network;
  std::optional<Roofline> compute;
  HardwareOptions hardware;                           ///< devices beside those of the catalogue
  std::vector<std::unique_ptr<Variation>> variation;  ///< of the workers' step times

  void declare(Options& options);
  /// The machines that the options describe. Throws ConfigError where a fabric's numbers fit no network.
  [[nodiscard]] PhysicalNetwork physical() const;
  [[nodiscard]] int worker_count() const;

  VariantMakers<FabricBuilder> fabrics;  ///< kinds of "fabric"; set before declare

 private:
  /// The regions, with the one-switch form as a single region named "local".
  [[nodiscard]] std::vector<RegionOptions> expanded() const;
  /// The fabric can be built, and its sites are those that servers name (fabric_cluster.cpp).
  void check_fabric(const Node& whole, const std::string& path, FaultSink& faults) const;
  /// Every device of a fabric stands in the catalogue or in "hardware".
  void check_device_names(const PhysicalNetwork& machines, const Node& whole, const std::string& path,
                          FaultSink& faults) const;
  void check_global_region(const PhysicalNetwork& machines, const Node& whole, const std::string& path,
                           FaultSink& faults) const;
  /// The machines that the options describe; faults that their building finds are added below `path`.
  [[nodiscard]] std::optional<PhysicalNetwork> built(const Node& whole, const std::string& path,
                                                     FaultSink& faults) const;
  void declare_hosts(Options& options);
  /// Every device of a listed host stands there too; a fault for each that does not.
  [[nodiscard]] bool host_devices_known(const Node& whole, const std::string& path, FaultSink& faults) const;
  /// The listed hosts make a network, and servers name what is there (host_checks.cpp).
  void check_hosts(const Node& whole, const std::string& path, FaultSink& faults) const;
  void check_server_hosts(const PhysicalNetwork& machines, const Node& whole, const std::string& path,
                          FaultSink& faults) const;
  [[nodiscard]] bool lists_hosts() const {
    return !hosts.empty() || !switches.empty() || !links.empty() || !routes.empty() || region_pairs ||
           !worker_list.empty() || routing;
  }
  /// What the fabric builds; no machines where it was refused, whose faults are known then.
  [[nodiscard]] PhysicalNetwork fabric_network() const;
  /// The variation concerns workers that exist.
  void check_variation(const Node& whole, const std::string& path, FaultSink& faults) const;
  mutable bool fabric_fits_ = false, hosts_fit_ = false;
  mutable int host_workers_ = 0;
  void check(const Node& whole, const std::string& path, FaultSink& faults) const;
  void check_connected(const std::vector<std::string>& names, const Node& whole, const std::string& path,
                       FaultSink& faults) const;
};

}  // namespace convoy
