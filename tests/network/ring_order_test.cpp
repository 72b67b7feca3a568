#include "network/ring_order.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <string>
#include <vector>

#include "core/random.hpp"

using namespace convoy;

namespace {

/// Nodes joined pairwise; `bandwidth(a, b)` in B/s.
template <class Bandwidth>
NetworkGraph full_mesh(int n, Bandwidth bandwidth) {
  NetworkGraph graph;
  for (int i = 0; i < n; ++i) graph.add_node("n" + std::to_string(i));
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      graph.add_link({j}, {i}, {.bandwidth = bandwidth(j, i)});
      graph.set_route({j}, {i}, {forward({static_cast<std::int32_t>(graph.links()) - 1})});
      graph.set_route({i}, {j}, {backward({static_cast<std::int32_t>(graph.links()) - 1})});
    }
  }
  return graph;
}

std::vector<NodeId> all_nodes(const NetworkGraph& graph) {
  std::vector<NodeId> nodes;
  for (std::size_t i = 0; i < graph.nodes(); ++i) nodes.push_back({static_cast<std::int32_t>(i)});
  return nodes;
}

double slowest(const NetworkGraph& graph, const std::vector<NodeId>& members, const std::vector<int>& order) {
  double result = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < order.size(); ++i) {
    const auto a = static_cast<std::size_t>(order[i]),
               b = static_cast<std::size_t>(order[(i + 1) % order.size()]);
    result = std::min(result, graph.path(members[a], members[b]).bandwidth);
  }
  return result;
}

double best_of_all(const NetworkGraph& graph, const std::vector<NodeId>& members) {
  std::vector<int> order(members.size());
  std::iota(order.begin(), order.end(), 0);
  double best = 0;
  do best = std::max(best, slowest(graph, members, order));
  while (std::next_permutation(order.begin() + 1, order.end()));
  return best;
}

bool is_permutation_from_zero(const std::vector<int>& order) {
  std::vector<int> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) {
    if (sorted[i] != static_cast<int>(i)) return false;
  }
  return order.front() == 0;
}

}  // namespace

TEST_CASE("the order is as good as the best of all orders, for up to nine members") {
  for (std::uint64_t seed = 0; seed < 60; ++seed) {
    RandomStream random(seed, "ring order test");
    const int n = 2 + static_cast<int>(seed % 7);  // all permutations are tried for up to 8
    const NetworkGraph graph =
        full_mesh(n, [&](int, int) { return 1e6 * (1 + static_cast<double>(random.below(20))); });
    const std::vector<NodeId> members = all_nodes(graph);
    const std::vector<int> order = ring_order(graph, members);
    REQUIRE(is_permutation_from_zero(order));
    REQUIRE(slowest(graph, members, order) == best_of_all(graph, members));
  }
}

TEST_CASE("a hidden fast ring among many members is found") {
  // 40 members; the links of one hidden cycle have 10 GB/s, all others 1 GB/s or less. Exact search is out of
  // reach.
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    RandomStream random(seed, "hidden ring");
    constexpr int n = 40;
    std::vector<int> hidden(n);
    std::iota(hidden.begin(), hidden.end(), 0);
    random.shuffle(hidden.begin(), hidden.end());
    std::vector<int> place(n);
    for (int i = 0; i < n; ++i) place[static_cast<std::size_t>(hidden[static_cast<std::size_t>(i)])] = i;
    const NetworkGraph graph = full_mesh(n, [&](int a, int b) {
      const int apart = (place[static_cast<std::size_t>(a)] - place[static_cast<std::size_t>(b)] + n) % n;
      return apart == 1 || apart == n - 1 ? 1e10 : 1e9 * random.uniform();
    });
    const std::vector<NodeId> members = all_nodes(graph);
    CHECK(slowest(graph, members, ring_order(graph, members)) == 1e10);
  }
}

TEST_CASE("the heuristic is never worse than the order given, and repeats itself") {
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    RandomStream random(seed, "ring heuristic");
    const NetworkGraph graph = full_mesh(16, [&](int, int) { return 1e9 * (0.01 + random.uniform()); });
    const std::vector<NodeId> members = all_nodes(graph);
    std::vector<int> given(16);
    std::iota(given.begin(), given.end(), 0);
    const std::vector<int> order = ring_order(graph, members);
    REQUIRE(is_permutation_from_zero(order));
    CHECK(slowest(graph, members, order) >= slowest(graph, members, given));
    CHECK(order == ring_order(graph, members));
  }
}

TEST_CASE("members of one site, and members on one node, stay adjacent") {
  // Two sites and a node that holds two members, listed alternately.
  NetworkGraph graph;
  const NodeId hub = graph.add_node("hub");
  std::vector<NodeId> nodes;
  for (int i = 0; i < 4; ++i) {
    nodes.push_back(graph.add_node({.name = "h" + std::to_string(i), .site = i % 2 == 0 ? "east" : "west"}));
    graph.add_link(nodes.back(), hub, {.bandwidth = 1e9});
  }
  const NodeId shared = graph.add_node("shared");
  graph.add_link(shared, hub, {.bandwidth = 1e9});
  const std::vector<NodeId> members{nodes[0], shared, nodes[1], nodes[2], shared, nodes[3]};
  CHECK(ring_order(graph, members) == std::vector<int>{0, 3, 1, 4, 2, 5});
}

TEST_CASE("equal links keep the order given, at any size") {
  for (const int n : {1, 2, 3, 9, 10, 200, 3000}) {
    NetworkGraph graph;
    const NodeId hub = graph.add_node("hub");
    std::vector<NodeId> members;
    for (int i = 0; i < n; ++i) {
      members.push_back(graph.add_node("h" + std::to_string(i)));
      graph.add_link(members.back(), hub, {.bandwidth = 1e9});
    }
    std::vector<int> given(static_cast<std::size_t>(n));
    std::iota(given.begin(), given.end(), 0);
    CHECK(ring_order(graph, members) == given);
  }
}

TEST_CASE("among equally fast rings the one of less latency is taken") {
  // Four sites on a circle 0-2-1-3: neighbours on it are 1 ms apart, others 10 ms; bandwidth is the same
  // everywhere.
  NetworkGraph graph;
  for (int i = 0; i < 4; ++i) graph.add_node("n" + std::to_string(i));
  const auto link = [&](int a, int b, int ms) {
    graph.add_link({a}, {b}, {.bandwidth = 1e9, .latency = Duration::nanoseconds(ms * 1'000'000)});
  };
  link(0, 2, 1), link(2, 1, 1), link(1, 3, 1), link(3, 0, 1), link(0, 1, 10), link(2, 3, 10);
  const std::vector<NodeId> members = all_nodes(graph);
  CHECK(ring_order(graph, members) == std::vector<int>{0, 2, 1, 3});
}
