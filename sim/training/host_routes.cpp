#include "training/host_routes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace convoy {
namespace {

class RouteLister {
 public:
  RouteLister(const Names<NodeId>& nodes, const Names<LinkId>& links, std::optional<NodeId> unplaced,
              NetworkGraph& graph)
      : nodes_(nodes), links_(links), unplaced_(unplaced), graph_(graph) {}

  void add_route(const RouteOptions& route, const std::string& path) {
    const NodeId from = nodes_.at(route.from, path + ".from"), to = nodes_.at(route.to, path + ".to");
    if (from == to) refuse_cluster(path, "leads from " + in_quotes(route.from) + " to itself");
    std::vector<RouteLink> over;
    for (std::size_t i = 0; i < route.over.size(); ++i) {
      const std::string place = item_path(path + ".over", i);
      const bool against = route.over[i].starts_with('-') && !links_.has(route.over[i]);
      const LinkId link = links_.at(against ? route.over[i].substr(1) : route.over[i], place);
      over.push_back({.link = link, .against = against, .placed = has_ends(link)});
    }
    std::vector<ArcId> way;
    std::optional<NodeId> at = from;  // unknown behind a link without ends
    for (std::size_t i = 0; i < over.size(); ++i) {
      const std::string place = item_path(path + ".over", i);
      const ArcId arc = arc_of(over, i, at, to);
      if (over[i].placed && at && graph_.tail(arc) != *at) {
        refuse_cluster(place,
                       fmt::format("the route from {} to {} breaks: {} does not start at {}", route.from,
                                   route.to, in_quotes(route.over[i]), in_quotes(graph_.node(*at).name)));
      }
      check_direction(route, arc, place);
      at = over[i].placed ? std::optional(graph_.head(arc)) : std::nullopt;
      way.push_back(arc);
    }
    if (at && *at != to) {
      refuse_cluster(path + ".over", fmt::format("the route from {} to {} ends at {}", route.from, route.to,
                                                 in_quotes(graph_.node(*at).name)));
    }
    set_route(route, path, from, to, way);
    if (!route.both_ways) return;
    std::reverse(way.begin(), way.end());
    for (ArcId& arc : way) arc.index ^= 1;
    set_route(route, path, to, from, way);
  }

 private:
  /// A link as a route names it.
  struct RouteLink {
    LinkId link;
    bool against, placed;
  };

  /// Whether a link has ends in the network.
  [[nodiscard]] bool has_ends(LinkId link) const {
    return !unplaced_ || graph_.tail(forward(link)) != *unplaced_;
  }

  /// The direction in which a route takes its i-th link: from where the route is, where that is known, else
  /// towards what follows.
  [[nodiscard]] ArcId arc_of(const std::vector<RouteLink>& over, std::size_t i, std::optional<NodeId> at,
                             NodeId to) const {
    const ArcId there = forward(over[i].link), back = backward(over[i].link);
    if (!over[i].placed) return over[i].against ? back : there;
    if (at) return graph_.tail(there) == *at ? there : back;
    const auto leads_on = [&](ArcId arc) {
      if (i + 1 == over.size()) return graph_.head(arc) == to;
      const ArcId next = forward(over[i + 1].link);
      return over[i + 1].placed &&
             (graph_.head(arc) == graph_.tail(next) || graph_.head(arc) == graph_.head(next));
    };
    return over[i].against || (leads_on(back) && !leads_on(there)) ? back : there;
  }

  void check_direction(const RouteOptions& route, ArcId arc, const std::string& place) const {
    const LinkSpec& spec = graph_.link(arc.link());
    if (spec.sharing != Sharing::one_way || (!arc.reverse() && !route.both_ways)) return;
    refuse_cluster(
        place,
        fmt::format("the route between {} and {} takes {} {}, a link of one way", route.from, route.to,
                    in_quotes(spec.name), route.both_ways ? "both ways" : "against its direction"),
        "\"both_ways\": false and another route back");
  }

  void set_route(const RouteOptions& route, const std::string& path, NodeId from, NodeId to,
                 const std::vector<ArcId>& way) {
    if (graph_.fixed_routes().contains({from, to}))
      refuse_cluster(path, fmt::format("the route between {} and {} is stated twice", route.from, route.to));
    graph_.set_listed_route(from, to, way);
  }

  const Names<NodeId>& nodes_;
  const Names<LinkId>& links_;
  std::optional<NodeId> unplaced_;
  NetworkGraph& graph_;
};

}  // namespace

void add_listed_routes(const std::vector<RouteOptions>& routes, const Names<NodeId>& nodes,
                       const Names<LinkId>& links, std::optional<NodeId> unplaced, NetworkGraph& graph) {
  RouteLister lister(nodes, links, unplaced, graph);
  for (std::size_t i = 0; i < routes.size(); ++i) lister.add_route(routes[i], item_path("routes", i));
}

}  // namespace convoy
