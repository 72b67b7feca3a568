// Two levels of switches: each leaf carries hosts and is joined to every spine. L leaves of p hosts and S
// spines: L p hosts, L p + L S links, 4 hops. Of switches with r ports and oversubscription o: p = r o / (1 +
// o), S = r - p, L = r; without oversubscription r^2 / 2 hosts. Servers attach to spine0.
#include <cmath>
#include <string>

#include "topologies/fabric.hpp"
#include "topologies/fabrics.hpp"

namespace convoy {

namespace {

class LeafSpine final : public Fabric {
 public:
  [[nodiscard]] std::string_view kind() const override { return "leaf_spine"; }
  [[nodiscard]] std::string_view about() const override {
    return "two levels of switches, every leaf joined to every spine";
  }
  void declare(Options& options) override {
    options.add("leaves", leaves_).between(1, 1e5).help("leaf switches");
    options.add("spines", spines_).between(1, 1e5).help("spine switches");
    options.add("hosts_per_leaf", per_leaf_).between(1, 1e5).help("hosts of each leaf");
    options.add("radix", radix_).between(2, 1024).help("instead of these three: ports of each switch");
    options.add("oversubscription", oversubscription_)
        .at_least(1)
        .help("with radix: bandwidth down over bandwidth up of a leaf");
    options.add("uplink", uplink_).default_text("as a host's link").help("link from a leaf to a spine");
    declare_link(options);
    declare_hosts(options);
  }
  [[nodiscard]] std::optional<double> bisection() const override {
    const Shape s = shape();
    if (devices_per_host() > 1 && (!host_is_no_bottleneck() || s.leaves * s.per_leaf % 2 != 0)) return {};
    return tree_bisection(s.leaves, s.per_leaf, link().bandwidth,
                          static_cast<double>(s.spines) * link_or(uplink_).bandwidth);
  }

 protected:
  [[nodiscard]] FabricCounts count() const override {
    const Shape s = shape();
    const std::int64_t hosts = s.leaves * s.per_leaf;
    return {.hosts = hosts, .switches = s.leaves + s.spines, .links = hosts + s.leaves * s.spines};
  }
  void lay_out(Plan& plan) const override {
    const Shape s = shape();
    std::vector<NodeId> spines;
    for (std::int64_t i = 0; i < s.spines; ++i)
      spines.push_back(plan.add_switch("spine" + std::to_string(i)));
    for (std::int64_t i = 0; i < s.leaves; ++i) {
      const NodeId leaf = plan.add_switch("leaf" + std::to_string(i));
      for (std::int64_t j = 0; j < s.per_leaf; ++j) plan.join(add_host(plan), leaf, link());
      for (const NodeId spine : spines) plan.join(leaf, spine, link_or(uplink_));
    }
    set_site(plan, spines.front());
  }

 private:
  struct Shape {
    std::int64_t leaves = 0, spines = 0, per_leaf = 0;
  };
  [[nodiscard]] Shape shape() const {
    const bool listed = leaves_ || spines_ || per_leaf_;
    if (!radix_) {
      if (oversubscription_) refuse_fabric("oversubscription", "needs a radix");
      if (!leaves_ || !spines_ || !per_leaf_) {
        refuse_fabric(!leaves_   ? "leaves"
                      : !spines_ ? "spines"
                                 : "hosts_per_leaf",
                      "is missing", "leaves, spines and hosts_per_leaf; or radix");
      }
      return {*leaves_, *spines_, *per_leaf_};
    }
    if (listed)
      refuse_fabric("radix", "says how many leaves, spines and hosts there are; they are stated too");
    const double o = oversubscription_.value_or(1), down = static_cast<double>(*radix_) * o / (1 + o);
    const auto per_leaf = static_cast<std::int64_t>(std::llround(down));
    if (std::abs(down - static_cast<double>(per_leaf)) > 1e-9 || per_leaf >= *radix_) {
      refuse_fabric(
          oversubscription_ ? "oversubscription" : "radix",
          std::to_string(*radix_) + " ports do not divide into whole ports down and up",
          "radix x o / (1 + o) a whole number below the radix; an even radix without oversubscription");
    }
    return {*radix_, *radix_ - per_leaf, per_leaf};
  }

  std::optional<std::int64_t> leaves_, spines_, per_leaf_, radix_;
  std::optional<double> oversubscription_;
  std::optional<LinkOptions> uplink_;
};

}  // namespace

std::unique_ptr<FabricBuilder> make_leaf_spine() {
  return std::make_unique<LeafSpine>();
}

}  // namespace convoy
