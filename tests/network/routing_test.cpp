// Rules by which routes are searched.
#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "core/error.hpp"
#include "network/graph.hpp"

using namespace convoy;

namespace {

constexpr Duration us = Duration::nanoseconds(1000);

/// Hosts a0..a9 on one switch, b0..b9 on another, and `ways` middle switches between the two.
struct Diamond {
  NetworkGraph graph;
  std::vector<NodeId> a, b;
  explicit Diamond(int ways) {
    const NodeId left = graph.add_node("left"), right = graph.add_node("right");
    const LinkSpec link{.bandwidth = 1e9, .latency = us};
    for (int i = 0; i < ways; ++i) {
      const NodeId middle = graph.add_node("m" + std::to_string(i));
      graph.add_link(left, middle, link);
      graph.add_link(middle, right, link);
    }
    for (int i = 0; i < 10; ++i) {
      a.push_back(graph.add_node("a" + std::to_string(i)));
      graph.add_link(a.back(), left, link);
      b.push_back(graph.add_node("b" + std::to_string(i)));
      graph.add_link(b.back(), right, link);
    }
  }
  std::string middle(NodeId from, NodeId to) const {
    const std::vector<ArcId> way = graph.route(from, to);
    REQUIRE(way.size() == 4);
    return graph.node(graph.head(way[1])).name;
  }
};

}  // namespace

TEST_CASE("equal-cost multi-path takes one way a pair and spreads pairs evenly") {
  // 100 pairs on 4 ways: 25 each, standard deviation sqrt(100 x 3/16) = 4.3; each way between 8 and 42 (4
  // sd).
  Diamond net(4);
  net.graph.set_routing(Routing::ecmp);
  std::map<std::string, int> used;
  for (const NodeId from : net.a) {
    for (const NodeId to : net.b) {
      const std::string way = net.middle(from, to);
      CHECK(way == net.middle(from, to));
      ++used[way];
    }
  }
  CHECK(used.size() == 4);
  for (const auto& entry : used) CHECK(std::abs(entry.second - 25) < 17);
  // The way back is a choice of its own.
  bool differs = false;
  for (std::size_t i = 0; i < 10; ++i)
    differs = differs || net.middle(net.a[i], net.b[i]) != net.middle(net.b[i], net.a[i]);
  CHECK(differs);
}

TEST_CASE("the shortest rule sends all pairs over the arc of lowest number") {
  Diamond net(4);
  for (const NodeId from : net.a) CHECK(net.middle(from, net.b[3]) == "m0");
}

TEST_CASE("equal-cost ways are equally short: longer ones are not used, and a new link counts at once") {
  Diamond net(2);
  net.graph.set_routing(Routing::ecmp);
  const NodeId slow = net.graph.add_node("slow");
  net.graph.add_link(net.graph.find("left"), slow, {.bandwidth = 1e9, .latency = us + us});
  net.graph.add_link(slow, net.graph.find("right"), {.bandwidth = 1e9, .latency = us});
  for (const NodeId from : net.a) {
    for (const NodeId to : net.b) CHECK(net.middle(from, to) != "slow");
  }
  net.graph.add_link(net.graph.find("left"), net.graph.find("right"), {.bandwidth = 1e9, .latency = us});
  CHECK(net.graph.route(net.a[0], net.b[0]).size() == 3);
}

TEST_CASE("fewest hops uses the direct link where a detour has less latency") {
  NetworkGraph graph;
  const NodeId a = graph.add_node("a"), b = graph.add_node("b"), c = graph.add_node("c");
  graph.add_link(a, b, {.bandwidth = 1e9, .latency = us + us + us});
  graph.add_link(a, c, {.bandwidth = 2e9, .latency = us});
  graph.add_link(c, b, {.bandwidth = 2e9, .latency = us});
  CHECK(graph.path(a, b).hops == 2);
  graph.set_routing(Routing::fewest_hops);
  CHECK(graph.path(a, b).hops == 1);
  CHECK(graph.path(a, b).bandwidth == 1e9);
}

TEST_CASE("a pair without a way is an error that names both, by every rule") {
  for (const Routing rule : {Routing::shortest, Routing::ecmp, Routing::fewest_hops}) {
    Diamond net(1);
    net.graph.set_routing(rule);
    const NodeId alone = net.graph.add_node("alone"), other = net.graph.add_node("other");
    net.graph.add_link(alone, other, {.bandwidth = 1e9, .latency = us});
    std::string text;
    try {
      (void)net.graph.route(net.a[0], alone);
    } catch (const ConfigError& error) {
      text = error.what();
    }
    CHECK(text.find("\"a0\" to \"alone\"") != std::string::npos);
  }
}
