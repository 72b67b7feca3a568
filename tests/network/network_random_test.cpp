// The incremental network against a naive one that solves everything again at every event, in continuous
// time.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/random.hpp"
#include "network/network.hpp"

using namespace convoy;

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

struct PlannedTransfer {
  double start = 0, bytes = 0;
  NodeId from, to;
  TransferOptions options;
  std::optional<double> aborted_at;
};
struct PlannedBandwidth {
  double at = 0, bandwidth = 0;
  LinkId link;
};
struct Scenario {
  NetworkGraph graph;
  bool contention = true;
  std::vector<PlannedTransfer> transfers;
  std::vector<PlannedBandwidth> changes;
};

/// Rates by raising all unfrozen flows together and freezing what cannot rise: the definition, with none of
/// the shortcuts.
struct NaiveFlow {
  std::vector<std::size_t> constraints;
  double weight = 1, cap = never, rate = 0;
  bool frozen = false;
};
void naive_rates(std::vector<NaiveFlow*>& flows, const std::vector<double>& capacity) {
  for (NaiveFlow* flow : flows) flow->frozen = false, flow->rate = 0;
  double level = 0;
  while (std::any_of(flows.begin(), flows.end(), [](const NaiveFlow* flow) { return !flow->frozen; })) {
    // How far can the common level x/w of the unfrozen rise?
    double next = never;
    std::vector<double> left = capacity, load(capacity.size(), 0);
    for (const NaiveFlow* flow : flows) {
      for (const std::size_t c : flow->constraints) {
        if (flow->frozen)
          left[c] -= flow->rate;
        else
          load[c] += flow->weight;
      }
      if (!flow->frozen) next = std::min(next, flow->cap / flow->weight);
    }
    for (std::size_t c = 0; c < capacity.size(); ++c) {
      if (load[c] > 0) next = std::min(next, left[c] / load[c]);
    }
    level = std::max(level, next);
    for (NaiveFlow* flow : flows) {
      if (flow->frozen) continue;
      bool binds = flow->cap / flow->weight <= level * (1 + 1e-13);
      for (const std::size_t c : flow->constraints) binds = binds || left[c] <= load[c] * level * (1 + 1e-13);
      if (binds) flow->frozen = true, flow->rate = flow->weight * level;
    }
  }
}

/// Ends of all transfers; never for those that do not end.
std::vector<double> naive_ends(const Scenario& scenario) {
  struct Live {
    NaiveFlow flow;
    double left = 0;
    std::size_t index = 0;
  };
  const NetworkGraph& graph = scenario.graph;
  std::vector<double> bandwidth, ends(scenario.transfers.size(), never);
  for (std::size_t l = 0; l < graph.links(); ++l)
    bandwidth.push_back(graph.link({static_cast<std::int32_t>(l)}).bandwidth);
  std::vector<double> dates;  // of everything that does not depend on rates
  for (const PlannedTransfer& t : scenario.transfers) {
    dates.push_back(t.start + graph.path(t.from, t.to).latency.to_seconds());
    if (t.aborted_at) dates.push_back(*t.aborted_at);
  }
  for (const PlannedBandwidth& change : scenario.changes) dates.push_back(change.at);
  std::sort(dates.begin(), dates.end());
  std::vector<Live> live;
  double time = 0;
  const auto apply = [&](double from, double to) {  // what is planned in (from, to]
    const auto due = [&](double date) { return date > from && date <= to; };
    for (const PlannedBandwidth& change : scenario.changes) {
      if (due(change.at)) bandwidth[static_cast<std::size_t>(change.link.index)] = change.bandwidth;
    }
    for (std::size_t i = 0; i < scenario.transfers.size(); ++i) {
      const PlannedTransfer& t = scenario.transfers[i];
      if (t.aborted_at && due(*t.aborted_at))
        std::erase_if(live, [&](const Live& l) { return l.index == i; });
      const double begin = t.start + graph.path(t.from, t.to).latency.to_seconds();
      if (!due(begin) || (t.aborted_at && *t.aborted_at <= begin)) continue;
      if (t.bytes == 0 || t.from == t.to) {
        ends[i] = begin;
      } else {
        live.push_back({.flow = {}, .left = t.bytes, .index = i});
      }
    }
  };
  apply(-1, 0);
  while (true) {
    std::vector<double> capacity(2 * bandwidth.size());
    std::vector<NaiveFlow*> flows;
    for (Live& l : live) {
      const PlannedTransfer& t = scenario.transfers[l.index];
      l.flow = {};
      l.flow.weight = t.options.weight;
      l.flow.cap = t.options.rate_cap;
      for (const ArcId arc : graph.route(t.from, t.to)) {
        const auto link = static_cast<std::size_t>(arc.link().index);
        const Sharing sharing = graph.link(arc.link()).sharing;
        if (!scenario.contention || sharing == Sharing::fat_pipe) {
          l.flow.cap = std::min(l.flow.cap, bandwidth[link]);
        } else {
          l.flow.constraints.push_back(2 * link + (sharing == Sharing::full_duplex && arc.reverse() ? 1 : 0));
        }
      }
      flows.push_back(&l.flow);
    }
    for (std::size_t c = 0; c < capacity.size(); ++c) capacity[c] = bandwidth[c / 2];
    naive_rates(flows, capacity);
    double next = never;
    for (const Live& l : live) next = std::min(next, time + l.left / l.flow.rate);
    const auto date = std::upper_bound(dates.begin(), dates.end(), time);
    if (date != dates.end()) next = std::min(next, *date);
    if (next == never) return ends;
    for (Live& l : live) l.left -= l.flow.rate * (next - time);
    // The smallest step of the continuous clock stands for "now".
    std::erase_if(live, [&](const Live& l) {
      if (l.left > 1e-11 * scenario.transfers[l.index].bytes) return false;
      ends[l.index] = next;
      return true;
    });
    apply(time, next);
    time = next;
  }
}

