#include "network/graph.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <string>

#include "core/error.hpp"

using namespace convoy;

namespace {

Duration us(std::int64_t count) {
  return Duration::nanoseconds(1000 * count);
}

std::string fault_of(auto&& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a route is the way of least latency, not of fewest hops") {
  // a-b direct: 10 us. a-s-b: 2 + 3 = 5 us.
  NetworkGraph graph;
  const NodeId a = graph.add_node("a"), s = graph.add_node("s"), b = graph.add_node("b");
  graph.add_link(a, b, {.bandwidth = 1e9, .latency = us(10)});
  const LinkId as = graph.add_link(a, s, {.bandwidth = 2e9, .latency = us(2)});
  const LinkId sb = graph.add_link(s, b, {.bandwidth = 5e8, .latency = us(3)});
  CHECK(graph.route(a, b) == std::vector<ArcId>{forward(as), forward(sb)});
  CHECK(graph.route(b, a) == std::vector<ArcId>{backward(sb), backward(as)});
  const PathSummary path = graph.path(a, b);
  CHECK(path.latency == us(5));
  CHECK(path.bandwidth == 5e8);
  CHECK(path.hops == 2);
}

TEST_CASE("among ways of equal latency the one of fewest hops is taken, then the arc of lowest number") {
  // a-b in one hop of 4 us, and over s or t in two of 2 us: all 4 us, one hop wins.
  NetworkGraph graph;
  const NodeId a = graph.add_node("a"), s = graph.add_node("s"), t = graph.add_node("t"),
               b = graph.add_node("b");
  const LinkId at = graph.add_link(a, t, {.bandwidth = 1e9, .latency = us(2)});
  const LinkId tb = graph.add_link(t, b, {.bandwidth = 1e9, .latency = us(2)});
  graph.add_link(a, s, {.bandwidth = 1e9, .latency = us(2)});
  graph.add_link(s, b, {.bandwidth = 1e9, .latency = us(2)});
  CHECK(graph.route(a, b) == std::vector<ArcId>{forward(at), forward(tb)});
  const LinkId ab = graph.add_link(a, b, {.bandwidth = 1e9, .latency = us(4)});
  CHECK(graph.route(a, b) == std::vector<ArcId>{forward(ab)});
  graph.add_link(a, b,
                 {.bandwidth = 9e9, .latency = us(4)});  // a parallel link of a higher number changes nothing
  CHECK(graph.route(a, b) == std::vector<ArcId>{forward(ab)});
}

TEST_CASE("hosts with one link reach one another over their switches") {
  // Two switches joined by a trunk, two hosts on each.
  NetworkGraph graph;
  const NodeId s0 = graph.add_node("s0"), s1 = graph.add_node("s1");
  std::vector<NodeId> hosts;
  std::vector<LinkId> links;
  const LinkId trunk = graph.add_link(s0, s1, {.bandwidth = 1e9, .latency = us(7)});
  for (int i = 0; i < 4; ++i) {
    hosts.push_back(graph.add_node("h" + std::to_string(i)));
    links.push_back(graph.add_link(hosts.back(), i < 2 ? s0 : s1, {.bandwidth = 1e10, .latency = us(1)}));
  }
  CHECK(graph.route(hosts[0], hosts[1]) == std::vector<ArcId>{forward(links[0]), backward(links[1])});
  CHECK(graph.route(hosts[0], hosts[3]) ==
        std::vector<ArcId>{forward(links[0]), forward(trunk), backward(links[3])});
  CHECK(graph.route(hosts[3], hosts[0]) ==
        std::vector<ArcId>{forward(links[3]), backward(trunk), backward(links[0])});
  CHECK(graph.route(hosts[0], s0) == std::vector<ArcId>{forward(links[0])});
  CHECK(graph.route(s0, hosts[0]) == std::vector<ArcId>{backward(links[0])});
  CHECK(graph.route(s1, hosts[0]) == std::vector<ArcId>{backward(trunk), backward(links[0])});
  CHECK(graph.path(hosts[0], hosts[3]).latency == us(9));
}

TEST_CASE("two hosts joined by one link need no switch") {
  NetworkGraph graph;
  const NodeId a = graph.add_node("a"), b = graph.add_node("b");
  const LinkId ab = graph.add_link(a, b, {.bandwidth = 1e9});
  CHECK(graph.route(a, b) == std::vector<ArcId>{forward(ab)});
  CHECK(graph.route(b, a) == std::vector<ArcId>{backward(ab)});
}

TEST_CASE("a transfer within a node crosses no link and takes the loopback time") {
  NetworkGraph graph;
  const NodeId a = graph.add_node({.name = "a", .loopback = us(3)});
  CHECK(graph.route(a, a).empty());
  CHECK(graph.path(a, a).latency == us(3));
  CHECK(graph.path(a, a).bandwidth == std::numeric_limits<double>::infinity());
}

TEST_CASE("a pair without a route is an error that names both") {
  NetworkGraph graph;
  const NodeId a = graph.add_node("fra"), b = graph.add_node("iad"), c = graph.add_node("c");
  CHECK(contains(fault_of([&] { (void)graph.route(a, b); }), "\"fra\" to \"iad\""));
  // One-way links carry nothing back, neither to a leaf nor between switches.
  graph.add_link(a, b, {.bandwidth = 1e9, .sharing = Sharing::one_way});
  graph.add_link(b, c, {.bandwidth = 1e9});
  CHECK(graph.route(a, c).size() == 2);
  CHECK(contains(fault_of([&] { (void)graph.route(c, a); }), "\"c\" to \"fra\""));
}

TEST_CASE("an uplink and a downlink of different speed are two one-way links") {
  NetworkGraph graph;
  const NodeId home = graph.add_node("home"), isp = graph.add_node("isp");
  graph.add_link(home, isp, {.bandwidth = 5e6, .sharing = Sharing::one_way});
  graph.add_link(isp, home, {.bandwidth = 125e6, .sharing = Sharing::one_way});
  CHECK(graph.path(home, isp).bandwidth == 5e6);
  CHECK(graph.path(isp, home).bandwidth == 125e6);
}

TEST_CASE("a fixed route overrides the search one way") {
  NetworkGraph graph;
  const NodeId a = graph.add_node("a"), s = graph.add_node("s"), b = graph.add_node("b");
  const LinkId ab = graph.add_link(a, b, {.bandwidth = 1e9, .latency = us(1)});
  const LinkId as = graph.add_link(a, s, {.bandwidth = 1e9, .latency = us(9)});
  const LinkId sb = graph.add_link(s, b, {.bandwidth = 1e9, .latency = us(9)});
  graph.set_route(a, b, {forward(as), forward(sb)});
  CHECK(graph.route(a, b).size() == 2);
  CHECK(graph.route(b, a) == std::vector<ArcId>{backward(ab)});
  CHECK_THROWS_AS(graph.set_route(a, b, {forward(sb)}), std::logic_error);
  CHECK_THROWS_AS(graph.set_route(a, b, {forward(as)}), std::logic_error);
}

TEST_CASE("a link whose bandwidth is zero, negative or not a number is refused by its number") {
  // Peers' test T14: `links[3].bandwidth must be > 0`.
  NetworkGraph graph;
  const NodeId a = graph.add_node("a"), b = graph.add_node("b");
  for (int i = 0; i < 3; ++i) graph.add_link(a, b, {.bandwidth = 1});
  for (const double bandwidth :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    const std::string fault = fault_of([&] { graph.add_link(a, b, {.bandwidth = bandwidth}); });
    CHECK(contains(fault, "links[3].bandwidth"));
    CHECK(contains(fault, "must be > 0"));
  }
  CHECK(contains(fault_of([&] { graph.add_link(a, b, {.bandwidth = 1, .latency = us(-1)}); }),
                 "links[3].latency"));
  CHECK(contains(fault_of([&] { graph.add_link(a, a, {.bandwidth = 1}); }), "links[3]"));
  CHECK(graph.links() == 3);
}

TEST_CASE("names of nodes are unique, and a wrong one is answered with the nearest") {
  NetworkGraph graph;
  graph.add_node("frankfurt");
  CHECK(contains(fault_of([&] { graph.add_node("frankfurt"); }), "frankfurt"));
  CHECK(contains(fault_of([&] { (void)graph.find("frankfrut"); }), "did you mean \"frankfurt\""));
  CHECK(graph.find("frankfurt") == NodeId{0});
}

TEST_CASE("arcs are named after their ends, and after the link where it has a name") {
  NetworkGraph graph;
  const NodeId a = graph.add_node("fra"), b = graph.add_node("iad");
  const LinkId plain = graph.add_link(a, b, {.bandwidth = 1});
  const LinkId named = graph.add_link(a, b, {.bandwidth = 1, .name = "atlantic"});
  CHECK(graph.arc_name(forward(plain)) == "fra->iad");
  CHECK(graph.arc_name(backward(plain)) == "iad->fra");
  CHECK(graph.arc_name(backward(named)) == "atlantic iad->fra");
}

TEST_CASE("every route of a torus is a shortest one") {
  // 5 x 5 torus of equal links: hops(a, b) = sum over dimensions of min(d, 5 - d).
  constexpr int side = 5;
  NetworkGraph graph;
  for (int i = 0; i < side * side; ++i) graph.add_node("n" + std::to_string(i));
  const auto node = [](int r, int c) { return NodeId{(r % side) * side + c % side}; };
  for (int r = 0; r < side; ++r) {
    for (int c = 0; c < side; ++c) {
      graph.add_link(node(r, c), node(r + 1, c), {.bandwidth = 1e9, .latency = us(1)});
      graph.add_link(node(r, c), node(r, c + 1), {.bandwidth = 1e9, .latency = us(1)});
    }
  }
  const auto apart = [](int a, int b) { return std::min((a - b + side) % side, (b - a + side) % side); };
  for (int a = 0; a < side * side; ++a) {
    for (int b = 0; b < side * side; ++b) {
      const std::vector<ArcId> route = graph.route(NodeId{a}, NodeId{b});
      REQUIRE(static_cast<int>(route.size()) == apart(a / side, b / side) + apart(a % side, b % side));
      NodeId at{a};
      for (const ArcId arc : route) {
        REQUIRE(graph.tail(arc) == at);
        at = graph.head(arc);
      }
      REQUIRE(at == NodeId{b});
    }
  }
}
