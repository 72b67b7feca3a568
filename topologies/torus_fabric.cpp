// Torus of any number of sides (TPU pods have two or three): hosts are joined to their neighbours in each
// side. n = product of the sides; n links a side of at least 3, n/2 a side of 2; diameter sum floor(side /
// 2); bisection 2 n / max side links where the largest side is even (n / 2 where it is 2).
//
// hypercube: a torus whose sides are all 2. Servers attach to the first host.
#include <algorithm>
#include <numeric>
#include <string>

#include "topologies/fabric.hpp"
#include "topologies/fabrics.hpp"

namespace convoy {

namespace {

class TorusBase : public Fabric {
 public:
  [[nodiscard]] std::optional<double> bisection() const override {
    const std::vector<std::int64_t> s = sides();
    const std::int64_t longest = *std::max_element(s.begin(), s.end());
    if (longest % 2 != 0 || !host_is_no_bottleneck() || devices_per_host() > 1) return {};
    return static_cast<double>(longest == 2 ? hosts() / 2 : 2 * hosts() / longest) * link().bandwidth;
  }

 protected:
  [[nodiscard]] virtual std::vector<std::int64_t> sides() const = 0;
  [[nodiscard]] std::int64_t hosts() const {
    double product = 1;
    const std::vector<std::int64_t> s = sides();
    for (const std::int64_t side : s) product *= static_cast<double>(side);
    if (product > static_cast<double>(most_devices)) {
      refuse_fabric("sides", "the torus has too many hosts", "at most " + std::to_string(most_devices));
    }
    return std::accumulate(s.begin(), s.end(), std::int64_t{1}, std::multiplies<>());
  }
  [[nodiscard]] FabricCounts count() const override {
    const std::int64_t n = hosts();
    std::int64_t links = 0;
    for (const std::int64_t side : sides()) links += side >= 3 ? n : side == 2 ? n / 2 : 0;
    return {.hosts = n, .switches = 0, .links = links};
  }
  void lay_out(Plan& plan) const override {
    std::vector<NodeId> nodes;
    const std::int64_t n = hosts();
    for (std::int64_t i = 0; i < n; ++i) nodes.push_back(add_host(plan));
    std::int64_t stride = 1;
    // The last side varies fastest.
    std::vector<std::int64_t> s = sides();
    std::reverse(s.begin(), s.end());
    for (const std::int64_t side : s) {
      for (std::int64_t i = 0; i < n && side > 1; ++i) {
        const std::int64_t digit = i / stride % side;
        if (side == 2 && digit == 1) continue;
        const std::int64_t next = i + ((digit + 1) % side - digit) * stride;
        plan.join(nodes[static_cast<std::size_t>(i)], nodes[static_cast<std::size_t>(next)], link());
      }
      stride *= side;
    }
    set_site(plan, nodes.front());
  }
};

class Torus final : public TorusBase {
 public:
  [[nodiscard]] std::string_view kind() const override { return "torus"; }
  [[nodiscard]] std::string_view about() const override {
    return "hosts joined to their neighbours, without switches";
  }
  void declare(Options& options) override {
    options.add("sides", sides_)
        .required()
        .items(1, 6)
        .between(1, 1e6)
        .help("[4, 4, 4]: hosts along each side; host numbers run along the last first");
    declare_link(options);
    declare_hosts(options);
  }

 protected:
  [[nodiscard]] std::vector<std::int64_t> sides() const override { return sides_; }

 private:
  std::vector<std::int64_t> sides_;
};

class Hypercube final : public TorusBase {
 public:
  [[nodiscard]] std::string_view kind() const override { return "hypercube"; }
  [[nodiscard]] std::string_view about() const override {
    return "2^d hosts joined where their numbers differ in one bit";
  }
  void declare(Options& options) override {
    options.add("dimensions", dimensions_).required().between(1, 16).help("d");
    declare_link(options);
    declare_hosts(options);
  }

 protected:
  [[nodiscard]] std::vector<std::int64_t> sides() const override {
    return std::vector<std::int64_t>(static_cast<std::size_t>(dimensions_), 2);
  }

 private:
  std::int64_t dimensions_ = 1;
};

}  // namespace

std::unique_ptr<FabricBuilder> make_torus_fabric() {
  return std::make_unique<Torus>();
}
std::unique_ptr<FabricBuilder> make_hypercube_fabric() {
  return std::make_unique<Hypercube>();
}

}  // namespace convoy
