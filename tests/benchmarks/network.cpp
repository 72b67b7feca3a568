// Messages per second of the fluid network: every host sends 1 MB to its right neighbour, again and again.
//
// "switched": each host has a full-duplex link to one switch; no two messages share an arc.
// "contended": the links are half duplex, so that what a host sends and what it receives share its link, and all messages
//   of a round form one connected component that is solved as a whole.
// "staggered": the same with hosts that start 1 us apart, so that nothing happens at one instant and every message has the
//   whole component solved twice.
// The answers are checked: a round takes latency + bytes / (bandwidth / sharers).
#include <benchmark/benchmark.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "network/network.hpp"

namespace {

using namespace convoy;

constexpr std::int64_t message = 1'000'000;     // B
constexpr double bandwidth = 12.5e9;            // B/s
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
    const NodeId from{1 + host}, to{1 + (host + 1) % host_count};
    network.start(from, to, message, [this, host, rounds] {
      ++delivered;
      send(host, rounds - 1);
    });
  }

  Engine engine;
  Network network;
  int host_count;
  std::int64_t delivered = 0;
};

void run(benchmark::State& state, Sharing sharing, Duration stagger, int rounds) {
  const int hosts = static_cast<int>(state.range(0));
  std::int64_t messages = 0;
  for (auto _ : state) {
    Ring ring(hosts, sharing);
    for (int host = 0; host < hosts; ++host) {
      ring.engine.after(stagger * host, EventClass::timer, [&ring, host, rounds] { ring.send(host, rounds); });
    }
    ring.engine.run();
    messages += ring.delivered;
    const double sharers = sharing == Sharing::half_duplex ? 2 : 1;
    const double round = 2 * latency.to_seconds() + message / (bandwidth / sharers);
    const double seconds = (ring.engine.now() - Time::origin()).to_seconds();
    if (ring.delivered != std::int64_t{hosts} * rounds ||
        (stagger == Duration::zero() && std::abs(seconds / (rounds * round) - 1) > 1e-9)) {
      state.SkipWithError("wrong answer");
      break;
    }
  }
  state.SetItemsProcessed(messages);
}

void switched(benchmark::State& state) { run(state, Sharing::full_duplex, Duration::zero(), 200); }
void contended(benchmark::State& state) { run(state, Sharing::half_duplex, Duration::zero(), 200); }
void staggered(benchmark::State& state) { run(state, Sharing::half_duplex, Duration::nanoseconds(1000), 10); }

BENCHMARK(switched)->Arg(64)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond);
BENCHMARK(contended)->Arg(64)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond);
BENCHMARK(staggered)->Arg(64)->Arg(512)->Arg(2048)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
