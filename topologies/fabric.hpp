// Physical networks that a few numbers describe: {"fabric": {"kind": "fat_tree", "k": 4, "bandwidth": ...}}.
//
// Hosts are h0, h1, ...; their devices h0.g0, h0.g1, ... carry one worker each. A host with one device is
// that device; with more, the devices hang on a hub (an NVSwitch, a PCIe root) that carries the host's links.
// All devices stand at one site, "local", unless a kind says otherwise; servers attach where the kind says.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "training/cluster_options.hpp"
#include "training/physical_network.hpp"

namespace convoy {

/// Closed forms, without what is inside the hosts.
struct FabricCounts {
  std::int64_t hosts = 0, switches = 0, links = 0;
};

class Fabric : public FabricBuilder {
 public:
  static constexpr std::int64_t most_devices = 1'000'000, most_links = 4'000'000;

  [[nodiscard]] PhysicalNetwork build() const final;
  [[nodiscard]] std::int64_t device_count() const final { return counts().hosts * devices_per_host_; }
  /// Throws ConfigError where the numbers contradict each other or are too large.
  [[nodiscard]] FabricCounts counts() const;
  [[nodiscard]] std::int64_t devices_per_host() const { return devices_per_host_; }

 protected:
  /// A network under construction.
  struct Plan {
    PhysicalNetwork machines;
    std::vector<std::vector<NodeId>> devices;  ///< by host
    NodeId add_switch(std::string name, const std::string& site = "local");
    void join(NodeId a, NodeId b, const LinkOptions& link, double times = 1, std::string name = {});
  };

  explicit Fabric(Routing routing = Routing::ecmp) : routing_(routing) {}
  /// devices, devices_per_host, inside, speeds, price, routing.
  void declare_hosts(Options& options);
  /// bandwidth, latency: of the link from a host to the fabric. Required unless the kind has set it.
  void declare_link(Options& options);

  /// Checks the kind's own numbers, throwing ConfigError.
  [[nodiscard]] virtual FabricCounts count() const = 0;
  virtual void lay_out(Plan& plan) const = 0;
  /// Whether the links of one host's devices to each other are the kind's own.
  [[nodiscard]] virtual bool wires_hosts() const { return false; }

  /// Adds the next host of a site; returns where its links start: the device if it has one, else its hub.
  NodeId add_host(Plan& plan, const std::string& site = "local", const std::string& prefix = {}) const;
  /// The site of all devices, with servers attached at a node over the host's link.
  void set_site(Plan& plan, NodeId attach, const std::string& name = "local") const;
  [[nodiscard]] const LinkOptions& link() const { return link_; }
  [[nodiscard]] const LinkOptions& link_or(const std::optional<LinkOptions>& stated) const {
    return stated ? *stated : link_;
  }
  /// B/s at which all devices of a host can send together, if its own links do not hold them back.
  [[nodiscard]] bool host_is_no_bottleneck() const;
  [[nodiscard]] const std::optional<LinkOptions>& inside() const { return inside_; }
  void set_defaults(std::int64_t devices_per_host, std::string device, std::optional<LinkOptions> inside,
                    std::optional<LinkOptions> link);

 private:
  std::vector<std::string> devices_;
  std::vector<double> speeds_;
  std::int64_t devices_per_host_ = 1;
  std::optional<LinkOptions> inside_;
  std::optional<double> price_;
  LinkOptions link_;
  Routing routing_;
};

/// B/s over the worst cut that puts `half` of groups x size leaves on one side: each leaf hangs on its group
/// by `leaf` B/s, each group on the root by `up`. The cost of a group is concave in its leaves on one side,
/// so that all groups but one are whole.
[[nodiscard]] double tree_bisection(std::int64_t groups, std::int64_t size, double leaf, double up);

/// The fault of numbers that fit no network, at "fabric.<option>".
[[noreturn]] void refuse_fabric(std::string option, std::string message, std::string allowed = {},
                                std::string hint = {});

}  // namespace convoy
