// Clusters of listed hosts: from JSON to the network, and what is refused.
#include <doctest/doctest.h>

#include <cmath>
#include <string>

#include "core/error.hpp"
#include "experiment/json_reader.hpp"
#include "hardware/catalogue.hpp"
#include "training/bisection.hpp"
#include "training/cluster_options.hpp"

using namespace convoy;

namespace {

ClusterOptions cluster_of(const std::string& text) {
  ClusterOptions cluster;
  FaultSink faults;
  read_options(read_json_text(text, "c.json"), "cluster", cluster, faults);
  faults.throw_if_any();
  return cluster;
}

std::string fault_of(const std::string& text) {
  try {
    (void)cluster_of(text);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

void refused(const std::string& text, std::initializer_list<const char*> parts) {
  const std::string fault = fault_of(text);
  for (const char* part : parts) CHECK_MESSAGE(fault.find(part) != std::string::npos, fault);
}

PathSummary path(const PhysicalNetwork& machines, const char* from, const char* to) {
  return machines.graph.path(machines.graph.find(from), machines.graph.find(to));
}

const std::string contract = R"({
  "hosts": [
    {"name": "v", "region": "iad", "devices": {"V100-SXM-16GB": 8}, "nic": "10 Gbit/s"},
    {"name": "h", "region": "home", "devices": {"RTX-4090": 4}, "uplink": "40 Mbit/s", "downlink": "1 Gbit/s"}
  ],
  "regions": {"bandwidth": [["iad", "home", "0.5 Gbit/s"]], "rtt": [["iad", "home", "92 ms"]]},
  "workers": [{"on": "v", "devices_per_worker": 4, "inside": "zero2"}, {"on": "h", "devices_per_worker": 1}],
  "servers": {"global": "v"}
})";

}  // namespace

TEST_CASE("hosts on the switches of their regions: the slowest link and half a round trip a way") {
  const PhysicalNetwork machines = cluster_of(contract).physical();
  REQUIRE(machines.devices.size() == 6);  // 8 / 4 + 4 / 1
  CHECK(machines.devices[0].name == "v.w0");
  CHECK(machines.devices[1].name == "v.w1");
  CHECK(machines.devices[5].name == "h.g3");
  CHECK(machines.devices[0].group.devices == 4);
  CHECK(machines.devices[0].group.passes == 6);  // zero2: 2 (k-1)
  // v.g0 - v - iad - home - h - h.g0: five links; the slowest is the WAN there, the uplink back.
  const PathSummary there = path(machines, "v.g0", "h.g0"), back = path(machines, "h.g0", "v.g0");
  CHECK(there.bandwidth == 0.5e9 / 8);
  CHECK(back.bandwidth == 40e6 / 8);
  CHECK(there.latency == Duration::nanoseconds(46000000));
  CHECK(there.hops == 5);
  CHECK(machines.guesses.size() == 2);  // how the devices of each host are wired
}

TEST_CASE("a cluster of hosts written back reads to the same options") {
  ClusterOptions cluster = cluster_of(contract);
  Options options;
  cluster.declare(options);
  const Node written = options.values();
  ClusterOptions again;
  FaultSink faults;
  read_options(written, "", again, faults);
  faults.throw_if_any();
  Options read_back;
  again.declare(read_back);
  CHECK(read_back.values() == written);
  CHECK(again.worker_count() == 6);
}

TEST_CASE("routes never lead through a device that is not an end") {
  // g0 - g1 - g2 by fast links, all on a slow switch: g0 to g2 goes over the switch, for GPUs forward
  // nothing.
  const PhysicalNetwork machines =
      cluster_of(R"({"hosts": [{"name": "a", "devices": 3, "inside": {"switches": ["pcie"],
    "links": [{"between": ["g0", "g1"], "bandwidth": "40 GB/s"}, {"between": ["g1", "g2"], "bandwidth": "40 GB/s"},
              {"between": ["g0", "pcie"], "bandwidth": "12 GB/s", "latency": "1 us"},
              {"between": ["g1", "pcie"], "bandwidth": "12 GB/s", "latency": "1 us"},
              {"between": ["g2", "pcie"], "bandwidth": "12 GB/s", "latency": "1 us"}]}}]})")
          .physical();
  CHECK(path(machines, "a.g0", "a.g1").bandwidth == 40e9);
  CHECK(path(machines, "a.g0", "a.g2").bandwidth == 12e9);
  CHECK(path(machines, "a.g0", "a.g2").latency == Duration::nanoseconds(2000));
}

