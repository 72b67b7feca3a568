#include "network/graph.hpp"

#include <algorithm>
#include <boost/graph/adjacency_list.hpp>
#include <boost/graph/dijkstra_shortest_paths_no_color_map.hpp>
#include <boost/property_map/function_property_map.hpp>
#include <cmath>
#include <functional>
#include <limits>
#include <stdexcept>

#include "core/error.hpp"
#include "core/options.hpp"
#include "core/random.hpp"

namespace convoy {

namespace {

constexpr std::int64_t infinitely_far = std::numeric_limits<std::int64_t>::max();

/// Entries of all cached trees together; beyond it the cache starts anew.
constexpr std::size_t most_tree_entries = std::size_t{1} << 24;

ConfigError fault(std::string path, std::string message, std::string found = {}, std::string allowed = {},
                  std::string hint = {}) {
  ConfigFault f;
  f.path = std::move(path);
  f.message = std::move(message);
  f.found = std::move(found);
  f.allowed = std::move(allowed);
  f.hint = std::move(hint);
  return ConfigError(std::move(f));
}

std::uint64_t pair_key(NodeId from, NodeId to) {
  return static_cast<std::uint64_t>(static_cast<std::uint32_t>(from.index)) << 32 |
         static_cast<std::uint32_t>(to.index);
}

}  // namespace

NodeId NetworkGraph::add_node(NodeSpec spec) {
  const std::string path = "nodes[" + std::to_string(nodes_.size()) + "]";
  if (spec.name.empty()) throw fault(path + ".name", "a node needs a name");
  if (spec.loopback < Duration::zero()) throw fault(path + ".loopback", "a loopback time cannot be negative");
  const NodeId id{static_cast<std::int32_t>(nodes_.size())};
  if (!by_name_.emplace(spec.name, id).second) {
    throw fault(path + ".name", "two nodes have the same name", spec.name);
  }
  nodes_.push_back(std::move(spec));
  out_.emplace_back();
  in_.emplace_back();
  trees_.clear();
  distances_.clear();
  return id;
}

LinkId NetworkGraph::add_link(NodeId a, NodeId b, LinkSpec spec) {
  require(a);
  require(b);
  const std::string path = "links[" + std::to_string(links_.size()) + "]";
  if (!(spec.bandwidth > 0) || !std::isfinite(spec.bandwidth)) {
    throw fault(path + ".bandwidth", "must be > 0", std::to_string(spec.bandwidth) + " B/s");
  }
  if (spec.latency < Duration::zero()) throw fault(path + ".latency", "must be >= 0");
  if (a == b)
    throw fault(path, "a link joins two nodes, this one starts and ends at \"" + node(a).name + "\"");
  if (spec.name.empty()) spec.name = node(a).name + "-" + node(b).name;
  const LinkId id{static_cast<std::int32_t>(links_.size())};
  const bool both_ways = spec.sharing != Sharing::one_way;
  links_.push_back({a, b, std::move(spec)});
  out_[position(a)].push_back(forward(id));
  in_[position(b)].push_back(forward(id));
  if (both_ways) {
    out_[position(b)].push_back(backward(id));
    in_[position(a)].push_back(backward(id));
  }
  trees_.clear();
  distances_.clear();
  searched_.clear();
  return id;
}

void NetworkGraph::set_routing(Routing routing) {
  routing_ = routing;
  trees_.clear();
  distances_.clear();
  searched_.clear();
}

void NetworkGraph::set_route(NodeId from, NodeId to, std::vector<ArcId> arcs) {
  require(from);
  require(to);
  NodeId at = from;
  for (const ArcId arc : arcs) {
    if (position(arc) >= this->arcs() || !usable(arc) || tail(arc) != at) {
      throw std::logic_error("a fixed route from " + node(from).name + " to " + node(to).name +
                             " breaks at " + node(at).name);
    }
    at = head(arc);
  }
  if (at != to) {
    throw std::logic_error("a fixed route from " + node(from).name + " ends at " + node(at).name +
                           ", not at " + node(to).name);
  }
  fixed_routes_[{from, to}] = std::move(arcs);
}

void NetworkGraph::set_listed_route(NodeId from, NodeId to, std::vector<ArcId> arcs) {
  require(from);
  require(to);
  for (const ArcId arc : arcs) {
    if (arc.index < 0 || position(arc) >= this->arcs() || !usable(arc)) {
      throw std::logic_error("a listed route from " + node(from).name + " to " + node(to).name +
                             " takes a link that it cannot");
    }
  }
  fixed_routes_[{from, to}] = std::move(arcs);
}

std::vector<ArcId> NetworkGraph::route(NodeId from, NodeId to) const {
  std::vector<ArcId> arcs;
  append_route(from, to, arcs);
  return arcs;
}

void NetworkGraph::append_route(NodeId from, NodeId to, std::vector<ArcId>& arcs) const {
  require(from);
  require(to);
  if (!fixed_routes_.empty()) {
    if (const auto fixed = fixed_routes_.find({from, to}); fixed != fixed_routes_.end()) {
      arcs.insert(arcs.end(), fixed->second.begin(), fixed->second.end());
      return;
    }
  }
  if (from == to) return;
  // A node with one way out or one way in needs no search there; what is left is the way between their
  // neighbours.
  NodeId start = from;
  if (out_[position(from)].size() == 1) {
    const ArcId first = out_[position(from)].front();
    if (head(first) == to || node(head(first)).forwards) {
      arcs.push_back(first);
      start = head(first);
    }
    if (start == to) return;
  }
  const auto append_way_to = [&](NodeId end) {
    std::vector<ArcId> spread;
    if (routing_ == Routing::ecmp) spread = spread_route(start, end, pair_key(from, to));
    const std::vector<ArcId>& way = routing_ == Routing::ecmp ? spread : searched_route(start, end);
    if (way.empty()) unreachable(from, to);
    arcs.insert(arcs.end(), way.begin(), way.end());
  };
  if (in_[position(to)].size() != 1) return append_way_to(to);
  const ArcId last = in_[position(to)].front();
  if (!carries_on(last, start)) return append_way_to(to);
  if (const NodeId end = tail(last); end != start) append_way_to(end);
  arcs.push_back(last);
}

bool NetworkGraph::reaches(NodeId from, NodeId to) const {
  require(from);
  require(to);
  if (from == to || fixed_routes_.contains({from, to})) return true;
  return tree_from(from)[position(to)].index >= 0;
}

PathSummary NetworkGraph::path(NodeId from, NodeId to) const {
  std::vector<ArcId> arcs;
  append_route(from, to, arcs);
  PathSummary summary{
      .latency = Duration::zero(), .bandwidth = std::numeric_limits<double>::infinity(), .hops = arcs.size()};
  if (arcs.empty()) summary.latency = node(from).loopback;
  for (const ArcId arc : arcs) {
    const LinkSpec& spec = link(arc.link());
    summary.latency += spec.latency;
    summary.bandwidth = std::min(summary.bandwidth, spec.bandwidth);
  }
  return summary;
}

NodeId NetworkGraph::tail(ArcId arc) const {
  const Link& l = links_.at(position(arc.link()));
  return arc.reverse() ? l.b : l.a;
}

NodeId NetworkGraph::head(ArcId arc) const {
  const Link& l = links_.at(position(arc.link()));
  return arc.reverse() ? l.a : l.b;
}

bool NetworkGraph::usable(ArcId arc) const {
  return !arc.reverse() || link(arc.link()).sharing != Sharing::one_way;
}

std::string NetworkGraph::arc_name(ArcId arc) const {
  const Link& l = links_.at(position(arc.link()));
  const std::string ends = node(tail(arc)).name + "->" + node(head(arc)).name;
  return l.spec.name == node(l.a).name + "-" + node(l.b).name ? ends : l.spec.name + " " + ends;
}

NodeId NetworkGraph::find(std::string_view name) const {
  if (const auto found = by_name_.find(std::string(name)); found != by_name_.end()) return found->second;
  std::vector<std::string> names;
  names.reserve(nodes_.size());
  for (const NodeSpec& spec : nodes_) names.push_back(spec.name);
  const std::string nearest = nearest_word(name, names);
  throw fault({}, "no node of the network has that name", std::string(name), {},
              nearest.empty() ? std::string() : "did you mean \"" + nearest + "\"?");
}

void NetworkGraph::require(NodeId id) const {
  if (id.index < 0 || position(id) >= nodes_.size())
    throw std::logic_error("a node that the network does not have");
}

void NetworkGraph::unreachable(NodeId from, NodeId to) const {
  throw fault("network", "no route leads from \"" + node(from).name + "\" to \"" + node(to).name + "\"");
}

const std::vector<ArcId>& NetworkGraph::searched_route(NodeId from, NodeId to) const {
  const auto [entry, is_new] = searched_.try_emplace(pair_key(from, to));
  if (!is_new) return entry->second;
  const Tree& tree = tree_from(from);
  std::vector<ArcId>& way = entry->second;
  for (NodeId at = to; at != from; at = tail(way.back())) {
    const ArcId arc = tree[position(at)];
    if (arc.index < 0) break;
    way.push_back(arc);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

NetworkGraph::Distance NetworkGraph::length(ArcId arc) const {
  // Every arc adds a hop, so that no way is of length zero.
  const std::int64_t latency = link(arc.link()).latency.count();
  return routing_ == Routing::fewest_hops ? Distance{1, latency} : Distance{latency, 1};
}

NetworkGraph::Distance NetworkGraph::sum(const Distance& a, const Distance& b) {
  if (a.first == infinitely_far || b.first == infinitely_far) return {infinitely_far, infinitely_far};
  const auto add = [](std::int64_t x, std::int64_t y) {
    return (Duration::nanoseconds(x) + Duration::nanoseconds(y)).count();
  };
  return {add(a.first, b.first), add(a.second, b.second)};
}

std::vector<NetworkGraph::Distance> NetworkGraph::search(NodeId source) const {
  using Search = boost::adjacency_list<boost::vecS, boost::vecS, boost::directedS, boost::no_property, ArcId>;
  Search search(nodes_.size());
  for (const std::vector<ArcId>& arcs : out_) {
    for (const ArcId arc : arcs) {
      if (carries_on(arc, source)) boost::add_edge(position(tail(arc)), position(head(arc)), arc, search);
    }
  }
  std::vector<Distance> distance(nodes_.size());
  std::vector<std::size_t> predecessor(nodes_.size());
  const auto weights = boost::make_function_property_map<Search::edge_descriptor, Distance>(
      [&](const Search::edge_descriptor& edge) { return length(search[edge]); });
  const auto index = boost::get(boost::vertex_index, search);
  boost::dijkstra_shortest_paths_no_color_map(
      search, position(source), boost::make_iterator_property_map(predecessor.begin(), index),
      boost::make_iterator_property_map(distance.begin(), index), weights, index, std::less<Distance>(), sum,
      Distance{infinitely_far, infinitely_far}, Distance{}, boost::default_dijkstra_visitor());
  return distance;
}

const NetworkGraph::Tree& NetworkGraph::tree_from(NodeId source) const {
  if (const auto found = trees_.find(source.index); found != trees_.end()) return found->second;
  const std::vector<Distance> distance = search(source);
  // Among equally short ways each node is reached over its arc of lowest number.
  Tree tree(nodes_.size());
  for (std::size_t v = 0; v < nodes_.size(); ++v) {
    if (v == position(source) || distance[v].first == infinitely_far) continue;
    for (const ArcId arc : in_[v]) {
      if (carries_on(arc, source) && sum(distance[position(tail(arc))], length(arc)) == distance[v]) {
        tree[v] = arc;
        break;
      }
    }
  }
  if ((trees_.size() + 1) * nodes_.size() > most_tree_entries) trees_.clear();
  return trees_[source.index] = std::move(tree);
}

std::vector<ArcId> NetworkGraph::spread_route(NodeId from, NodeId to, std::uint64_t key) const {
  auto known = distances_.find(from.index);
  if (known == distances_.end()) {
    if ((distances_.size() + 1) * nodes_.size() > most_tree_entries) distances_.clear();
    known = distances_.emplace(from.index, search(from)).first;
  }
  const std::vector<Distance>& distance = known->second;
  std::vector<ArcId> way;
  if (distance[position(to)].first == infinitely_far) return way;
  std::vector<ArcId> equals;
  for (NodeId at = to; at != from; at = tail(way.back())) {
    equals.clear();
    for (const ArcId arc : in_[position(at)]) {
      if (carries_on(arc, from) && sum(distance[position(tail(arc))], length(arc)) == distance[position(at)])
        equals.push_back(arc);
    }
    const std::uint64_t draw = mix64(key ^ mix64(static_cast<std::uint64_t>(at.index)));
    way.push_back(equals[draw % equals.size()]);
  }
  std::reverse(way.begin(), way.end());
  return way;
}

}  // namespace convoy
