// Messages per second of the fluid network. Hosts stand around one switch; each sends 1 MB to its target,
// again and again.
//
// - switched: full-duplex links, the target is the right neighbour. No two messages share an arc.
// - contended: half-duplex links, so that what a host sends and what it receives share its link. All
//   messages of a round form one connected component that is solved as a whole.
// - staggered: the same with hosts that start 1 us apart. Hardly anything happens at one instant, and every
//   message has its component solved twice.
// - incast: full-duplex links, everybody sends to one server, starting 1 us apart. As many flows as hosts
//   share one arc, and each message changes the rate of all of them twice.
// - unequal_incast: the same with a link of another speed for each host, some of which are too slow to have
//   their share, so that every flow has a rate of its own. Items are events: starts and ends.
// - contended_simgrid: contended in SimGrid, where that is installed.
//
// The answers are checked: without stagger a round takes latency + bytes / (bandwidth / sharers) to 1e-9;
// with it the busiest arc bounds the time from below, and it is idle for less than 1 % of it in the incast.
#include "network/network.hpp"

#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/engine.hpp"
#ifdef CONVOY_HAS_SIMGRID
#include "simgrid/simgrid_side.hpp"
#endif

namespace {

using namespace convoy;

constexpr std::int64_t message = 1'000'000;               // B
constexpr double bandwidth = 12.5e9;                      // B/s
constexpr Duration latency = Duration::nanoseconds(500);  // of each link

struct Ring {
  Ring(int hosts, Sharing sharing) : network(engine, graph(hosts, sharing)), host_count(hosts) {}

  static NetworkGraph graph(int hosts, Sharing sharing) {
    NetworkGraph graph;
    const NodeId hub = graph.add_node("switch");
    for (int i = 0; i < hosts; ++i) {
      const NodeId host = graph.add_node("h" + std::to_string(i));
      graph.add_link(host, hub, {.bandwidth = bandwidth, .latency = latency, .sharing = sharing});
    }
    return graph;
  }
  void send(int host, int rounds) {
    if (rounds == 0) return;
    const NodeId from{1 + host}, to{into_server ? host_count : 1 + (host + 1) % host_count};
    network.start(from, to, message, [this, host, rounds] {
      ++delivered;
      send(host, rounds - 1);
    });
  }

