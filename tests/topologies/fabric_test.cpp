// Physical networks against their closed forms: nodes, links, hosts, diameter, bisection.
#include "topologies/fabric.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "tests/topologies/fabric_checks.hpp"
#include "training/bisection.hpp"

using namespace convoy;
using namespace convoy::test;

TEST_CASE("every fabric is listed under the name that it says it has") {
  const VariantMakers<FabricBuilder> makers = fabric_makers();
  CHECK(makers.size() == 12);
  for (const auto& [kind, make] : makers) {
    CHECK(make()->kind() == kind);
    CHECK_FALSE(make()->about().empty());
  }
}

TEST_CASE("single switch: n links, 2 hops, half of the hosts' bandwidth") {
  const auto builder =
      fabric("single_switch", {{"hosts", whole(7)}, {"bandwidth", gigabyte}, {"latency", microsecond}});
  const PhysicalNetwork machines = builder->build();
  check_size(machines, {7, 8, 7});
  CHECK(diameter(machines) == 2);
  CHECK(machines.graph.path(machines.devices[0].node, machines.devices[6].node).latency ==
        Duration::nanoseconds(2000));
  check_bisection(*builder, 3 * gbyte);
}

TEST_CASE("workers are named after their host, and hosts with several devices have a hub") {
  const auto builder = fabric("nvlink_islands", {{"hosts", whole(2)},
                                                 {"devices_per_host", whole(3)},
                                                 {"inside", link("24 Gbit/s")},
                                                 {"bandwidth", gigabyte},
                                                 {"devices", word("V100-SXM-16GB")},
                                                 {"price", word("2 USD/h")}});
  const PhysicalNetwork machines = builder->build();
  check_size(machines, {6, 6 + 2 + 1, 6 + 2});
  CHECK(machines.devices[4].name == "h1.g1");
  CHECK(machines.devices[4].host == "h1");
  CHECK(machines.devices[4].site == "local");
  CHECK(machines.devices[4].model == "V100-SXM-16GB");
  CHECK(machines.devices[4].price.value() == doctest::Approx(2.0 / 3600));
  // Inside a host at NVLink's bandwidth, between hosts at the NIC's.
  CHECK(machines.graph.path(machines.graph.find("h0.g0"), machines.graph.find("h0.g2")).bandwidth ==
        3 * gbyte);
  CHECK(machines.graph.path(machines.graph.find("h0.g0"), machines.graph.find("h1.g0")).bandwidth == gbyte);
  CHECK(diameter(machines) == 4);
  check_bisection(*builder, gbyte);  // one NIC
}

TEST_CASE("devices and speeds are one for all, or one each") {
  Node speeds = Node::list({Node::of(1.0), Node::of(0.5)});
  const PhysicalNetwork machines =
      fabric("single_switch", {{"hosts", whole(2)}, {"bandwidth", gigabyte}, {"speeds", speeds}})->build();
  CHECK(machines.devices[1].speed == 0.5);
  CHECK(machines.devices[1].model.empty());
  CHECK(contains(fault_of([&] {
                   (void)fabric("single_switch",
                                {{"hosts", whole(3)}, {"bandwidth", gigabyte}, {"speeds", speeds}})
                       ->build();
                 }),
                 "fabric.speeds: has 2 entries for 3 devices"));
  CHECK(contains(fault_of([&] {
                   (void)fabric(
                       "single_switch",
                       {{"hosts", whole(3)}, {"bandwidth", gigabyte}, {"devices_per_host", whole(2)}})
                       ->build();
                 }),
                 "fabric.inside"));
}