std::vector<double> simulated_ends(const Scenario& scenario) {
  Engine engine;
  Network network(engine, scenario.graph, {.contention = scenario.contention});
  std::vector<double> ends(scenario.transfers.size(), never);
  std::vector<TransferId> ids(scenario.transfers.size());
  for (const PlannedBandwidth& change : scenario.changes) {
    engine.at(Time::at_seconds(change.at), EventClass::fault,
              [&] { network.set_bandwidth(change.link, change.bandwidth); });
  }
  for (std::size_t i = 0; i < scenario.transfers.size(); ++i) {
    const PlannedTransfer& t = scenario.transfers[i];
    engine.at(Time::at_seconds(t.start), EventClass::timer, [&, i] {
      ids[i] = network.start(
          scenario.transfers[i].from, scenario.transfers[i].to,
          static_cast<std::int64_t>(scenario.transfers[i].bytes),
          [&, i] { ends[i] = engine.now().to_seconds(); }, scenario.transfers[i].options);
    });
    if (t.aborted_at) {
      engine.at(Time::at_seconds(*t.aborted_at), EventClass::evaluation, [&, i] { network.abort(ids[i]); });
    }
  }
  engine.run();
  return ends;
}

/// Hosts around one switch that all send to one or two servers: flows that are equal to the solver, until a
/// second message of a host makes its own link count too.
Scenario random_incast(std::uint64_t seed) {
  RandomStream random(seed, "incast test");
  Scenario s;
  const auto pick = [&](std::uint64_t n) { return static_cast<std::int32_t>(random.below(n)); };
  const NodeId hub = s.graph.add_node("hub");
  const int hosts = 10;
  for (int i = 0; i < hosts; ++i) {
    const NodeId host = s.graph.add_node("h" + std::to_string(i));
    s.graph.add_link(host, hub,
                     {.bandwidth = seed % 2 == 0 || i % 2 == 0 ? 1e8 : 3e7,
                      .latency = Duration::nanoseconds(pick(3) * 1'000'000),
                      .sharing = seed % 4 == 3 ? Sharing::half_duplex : Sharing::full_duplex});
  }
  for (int i = 0; i < 60; ++i) {
    PlannedTransfer t;
    t.start = 0.01 * static_cast<double>(random.below(300));
    t.bytes = random.below(2) == 0 ? 1e7 : static_cast<double>(1 + random.below(20'000'000));
    t.from = {3 + pick(hosts - 2)};
    t.to = {1 + pick(seed % 3 == 0 ? 2 : 1)};
    if (seed % 8 == 5) t.options.rate_cap = 2e7;
    if (random.below(8) == 0) t.aborted_at = t.start + 0.01 * static_cast<double>(random.below(300));
    s.transfers.push_back(t);
  }
  for (int i = seed % 5 == 0 ? 4 : 0; i > 0; --i) {
    s.changes.push_back(
        {0.01 * static_cast<double>(random.below(300)), 1e7 + 1e8 * random.uniform(), {pick(hosts)}});
  }
  return s;
}

