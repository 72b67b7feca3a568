#include "network/network.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/error.hpp"

using namespace convoy;

namespace {

constexpr std::int64_t gigabyte = 1'000'000'000;

/// Two nodes and one link.
NetworkGraph pair(double bandwidth, Duration latency = {}, Sharing sharing = Sharing::full_duplex) {
  NetworkGraph graph;
  const NodeId a = graph.add_node("a"), b = graph.add_node("b");
  graph.add_link(a, b, {.bandwidth = bandwidth, .latency = latency, .sharing = sharing});
  return graph;
}
constexpr NodeId a{0}, b{1};

/// Node 0 is the switch, host i is node 1 + i.
NetworkGraph star(int hosts, double bandwidth, Duration latency = {}) {
  NetworkGraph graph;
  const NodeId hub = graph.add_node("switch");
  for (int i = 0; i < hosts; ++i) {
    graph.add_link(graph.add_node("h" + std::to_string(i)), hub,
                   {.bandwidth = bandwidth, .latency = latency});
  }
  return graph;
}
NodeId host(int i) {
  return {1 + i};
}

double now(const Engine& engine) {
  return engine.now().to_seconds();
}

}  // namespace

TEST_CASE("two flows share a link, and a late one is served to the end (T7)") {
  // Two flows of 1 GB on 1 GB/s. B starts 0.5 s late: A has 0.5 GB left, both move at 0.5 GB/s, A ends at 1.5
  // s; B has 0.5 GB left, alone, and ends at 2.0 s. Both from 0: 2.0 s and 2.0 s.
  for (const double delay : {0.5, 0.0}) {
    Engine engine;
    Network network(engine, pair(1e9));
    double a_end = 0, b_end = 0;
    TransferId first, second;
    engine.at(Time::origin(), EventClass::timer,
              [&] { first = network.start(a, b, gigabyte, [&] { a_end = now(engine); }); });
    engine.at(Time::at_seconds(delay), EventClass::timer,
              [&] { second = network.start(a, b, gigabyte, [&] { b_end = now(engine); }); });
    engine.at(Time::at_seconds(1), EventClass::timer,
              [&] { CHECK(network.rate(first) + network.rate(second) == 1e9); });
    engine.run();
    CHECK(a_end == (delay > 0 ? 1.5 : 2.0));
    CHECK(b_end == 2.0);
    CHECK(network.totals().bytes == 2 * gigabyte);
    CHECK(network.statistics(forward({0})).bytes == 2 * gigabyte);
    CHECK(network.statistics(forward({0})).messages == 2);
    CHECK(network.statistics(forward({0})).busy == Duration::seconds(2));
    CHECK(network.statistics(backward({0})).bytes == 0);
  }
}

TEST_CASE("a byte on a fast link late in the run arrives after it was sent (T6)") {
  // 1 B at 10 TB/s takes 1e-13 s, less than the spacing of doubles at 1e6 s (1.2e-10 s): rounded up to one
  // nanosecond.
  for (const bool contention : {true, false}) {
    Engine engine;
    Network network(engine, pair(1e13), {.contention = contention});
    Time sent, arrived;
    engine.at(Time::at_seconds(1e6), EventClass::computation, [&] {
      sent = engine.now();
      network.start(a, b, 1, [&] { arrived = engine.now(); });
    });
    engine.run();
    CHECK(arrived - sent == Duration::nanoseconds(1));
  }
}

