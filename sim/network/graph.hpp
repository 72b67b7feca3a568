// The physical network: nodes (hosts, switches, gateways), links and the routes between nodes.
//
//   NetworkGraph graph;
//   NodeId a = graph.add_node({.name = "a", .site = "fra"}), sw = graph.add_node({.name = "switch"}), b =
//   ...; graph.add_link(a, sw, {.bandwidth = 12.5e9, .latency = Duration::nanoseconds(936)}); PathSummary
//   path = graph.path(a, b);     // latency and slowest link of the route
//
// A link is two directed arcs, one a way. Routes are shortest by total latency, then by hops; among equals
// each node is reached over the arc of lowest number (see Routing for other rules). Hosts with one link cost
// no search; other routes are cached. A graph is used by one thread at a time (its cache is not
// synchronised); copy it for another run.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace convoy {

/// Number of a node, from 0 in the order of add_node.
struct NodeId {
  std::int32_t index = -1;
  constexpr auto operator<=>(const NodeId&) const = default;
};

/// Number of a link, from 0 in the order of add_link.
struct LinkId {
  std::int32_t index = -1;
  constexpr auto operator<=>(const LinkId&) const = default;
};

/// One direction of a link: 2 x link for the way it was added (a to b), plus 1 for the way back.
struct ArcId {
  std::int32_t index = -1;
  constexpr auto operator<=>(const ArcId&) const = default;
  [[nodiscard]] constexpr LinkId link() const { return {index / 2}; }
  [[nodiscard]] constexpr bool reverse() const { return index % 2 != 0; }
};
[[nodiscard]] constexpr ArcId forward(LinkId link) {
  return {2 * link.index};
}
[[nodiscard]] constexpr ArcId backward(LinkId link) {
  return {2 * link.index + 1};
}

/// Who shares the capacity of a link.
enum class Sharing {
  full_duplex,  ///< each direction has the whole bandwidth for itself (NVLink, switched Ethernet, a WAN
                ///< circuit)
  half_duplex,  ///< both directions share one bandwidth (a bus, a radio channel)
  one_way,      ///< only from a to b (an uplink and a downlink that differ are two of these)
  fat_pipe,     ///< never contended: the bandwidth bounds each flow alone (a backbone; SimGrid's FATPIPE)
};

struct LinkSpec {
  double bandwidth = 0;  ///< B/s (of each direction where full_duplex); positive and finite
  Duration latency{};    ///< of one traversal; not negative
  Sharing sharing = Sharing::full_duplex;
  std::string name{};  ///< shown in results; "<a>-<b>" if empty
};

struct NodeSpec {
  std::string name{};
  std::string site{};    ///< region or host that the node belongs to; equal sites are kept adjacent in rings;
                         ///< may be empty
  Duration loopback{};   ///< time of a transfer from the node to itself
  bool forwards = true;  ///< whether a searched route may lead through it (an accelerator forwards nothing)
};

/// What a route costs without contention.
struct PathSummary {
  Duration latency{};    ///< sum over the links; the loopback time where from == to
  double bandwidth = 0;  ///< B/s of the slowest link; infinity where from == to
  std::size_t hops = 0;
};

/// How a route is searched where none is fixed.
enum class Routing {
  shortest,  ///< least latency, then fewest hops; among equals each node over its arc of lowest number
  ecmp,      ///< as short, but among equals by a hash of the two ends: equal-cost multi-path, a path a pair
  fewest_hops,  ///< fewest hops, then least latency: a direct link is used even if a detour has less latency
};

class NetworkGraph {
 public:
  /// Throws ConfigError for an empty or repeated name or a negative loopback time.
  NodeId add_node(NodeSpec spec);
  NodeId add_node(std::string name) {
    return add_node(NodeSpec{.name = std::move(name), .site = {}, .loopback = {}});
  }
  /// Throws ConfigError "links[3].bandwidth must be > 0" for a bandwidth that is not positive and finite, a
  /// negative latency, or a link from a node to itself. Parallel links are legal.
  LinkId add_link(NodeId a, NodeId b, LinkSpec spec);
  /// Routing::shortest unless set.
  void set_routing(Routing routing);
  [[nodiscard]] Routing routing() const { return routing_; }
  /// Fixes the route from `from` to `to` (one way), overriding the search. Throws std::logic_error unless the
  /// arcs lead from one to the other.
  void set_route(NodeId from, NodeId to, std::vector<ArcId> arcs);

