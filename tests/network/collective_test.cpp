#include "network/collective.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "network/ring_order.hpp"

using namespace convoy;

namespace {

constexpr CollectiveKind kinds[] = {CollectiveKind::all_reduce, CollectiveKind::reduce_scatter,
                                    CollectiveKind::all_gather, CollectiveKind::broadcast};
constexpr Fidelity fidelities[] = {Fidelity::formula, Fidelity::fluid, Fidelity::steps};

/// n hosts on one switch; `latency` and `bandwidth` are those of the path between two hosts.
struct Cluster {
  explicit Cluster(int n, double bandwidth, Duration latency = {}, bool contention = true)
      : network(engine, star(n, bandwidth, latency), {.contention = contention}), collectives(network) {
    for (int i = 0; i < n; ++i) ring.push_back({1 + i});
  }
  static NetworkGraph star(int n, double bandwidth, Duration latency) {
    NetworkGraph graph;
    const NodeId hub = graph.add_node("switch");
    for (int i = 0; i < n; ++i) {
      const NodeId host = graph.add_node("h" + std::to_string(i));
      graph.add_link(host, hub, {.bandwidth = bandwidth, .latency = latency, .sharing = Sharing::one_way});
      graph.add_link(hub, host, {.bandwidth = bandwidth, .sharing = Sharing::one_way});
    }
    return graph;
  }
  /// Runs one collective from time 0 and returns its length.
  Duration run(CollectiveKind kind, std::int64_t bytes, Fidelity fidelity, int root = 0,
               std::optional<int> chunks = {}) {
    collectives.start(
        {.kind = kind, .members = ring, .bytes = bytes, .fidelity = fidelity, .root = root, .chunks = chunks},
        [&] { end = engine.now(); });
    engine.run();
    return end - Time::origin();
  }

  Engine engine;
  Network network;
  Collectives collectives;
  std::vector<NodeId> ring;
  Time end = Time::at_nanoseconds(-1);
};

}  // namespace

