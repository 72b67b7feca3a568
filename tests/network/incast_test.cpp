// Many senders of unequal speed into one port, against a port that is filled anew at every event.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/random.hpp"
#include "network/max_min.hpp"
#include "network/network.hpp"

using namespace convoy;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct Sender {
  double weight = 1, cap = never;
  std::uint32_t count = 1;
};

/// The level L at which sum of count x min(cap, weight L) is the capacity: caps in ascending order are taken
/// out until the rest can share what is left. Infinite where all caps fit.
double water_level(std::vector<Sender> senders, double capacity) {
  std::sort(senders.begin(), senders.end(),
            [](const Sender& a, const Sender& b) { return a.cap / a.weight < b.cap / b.weight; });
  double load = 0;
  for (const Sender& sender : senders) load += sender.weight * sender.count;
  for (const Sender& sender : senders) {
    if (sender.cap / sender.weight > capacity / load) return capacity / load;
    capacity -= sender.cap * sender.count;
    load -= sender.weight * sender.count;
  }
  return never;
}

}  // namespace

TEST_CASE("a port kept sorted gives the rates of a port filled anew") {
  RandomStream random(7, "incast");
  for (int repetition = 0; repetition < 4; ++repetition) {
    MaxMin shares;
    double capacity = 1e9;
    const auto port = shares.add_constraint(capacity);
    std::vector<MaxMin::Constraint> uses{port};
    std::vector<Sender> senders(300);
    std::vector<bool> present(senders.size(), false);
    for (int step = 0; step < 3000; ++step) {
      // Grows to some 200 senders, shrinks to none, grows again: the port is sorted, and is not, in turn.
      const bool growing = step % 1500 < 900;
      for (std::uint64_t k = 1 + random.below(3); k > 0; --k) {
        const auto flow = static_cast<std::uint32_t>(random.below(senders.size()));
        if (!present[flow] && (growing || random.below(4) == 0)) {
          Sender& sender = senders[flow];
          sender.weight = repetition % 2 == 0 ? 1 : static_cast<double>(1 + random.below(3));
          sender.cap = random.below(4) == 0 ? never : 1e6 + 2e7 * random.uniform();
          sender.count = 1 + static_cast<std::uint32_t>(random.below(2));
          shares.add(flow, uses, sender.weight, sender.cap, sender.count);
          present[flow] = true;
        } else if (present[flow] && (!growing || random.below(3) == 0)) {
          shares.remove(flow);
          present[flow] = false;
        } else if (present[flow] && random.below(2) == 0) {
          senders[flow].cap = 1e6 + 2e7 * random.uniform();
          shares.set_cap(flow, senders[flow].cap);
        } else if (present[flow]) {
          senders[flow].count = 1 + static_cast<std::uint32_t>(random.below(3));
          shares.set_count(flow, senders[flow].count);
        }
      }
      if (random.below(50) == 0)
        shares.set_capacity(port, capacity = random.below(5) == 0 ? 0 : 2e9 * random.uniform());
      shares.solve();
      std::vector<Sender> list;
      for (std::size_t f = 0; f < senders.size(); ++f) {
        if (present[f]) list.push_back(senders[f]);
      }
      const double level = capacity > 0 ? water_level(list, capacity) : 0;
      for (std::uint32_t f = 0; f < senders.size(); ++f) {
        if (!present[f]) continue;
        const double expected = std::min(senders[f].cap, senders[f].weight * level);
        CAPTURE(step);
        REQUIRE(std::abs(shares.rate(f) - expected) <= 1e-11 * expected);
      }
    }
  }
}

