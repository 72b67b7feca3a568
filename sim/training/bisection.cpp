#include "training/bisection.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/push_relabel_max_flow.hpp>
#include <cstdlib>
#include <limits>
#include <map>
#include <stdexcept>
#include <utility>
#include <vector>

namespace convoy {
namespace {

/// Maximum flow from one set of devices to the others.
class Cut {
 public:
  explicit Cut(const PhysicalNetwork& machines)
      : source_(machines.graph.nodes()), sink_(source_ + 1), flow_(machines.graph.nodes() + 2) {
    const NetworkGraph& graph = machines.graph;
    for (std::size_t i = 0; i < graph.links(); ++i) {
      const LinkId link{static_cast<std::int32_t>(i)};
      const double back = graph.usable(backward(link)) ? graph.link(link).bandwidth : 0;
      join(place(graph.tail(forward(link))), place(graph.head(forward(link))), graph.link(link).bandwidth,
           back);
      unlimited_ += 2 * graph.link(link).bandwidth;
    }
    for (const PhysicalNetwork::Device& device : machines.devices) {
      from_.push_back(join(source_, place(device.node), 0, 0));
      to_.push_back(join(place(device.node), sink_, 0, 0));
    }
  }
  /// B/s from the devices with side[i] to those without.
  [[nodiscard]] double bandwidth(const std::vector<bool>& side) {
    for (std::size_t i = 0; i < side.size(); ++i) {
      capacity()[from_[i]] = side[i] ? unlimited_ : 0;
      capacity()[to_[i]] = side[i] ? 0 : unlimited_;
    }
    return boost::push_relabel_max_flow(flow_, source_, sink_);
  }

 private:
  using Traits = boost::adjacency_list_traits<boost::vecS, boost::vecS, boost::directedS>;
  using Flow = boost::adjacency_list<
      boost::vecS, boost::vecS, boost::directedS, boost::no_property,
      boost::property<boost::edge_capacity_t, double,
                      boost::property<boost::edge_residual_capacity_t, double,
                                      boost::property<boost::edge_reverse_t, Traits::edge_descriptor>>>>;
  static std::size_t place(NodeId node) { return static_cast<std::size_t>(node.index); }
  boost::property_map<Flow, boost::edge_capacity_t>::type capacity() {
    return boost::get(boost::edge_capacity, flow_);
  }
  Traits::edge_descriptor join(std::size_t a, std::size_t b, double there, double back) {
    const auto edge = boost::add_edge(a, b, flow_).first, other = boost::add_edge(b, a, flow_).first;
    capacity()[edge] = there;
    capacity()[other] = back;
    const auto reverse = boost::get(boost::edge_reverse, flow_);
    reverse[edge] = other;
    reverse[other] = edge;
    return edge;
  }