TEST_CASE("listed routes over links without ends, in both directions, and for a server that is attached") {
  PhysicalNetwork machines =
      cluster_of(R"({"hosts": [{"name": "a", "devices": 1}, {"name": "b", "devices": 1}],
    "links": [{"name": "x", "bandwidth": "2 MB/s", "latency": "1 ms"}, {"name": "y", "bandwidth": "1 MB/s", "latency": "2 ms"}],
    "routes": [{"from": "a", "to": "b", "over": ["x", "y"]}]})")
          .physical();
  CHECK(path(machines, "a", "b").latency == Duration::nanoseconds(3000000));
  CHECK(path(machines, "b", "a").bandwidth == 1e6);
  (void)machines.add_host("server", machines.sites.front());
  // The server's own link is as the widest of the network: 2 MB/s, 1 ms.
  CHECK(path(machines, "server", "b").latency == Duration::nanoseconds(4000000));
  CHECK(path(machines, "b", "server").hops == 3);
}

TEST_CASE("a host's devices may be those that the cluster describes itself") {
  const std::string text = R"({"hardware": {"devices": [{"name": "Prototype", "like": "H100-SXM"}]},
    "hosts": [{"name": "a", "devices": {"Prototype": 2}}]})";
  const PhysicalNetwork machines = cluster_of(text).physical();
  REQUIRE(machines.devices.size() == 2);
  CHECK(machines.devices[1].model == "Prototype");
  // On the hub by the links of the device that it is like.
  CHECK(path(machines, "a.g0", "a.g1").bandwidth == find_device("H100-SXM").interconnect_bandwidth.value);
  std::string misspelt = text;
  misspelt.replace(misspelt.rfind("Prototype"), 9, "Protoype");
  refused(misspelt, {"cluster.hosts[0].devices.Protoype", "did you mean \"Prototype\"?", "c.json:2"});
}

TEST_CASE("a route over links with and without ends is held to those with ends") {
  const auto routed = [](const char* over) {
    return R"({"hosts": [{"name": "a", "devices": 1}, {"name": "b", "devices": 1}], "switches": [{"name": "s"}],
      "links": [{"name": "as", "between": ["a", "s"], "bandwidth": "4 MB/s"},
                {"name": "bs", "between": ["b", "s"], "bandwidth": "3 MB/s"},
                {"name": "wire", "bandwidth": "1 MB/s", "latency": "1 ms"}],
      "routes": [{"from": "a", "to": "b", "over": )" +
           std::string(over) + "}]}";
  };
  CHECK(path(cluster_of(routed(R"(["as", "bs"])")).physical(), "a", "b").bandwidth == 3e6);
  CHECK(path(cluster_of(routed(R"(["as", "wire", "bs"])")).physical(), "b", "a").bandwidth == 1e6);
  CHECK(path(cluster_of(routed(R"(["wire", "bs"])")).physical(), "a", "b").hops == 2);
  refused(routed(R"(["bs", "wire"])"), {"cluster.routes[0].over[0]", "\"bs\" does not start at \"a\""});
  refused(routed(R"(["wire", "as"])"), {"cluster.routes[0].over", "ends at \"s\""});
  refused(routed(R"(["as"])"), {"cluster.routes[0].over", "ends at \"s\""});
}

TEST_CASE("a bisection is an upper bound where routes are listed, and none where links have no ends") {
  // Either way round the square carries 1 MB/s from a to b: 2 MB/s by maximum flow, 1 MB/s by the listed
  // route.
  const std::string square = R"({"hosts": [{"name": "a", "devices": 1}, {"name": "b", "devices": 1}],
    "switches": [{"name": "s"}, {"name": "t"}],
    "links": [{"name": "as", "between": ["a", "s"], "bandwidth": "1 MB/s"},
              {"name": "at", "between": ["a", "t"], "bandwidth": "1 MB/s"},
              {"name": "bs", "between": ["b", "s"], "bandwidth": "1 MB/s"},
              {"name": "bt", "between": ["b", "t"], "bandwidth": "1 MB/s"}])";
  const auto free = bisection_bandwidth(cluster_of(square + "}").physical());
  REQUIRE(free);
  CHECK(free->bandwidth == 2e6);
  CHECK(free->exact);
  const auto listed = bisection_bandwidth(
      cluster_of(square + R"(, "routes": [{"from": "a", "to": "b", "over": ["as", "bs"]}]})").physical());
  REQUIRE(listed);
  CHECK_FALSE(listed->exact);
  CHECK(listed->how.find("listed routes") != std::string::npos);
  CHECK_FALSE(
      bisection_bandwidth(cluster_of(R"({"hosts": [{"name": "a", "devices": 1}, {"name": "b", "devices": 1}],
    "links": [{"name": "x", "bandwidth": "2 MB/s"}], "routes": [{"from": "a", "to": "b", "over": ["x"]}]})")
                              .physical()));
}