TEST_CASE("one new sender to a sorted port changes a level, not the list of those it holds") {
  // 1,000 senders without caps in a port of 1e9; the 1,001st takes the level from 1e6 to 1e9 / 1001.
  MaxMin shares;
  const auto port = shares.add_constraint(1e9);
  const std::vector<MaxMin::Constraint> uses{port};
  for (std::uint32_t f = 0; f < 1000; ++f) shares.add(f, uses, 1, 1e7 + f);
  CHECK(shares.solve().flows.size() == 1000);
  CHECK(shares.share(port) == 1e6);
  shares.add(1000, uses, 1, 5e5);
  MaxMin::Changes changes = shares.solve();
  REQUIRE(changes.flows.size() == 1);
  CHECK(changes.flows[0] == 1000);
  CHECK(shares.holder(1000) == MaxMin::own_cap);
  REQUIRE(changes.constraints.size() == 1);
  CHECK(std::abs(shares.rate(3) / ((1e9 - 5e5) / 1000) - 1) < 1e-15);
  shares.remove(1000);
  changes = shares.solve();
  CHECK(changes.flows.empty());
  CHECK(shares.share(port) == 1e6);
}

TEST_CASE("1,000 asynchronous transfers from unequal hosts end as if solved at every event") {
  // Hosts of 5 MB/s to 1 GB/s around a port of 10 GB/s; starts a microsecond to a second apart. Reference:
  // continuous time, the port filled anew at each of the 2,000 events.
  struct Planned {
    double start = 0, bytes = 0, bandwidth = 0, left = 0, end = never;
  };
  for (const std::uint64_t seed : {1, 2, 3}) {
    RandomStream random(seed, "unequal incast");
    std::vector<Planned> plan(1000);
    for (Planned& p : plan) {
      p.start = 1e-6 * static_cast<double>(random.below(seed == 3 ? 1'000 : 1'000'000));
      p.bytes = static_cast<double>(1 + random.below(50'000'000));
      p.bandwidth = 5e6 * std::pow(200.0, random.uniform());
    }
    Engine engine;
    NetworkGraph graph;
    const NodeId hub = graph.add_node("hub"), server = graph.add_node("server");
    graph.add_link(hub, server, {.bandwidth = 1e10});
    for (std::size_t i = 0; i < plan.size(); ++i) {
      graph.add_link(graph.add_node("h" + std::to_string(i)), hub, {.bandwidth = plan[i].bandwidth});
    }
    Network network(engine, graph);
    std::vector<double> ends(plan.size(), never);
    for (std::size_t i = 0; i < plan.size(); ++i) {
      engine.at(Time::at_seconds(plan[i].start), EventClass::timer, [&, i] {
        network.start({static_cast<std::int32_t>(2 + i)}, server, static_cast<std::int64_t>(plan[i].bytes),
                      [&, i] { ends[i] = engine.now().to_seconds(); });
      });
    }
    engine.run();

    for (double time = 0;;) {
      std::vector<Sender> live;
      double next = never;
      for (const Planned& p : plan) {
        if (p.start > time) next = std::min(next, p.start);
        if (p.left > 0) live.push_back({1, p.bandwidth, 1});
      }
      const double level = live.empty() ? never : water_level(live, 1e10);
      for (const Planned& p : plan) {
        if (p.left > 0) next = std::min(next, time + p.left / std::min(p.bandwidth, level));
      }
      if (next == never) break;
      for (Planned& p : plan) {
        if (p.left <= 0) continue;
        p.left -= std::min(p.bandwidth, level) * (next - time);
        if (p.left <= 1e-11 * p.bytes) p.left = 0, p.end = next;
      }
      for (Planned& p : plan) {
        if ((p.start > time || (time == 0 && p.start == 0)) && p.start <= next && p.end == never)
          p.left = p.bytes;
      }
      time = next;
    }
    for (std::size_t i = 0; i < plan.size(); ++i) {
      CAPTURE(seed);
      CAPTURE(i);
      // Ends are rounded up to a nanosecond, which delays what follows by as much: a nanosecond an event.
      REQUIRE(std::abs(ends[i] - plan[i].end) <= 1e-9 * plan[i].end + 2e-6);
    }
  }
}
