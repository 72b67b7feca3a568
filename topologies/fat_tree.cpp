// k-ary fat tree (Al-Fares, Loukissas, Vahdat, SIGCOMM 2008), k even: k pods of k/2 edge and k/2 aggregation
// switches, (k/2)^2 core switches, k/2 hosts an edge switch: k^3/4 hosts, 5k^2/4 switches, 3k^3/4 links, 6
// hops, (k/2)^2 equally short ways between pods. Aggregation switch a of each pod is joined to cores a k/2 to
// (a+1) k/2 - 1. Servers attach to core0.
#include <string>

#include "topologies/fabric.hpp"
#include "topologies/fabrics.hpp"

namespace convoy {

namespace {

class FatTree final : public Fabric {
 public:
  [[nodiscard]] std::string_view kind() const override { return "fat_tree"; }
  [[nodiscard]] std::string_view about() const override {
    return "k-ary fat tree of k^3/4 hosts, full bisection";
  }
  void declare(Options& options) override {
    options.add("k", k_).required().between(2, 128).help("ports of each switch, even").source("SIGCOMM 2008");
    options.add("aggregation", aggregation_)
        .default_text("as a host's link")
        .help("edge to aggregation switch");
    options.add("core", core_).default_text("as a host's link").help("aggregation to core switch");
    declare_link(options);
    declare_hosts(options);
  }
  [[nodiscard]] std::optional<double> bisection() const override {
    if (!host_is_no_bottleneck()) return {};
    // Half of the pods: each tier carries n/2 links.
    return static_cast<double>(k_ * k_ * k_ / 8) *
           std::min({link().bandwidth, link_or(aggregation_).bandwidth, link_or(core_).bandwidth});
  }

 protected:
  [[nodiscard]] FabricCounts count() const override {
    if (k_ % 2 != 0) {
      refuse_fabric(
          "k", "a fat tree splits the ports of a switch in two halves, and " + std::to_string(k_) + " is odd",
          "an even number", "\"k\": " + std::to_string(k_ + 1));
    }
    const std::int64_t hosts = k_ * k_ * k_ / 4;
    return {.hosts = hosts, .switches = 5 * k_ * k_ / 4, .links = 3 * hosts};
  }
  void lay_out(Plan& plan) const override {
    const std::int64_t half = k_ / 2;
    std::vector<NodeId> cores;
    for (std::int64_t i = 0; i < half * half; ++i)
      cores.push_back(plan.add_switch("core" + std::to_string(i)));
    for (std::int64_t pod = 0; pod < k_; ++pod) {
      const std::string prefix = "pod" + std::to_string(pod) + ".";
      std::vector<NodeId> aggregation;
      for (std::int64_t a = 0; a < half; ++a) {
        aggregation.push_back(plan.add_switch(prefix + "agg" + std::to_string(a)));
        for (std::int64_t c = 0; c < half; ++c) {
          plan.join(aggregation.back(), cores[static_cast<std::size_t>(a * half + c)], link_or(core_));
        }
      }
      for (std::int64_t e = 0; e < half; ++e) {
        const NodeId edge = plan.add_switch(prefix + "edge" + std::to_string(e));
        for (const NodeId above : aggregation) plan.join(edge, above, link_or(aggregation_));
        for (std::int64_t h = 0; h < half; ++h) plan.join(add_host(plan), edge, link());
      }
    }
    set_site(plan, cores.front());
  }

 private:
  std::int64_t k_ = 0;
  std::optional<LinkOptions> aggregation_, core_;
};

}  // namespace

std::unique_ptr<FabricBuilder> make_fat_tree() {
  return std::make_unique<FatTree>();
}

}  // namespace convoy