TEST_CASE("what fits no network is refused with its place, naming nodes and rule") {
  refused(R"({"hosts": [{"name": "a", "devices": 1}, {"name": "b", "devices": 1}]})",
          {"cluster.hosts", "no route leads from \"a\" to \"b\"", "c.json:1"});
  refused(R"({"hosts": [{"name": "a", "devices": 1}, {"name": "a", "devices": 1}]})",
          {"cluster.hosts[1].name", "repeats the name \"a\""});
  refused(R"({"hosts": [{"name": "a", "devices": {"V100-SXM-16G": 8}}]})",
          {"did you mean \"V100-SXM-16GB\"?"});
  refused(R"({"hosts": [{"name": "a", "devices": 4}]})", {"cluster.hosts[0].inside", "how the 4 devices"});
  refused(R"({"hosts": [{"name": "a", "devices": 1, "uplink": "1 Gbit/s"}]})",
          {"cluster.hosts[0].downlink", "both directions"});
  refused(R"({"hosts": [{"name": "ada", "devices": 1}, {"name": "b", "devices": 1}],
              "links": [{"between": ["adn", "b"], "bandwidth": "1 GB/s"}]})",
          {"cluster.links[0].between[0]", "did you mean \"ada\"?", "c.json:2"});
  // A one-way link cannot carry a route both ways.
  refused(R"({"hosts": [{"name": "a", "devices": 1}, {"name": "b", "devices": 1}],
              "links": [{"name": "x", "between": ["a", "b"], "bandwidth": "1 GB/s", "sharing": "one_way"}],
              "routes": [{"from": "a", "to": "b", "over": ["x"]}]})",
          {"cluster.routes[0].over[0]", "a and b", "\"x\" both ways, a link of one way"});
  refused(R"({"hosts": [{"name": "a", "devices": 1}, {"name": "b", "devices": 1}],
              "links": [{"name": "x", "between": ["a", "b"], "bandwidth": "1 GB/s", "sharing": "one_way"}]})",
          {"no route leads from \"b\" to \"a\""});
  refused(R"({"hosts": [{"name": "a", "devices": 3, "inside": {"bandwidth": "1 GB/s"}}],
              "workers": [{"on": "a", "devices_per_worker": 2}]})",
          {"cluster.workers[0].devices_per_worker", "3 devices", "whole workers of 2"});
  refused(R"({"hosts": [{"name": "a", "devices": 1, "region": "r", "nic": "1 GB/s"}],
              "regions": {"bandwidth": [["r", "s", "1 GB/s"]]}})",
          {"cluster.regions.bandwidth[0][1]", "unknown region \"s\""});
  refused(R"({"hosts": [{"name": "a", "devices": 1}], "servers": {"global": "aa"}})",
          {"cluster.servers.global", "unknown host \"aa\""});
  refused(R"({"workers": 4, "hosts": [{"name": "a", "devices": 1}]})", {"mixes listed hosts"});
}