TEST_CASE(
    "time does not depend on the hosts that do nothing, and halving the bandwidth doubles all but the "
    "latency (T15)") {
  // 5 MB over 5 Mbit/s (625,000 B/s) and 2 us: 8.000002 s. At half the bandwidth: 16.000002 s.
  for (const int hosts : {2, 10, 11, 100}) {
    for (const bool contention : {true, false}) {
      for (const double slower : {1.0, 2.0}) {
        Engine engine;
        Network network(engine, star(hosts, 625'000 / slower, Duration::nanoseconds(1000)),
                        {.contention = contention});
        network.start(host(0), host(1), 5'000'000, [] {});
        engine.run();
        CHECK(engine.now() - Time::origin() == Duration::seconds(8 * slower) + Duration::nanoseconds(2000));
        CHECK(network.uncontended_time(host(0), host(1), 5'000'000) == engine.now() - Time::origin());
      }
    }
  }
}

TEST_CASE("1 GB takes 8 s at 1 Gbit/s and 1 GiB 8.589934592 s (T19)") {
  for (const auto& [bytes, seconds] :
       {std::pair{std::int64_t{1'000'000'000}, 8.0}, {std::int64_t{1} << 30, 8.589934592}}) {
    Engine engine;
    Network network(engine, pair(125e6));
    network.start(a, b, bytes, [] {});
    engine.run();
    CHECK(engine.now() - Time::origin() == Duration::seconds(seconds));
  }
}

TEST_CASE("a message without bytes takes the latency and keeps no link busy") {
  Engine engine;
  Network network(engine, pair(1e9, Duration::nanoseconds(700)));
  Time arrived;
  network.start(a, b, 0, [&] { arrived = engine.now(); });
  engine.run();
  CHECK(arrived.count() == 700);
  CHECK(network.statistics(forward({0})).messages == 1);
  CHECK(network.statistics(forward({0})).busy == Duration::zero());
}

TEST_CASE("a transfer within a node takes the loopback time and no link") {
  Engine engine;
  NetworkGraph graph;
  const NodeId fast = graph.add_node("fast");
  const NodeId slow = graph.add_node({.name = "slow", .loopback = Duration::nanoseconds(50)});
  graph.add_link(fast, slow, {.bandwidth = 1});
  Network network(engine, std::move(graph));
  Time fast_end, slow_end;
  bool returned = false;
  network.start(fast, fast, gigabyte, [&] {
    CHECK(returned);
    fast_end = engine.now();
  });
  network.start(slow, slow, gigabyte, [&] { slow_end = engine.now(); });
  returned = true;  // even a transfer of no time is delivered by an event
  engine.run();
  CHECK(fast_end.count() == 0);
  CHECK(slow_end.count() == 50);
  CHECK(network.totals().bytes == 0);
  CHECK(network.totals().loopback_bytes == 2 * gigabyte);
}

TEST_CASE("n senders into one port take n times as long (incast)") {
  // Parameter server push: n S / B (systems: PS sync, one server). 8 x 1 GB into 1 GB/s: 8 s, whatever the
  // senders' links.
  Engine engine;
  NetworkGraph graph = star(0, 1);
  const NodeId server = graph.add_node("server");
  graph.add_link(server, {0}, {.bandwidth = 1e9});
  std::vector<NodeId> senders;
  for (int i = 0; i < 8; ++i) {
    senders.push_back(graph.add_node("w" + std::to_string(i)));
    graph.add_link(senders.back(), {0}, {.bandwidth = 1e9 * (i + 1)});
  }
  Network network(engine, std::move(graph));
  std::vector<double> ends;
  for (const NodeId sender : senders)
    network.start(sender, server, gigabyte, [&] { ends.push_back(now(engine)); });
  engine.run();
  CHECK(ends == std::vector<double>(8, 8.0));
}

TEST_CASE("the parking lot: three flows of equal size end together") {
  // Links of 1 GB/s in a row; a long flow and one on each link, 1 GB each: all at 0.5 GB/s, 2 s.
  Engine engine;
  NetworkGraph graph;
  const NodeId x = graph.add_node("x"), y = graph.add_node("y"), z = graph.add_node("z");
  graph.add_link(x, y, {.bandwidth = 1e9});
  graph.add_link(y, z, {.bandwidth = 1e9});
  Network network(engine, std::move(graph));
  std::vector<double> ends;
  const auto end = [&] { ends.push_back(now(engine)); };
  network.start(x, z, gigabyte, end);
  network.start(x, y, gigabyte, end);
  network.start(y, z, gigabyte, end);
  engine.run();
  CHECK(ends == std::vector<double>{2.0, 2.0, 2.0});
}

TEST_CASE("staggered flows of one link drain like water") {
  // Flow i of 3 starts at i s with 3 GB on 1 GB/s. One alone moves 1 GB in [0,1]; two share [1,2]: 0.5 GB
  // each; three share from 2 s: flow 0 has 1.5 GB left, at 1/3 GB/s it ends at 6.5 s; flow 1 has 2.5 - 1.5 =
  // 1 GB left, two share: ends at 8.5 s; flow 2 has 1.5 - 1 = 0.5 GB left, alone: 9 s, when all 9 GB are
  // through.
  Engine engine;
  Network network(engine, pair(1e9));
  std::vector<double> ends(3);
  for (int i = 0; i < 3; ++i) {
    engine.at(Time::at_seconds(i), EventClass::timer, [&, i] {
      network.start(a, b, 3 * gigabyte, [&, i] { ends[static_cast<std::size_t>(i)] = now(engine); });
    });
  }
  engine.run();
  CHECK(ends[0] == doctest::Approx(6.5).epsilon(1e-9));
  CHECK(ends[1] == doctest::Approx(8.5).epsilon(1e-9));
  CHECK(ends[2] == doctest::Approx(9.0).epsilon(1e-9));
}

TEST_CASE("the two directions of a link are independent unless it is half duplex") {
  for (const auto& [sharing, seconds] :
       {std::pair{Sharing::full_duplex, 1.0}, {Sharing::half_duplex, 2.0}, {Sharing::fat_pipe, 1.0}}) {
    Engine engine;
    Network network(engine, pair(1e9, {}, sharing));
    network.start(a, b, gigabyte, [] {});
    network.start(b, a, gigabyte, [] {});
    engine.run();
    CHECK(now(engine) == seconds);
    CHECK(network.statistics(forward({0})).busy == Duration::seconds(seconds));
    CHECK(network.statistics(backward({0})).busy == Duration::seconds(seconds));
  }
}

TEST_CASE("a fat pipe bounds each flow alone") {
  // Ten flows of 1 GB over a fat pipe of 1 GB/s: 1 s, not 10 s.
  Engine engine;
  Network network(engine, pair(1e9, {}, Sharing::fat_pipe));
  for (int i = 0; i < 10; ++i) network.start(a, b, gigabyte, [] {});
  engine.run();
  CHECK(now(engine) == 1.0);
}

TEST_CASE("without contention each transfer takes latency + bytes / slowest link, whatever else moves") {
  Engine engine;
  Network network(engine, star(3, 1e9, Duration::nanoseconds(250)), {.contention = false});
  std::vector<Time> ends;
  for (int i = 0; i < 4; ++i)
    network.start(host(0), host(1), gigabyte, [&] { ends.push_back(engine.now()); });
  engine.run();
  CHECK(ends == std::vector<Time>(4, Time::at_nanoseconds(1'000'000'500)));
  CHECK(network.statistics(forward({0})).bytes == 4 * gigabyte);
  CHECK(network.statistics(forward({0})).busy == Duration::seconds(1));
}

TEST_CASE("bytes do not move, and take no share, during the latency") {
  // B starts at once but its bytes only after 1 s: A has the link alone until then. 1 GB/s, 2 GB each,
  // latencies 0 and 1 s (two parallel paths into one slow link): A moves 1 GB alone, then both share: A ends
  // at 3 s, B at 4 s.
  Engine engine;
  NetworkGraph graph;
  const NodeId x = graph.add_node("x"), y = graph.add_node("y"), m = graph.add_node("m"),
               z = graph.add_node("z");
  graph.add_link(x, m, {.bandwidth = 1e12});
  graph.add_link(y, m, {.bandwidth = 1e12, .latency = Duration::seconds(1)});
  graph.add_link(m, z, {.bandwidth = 1e9});
  Network network(engine, std::move(graph));
  double x_end = 0, y_end = 0;
  network.start(x, z, 2 * gigabyte, [&] { x_end = now(engine); });
  network.start(y, z, 2 * gigabyte, [&] { y_end = now(engine); });
  engine.run();
  CHECK(x_end == 3.0);
  CHECK(y_end == 4.0);
}

TEST_CASE("weights and caps share a link in proportion") {
  // 12 GB/s with weights 1 and 3: 3 and 9 GB/s. A cap of 1 GB/s on the first leaves 11 to the other.
  Engine engine;
  Network network(engine, pair(12e9));
  const TransferId light = network.start(a, b, 1000 * gigabyte, {}, {.weight = 1});
  const TransferId heavy = network.start(a, b, 1000 * gigabyte, {}, {.weight = 3});
  engine.at(Time::at_seconds(1), EventClass::timer, [&] {
    CHECK(network.rate(light) == 3e9);
    CHECK(network.rate(heavy) == 9e9);
    network.abort(light);
    network.start(a, b, 1000 * gigabyte, {}, {.weight = 1, .rate_cap = 1e9});
  });
  engine.at(Time::at_seconds(2), EventClass::timer, [&] {
    CHECK(network.rate(heavy) == 11e9);
    engine.stop();
  });
  engine.run();
}

TEST_CASE("an aborted transfer is not delivered, frees its share and counts what it moved") {
  // Two flows of 1 GB on 1 GB/s; the second is aborted at 1 s with 0.5 GB moved; the first has 0.5 GB
  // left: 1.5 s.
  Engine engine;
  Network network(engine, pair(1e9));
  double end = 0;
  network.start(a, b, gigabyte, [&] { end = now(engine); });
  const TransferId doomed = network.start(a, b, gigabyte, [] { FAIL("delivered"); });
  engine.at(Time::at_seconds(1), EventClass::fault, [&] {
    CHECK(network.active(doomed));
    CHECK(network.abort(doomed));
    CHECK_FALSE(network.active(doomed));
    CHECK_FALSE(network.abort(doomed));
  });
  engine.run();
  CHECK(end == 1.5);
  CHECK(network.statistics(forward({0})).bytes == gigabyte + gigabyte / 2);
  CHECK(network.statistics(forward({0})).messages == 1);
  CHECK(network.totals().aborted == 1);
}

TEST_CASE("the death of a node aborts what it sends and receives, during the latency too") {
  Engine engine;
  Network network(engine, star(3, 1e9, Duration::seconds(1)));
  int delivered = 0;
  network.start(host(0), host(1), gigabyte, [&] { ++delivered; });
  network.start(host(1), host(2), gigabyte, [&] { ++delivered; });
  network.start(host(0), host(2), gigabyte, [&] { ++delivered; });
  engine.at(Time::at_seconds(0.5), EventClass::fault, [&] { CHECK(network.abort_all(host(1)) == 2); });
  engine.run();
  CHECK(delivered == 1);
  CHECK(now(engine) == 3.0);  // 2 s of latency, 1 s alone
  CHECK(network.active_transfers() == 0);
}

TEST_CASE("a change of bandwidth applies from then on, and a link without any stalls its flows") {
  // 3 GB at 1 GB/s: 1 GB by 1 s; 0 until 2 s; then 2 GB at 4 GB/s: 2.5 s. The same on a fat pipe and without
  // contention.
  for (const Sharing sharing : {Sharing::full_duplex, Sharing::fat_pipe}) {
    for (const bool contention : {true, false}) {
      Engine engine;
      Network network(engine, pair(1e9, {}, sharing), {.contention = contention});
      network.start(a, b, 3 * gigabyte, [] {});
      engine.at(Time::at_seconds(1), EventClass::fault, [&] { network.set_bandwidth({0}, 0); });
      engine.at(Time::at_seconds(2), EventClass::fault, [&] { network.set_bandwidth({0}, 4e9); });
      engine.run();
      CHECK(now(engine) == 2.5);
      CHECK(network.path(a, b).bandwidth == 4e9);
    }
  }
}

TEST_CASE("transfers that end at one instant are delivered in the order of their start") {
  Engine engine;
  Network network(engine, star(6, 1e9));
  std::string order;
  for (int i = 0; i < 3; ++i) {
    network.start(host(2 - i), host(3 + i), gigabyte, [&, i] { order += std::to_string(i); });
  }
  engine.run();
  CHECK(order == "012");
}

TEST_CASE("a chain of instant messages cannot hang the engine") {
  // Each delivery starts the next transfer of no time: every link of the chain is an event of its own, so
  // that the engine's guard against too much at one instant sees it.
  Engine engine;
  Network network(engine, pair(1e9));
  std::int64_t count = 0;
  std::function<void()> again = [&] {
    ++count;
    network.start(a, b, 0, [&] { again(); });
  };
  again();
  CHECK(engine.run({.max_at_one_instant = 1000}) == EndReason::stalled);
  CHECK(count <= 1002);
}

TEST_CASE("background traffic takes its share but keeps no run alive") {
  Engine engine;
  Network network(engine, pair(1e9));
  network.start(a, b, 10 * gigabyte, [] { FAIL("delivered"); }, {.activity = Activity::ambient});
  double end = 0;
  network.start(a, b, gigabyte, [&] { end = now(engine); });
  CHECK(engine.run() == EndReason::finished);
  CHECK(end == 2.0);
  CHECK(now(engine) == 2.0);
  CHECK(network.statistics(forward({0})).bytes == 2 * gigabyte);  // half of it background
}

TEST_CASE("statistics of all arcs agree with those of each") {
  Engine engine;
  Network network(engine, star(4, 1e9));
  for (int i = 0; i < 4; ++i) network.start(host(i), host((i + 1) % 4), gigabyte * (i + 1), {});
  engine.at(Time::at_seconds(2.5), EventClass::evaluation, [&] {
    const std::vector<Network::ArcStatistics> all = network.statistics();
    REQUIRE(all.size() == 8);
    for (int i = 0; i < 8; ++i) {
      const Network::ArcStatistics one = network.statistics(ArcId{i});
      CHECK(all[static_cast<std::size_t>(i)].bytes == one.bytes);
      CHECK(all[static_cast<std::size_t>(i)].busy == one.busy);
    }
    CHECK(network.statistics(forward({0})).busy == Duration::seconds(1));
    CHECK(network.statistics(forward({3})).bytes == 2'500'000'000);
    CHECK(network.statistics(forward({3})).messages == 0);
  });
  engine.run();
}

TEST_CASE("a callback may abort a transfer that ends at the same instant") {
  // Two equal transfers end together; the first, once delivered, aborts the second.
  Engine engine;
  Network network(engine, star(4, 1e9));
  TransferId second;
  network.start(host(0), host(1), gigabyte, [&] { CHECK(network.abort(second)); });
  second = network.start(host(2), host(3), gigabyte, [] { FAIL("delivered"); });
  engine.run();
  CHECK(network.active_transfers() == 0);
  CHECK(network.totals().messages == 1);
  CHECK(network.statistics(forward({2})).bytes == gigabyte);  // all of it had moved
}

TEST_CASE("what cannot be sent is refused") {
  Engine engine;
  NetworkGraph graph = pair(1e9);
  const NodeId lonely = graph.add_node("lonely");
  Network network(engine, std::move(graph));
  CHECK_THROWS_AS(network.start(a, b, -1, {}), std::logic_error);
  CHECK_THROWS_AS(network.start(a, b, 1, {}, {.weight = 0}), std::logic_error);
  CHECK_THROWS_AS(network.start(a, b, 1, {}, {.rate_cap = 0}), std::logic_error);
  CHECK_THROWS_AS(network.start(a, lonely, 1, {}), ConfigError);
  CHECK(network.active_transfers() == 0);
}
