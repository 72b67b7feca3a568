#include "network/fluid_flows.hpp"

#include <doctest/doctest.h>

#include <limits>
#include <stdexcept>
#include <vector>

using namespace convoy;

namespace {

constexpr double none = std::numeric_limits<double>::infinity();

struct Fixture {
  FluidFlows flows;
  std::uint64_t order = 0;
  void start(FluidFlows::Flow flow, std::vector<FluidFlows::Constraint> on, double bytes, Time now,
             double cap = none) {
    flows.start(flow, on, {.bytes = bytes, .weight = 1, .cap = cap, .order = order++, .background = false},
                now);
  }
  std::vector<FluidFlows::Flow> finished(Time now) {
    std::vector<FluidFlows::Flow> list;
    flows.collect_finished(now, list);
    return list;
  }
};

Time at(double seconds) {
  return Time::at_seconds(seconds);
}

}  // namespace

TEST_CASE("a flow that shares nothing moves at once and needs no solving") {
  Fixture f;
  const auto a = f.flows.add_constraint(100), b = f.flows.add_constraint(50);
  f.start(0, {a, b}, 100, at(1));
  CHECK_FALSE(f.flows.changed());
  CHECK(f.flows.rate(0) == 50);
  CHECK(f.flows.next() == at(3));
  CHECK(f.flows.remaining(0, at(2)) == 50);
  CHECK(f.finished(at(3)) == std::vector<FluidFlows::Flow>{0});
  CHECK(f.flows.next() == std::nullopt);
}

TEST_CASE("a private link is a cap until somebody else uses it") {
  // a = 10 with flows 0 and 1, whose other links are private: 4 and 20. Flow 0 is held to 4, flow 1 gets 6.
  // When flow 2 joins flow 1 on its own link of 20, nothing changes for 0 and 1; 2 gets 14.
  Fixture f;
  const auto a = f.flows.add_constraint(10), p0 = f.flows.add_constraint(4), p1 = f.flows.add_constraint(20);
  f.start(0, {a, p0}, 1e9, at(0));
  f.start(1, {a, p1}, 1e9, at(0));
  CHECK(f.flows.changed());
  f.flows.solve(at(0));
  CHECK(f.flows.rate(0) == 4);
  CHECK(f.flows.rate(1) == 6);
  f.start(2, {p1}, 1e9, at(1));
  f.flows.solve(at(1));
  CHECK(f.flows.rate(0) == 4);
  CHECK(f.flows.rate(1) == 6);
  CHECK(f.flows.rate(2) == 14);
  // A change of a private capacity counts as well: 0 at 3 leaves 7 to 1.
  f.flows.set_capacity(p0, 3);
  f.flows.solve(at(2));
  CHECK(f.flows.rate(0) == 3);
  CHECK(f.flows.rate(1) == 7);
  CHECK(f.flows.remaining(0, at(2)) == 1e9 - 8);
}

TEST_CASE("flows that end together come in the order of their start") {
  // Flows 5, 3, 4 on one link with equal bytes, and flow 9 alone elsewhere, all ending at 3 s.
  Fixture f;
  const auto a = f.flows.add_constraint(30), b = f.flows.add_constraint(10);
  f.start(5, {a}, 30, at(0));
  f.start(9, {b}, 30, at(0));
  f.start(3, {a}, 30, at(0));
  f.start(4, {a}, 30, at(0));
  f.flows.solve(at(0));
  CHECK(f.flows.next() == at(3));
  CHECK(f.finished(at(3)) == std::vector<FluidFlows::Flow>{5, 9, 3, 4});
}

TEST_CASE("a group of a thousand flows drains in closed form") {
  // Flow i of n = 1000 has i + 1 bytes on a link of n B/s; all start at 0. Flow i ends when each of the
  // remaining n - i flows has been served i + 1 bytes: t_i = t_(i-1) + (n - i)/n.
  constexpr std::uint32_t n = 1000;
  Fixture f;
  const auto link = f.flows.add_constraint(n);
  for (std::uint32_t i = 0; i < n; ++i) f.start(i, {link}, i + 1, at(0));
  f.flows.solve(at(0));
  CHECK(f.flows.moving_foreground() == n);
  double expected = 0;
  for (std::uint32_t i = 0; i < n; ++i) {
    expected += static_cast<double>(n - i) / n;
    const Time end = f.flows.next().value();
    REQUIRE(end.to_seconds() == doctest::Approx(expected).epsilon(1e-9));
    REQUIRE(f.finished(end) == std::vector<FluidFlows::Flow>{i});
    f.flows.solve(end);
  }
  CHECK(f.flows.moving_foreground() == 0);
}

TEST_CASE("a byte beside a flow of months is timed to the nanosecond") {
  // A flow of 1e16 B moves on 1 GB/s, with another of that size, at 0.5 GB/s each and nothing changes for 1e6
  // s. Then one byte more: a third of 1 GB/s, 3 ns. The clock of the group stands at 5e14 B, where doubles
  // are 0.06 apart.
  Fixture f;
  const auto link = f.flows.add_constraint(1e9);
  f.start(0, {link}, 1e16, at(0));
  f.start(1, {link}, 1e16, at(0));
  f.flows.solve(at(0));
  const Time late = at(1e6);
  f.start(2, {link}, 1, late);
  f.flows.solve(late);
  CHECK(f.flows.next().value() - late == Duration::nanoseconds(3));
  CHECK(f.finished(late + Duration::nanoseconds(3)) == std::vector<FluidFlows::Flow>{2});
  CHECK(f.flows.remaining(0, late) == doctest::Approx(1e16 - 5e14).epsilon(1e-12));
}

TEST_CASE("stopping and starting again leaves nothing behind") {
  Fixture f;
  const auto link = f.flows.add_constraint(10);
  for (int round = 0; round < 100; ++round) {
    for (std::uint32_t i = 0; i < 5; ++i) f.start(i, {link}, 100, at(round));
    f.flows.solve(at(round));
    CHECK(f.flows.rate(3) == 2);
    CHECK_THROWS_AS(f.start(3, {link}, 1, at(round)), std::logic_error);
    for (std::uint32_t i = 0; i < 5; ++i) f.flows.stop(4 - i, at(round + 0.5));
    CHECK(f.flows.next() == std::nullopt);
    CHECK(f.flows.moving_foreground() == 0);
  }
}
