// Rail-optimized network: device r of every host has a NIC of its own to rail switch r, so that devices of
// equal rank are 2 hops apart. Devices of one host are joined by a hub (NVSwitch). Without spines, traffic
// between rails crosses the hub first (as NCCL's PXN does): 4 hops. With spines, every rail is joined to
// every spine. m hosts of q devices: m q + m q + q S links. Servers attach to rail0.
//
// Bisection: m/2 q NICs where m is even and a hub link is at least twice a NIC: with v the mean share of a
// host's devices that are on the minority side, rails pay at least (1/2 - 2v) and hubs v of m q links.
//
// Presets: dgx_a100, hgx_h100: hosts of eight devices.
#include <string>

#include "topologies/fabric.hpp"
#include "topologies/fabrics.hpp"

namespace convoy {

namespace {

constexpr double giga = 1e9;

class RailOptimized : public Fabric {
 public:
  [[nodiscard]] std::string_view kind() const override { return "rail_optimized"; }
  [[nodiscard]] std::string_view about() const override { return "device r of every host on rail switch r"; }
  void declare(Options& options) override {
    options.add("hosts", hosts_).required().between(1, 1e5).help("number of hosts");
    options.add("spines", spines_).between(0, 1024).help("switches that join the rails; 0: rails are apart");
    options.add("uplink", uplink_).default_text("as a NIC").help("link from a rail to a spine");
    declare_link(options);
    declare_hosts(options);
  }
  [[nodiscard]] std::optional<double> bisection() const override {
    const double nics = static_cast<double>(hosts_ / 2 * devices_per_host()) * link().bandwidth;
    if (hosts_ % 2 != 0 || devices_per_host() == 1 || inside()->bandwidth < 2 * link().bandwidth) return {};
    return nics;
  }

 protected:
  [[nodiscard]] FabricCounts count() const override {
    const std::int64_t q = devices_per_host();
    return {.hosts = hosts_, .switches = q + spines_, .links = q * hosts_ + q * spines_};
  }
  void lay_out(Plan& plan) const override {
    std::vector<NodeId> rails, spines;
    for (std::int64_t r = 0; r < devices_per_host(); ++r)
      rails.push_back(plan.add_switch("rail" + std::to_string(r)));
    for (std::int64_t s = 0; s < spines_; ++s) spines.push_back(plan.add_switch("spine" + std::to_string(s)));
    for (std::int64_t i = 0; i < hosts_; ++i) {
      (void)add_host(plan);
      for (std::size_t r = 0; r < rails.size(); ++r) plan.join(plan.devices.back()[r], rails[r], link());
    }
    for (const NodeId rail : rails) {
      for (const NodeId spine : spines) plan.join(rail, spine, link_or(uplink_));
    }
    set_site(plan, rails.front());
  }

 private:
  std::int64_t hosts_ = 0, spines_ = 0;
  std::optional<LinkOptions> uplink_;
};

/// Eight A100-SXM, 12 NVLink3 of 20 GB/s usable each into NVSwitches (25 on paper), a 200 Gbit/s NIC each.
class DgxA100 final : public RailOptimized {
 public:
  DgxA100() {
    set_defaults(8, "A100-SXM-80GB",
                 LinkOptions{.bandwidth = 240 * giga, .latency = Duration::nanoseconds(500)},
                 LinkOptions{.bandwidth = 25 * giga, .latency = Duration::nanoseconds(1000)});
  }
  [[nodiscard]] std::string_view kind() const override { return "dgx_a100"; }
  [[nodiscard]] std::string_view about() const override {
    return "8 A100 a host; NVLink3 12 x 20 GB/s usable (NCCL's constants), 8 NICs of 200 Gbit/s and "
           "latencies "
           "(general knowledge)";
  }
};

/// Eight H100-SXM, 18 NVLink4 of 20.6 GB/s usable each into NVSwitches (25 on paper), a 400 Gbit/s NIC each;
/// device to device takes the 936.25 ns of ASTRA-sim's validated HGX-H100 example.
class HgxH100 final : public RailOptimized {
 public:
  HgxH100() {
    set_defaults(8, "H100-SXM",
                 LinkOptions{.bandwidth = 18 * 20.6 * giga, .latency = Duration::nanoseconds(468)},
                 LinkOptions{.bandwidth = 50 * giga, .latency = Duration::nanoseconds(1000)});
  }
  [[nodiscard]] std::string_view kind() const override { return "hgx_h100"; }
  [[nodiscard]] std::string_view about() const override {
    return "8 H100 a host; NVLink4 18 x 20.6 GB/s usable (NCCL's constants), 936 ns device to device "
           "(ASTRA-sim's "
           "validated example), 8 NICs of 400 Gbit/s (general knowledge)";
  }
};

}  // namespace

std::unique_ptr<FabricBuilder> make_rail_optimized() {
  auto fabric = std::make_unique<RailOptimized>();
  return fabric;
}
std::unique_ptr<FabricBuilder> make_dgx_a100() {
  return std::make_unique<DgxA100>();
}
std::unique_ptr<FabricBuilder> make_hgx_h100() {
  return std::make_unique<HgxH100>();
}

}  // namespace convoy
