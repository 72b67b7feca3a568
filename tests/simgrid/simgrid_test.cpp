// A cross-check against SimGrid (Casanova, Giersch, Legrand, Quinson, Suter, J. Parallel Distrib. Comput.
// 2014; its model CM02 without cross-traffic and TCP window is weighted max-min after a latency phase). There
// a flow's share is inversely proportional to the sum of the latencies of its route, or has weight 1 where
// that is zero: our flows get these weights.
#include <doctest/doctest.h>

#ifdef CONVOY_HAS_SIMGRID

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/random.hpp"
#include "network/network.hpp"
#include "simgrid/simgrid_side.hpp"

using namespace convoy;
using cross_check::Flow;
using cross_check::Link;
using cross_check::Policy;
using cross_check::Scenario;

namespace {

/// Each of SimGrid's links becomes a one-way link between two nodes of its own; the pieces of a route are
/// joined by links without latency that nothing contends for.
std::vector<double> our_ends(const Scenario& scenario) {
  NetworkGraph graph;
  std::vector<NodeId> begin, end;
  std::vector<LinkId> ids;
  for (std::size_t i = 0; i < scenario.links.size(); ++i) {
    const Link& link = scenario.links[i];
    begin.push_back(graph.add_node("b" + std::to_string(i)));
    end.push_back(graph.add_node("e" + std::to_string(i)));
    ids.push_back(
        graph.add_link(begin.back(), end.back(),
                       {.bandwidth = link.bandwidth,
                        .latency = Duration::seconds(link.latency),
                        .sharing = link.policy == Policy::shared ? Sharing::one_way : Sharing::fat_pipe}));
  }
  std::vector<std::pair<NodeId, NodeId>> ways;
  std::vector<double> weights;
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    const NodeId from = graph.add_node("s" + std::to_string(i)), to = graph.add_node("d" + std::to_string(i));
    const auto join = [&](NodeId a, NodeId b) {
      return forward(graph.add_link(a, b, {.bandwidth = 1e18, .sharing = Sharing::fat_pipe}));
    };
    std::vector<ArcId> route;
    NodeId at = from;
    double latency = 0;
    for (const int link : scenario.flows[i].links) {
      const auto l = static_cast<std::size_t>(link);
      route.push_back(join(at, begin[l]));
      route.push_back(forward(ids[l]));
      at = end[l];
      latency += scenario.links[l].latency;
    }
    route.push_back(join(at, to));
    graph.set_route(from, to, route);
    ways.emplace_back(from, to);
    weights.push_back(latency > 0 ? 1 / latency : 1);
  }
  Engine engine;
  Network network(engine, std::move(graph));
  std::vector<double> ends(scenario.flows.size(), -1);
  for (std::size_t i = 0; i < scenario.flows.size(); ++i) {
    engine.at(Time::at_seconds(scenario.flows[i].start), EventClass::timer, [&, i] {
      network.start(ways[i].first, ways[i].second, static_cast<std::int64_t>(scenario.flows[i].bytes),
                    [&, i] { ends[i] = engine.now().to_seconds(); }, {.weight = weights[i]});
    });
  }
  engine.run();
  return ends;
}

void compare(Scenario scenario, const std::string& name) {
  CAPTURE(name);
  const std::vector<double> theirs = cross_check::simgrid_ends(scenario);
  const std::vector<double> ours = our_ends(scenario);
  for (std::size_t i = 0; i < ours.size(); ++i) {
    CAPTURE(name);
    CAPTURE(i);
    // The rounding of each start and end to a nanosecond moves the others by as much.
    const double bound = 1e-9 * theirs[i] + 2e-9 * 2 * static_cast<double>(ours.size());
    REQUIRE(theirs[i] >= 0);
    REQUIRE(std::abs(ours[i] - theirs[i]) <= bound);
  }
}

/// Links in any number, flows over random runs of them; latencies and starts in whole microseconds. Fat pipes
/// only where no link has a latency: SimGrid holds all flows of a fat pipe to the level at which the one of
/// largest weight fills it, so that those of smaller weights get less than its bandwidth; ours get all of it.
Scenario random_scenario(std::uint64_t seed) {
  RandomStream random(seed, "simgrid cross-check");
  Scenario s;
  const auto whole = [&](std::uint64_t n) { return static_cast<double>(random.below(n)); };
  const std::size_t links = 1 + random.below(20);
  const bool latencies = seed % 2 == 0;
  for (std::size_t i = 0; i < links; ++i) {
    s.links.push_back({random.below(2) == 0 ? 1e8 : 1e7 + 1e8 * random.uniform(),
                       latencies ? 1e-6 * (1 + whole(50'000)) : 0,
                       !latencies && random.below(4) == 0 ? Policy::fat_pipe : Policy::shared});
  }
  for (std::size_t i = 0, flows = 1 + random.below(40); i < flows; ++i) {
    Flow flow{.start = 1e-6 * (random.below(4) == 0 ? 0 : whole(3'000'000)),
              .bytes = 1 + whole(100'000'000),
              .links = {}};
    for (std::size_t hop = 0, hops = 1 + random.below(5); hop < hops; ++hop) {
      const int link = static_cast<int>(random.below(links));
      if (std::find(flow.links.begin(), flow.links.end(), link) == flow.links.end())
        flow.links.push_back(link);
    }
    s.flows.push_back(std::move(flow));
  }
  return s;
}

Scenario on_platform(const std::string& cluster, int hosts, std::uint64_t seed) {
  RandomStream random(seed, "simgrid platform");
  Scenario s;
  s.platform =
      "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
      "<platform version=\"4.1\">\n<cluster id=\"c\" prefix=\"h\" suffix=\"\" radical=\"0-" +
      std::to_string(hosts - 1) + "\" speed=\"1Gf\" " + cluster + "/>\n</platform>\n";
  for (int i = 0; i < 60; ++i) {
    Flow flow{.start = 1e-6 * static_cast<double>(random.below(100'000)),
              .bytes = static_cast<double>(1 + random.below(50'000'000)),
              .links = {}};
    flow.from = static_cast<int>(random.below(static_cast<std::uint64_t>(hosts)));
    do flow.to = static_cast<int>(random.below(static_cast<std::uint64_t>(hosts)));
    while (flow.to == flow.from);
    s.flows.push_back(flow);
  }
  return s;
}

}  // namespace

TEST_CASE("SimGrid agrees on 250 random sets of links and flows") {
  for (std::uint64_t seed = 0; seed < 250; ++seed)
    compare(random_scenario(seed), "seed " + std::to_string(seed));
}

TEST_CASE("SimGrid agrees on its own kinds of platform") {
  const std::string nic = "bw=\"1.25GBps\" lat=\"5us\" ";
  for (std::uint64_t seed = 0; seed < 4; ++seed) {
    compare(on_platform(nic, 16, seed), "star");
    compare(on_platform(nic + "bb_bw=\"2.5GBps\" bb_lat=\"10us\"", 16, seed), "shared backbone");
    compare(on_platform(nic + "topology=\"FAT_TREE\" topo_parameters=\"2;4,4;1,2;1,2\"", 16, seed),
            "fat tree");
    compare(on_platform(nic + "topology=\"TORUS\" topo_parameters=\"3,2,2\"", 12, seed), "torus");
    compare(on_platform(nic + "topology=\"DRAGONFLY\" topo_parameters=\"3,4;4,3;5,1;2\"", 120, seed),
            "dragonfly");
  }
}

#else

TEST_CASE("SimGrid agrees") {
  MESSAGE("SKIPPED: SimGrid is not installed (scripts/setup.sh --full installs it)");
}

#endif