TEST_CASE("leaf-spine: L p hosts, L p + L S links, 4 hops, the uplinks' bisection") {
  // 4 leaves of 3 hosts, 2 spines: 12 hosts, 18 nodes, 12 + 8 links. Half of the leaves: 2 x min(3, 2) GB/s.
  const auto builder = fabric("leaf_spine", {{"leaves", whole(4)},
                                             {"spines", whole(2)},
                                             {"hosts_per_leaf", whole(3)},
                                             {"bandwidth", gigabyte},
                                             {"latency", microsecond}});
  check_size(builder->build(), {12, 18, 20});
  CHECK(diameter(builder->build()) == 4);
  check_bisection(*builder, 4 * gbyte);
  // An odd number of leaves splits one of them: one whole leaf of 4 (2 uplinks) and 2 hosts of another.
  const auto odd = fabric(
      "leaf_spine",
      {{"leaves", whole(3)}, {"spines", whole(2)}, {"hosts_per_leaf", whole(4)}, {"bandwidth", gigabyte}});
  check_bisection(*odd, 4 * gbyte);
  // By ports: r^2/2 hosts on r leaves and r/2 spines; 3:1 oversubscribed 8 ports: 6 down, 2 up.
  const auto ports = fabric("leaf_spine", {{"radix", whole(4)}, {"bandwidth", gigabyte}});
  check_size(ports->build(), {8, 8 + 4 + 2, 8 + 8});
  check_bisection(*ports, 4 * gbyte);
  check_size(
      fabric("leaf_spine", {{"radix", whole(8)}, {"oversubscription", whole(3)}, {"bandwidth", gigabyte}})
          ->build(),
      {48, 48 + 8 + 2, 48 + 16});
  CHECK(contains(fault_of([] {
                   (void)fabric("leaf_spine", {{"radix", whole(5)}, {"bandwidth", gigabyte}})->build();
                 }),
                 "fabric.radix"));
  CHECK(contains(fault_of([] {
                   (void)fabric("leaf_spine", {{"leaves", whole(5)}, {"bandwidth", gigabyte}})->build();
                 }),
                 "fabric.spines: is missing"));
}

TEST_CASE("fat tree: k^3/4 hosts, 5k^2/4 switches, 3k^3/4 links, 6 hops, full bisection") {
  for (const std::int64_t k : {2, 4, 6, 8}) {
    CAPTURE(k);
    const auto builder =
        fabric("fat_tree", {{"k", whole(k)}, {"bandwidth", gigabyte}, {"latency", microsecond}});
    const PhysicalNetwork machines = builder->build();
    const auto hosts = static_cast<std::size_t>(k * k * k / 4);
    check_size(machines, {hosts, hosts + static_cast<std::size_t>(5 * k * k / 4), 3 * hosts});
    CHECK(diameter(machines) == 6);
    CHECK(builder->bisection().value() == static_cast<double>(hosts / 2) * gbyte);
  }
  const auto four = fabric("fat_tree", {{"k", whole(4)}, {"bandwidth", gigabyte}});
  check_bisection(*four, 8 * gbyte);
  // A core of half the bandwidth halves it.
  check_bisection(*fabric("fat_tree", {{"k", whole(4)}, {"bandwidth", gigabyte}, {"core", link("4 Gbit/s")}}),
                  4 * gbyte);
  CHECK(contains(fault_of([] {
                   (void)fabric("fat_tree", {{"k", whole(5)}, {"bandwidth", gigabyte}})->build();
                 }),
                 "fabric.k: a fat tree splits the ports of a switch in two halves, and 5 is odd"));
  CHECK(contains(fault_of([] {
                   (void)fabric("fat_tree", {{"k", whole(128)},
                                             {"bandwidth", gigabyte},
                                             {"devices_per_host", whole(8)},
                                             {"inside", link("100 GB/s")}})
                       ->build();
                 }),
                 "at most 1000000 devices"));
}

TEST_CASE("equal-cost ways of a fat tree are all used, by a hash of the two ends that never changes") {
  // (k/2)^2 = 4 ways between hosts of different pods, over the 4 core switches.
  const auto builder =
      fabric("fat_tree", {{"k", whole(4)}, {"bandwidth", gigabyte}, {"latency", microsecond}});
  const PhysicalNetwork machines = builder->build(), again = builder->build();
  std::set<std::string> used;
  for (std::size_t a = 0; a < 4; ++a) {
    for (std::size_t b = 4; b < 16; ++b) {
      const NodeId from = machines.devices[a].node, to = machines.devices[b].node;
      const std::vector<ArcId> way = machines.graph.route(from, to);
      REQUIRE(way.size() == 6);
      CHECK(way == machines.graph.route(from, to));
      CHECK(way == again.graph.route(from, to));
      used.insert(machines.graph.node(machines.graph.head(way[2])).name);
    }
  }
  CHECK(used == std::set<std::string>{"core0", "core1", "core2", "core3"});
  // Without it, one core carries all that a pod sends to another.
  const PhysicalNetwork single =
      fabric("fat_tree", {{"k", whole(4)}, {"bandwidth", gigabyte}, {"routing", word("shortest")}})->build();
  std::set<std::string> cores;
  for (std::size_t a = 0; a < 4; ++a) {
    const std::vector<ArcId> way = single.graph.route(single.devices[a].node, single.devices[15].node);
    cores.insert(single.graph.node(single.graph.head(way[2])).name);
  }
  CHECK(cores.size() == 1);
}