  /// The same over links that need not join end to end: SimGrid's platforms list the links of a pair, and a
  /// link has no ends there.
  void set_listed_route(NodeId from, NodeId to, std::vector<ArcId> arcs);
  [[nodiscard]] const std::map<std::pair<NodeId, NodeId>, std::vector<ArcId>>& fixed_routes() const {
    return fixed_routes_;
  }

  /// The arcs from `from` to `to`; empty where they are equal. Throws ConfigError naming both if there is no
  /// way.
  [[nodiscard]] std::vector<ArcId> route(NodeId from, NodeId to) const;
  /// The same, appended to `arcs`.
  void append_route(NodeId from, NodeId to, std::vector<ArcId>& arcs) const;
  /// Whether there is a way.
  [[nodiscard]] bool reaches(NodeId from, NodeId to) const;
  [[nodiscard]] PathSummary path(NodeId from, NodeId to) const;

  [[nodiscard]] std::size_t nodes() const { return nodes_.size(); }
  [[nodiscard]] std::size_t links() const { return links_.size(); }
  [[nodiscard]] std::size_t arcs() const { return 2 * links_.size(); }
  [[nodiscard]] const NodeSpec& node(NodeId id) const { return nodes_.at(position(id)); }
  [[nodiscard]] const LinkSpec& link(LinkId id) const { return links_.at(position(id)).spec; }
  [[nodiscard]] NodeId tail(ArcId arc) const;  ///< where the arc starts
  [[nodiscard]] NodeId head(ArcId arc) const;  ///< where it ends
  /// Whether traffic may take this direction (false for the way back of a one_way link).
  [[nodiscard]] bool usable(ArcId arc) const;
  /// "fra->iad" for results: the link's name with the direction, or the names of its ends.
  [[nodiscard]] std::string arc_name(ArcId arc) const;
  /// Throws ConfigError with the nearest name.
  [[nodiscard]] NodeId find(std::string_view name) const;

 private:
  struct Link {
    NodeId a, b;
    LinkSpec spec;
  };
  /// Arcs of last resort to each node of a shortest-path tree from one source; index -1 at the source and
  /// where cut off.
  using Tree = std::vector<ArcId>;

  template <class Id>
  [[nodiscard]] static std::size_t position(Id id) {
    return static_cast<std::size_t>(id.index);
  }
  void require(NodeId id) const;
  [[noreturn]] void unreachable(NodeId from, NodeId to) const;
  [[nodiscard]] const std::vector<ArcId>& searched_route(NodeId from, NodeId to) const;
  [[nodiscard]] const Tree& tree_from(NodeId source) const;
  /// Length of the shortest way from a source to each node: latency and hops, in the order of the rule.
  struct Distance {
    std::int64_t first = 0, second = 0;
    constexpr auto operator<=>(const Distance&) const = default;
  };
  [[nodiscard]] Distance length(ArcId arc) const;
  /// Whether a way from `source` may go on over that arc: it starts there, or at a node that forwards.
  [[nodiscard]] bool carries_on(ArcId arc, NodeId source) const {
    const NodeId start = tail(arc);
    return start == source || nodes_[position(start)].forwards;
  }
  [[nodiscard]] static Distance sum(const Distance& a, const Distance& b);
  [[nodiscard]] std::vector<Distance> search(NodeId source) const;
  /// A shortest way chosen by `key` among all of them. Empty where there is none.
  [[nodiscard]] std::vector<ArcId> spread_route(NodeId from, NodeId to, std::uint64_t key) const;

  std::vector<NodeSpec> nodes_;
  std::vector<Link> links_;
  std::vector<std::vector<ArcId>> out_, in_;  // usable arcs of each node, ascending
  std::unordered_map<std::string, NodeId> by_name_;
  std::map<std::pair<NodeId, NodeId>, std::vector<ArcId>> fixed_routes_;
  mutable std::unordered_map<std::uint64_t, std::vector<ArcId>> searched_;
  Routing routing_ = Routing::shortest;
  mutable std::unordered_map<std::int32_t, Tree> trees_;
  mutable std::unordered_map<std::int32_t, std::vector<Distance>> distances_;  // of Routing::ecmp
};

}  // namespace convoy
