#include "training/physical_network.hpp"

#include <doctest/doctest.h>

#include <string>

#include "core/error.hpp"
#include "training/bisection.hpp"

using namespace convoy;

namespace {

/// Devices a, b, c at one site; c hangs on the switch by a link of that kind, or not at all.
PhysicalNetwork three(std::optional<Sharing> third) {
  PhysicalNetwork machines;
  const NodeId center = machines.graph.add_node("switch");
  machines.sites.push_back({.name = "local", .attach = center});
  for (const char* name : {"a", "b", "c"}) {
    const NodeId node = machines.graph.add_node(name);
    const bool last = std::string(name) == "c";
    machines.devices.push_back({.name = name, .site = "local", .host = name, .node = node, .model = {}});
    if (!last || third) {
      machines.graph.add_link(node, center,
                              {.bandwidth = 1e9, .sharing = last ? *third : Sharing::full_duplex});
    }
  }
  return machines;
}

std::string fault_of(const PhysicalNetwork& machines) {
  try {
    machines.require_connected("cluster");
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

}  // namespace

TEST_CASE("workers without a way to each other are named, one-way links count one way") {
  CHECK(fault_of(three(Sharing::full_duplex)) == "no fault");
  CHECK(fault_of(three(std::nullopt)).find("cluster: no route leads from \"a\" to \"c\"") !=
        std::string::npos);
  // c -> switch alone: c sends, and nobody reaches it.
  CHECK(fault_of(three(Sharing::one_way)).find("from \"a\" to \"c\"") != std::string::npos);
}

TEST_CASE("the least cut of one-way links is that of the weaker way") {
  // a -> b 3 B/s, b -> a 1 B/s: halves of one device each.
  PhysicalNetwork machines;
  const NodeId a = machines.graph.add_node("a"), b = machines.graph.add_node("b");
  machines.sites.push_back({.name = "local", .attach = a});
  machines.devices.push_back({.name = "a", .site = "local", .host = "a", .node = a, .model = {}});
  machines.devices.push_back({.name = "b", .site = "local", .host = "b", .node = b, .model = {}});
  machines.graph.add_link(a, b, {.bandwidth = 3, .sharing = Sharing::one_way});
  machines.graph.add_link(b, a, {.bandwidth = 1, .sharing = Sharing::one_way});
  CHECK(least_cut_of_halves(machines) == doctest::Approx(1));
}