  double unlimited_ = 0;  // B/s: more than all links
  std::size_t source_, sink_;
  Flow flow_;
  std::vector<Traits::edge_descriptor> from_, to_;
};

bool has_one_way_links(const NetworkGraph& graph) {
  for (std::size_t i = 0; i < graph.links(); ++i) {
    if (graph.link({static_cast<std::int32_t>(i)}).sharing == Sharing::one_way) return true;
  }
  return false;
}

/// Devices on the switch of their site, and links between these switches: nothing where the network is
/// another.
struct Star {
  std::vector<std::vector<double>> devices;  ///< bandwidths of the device links, by site
  struct Wan {
    std::size_t from, to;
    double bandwidth;
  };
  std::vector<Wan> wan;
  static std::optional<Star> of(const PhysicalNetwork& machines) {
    const NetworkGraph& graph = machines.graph;
    std::map<NodeId, std::size_t> site_at, site_of;
    for (const PhysicalNetwork::Site& site : machines.sites) site_at.emplace(site.attach, site_at.size());
    if (site_at.size() != machines.sites.size()) return std::nullopt;
    for (const PhysicalNetwork::Device& device : machines.devices) {
      const std::size_t site = site_at.at(machines.site(device.site).attach);
      if (!site_of.emplace(device.node, site).second) return std::nullopt;
    }
    if (graph.nodes() != site_at.size() + site_of.size()) return std::nullopt;
    Star star;
    star.devices.resize(site_at.size());
    std::size_t device_links = 0;
    for (std::size_t i = 0; i < graph.links(); ++i) {
      const LinkId link{static_cast<std::int32_t>(i)};
      NodeId a = graph.tail(forward(link)), b = graph.head(forward(link));
      if (site_of.contains(b)) std::swap(a, b);
      if (graph.link(link).sharing != Sharing::full_duplex || !site_at.contains(b)) return std::nullopt;
      if (site_at.contains(a)) {
        star.wan.push_back({site_at.at(a), site_at.at(b), graph.link(link).bandwidth});
      } else {
        if (site_of.at(a) != site_at.at(b)) return std::nullopt;
        star.devices[site_at.at(b)].push_back(graph.link(link).bandwidth);
        ++device_links;
      }
    }
    if (device_links != machines.devices.size()) return std::nullopt;
    return star;
  }
  /// All sides of the switches are tried; devices are moved over their own links from the side that has too
  /// many, the slowest links first.
  [[nodiscard]] double least_cut(std::size_t half) const {
    double least = std::numeric_limits<double>::infinity();
    for (std::uint32_t sides = 0; sides < (1U << devices.size()); ++sides) {
      const auto side = [sides](std::size_t site) { return (sides >> site) & 1U; };
      double cut = 0;
      for (const Wan& link : wan) {
        if (side(link.from) != side(link.to)) cut += link.bandwidth;
      }
      std::ptrdiff_t on_first = 0;
      for (std::size_t r = 0; r < devices.size(); ++r) {
        if (side(r) == 0) on_first += static_cast<std::ptrdiff_t>(devices[r].size());
      }
      const std::ptrdiff_t to_move = on_first - static_cast<std::ptrdiff_t>(half);
      std::vector<double> movable;
      for (std::size_t r = 0; r < devices.size(); ++r) {
        if (side(r) == (to_move > 0 ? 0U : 1U))
          movable.insert(movable.end(), devices[r].begin(), devices[r].end());
      }
      std::sort(movable.begin(), movable.end());
      for (std::size_t i = 0; i < static_cast<std::size_t>(std::abs(to_move)); ++i) cut += movable[i];
      least = std::min(least, cut);
    }
    return least;
  }
};

/// The least over some halves: in the order of devices, every other one, and halves of every host.
double some_halves(const PhysicalNetwork& machines) {
  Cut cut(machines);
  const std::size_t n = machines.devices.size();
  const bool directed = has_one_way_links(machines.graph);
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](std::vector<bool> side) {
    least = std::min(least, cut.bandwidth(side));
    if (!directed) return;
    side.flip();
    least = std::min(least, cut.bandwidth(side));
  };
  for (std::size_t shift = 0; shift < n / 2; shift += std::max<std::size_t>(1, n / 8)) {
    std::vector<bool> side(n, false);
    for (std::size_t i = 0; i < n / 2; ++i) side[(i + shift) % n] = true;
    consider(std::move(side));
  }
  std::vector<bool> odd(n, false);
  for (std::size_t i = 0; i < n / 2; ++i) odd[2 * i + 1] = true;
  consider(std::move(odd));
  return least;
}

}  // namespace

double least_cut_of_halves(const PhysicalNetwork& machines) {
  constexpr std::size_t most_devices = 20;
  const std::size_t n = machines.devices.size();
  if (n > most_devices) throw std::logic_error("too many devices to try all halves");
  const bool directed = has_one_way_links(machines.graph);
  Cut cut(machines);
  double least = std::numeric_limits<double>::infinity();
  std::vector<bool> side(n, false);
  std::fill(side.begin() + static_cast<std::ptrdiff_t>(n - n / 2), side.end(), true);
  do {
    // A half and its complement carry the same where links are the same both ways.
    if (!directed && n % 2 == 0 && side.front()) break;
    least = std::min(least, cut.bandwidth(side));
    if (directed && n % 2 != 0) {
      side.flip();
      least = std::min(least, cut.bandwidth(side));
      side.flip();
    }
  } while (std::next_permutation(side.begin(), side.end()));
  return least;
}

std::optional<Bisection> bisection_bandwidth(const PhysicalNetwork& machines, const FabricBuilder* fabric) {
  constexpr std::size_t most_sites = 16, most_devices = 16;
  if (machines.devices.size() < 2) return std::nullopt;
  if (fabric != nullptr) {
    if (const std::optional<double> closed = fabric->bisection()) {
      return Bisection{.bandwidth = *closed, .how = fmt::format("closed form of {}", fabric->kind())};
    }
  }
  if (machines.links_without_ends) return std::nullopt;
  Bisection result;
  if (const std::optional<Star> star = Star::of(machines); star && star->devices.size() <= most_sites) {
    result = {.bandwidth = star->least_cut(machines.devices.size() / 2), .how = "all sides of the switches"};
  } else if (machines.devices.size() <= most_devices) {
    result = {.bandwidth = least_cut_of_halves(machines),
              .how = fmt::format("all halves of {} devices", machines.devices.size())};
  } else {
    result = {.bandwidth = some_halves(machines), .exact = false, .how = "the least of some halves"};
  }
  if (!machines.hosts.empty() && !machines.graph.fixed_routes().empty()) {  // those of fabrics are their own
    result.exact = false;
    result.how += ", by any way: listed routes may carry less";
  }
  return result;
}

}  // namespace convoy