TEST_CASE("dragonfly: a h + 1 groups, a p g hosts, three router hops") {
  // Balanced a = 4, p = h = 2: 9 groups, 72 hosts, 36 routers; 72 + 9 x 6 + 36 links, 5 hops between hosts.
  const auto builder = fabric("dragonfly", {{"routers", whole(4)},
                                            {"hosts_per_router", whole(2)},
                                            {"global_links", whole(2)},
                                            {"bandwidth", gigabyte},
                                            {"latency", microsecond}});
  const PhysicalNetwork machines = builder->build();
  check_size(machines, {72, 72 + 36, 72 + 54 + 36});
  CHECK(diameter(machines) == 5);
  // No router has more than a - 1 local and h global links.
  std::vector<int> degree(machines.graph.nodes(), 0);
  for (std::size_t i = 0; i < machines.graph.links(); ++i) {
    const LinkId id{static_cast<std::int32_t>(i)};
    ++degree[static_cast<std::size_t>(machines.graph.tail(forward(id)).index)];
    ++degree[static_cast<std::size_t>(machines.graph.head(forward(id)).index)];
  }
  CHECK(*std::max_element(degree.begin(), degree.end()) == 2 + 3 + 2);
  // Three groups of a = 4, h = 2 share floor(8 / 2) = 4 links a pair: 24 + 18 + 12 links.
  check_size(fabric("dragonfly", {{"routers", whole(4)},
                                  {"hosts_per_router", whole(2)},
                                  {"global_links", whole(2)},
                                  {"groups", whole(3)},
                                  {"bandwidth", gigabyte}})
                 ->build(),
             {24, 36, 24 + 18 + 12});
  // a = 2, p = h = 1: its 6 routers are a ring, which any half cuts twice.
  CHECK(least_cut_of_halves(fabric("dragonfly", {{"routers", whole(2)},
                                                 {"hosts_per_router", whole(1)},
                                                 {"global_links", whole(1)},
                                                 {"bandwidth", gigabyte}})
                                ->build()) == doctest::Approx(2 * gbyte));
  CHECK(contains(fault_of([] {
                   (void)fabric("dragonfly", {{"routers", whole(4)},
                                              {"hosts_per_router", whole(2)},
                                              {"global_links", whole(2)},
                                              {"groups", whole(10)},
                                              {"bandwidth", gigabyte}})
                       ->build();
                 }),
                 "fabric.groups: 10 groups need 9 global links each, and 4 routers with 2 have 8"));
}

TEST_CASE("torus: links, diameter and bisection from its sides") {
  struct Case {
    std::initializer_list<std::int64_t> sides;
    std::size_t hosts, links, diameter;
    double bisection;  // links
  };
  // A side of s >= 3 has n links, of 2 has n/2; diameter sum floor(s/2); bisection 2 n / largest (even) side.
  for (const Case& c : {Case{{4, 4}, 16, 32, 4, 8},
                        {{4, 3}, 12, 24, 3, 6},
                        {{4, 2, 2}, 16, 16 + 8 + 8, 4, 8},
                        {{6, 2}, 12, 12 + 6, 4, 4},
                        {{8}, 8, 8, 4, 2}}) {
    const auto builder =
        fabric("torus", {{"sides", list(c.sides)}, {"bandwidth", gigabyte}, {"latency", microsecond}});
    check_size(builder->build(), {c.hosts, c.hosts, c.links});
    CHECK(diameter(builder->build()) == c.diameter);
    check_bisection(*builder, c.bisection * gbyte);
  }
  // 3-D, 3 x 3 x 3: 27 hosts, 81 links, 3 hops. With an odd largest side the closed form does not hold.
  const auto odd = fabric("torus", {{"sides", list({3, 3, 3})}, {"bandwidth", gigabyte}});
  check_size(odd->build(), {27, 27, 81});
  CHECK(diameter(odd->build()) == 3);
  CHECK_FALSE(odd->bisection());
  // (1, 1, 0) of 4 x 4 x 2 is number (1 x 4 + 1) x 2; it meets (1, 1, 1), the next number.
  const PhysicalNetwork machines =
      fabric("torus", {{"sides", list({4, 4, 2})}, {"bandwidth", gigabyte}})->build();
  CHECK(machines.graph.path(machines.devices[10].node, machines.devices[11].node).hops == 1);
  CHECK(machines.graph.path(machines.devices[10].node, machines.devices[12].node).hops == 1);
  CHECK(machines.graph.path(machines.devices[10].node, machines.devices[13].node).hops == 2);
  CHECK(contains(
      fault_of([] {
        (void)fabric("torus", {{"sides", list({1000, 1000, 1000})}, {"bandwidth", gigabyte}})->build();
      }),
      "too many"));
}

