// The machines of a cluster before any run: the network's graph, the accelerators and the sites they stand
// at.
//
//   PhysicalNetwork machines = cluster.physical();
//   machines.devices[3].name;                       // "r0.w3"
//   machines.add_host("r0.server", machines.site("r0"));
//
// Every form of a cluster (one switch, regions, a fabric, hosts that are listed or imported) ends as one of
// these; what follows (placement, the network of a run, `sim topology`, reports) knows no forms.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "network/graph.hpp"

namespace convoy {

struct PhysicalNetwork {
  /// Devices that act as one worker and split its batch.
  struct Group {
    int devices = 1;
    double passes = 0;  ///< of 1/devices of the model's bytes, one after another over each hop of their ring
    double bandwidth = 0;  ///< B/s of the slowest hop
    Duration latency{};    ///< of the longest hop
  };
  /// One accelerator, or a group of them, which carries one worker.
  struct Device {
    std::string name;   ///< "r0.w3": the worker's name in results
    std::string site;   ///< name of its site
    std::string host;   ///< name of its machine; devices of one machine share it
    NodeId node;        ///< where its bytes enter the network
    std::string model;  ///< name in the catalogue ("A100-SXM-80GB"); empty: a stated step time is charged
    double speed = 1;   ///< multiplies the workload's step rate; not normalised
    std::optional<double> price{};  ///< USD/s
    Group group{};
  };
  /// A machine that servers may be placed on by name.
  struct Host {
    std::string name, site;
    NodeId node;
  };
  /// A region: devices that are near each other, and the switch where further hosts (servers) are attached.
  struct Site {
    std::string name;
    NodeId attach;         ///< switch, or gateway
    LinkSpec host_link{};  ///< of a host that is attached
  };

  NetworkGraph graph;
  std::vector<Device> devices;       ///< those of one site are adjacent
  std::vector<Site> sites;           ///< in the order of their devices
  std::vector<std::string> guesses;  ///< what an importer assumed, a sentence each
  std::vector<Host> hosts;           ///< where the cluster lists its hosts
  bool links_without_ends = false;   ///< some links only carry listed routes, and join no nodes

  /// Index of a site. Throws std::logic_error for a name that none has.
  [[nodiscard]] const Site& site(std::string_view name) const;
  /// Devices of a site.
  [[nodiscard]] std::size_t devices_of(std::string_view site_name) const;
  /// Adds a host without devices at a site (a server's), over the site's host link; it takes the fixed routes
  /// of the node that it attaches to. Throws ConfigError for a name that is taken.
  NodeId add_host(std::string name, const Site& at);
  /// Throws ConfigError at `path` naming two devices, or a device and a site, of which one cannot reach the
  /// other.
  void require_connected(const std::string& path) const;
  /// Throws std::logic_error where a device stands at no site, or the devices of a site are not adjacent.
  void require_consistent() const;

 private:
  /// Nodes that one reaches, or that reach it.
  [[nodiscard]] std::vector<bool> reached(NodeId from, bool outwards) const;
  /// Every ordered pair has a route; the first that has none goes to `refuse`.
  void require_routes(const std::vector<NodeId>& ends,
                      const std::function<void(NodeId, NodeId)>& refuse) const;
};

/// Builds a whole physical network from a few numbers: a fat tree from k, a torus from its sides.
class FabricBuilder {
 public:
  virtual ~FabricBuilder() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// One line for `sim list`.
  [[nodiscard]] virtual std::string_view about() const { return {}; }
  virtual void declare(Options& options) = 0;
  /// Throws ConfigError where the numbers fit no such network; paths are "fabric.<option>".
  [[nodiscard]] virtual PhysicalNetwork build() const = 0;
  /// Number of devices of what build() returns.
  [[nodiscard]] virtual std::int64_t device_count() const {
    return static_cast<std::int64_t>(build().devices.size());
  }
  /// B/s of one direction over the worst cut that halves the devices, by a closed form; nothing where there
  /// is none.
  [[nodiscard]] virtual std::optional<double> bisection() const { return std::nullopt; }
};

}  // namespace convoy