/// Dates on a grid of 10 ms, so that many coincide; sizes such that runs last tens of seconds.
Scenario random_scenario(std::uint64_t seed) {
  RandomStream random(seed, "network test");
  Scenario s;
  const auto pick = [&](std::uint64_t n) { return static_cast<std::int32_t>(random.below(n)); };
  const auto date = [&] { return 0.01 * static_cast<double>(random.below(1000)); };
  const int nodes = 3 + pick(8);
  for (int i = 0; i < nodes; ++i) s.graph.add_node("n" + std::to_string(i));
  const auto spec = [&] {
    LinkSpec link;
    link.bandwidth = random.below(2) == 0 ? 1e8 : 1e7 + 1e8 * random.uniform();
    link.latency = Duration::nanoseconds(random.below(3) == 0 ? 0 : pick(50) * 1'000'000);
    const Sharing kinds[] = {Sharing::full_duplex, Sharing::full_duplex, Sharing::half_duplex,
                             Sharing::fat_pipe};
    link.sharing = kinds[random.below(4)];
    return link;
  };
  for (int i = 1; i < nodes; ++i)
    s.graph.add_link({pick(static_cast<std::uint64_t>(i))}, {i}, spec());  // a tree ...
  for (int i = pick(4); i > 0; --i) {                                      // ... and some chords
    const NodeId a{pick(static_cast<std::uint64_t>(nodes))}, b{pick(static_cast<std::uint64_t>(nodes))};
    if (a != b) s.graph.add_link(a, b, spec());
  }
  s.contention = seed % 8 != 0;
  const int transfers = 5 + pick(40);
  for (int i = 0; i < transfers; ++i) {
    PlannedTransfer t;
    t.start = date();
    t.bytes = random.below(10) == 0
                  ? 0
                  : static_cast<double>(random.below(2) == 0 ? 100'000'000 : random.below(300'000'000));
    t.from = {pick(static_cast<std::uint64_t>(nodes))};
    t.to = {pick(static_cast<std::uint64_t>(nodes))};
    if (seed % 2 == 1) t.options.weight = 1 + pick(4);
    if (seed % 3 == 1 && random.below(2) == 0) t.options.rate_cap = 5e7 * (0.1 + random.uniform());
    if (random.below(8) == 0) t.aborted_at = t.start + date();
    s.transfers.push_back(t);
  }
  for (int i = seed % 4 == 2 ? 5 : 0; i > 0; --i) {
    s.changes.push_back({date(), 1e7 + 1e8 * random.uniform(), {pick(s.graph.links())}});
  }
  return s;
}

}  // namespace

TEST_CASE("lazy settling and partial solving give the times of solving everything at every event") {
  // 200 random networks with up to 45 transfers and 100 incasts with 60, aborts and changes of bandwidth.
  // Each end is rounded up to a nanosecond, which delays what follows by as much: 1e-9 of the 10 s scale of
  // the runs, plus a nanosecond for each transfer.
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    const Scenario scenario = seed < 200 ? random_scenario(seed) : random_incast(seed);
    const std::vector<double> expected = naive_ends(scenario), got = simulated_ends(scenario);
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CAPTURE(seed);
      CAPTURE(i);
      if (expected[i] == never) {
        REQUIRE(got[i] == never);
      } else {
        REQUIRE(std::abs(got[i] - expected[i]) <=
                1e-9 * (10 + expected[i]) + 1e-9 * static_cast<double>(expected.size()));
      }
    }
  }
}

TEST_CASE("a run is repeated to the nanosecond") {
  for (std::uint64_t seed = 1; seed < 6; ++seed) {
    const Scenario scenario = random_scenario(seed);
    CHECK(simulated_ends(scenario) == simulated_ends(scenario));
  }
}