TEST_CASE("hypercube: d n / 2 links, d hops, n / 2 links of bisection") {
  const auto builder =
      fabric("hypercube", {{"dimensions", whole(4)}, {"bandwidth", gigabyte}, {"latency", microsecond}});
  check_size(builder->build(), {16, 16, 32});
  CHECK(diameter(builder->build()) == 4);
  check_bisection(*builder, 8 * gbyte);
}

TEST_CASE("rail-optimized: equal ranks are 2 hops apart, others cross the hub first") {
  // 4 hosts of 4 devices: 16 + 4 hubs + 4 rails; 16 hub links + 16 NICs.
  const auto builder = fabric("rail_optimized", {{"hosts", whole(4)},
                                                 {"devices_per_host", whole(4)},
                                                 {"inside", link("16 Gbit/s")},
                                                 {"bandwidth", gigabyte},
                                                 {"latency", microsecond}});
  const PhysicalNetwork machines = builder->build();
  check_size(machines, {16, 24, 32});
  const auto hops = [&](const char* a, const char* b) {
    return machines.graph.path(machines.graph.find(a), machines.graph.find(b)).hops;
  };
  CHECK(hops("h0.g1", "h3.g1") == 2);
  CHECK(hops("h0.g1", "h0.g2") == 2);
  CHECK(hops("h0.g1", "h3.g2") == 4);
  check_bisection(*builder, 8 * gbyte);  // 2 hosts x 4 NICs; hub links are just twice a NIC
  // With weaker hubs the closed form does not hold: a cut through rails and hubs is less.
  CHECK_FALSE(fabric("rail_optimized", {{"hosts", whole(4)},
                                        {"devices_per_host", whole(4)},
                                        {"inside", link("8 Gbit/s")},
                                        {"bandwidth", gigabyte}})
                  ->bisection());
  check_size(fabric("rail_optimized", {{"hosts", whole(2)},
                                       {"devices_per_host", whole(4)},
                                       {"spines", whole(2)},
                                       {"inside", link("16 Gbit/s")},
                                       {"bandwidth", gigabyte}})
                 ->build(),
             {8, 8 + 2 + 4 + 2, 8 + 8 + 8});
}

TEST_CASE("the bisection of other networks is exact for few devices, and a bound for many") {
  // 16 devices of a dragonfly: all halves. 72 devices: some halves, so an upper bound.
  const PhysicalNetwork many = fabric("dragonfly", {{"routers", whole(4)},
                                                    {"hosts_per_router", whole(2)},
                                                    {"global_links", whole(2)},
                                                    {"bandwidth", gigabyte}})
                                   ->build();
  const auto bound = bisection_bandwidth(many);
  REQUIRE(bound);
  CHECK_FALSE(bound->exact);
  CHECK(bound->bandwidth <= 36 * gbyte);
  const auto exact = bisection_bandwidth(fabric("dgx_1v")->build());
  REQUIRE(exact);
  CHECK(exact->exact);
  // Sockets apart: NVLinks 0-4, 1-5, 2-6, 3-7 (two, two, one, one) and min(sockets, NICs): 6 x 20 + 9.6 + 25
  // GB/s.
  CHECK(exact->bandwidth <= 154.6e9 * (1 + 1e-9));
  CHECK_FALSE(
      bisection_bandwidth(fabric("single_switch", {{"hosts", whole(1)}, {"bandwidth", gigabyte}})->build()));
}
