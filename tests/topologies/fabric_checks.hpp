// What the tests of fabrics share: options, and checks against closed forms.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <initializer_list>

#include "tests/topologies/build_part.hpp"
#include "training/bisection.hpp"

namespace convoy::test {

inline constexpr double gbyte = 1e9;  // "8 Gbit/s"

inline const Node gigabyte = word("8 Gbit/s"), microsecond = word("1 us");

inline Node link(const char* bandwidth, const char* latency = "1 us") {
  Node node = Node::object();
  node.set("bandwidth", word(bandwidth));
  node.set("latency", word(latency));
  return node;
}

inline Node list(std::initializer_list<std::int64_t> values) {
  Node node = Node::list();
  for (const std::int64_t value : values) node.items.push_back(Node::of(value));
  return node;
}

struct Size {
  std::size_t devices, nodes, links;
};
inline void check_size(const PhysicalNetwork& machines, Size expected) {
  CHECK(machines.devices.size() == expected.devices);
  CHECK(machines.graph.nodes() == expected.nodes);
  CHECK(machines.graph.links() == expected.links);
  CHECK_NOTHROW(machines.require_consistent());
}

/// Most hops between two devices.
inline std::size_t diameter(const PhysicalNetwork& machines) {
  std::size_t most = 0;
  for (const auto& a : machines.devices) {
    for (const auto& b : machines.devices) {
      if (a.node != b.node) most = std::max(most, machines.graph.path(a.node, b.node).hops);
    }
  }
  return most;
}

/// The closed form is the least cut over all halves of the devices.
inline void check_bisection(const FabricBuilder& builder, double expected) {
  REQUIRE(builder.bisection());
  CHECK(*builder.bisection() == doctest::Approx(expected).epsilon(1e-12));
  CHECK(least_cut_of_halves(builder.build()) == doctest::Approx(expected).epsilon(1e-9));
}

}  // namespace convoy::test