TEST_CASE("a ring all-reduce takes 2(n-1) a + 2(n-1)/n S/B at every fidelity (T16)") {
  // N = 8, S = 100 MB, B = 50 GB/s, a = 10 ns: 14 x 10 ns + 14/8 x 2 ms = 3.500140 ms.
  for (const Fidelity fidelity : fidelities) {
    Cluster cluster(8, 50e9, Duration::nanoseconds(10));
    CHECK(cluster.run(CollectiveKind::all_reduce, 100'000'000, fidelity) == Duration::nanoseconds(3'500'140));
  }
  // N = 8, S = 1 GB, B = 25 GB/s, a = 5 us: 70 us + 70 ms = 0.070070 s.
  for (const Fidelity fidelity : fidelities) {
    Cluster cluster(8, 25e9, Duration::nanoseconds(5000));
    CHECK(cluster.run(CollectiveKind::all_reduce, 1'000'000'000, fidelity) ==
          Duration::nanoseconds(70'070'000));
  }
}

TEST_CASE(
    "HALoS: the best ring over four regions is as slow as 0.127 Gbit/s, and an all-reduce over it takes "
    "33.272 s") {
  // Bandwidths of the published environment in Gbit/s (utnslab/halos, examples/env.yaml), four workers a
  // region: 01 .537, 02 .935, 03 .202, 12 .386, 13 .117, 23 .127, inside 100. The rings 0-1-2-3, 0-1-3-2 and
  // 0-2-1-3 have the slowest links .127, .117 and .117. Fully synchronous step: 2 x 15/16 x 281,706,496 B x 8
  // / 0.127e9 bit/s = 33.2724 s, no latency.
  NetworkGraph graph;
  constexpr double gbit = 1e9 / 8;
  const double between[4][4] = {
      {0, .537, .935, .202}, {.537, 0, .386, .117}, {.935, .386, 0, .127}, {.202, .117, .127, 0}};
  std::vector<NodeId> regions, workers;
  for (int r = 0; r < 4; ++r) regions.push_back(graph.add_node("region" + std::to_string(r)));
  for (int r = 0; r < 4; ++r) {
    for (int q = 0; q < r; ++q) {
      graph.add_link({q}, {r}, {.bandwidth = between[q][r] * gbit});
    }
  }
  for (int i = 0; i < 16; ++i) {  // listed round robin over regions: the order has to gather them
    const auto r = static_cast<std::size_t>(i % 4);
    workers.push_back(graph.add_node({.name = "w" + std::to_string(i), .site = "r" + std::to_string(r)}));
    graph.add_link(workers.back(), regions[r], {.bandwidth = 100 * gbit});
  }
  const std::vector<int> order = ring_order(graph, workers);
  std::vector<NodeId> ring;
  for (const int i : order) ring.push_back(workers[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < ring.size(); i += 4) {  // regions stay together
    for (std::size_t k = 1; k < 4; ++k) CHECK(graph.node(ring[i]).site == graph.node(ring[i + k]).site);
  }
  Engine engine;
  Network network(engine, graph, {.contention = false});
  CHECK(ring_summary(network, ring).bandwidth == .127 * gbit);
  Collectives collectives(network);
  double end = 0;
  collectives.start({.kind = CollectiveKind::all_reduce, .members = ring, .bytes = 281'706'496},
                    [&] { end = engine.now().to_seconds(); });
  engine.run();
  CHECK(end == doctest::Approx(2.0 * 15 / 16 * 281'706'496 * 8 / 0.127e9).epsilon(1e-9));
  CHECK(end == doctest::Approx(33.272).epsilon(1e-4));
}

TEST_CASE("closed form, fluid and every message agree on equal links without contention") {
  // Sizes that n divides, so that chunks are equal; a = 3 us, B = 1 GB/s. Steps round each message up to a
  // nanosecond.
  for (const CollectiveKind kind : kinds) {
    for (const int n : {2, 3, 4, 7, 16}) {
      const std::int64_t bytes = 1'000'000LL * n;
      Duration expected;
      for (const Fidelity fidelity : fidelities) {
        Cluster cluster(n, 1e9, Duration::nanoseconds(3000));
        const Duration got = cluster.run(kind, bytes, fidelity, 0, 8);
        if (fidelity == Fidelity::formula) expected = got;
        CHECK(std::abs((got - expected).count()) <= 2 * n + 16);
      }
    }
  }
}

TEST_CASE("half collectives and a broadcast take their closed forms") {
  // n = 4, S = 4 MB, B = 1 GB/s, a = 1 us. Reduce-scatter and all-gather: 3 x 1 us + 3/4 x 4 ms = 3.003 ms.
  for (const CollectiveKind kind : {CollectiveKind::reduce_scatter, CollectiveKind::all_gather}) {
    Cluster cluster(4, 1e9, Duration::nanoseconds(1000));
    CHECK(cluster.run(kind, 4'000'000, Fidelity::formula) == Duration::nanoseconds(3'003'000));
  }
  // Broadcast in 10 chunks: (n - 2 + 10)(1 us + 0.4 ms) = 12 x 0.401 ms = 4.812 ms.
  Cluster cluster(4, 1e9, Duration::nanoseconds(1000));
  CHECK(cluster.run(CollectiveKind::broadcast, 4'000'000, Fidelity::formula, 2, 10) ==
        Duration::nanoseconds(4'812'000));
}

TEST_CASE("the number of chunks of a broadcast is the best one") {
  // m* = sqrt((n-2) S / (a B)) = sqrt(6 x 1e8 / (1e-5 x 1e9)) = 245: no other number of chunks is faster.
  Cluster cluster(8, 1e9, Duration::nanoseconds(10'000));
  CollectiveSpec spec{.kind = CollectiveKind::broadcast, .members = cluster.ring, .bytes = 100'000'000};
  const Duration best = formula_time(cluster.network, spec);
  for (int chunks = 1; chunks <= 1000; ++chunks) {
    spec.chunks = chunks;
    CHECK(formula_time(cluster.network, spec) >= best);
  }
}

TEST_CASE("no collective beats its lower bound") {
  // All-reduce 2(n-1)/n S/B, reduce-scatter and all-gather (n-1)/n S/B, broadcast S/B, for full-duplex ports
  // (systems, section 2).
  for (const CollectiveKind kind : kinds) {
    for (const Fidelity fidelity : fidelities) {
      for (const int n : {2, 5, 8}) {
        for (const std::int64_t bytes : {1LL, 7LL, 1000LL, 100'000'001LL}) {
          Cluster cluster(n, 50e9, Duration::nanoseconds(10));
          const double s = static_cast<double>(bytes) / 50e9;
          const double bound = kind == CollectiveKind::all_reduce  ? 2.0 * (n - 1) / n * s
                               : kind == CollectiveKind::broadcast ? s
                                                                   : 1.0 * (n - 1) / n * s;
          CHECK(cluster.run(kind, bytes, fidelity).to_seconds() >= bound * (1 - 1e-12));
        }
      }
    }
  }
}

TEST_CASE("the same bytes and messages cross the links at every fidelity") {
  // Whole bytes, also where n does not divide S: over all edges 2(n-1) S for an all-reduce and (n-1) S
  // otherwise.
  for (const CollectiveKind kind : kinds) {
    for (const std::int64_t bytes : {0LL, 2LL, 1'000'003LL}) {
      std::vector<std::int64_t> reference;
      for (const Fidelity fidelity : fidelities) {
        Cluster cluster(5, 1e9, Duration::nanoseconds(100));
        cluster.run(kind, bytes, fidelity, 3, 4);
        std::vector<std::int64_t> counts;
        for (const Network::ArcStatistics& arc : cluster.network.statistics()) {
          counts.push_back(arc.bytes);
          counts.push_back(arc.messages);
        }
        if (reference.empty()) reference = counts;
        CHECK(counts == reference);
        CHECK(cluster.network.totals().bytes == (kind == CollectiveKind::all_reduce ? 8 : 4) * bytes);
        const CollectiveSpec spec{.kind = kind,
                                  .members = cluster.ring,
                                  .bytes = bytes,
                                  .fidelity = fidelity,
                                  .root = 3,
                                  .chunks = 4};
        std::int64_t sum = 0, messages = 0;
        for (int rank = 0; rank < 5; ++rank) {
          const EdgeLoad load = edge_load(cluster.network, spec, rank);
          CHECK(counts[static_cast<std::size_t>(8 * rank)] ==
                load.bytes);  // two counts an arc, four arcs a host, uplink first
          sum += load.bytes, messages += load.messages;
        }
        CHECK(sum == cluster.network.totals().bytes);
        CHECK(messages == cluster.network.totals().messages);
      }
    }
  }
}

TEST_CASE("two collectives on the same links share them, except in closed form") {
  // Two all-reduces of 8 x 1 MB over the same ring at 1 GB/s: 14 ms alone, 28 ms together.
  for (const Fidelity fidelity : fidelities) {
    Cluster cluster(8, 1e9);
    int done = 0;
    for (int i = 0; i < 2; ++i) {
      cluster.collectives.start({.members = cluster.ring, .bytes = 8'000'000, .fidelity = fidelity},
                                [&] { ++done; });
    }
    cluster.engine.run();
    CHECK(done == 2);
    CHECK((cluster.engine.now() - Time::origin()).to_seconds() ==
          doctest::Approx(fidelity == Fidelity::formula ? 0.014 : 0.028).epsilon(1e-6));
  }
}

TEST_CASE("automatic is the closed form without contention and flows with it") {
  for (const bool contention : {false, true}) {
    Cluster cluster(4, 1e9, {}, contention);
    int done = 0;
    for (int i = 0; i < 2; ++i)
      cluster.collectives.start({.members = cluster.ring, .bytes = 4'000'000}, [&] { ++done; });
    cluster.engine.run();
    CHECK(done == 2);
    CHECK(cluster.engine.now() == Time::at_seconds(contention ? 0.012 : 0.006));
  }
}

TEST_CASE("bytes move when the last member has arrived; with every message, as soon as two neighbours have") {
  // Broadcast of 1 MB in one chunk along 0 -> 1 -> 2 at 1 GB/s; members arrive at 0, 0 and 10 ms. Flows: 10
  // ms + both hops at once, then the fill of one chunk: 12 ms. Every message: 0 -> 1 during the first ms, 1
  // -> 2 from 10 to 11 ms.
  for (const Fidelity fidelity : fidelities) {
    Cluster cluster(3, 1e9);
    Time end;
    const CollectiveId id = cluster.collectives.open({.kind = CollectiveKind::broadcast,
                                                      .members = cluster.ring,
                                                      .bytes = 1'000'000,
                                                      .fidelity = fidelity,
                                                      .chunks = 1},
                                                     [&] { end = cluster.engine.now(); });
    cluster.collectives.arrive(id, 0);
    cluster.collectives.arrive(id, 1);
    CHECK_THROWS_AS(cluster.collectives.arrive(id, 1), std::logic_error);
    cluster.engine.at(Time::at_seconds(0.01), EventClass::timer, [&] { cluster.collectives.arrive(id, 2); });
    cluster.engine.run();
    CHECK(end == Time::at_seconds(fidelity == Fidelity::steps ? 0.011 : 0.012));
    CHECK_FALSE(cluster.collectives.active(id));
  }
}

TEST_CASE("one slow link slows every step of a ring") {
  // Four hosts, the uplink of one at a tenth of 1 GB/s: 2 x 3/4 x S / 0.1 GB/s at all fidelities (flows: the
  // slow edge ends last).
  for (const Fidelity fidelity : fidelities) {
    Cluster cluster(4, 1e9);
    cluster.network.set_bandwidth({2}, 1e8);  // links alternate: uplink and downlink of each host
    CHECK(cluster.run(CollectiveKind::all_reduce, 4'000'000, fidelity).to_seconds() ==
          doctest::Approx(0.06).epsilon(1e-6));
  }
}

TEST_CASE("a collective of one member, and one of no bytes, end by an event and cost the latency alone") {
  for (const CollectiveKind kind : kinds) {
    for (const Fidelity fidelity : fidelities) {
      Cluster one(1, 1e9, Duration::nanoseconds(10));
      CHECK(one.run(kind, 1000, fidelity) == Duration::zero());
      Cluster four(4, 1e9, Duration::nanoseconds(10));
      const std::int64_t steps = kind == CollectiveKind::all_reduce ? 6 : 3;
      CHECK(four.run(kind, 0, fidelity, 0, 1) == Duration::nanoseconds(10 * steps));
    }
  }
}

TEST_CASE("members on one node exchange over its loopback") {
  // Two members on each of two hosts: the edges between hosts bound the ring. S = 4 MB, 1 GB/s: 2 x 3/4 x 4
  // ms = 6 ms.
  for (const Fidelity fidelity : fidelities) {
    Cluster cluster(2, 1e9);
    cluster.ring = {{1}, {1}, {2}, {2}};
    CHECK(cluster.run(CollectiveKind::all_reduce, 4'000'000, fidelity) == Duration::seconds(0.006));
    CHECK(cluster.network.totals().bytes == 12'000'000);
    CHECK(cluster.network.totals().loopback_bytes == 12'000'000);
  }
}

TEST_CASE("an aborted collective is never done and leaves its links free") {
  for (const Fidelity fidelity : fidelities) {
    Cluster cluster(4, 1e9);
    const CollectiveId id = cluster.collectives.start(
        {.members = cluster.ring, .bytes = 4'000'000, .fidelity = fidelity}, [] { FAIL("done"); });
    cluster.engine.at(Time::at_seconds(0.0025), EventClass::fault, [&] {
      CHECK(cluster.collectives.abort(id));
      CHECK_FALSE(cluster.collectives.abort(id));
    });
    cluster.engine.run();
    CHECK(cluster.network.active_transfers() == 0);
    for (const Network::ArcStatistics& arc : cluster.network.statistics()) {
      CHECK((arc.bytes == 2'500'000 || arc.bytes == 0));  // the way back of a one-way link carries nothing
      CHECK(arc.busy <= Duration::seconds(0.0025));
    }
  }
}

TEST_CASE("a closed form keeps its links busy from begin to end") {
  Cluster cluster(4, 1e9);
  cluster.run(CollectiveKind::all_reduce, 4'000'000, Fidelity::formula);
  CHECK(cluster.network.statistics(forward({0})).busy == Duration::seconds(0.006));
  CHECK(cluster.network.statistics(forward({0})).messages == 6);
}

TEST_CASE("what is no collective is refused") {
  Cluster cluster(3, 1e9);
  CHECK_THROWS_AS(cluster.collectives.start({.members = {}, .bytes = 1}, {}), std::logic_error);
  CHECK_THROWS_AS(cluster.collectives.start({.members = cluster.ring, .bytes = -1}, {}), std::logic_error);
  CHECK_THROWS_AS(cluster.collectives.start({.members = cluster.ring, .bytes = 1, .root = 3}, {}),
                  std::logic_error);
  CHECK_THROWS_AS(cluster.collectives.arrive({77}, 0), std::logic_error);
}
