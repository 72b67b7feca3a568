// Hosts on one switch of full bisection: n links, 2 hops. nvlink_islands is the same with several devices a
// host, which is the two-tier network of NVLink inside and a NIC outside.
#include "topologies/fabric.hpp"
#include "topologies/fabrics.hpp"

namespace convoy {

namespace {

class SingleSwitch : public Fabric {
 public:
  SingleSwitch() : Fabric(Routing::shortest) {}
  [[nodiscard]] std::string_view kind() const override { return "single_switch"; }
  [[nodiscard]] std::string_view about() const override { return "hosts on one switch"; }
  void declare(Options& options) override {
    options.add("hosts", hosts_).required().between(1, 1e6).help("number of hosts");
    declare_link(options);
    declare_hosts(options);
  }
  [[nodiscard]] std::optional<double> bisection() const override {
    if (devices_per_host() == 1) return static_cast<double>(hosts_ / 2) * link().bandwidth;
    return tree_bisection(hosts_, devices_per_host(), inside()->bandwidth, link().bandwidth);
  }

 protected:
  [[nodiscard]] FabricCounts count() const override {
    return {.hosts = hosts_, .switches = 1, .links = hosts_};
  }
  void lay_out(Plan& plan) const override {
    const NodeId center = plan.add_switch("switch");
    for (std::int64_t i = 0; i < hosts_; ++i) plan.join(add_host(plan), center, link());
    set_site(plan, center);
  }

 private:
  std::int64_t hosts_ = 0;
};

class NvlinkIslands final : public SingleSwitch {
 public:
  NvlinkIslands() { set_defaults(8, {}, std::nullopt, std::nullopt); }
  [[nodiscard]] std::string_view kind() const override { return "nvlink_islands"; }
  [[nodiscard]] std::string_view about() const override {
    return "hosts of several devices on NVLink, a NIC each";
  }
};

}  // namespace

std::unique_ptr<FabricBuilder> make_single_switch() {
  return std::make_unique<SingleSwitch>();
}
std::unique_ptr<FabricBuilder> make_nvlink_islands() {
  return std::make_unique<NvlinkIslands>();
}

}  // namespace convoy
