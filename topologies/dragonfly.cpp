// Dragonfly (Kim, Dally, Scott, Abts, ISCA 2008): groups of a routers that are all joined to each other, p
// hosts and h global links a router. At most a h + 1 groups; with all of them each pair of groups shares one
// global link and every way has at most three router hops (local, global, local), 5 hops between hosts. With
// fewer groups each pair shares floor(a h / (g - 1)) links. Balanced: a = 2p = 2h. Servers attach to router 0
// of group 0.
#include <string>

#include "topologies/fabric.hpp"
#include "topologies/fabrics.hpp"

namespace convoy {

namespace {

class Dragonfly final : public Fabric {
 public:
  [[nodiscard]] std::string_view kind() const override { return "dragonfly"; }
  [[nodiscard]] std::string_view about() const override {
    return "groups of routers, a few global links between groups";
  }
  void declare(Options& options) override {
    options.add("routers", a_)
        .required()
        .between(1, 1024)
        .help("a: routers of each group")
        .source("ISCA 2008");
    options.add("hosts_per_router", p_).required().between(1, 1024).help("p");
    options.add("global_links", h_)
        .required()
        .between(1, 1024)
        .help("h: links of each router to other groups");
    options.add("groups", groups_).at_least(1).default_text("a h + 1, the most");
    options.add("local", local_).default_text("as a host's link").help("link between routers of a group");
    options.add("global", global_).default_text("as a host's link").help("link between groups");
    declare_link(options);
    declare_hosts(options);
  }

 protected:
  [[nodiscard]] FabricCounts count() const override {
    const std::int64_t g = groups(), pairs = g * (g - 1) / 2;
    const std::int64_t hosts = a_ * p_ * g;
    return {
        .hosts = hosts, .switches = a_ * g, .links = hosts + g * a_ * (a_ - 1) / 2 + pairs * links_a_pair()};
  }
  void lay_out(Plan& plan) const override {
    std::vector<std::vector<NodeId>> routers;
    for (std::int64_t g = 0; g < groups(); ++g) {
      std::vector<NodeId>& group = routers.emplace_back();
      for (std::int64_t r = 0; r < a_; ++r) {
        group.push_back(plan.add_switch("group" + std::to_string(g) + ".r" + std::to_string(r)));
        for (std::int64_t other = 0; other < r; ++other) {
          plan.join(group[static_cast<std::size_t>(other)], group.back(), link_or(local_));
        }
        for (std::int64_t host = 0; host < p_; ++host) plan.join(add_host(plan), group.back(), link());
      }
    }
    const std::int64_t n = groups(), each = links_a_pair();
    // Port q of a group belongs to its router q / h and leads to the group (q / each + 1) further.
    const auto router = [&](std::int64_t from, std::int64_t to, std::int64_t i) {
      const std::int64_t port = (to - from - 1 + n) % n * each + i;
      return routers[static_cast<std::size_t>(from)][static_cast<std::size_t>(port / h_)];
    };
    for (std::int64_t x = 0; x < n; ++x) {
      for (std::int64_t y = x + 1; y < n; ++y) {
        for (std::int64_t i = 0; i < each; ++i) plan.join(router(x, y, i), router(y, x, i), link_or(global_));
      }
    }
    set_site(plan, routers.front().front());
  }

 private:
  [[nodiscard]] std::int64_t groups() const {
    const std::int64_t most = a_ * h_ + 1, g = groups_.value_or(most);
    if (g > most) {
      refuse_fabric("groups",
                    std::to_string(g) + " groups need " + std::to_string(g - 1) + " global links each, and " +
                        std::to_string(a_) + " routers with " + std::to_string(h_) + " have " +
                        std::to_string(a_ * h_),
                    "at most routers x global_links + 1 = " + std::to_string(most));
    }
    return g;
  }
  [[nodiscard]] std::int64_t links_a_pair() const { return groups() > 1 ? a_ * h_ / (groups() - 1) : 0; }

  std::int64_t a_ = 0, p_ = 0, h_ = 0;
  std::optional<std::int64_t> groups_;
  std::optional<LinkOptions> local_, global_;
};

}  // namespace

std::unique_ptr<FabricBuilder> make_dragonfly() {
  return std::make_unique<Dragonfly>();
}

}  // namespace convoy