  Engine engine;
  Network network;
  int host_count;
  bool into_server = false;  // the last host
  std::int64_t delivered = 0;
};

struct Case {
  Sharing sharing = Sharing::full_duplex;
  Duration stagger{};
  bool into_server = false;
  int rounds = 200;
};

bool is_right(const Case& c, int senders, const Ring& ring) {
  const double seconds = (ring.engine.now() - Time::origin()).to_seconds();
  const double sharers = c.into_server ? senders : c.sharing == Sharing::half_duplex ? 2 : 1;
  const double bound = c.rounds * message / (bandwidth / sharers);
  if (ring.delivered != std::int64_t{senders} * c.rounds || seconds < bound) return false;
  if (c.into_server) return seconds < 1.01 * bound + 1e-3;
  return c.stagger > Duration::zero() ||
         std::abs(seconds / (bound + c.rounds * 2 * latency.to_seconds()) - 1) < 1e-9;
}

void run(benchmark::State& state, const Case& c) {
  const int hosts = static_cast<int>(state.range(0));
  const int senders = c.into_server ? hosts - 1 : hosts;
  std::int64_t messages = 0;
  for (auto _ : state) {
    Ring ring(hosts, c.sharing);
    ring.into_server = c.into_server;
    for (int host = 0; host < senders; ++host) {
      ring.engine.after(c.stagger * host, EventClass::timer,
                        [&ring, &c, host] { ring.send(host, c.rounds); });
    }
    ring.engine.run();
    messages += ring.delivered;
    if (!is_right(c, senders, ring)) {
      state.SkipWithError("wrong answer");
      break;
    }
  }
  state.SetItemsProcessed(messages);
}

constexpr Duration microsecond = Duration::nanoseconds(1000);
void switched(benchmark::State& state) {
  run(state, {});
}
void contended(benchmark::State& state) {
  run(state, {.sharing = Sharing::half_duplex});
}
void staggered(benchmark::State& state) {
  run(state, {.sharing = Sharing::half_duplex, .stagger = microsecond, .rounds = 10});
}
void incast(benchmark::State& state) {
  run(state, {.stagger = microsecond, .into_server = true, .rounds = 20});
}

/// Everybody has one message under way to the server, and sends the next when it has arrived.
struct UnequalIncast {
  explicit UnequalIncast(int hosts) : network(engine, graph(hosts)), host_count(hosts) {}
  /// Host i has 0.5 .. 2.5 times its equal share of the server's port, spread by the golden ratio.
  static NetworkGraph graph(int hosts) {
    NetworkGraph graph;
    const NodeId hub = graph.add_node("switch"), server = graph.add_node("server");
    graph.add_link(hub, server, {.bandwidth = bandwidth, .latency = latency});
    for (int i = 0; i < hosts; ++i) {
      const double part = std::fmod(i * 0.6180339887498949, 1.0);
      graph.add_link(graph.add_node("h" + std::to_string(i)), hub,
                     {.bandwidth = bandwidth / hosts * (0.5 + 2 * part), .latency = latency});
    }
    return graph;
  }
  void send(int host, int rounds) {
    if (rounds == 0) return;
    const auto bytes =
        static_cast<std::int64_t>(message * (0.5 + std::fmod((host + rounds) * 0.7548776662, 1.0)));
    sent += bytes;
    network.start({2 + host}, {1}, bytes, [this, host, rounds] {
      ++delivered;
      send(host, rounds - 1);
    });
  }

  Engine engine;
  Network network;
  int host_count;
  std::int64_t delivered = 0, sent = 0;
};

void unequal_incast(benchmark::State& state) {
  const int hosts = static_cast<int>(state.range(0));
  const int rounds = 3;
  std::int64_t events = 0;
  for (auto _ : state) {
    state.PauseTiming();
    UnequalIncast incast(hosts);
    state.ResumeTiming();
    for (int host = 0; host < hosts; ++host) {
      incast.engine.after(microsecond * host, EventClass::timer,
                          [&incast, host] { incast.send(host, rounds); });
    }
    incast.engine.run();
    events += 2 * incast.delivered;
    const double seconds = (incast.engine.now() - Time::origin()).to_seconds();
    if (incast.delivered != std::int64_t{hosts} * rounds ||
        seconds < static_cast<double>(incast.sent) / bandwidth) {
      state.SkipWithError("wrong answer");
      break;
    }
  }
  state.SetItemsProcessed(events);
}

BENCHMARK(switched)->Arg(64)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond);
BENCHMARK(contended)->Arg(64)->Arg(512)->Arg(2048)->Arg(8192)->Unit(benchmark::kMillisecond);
BENCHMARK(staggered)->Arg(64)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond);
BENCHMARK(incast)->Arg(64)->Arg(512)->Arg(2048)->Arg(20000)->Unit(benchmark::kMillisecond);

#ifdef CONVOY_HAS_SIMGRID
/// The contended ring in SimGrid (one process a repetition, its set-up not counted).
void contended_simgrid(benchmark::State& state) {
  const int hosts = static_cast<int>(state.range(0)), rounds = 10;
  for (auto _ : state) {
    state.SetIterationTime(
        cross_check::simgrid_ring_seconds(hosts, rounds, message, bandwidth, latency.to_seconds()));
  }
  state.SetItemsProcessed(state.iterations() * hosts * rounds);
}
BENCHMARK(contended_simgrid)
    ->Arg(64)
    ->Arg(512)
    ->Arg(2048)
    ->Arg(8192)
    ->UseManualTime()
    ->Unit(benchmark::kMillisecond);
#endif

BENCHMARK(unequal_incast)->Arg(1000)->Arg(10'000)->Arg(100'000)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
