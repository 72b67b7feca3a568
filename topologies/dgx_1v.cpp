// DGX-1V hosts: eight V100 on the hybrid cube mesh of NVLinks (one or two links a pair, six a device), two
// devices and a 100 Gbit/s NIC on each of four PCIe switches, two of these on each of two sockets. All NICs
// lead to one switch, to which servers attach. Devices without a common NVLink talk over PCIe, as the
// driver's peer-to-peer does; forwarding through a third device is up to collectives. 33 links a host: 16
// pairs on NVLink, 8 + 4 PCIe, one between the sockets, 4 NICs.
//
// The mesh is `nvidia-smi topo -m` of that machine; NVLink2 20 GB/s a link and PCIe3 12 GB/s usable are
// NCCL's constants (25 and 15.75 on paper); the sockets' 9.6 GB/s and all latencies are general knowledge.
#include <array>
#include <string>

#include "topologies/fabric.hpp"
#include "topologies/fabrics.hpp"

namespace convoy {

namespace {

constexpr std::size_t gpus = 8, plx_switches = 4;
constexpr double giga = 1e9;

/// NVLinks of each pair.
constexpr std::array<std::array<int, gpus>, gpus> mesh = {{{0, 1, 1, 2, 2, 0, 0, 0},
                                                           {1, 0, 2, 1, 0, 2, 0, 0},
                                                           {1, 2, 0, 2, 0, 0, 1, 0},
                                                           {2, 1, 2, 0, 0, 0, 0, 1},
                                                           {2, 0, 0, 0, 0, 1, 1, 2},
                                                           {0, 2, 0, 0, 1, 0, 2, 1},
                                                           {0, 0, 1, 0, 1, 2, 0, 2},
                                                           {0, 0, 0, 1, 2, 1, 2, 0}}};

class Dgx1V final : public Fabric {
 public:
  Dgx1V() {
    set_defaults(gpus, "V100-SXM-16GB", std::nullopt,
                 LinkOptions{.bandwidth = 12.5 * giga, .latency = Duration::nanoseconds(1000)});
  }
  [[nodiscard]] std::string_view kind() const override { return "dgx_1v"; }
  [[nodiscard]] std::string_view about() const override {
    return "8 V100 a host on the hybrid cube mesh; 20 GB/s a NVLink, 12 GB/s PCIe3 (NCCL's constants), 4 "
           "NICs";
  }
  void declare(Options& options) override {
    options.add("hosts", hosts_).between(1, 1e5).help("number of hosts");
    options.add("nvlink", nvlink_).help("one NVLink; a pair has one or two");
    options.add("pcie", pcie_).help("each PCIe link");
    options.add("sockets", sockets_).help("link between the two sockets");
    declare_link(options);
    declare_hosts(options);
  }

 protected:
  [[nodiscard]] bool wires_hosts() const override { return true; }
  [[nodiscard]] FabricCounts count() const override {
    constexpr std::int64_t links_a_host = 33, switches_a_host = 6;
    return {.hosts = hosts_, .switches = 1 + switches_a_host * hosts_, .links = links_a_host * hosts_};
  }
  void lay_out(Plan& plan) const override {
    const NodeId center = plan.add_switch("switch");
    for (std::int64_t i = 0; i < hosts_; ++i) lay_out_host(plan, center);
    set_site(plan, center);
  }

 private:
  void lay_out_host(Plan& plan, NodeId center) const {
    NetworkGraph& graph = plan.machines.graph;
    const std::string host = "h" + std::to_string(plan.devices.size());
    (void)add_host(plan);
    const std::vector<NodeId>& device = plan.devices.back();
    for (std::size_t a = 0; a < gpus; ++a) {
      for (std::size_t b = a + 1; b < gpus; ++b) {
        if (mesh[a][b] > 0) plan.join(device[a], device[b], nvlink_, mesh[a][b]);
      }
    }
    std::array<NodeId, 2> cpu;
    for (std::size_t s = 0; s < 2; ++s) cpu[s] = plan.add_switch(host + ".cpu" + std::to_string(s));
    const LinkId between{static_cast<std::int32_t>(graph.links())};
    plan.join(cpu[0], cpu[1], sockets_);
    std::array<LinkId, plx_switches> up;
    std::array<LinkId, gpus> down;
    for (std::size_t p = 0; p < plx_switches; ++p) {
      const NodeId plx = plan.add_switch(host + ".plx" + std::to_string(p));
      up[p] = {static_cast<std::int32_t>(graph.links())};
      plan.join(plx, cpu[p / 2], pcie_);
      for (std::size_t g = 2 * p; g < 2 * p + 2; ++g) {
        down[g] = {static_cast<std::int32_t>(graph.links())};
        plan.join(device[g], plx, pcie_);
      }
      plan.join(plx, center, link());
    }
    for (std::size_t a = 0; a < gpus; ++a) {
      for (std::size_t b = 0; b < gpus; ++b) {
        if (a == b || mesh[a][b] > 0) continue;
        // Up from the first device, over the sockets where they differ, down to the second.
        std::vector<ArcId> way = {forward(down[a]), forward(up[a / 2])};
        if (a / 4 != b / 4) way.push_back(a < b ? forward(between) : backward(between));
        way.push_back(backward(up[b / 2]));
        way.push_back(backward(down[b]));
        graph.set_route(device[a], device[b], std::move(way));
      }
    }
  }

  std::int64_t hosts_ = 1;
  LinkOptions nvlink_{.bandwidth = 20 * giga, .latency = Duration::nanoseconds(1000)};
  LinkOptions pcie_{.bandwidth = 12 * giga, .latency = Duration::nanoseconds(1000)};
  LinkOptions sockets_{.bandwidth = 9.6 * giga, .latency = Duration::nanoseconds(1000)};
};

}  // namespace

std::unique_ptr<FabricBuilder> make_dgx_1v() {
  return std::make_unique<Dgx1V>();
}

}  // namespace convoy
