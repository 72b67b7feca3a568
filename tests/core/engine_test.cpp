#include "core/engine.hpp"

#include <doctest/doctest.h>

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "core/process.hpp"
#include "core/random.hpp"

using namespace convoy;

namespace {

Time ns(std::int64_t count) {
  return Time::at_nanoseconds(count);
}

Process wait_for(Completion<> completion) {
  co_await completion;
}

}  // namespace

TEST_CASE("events run in order of time, then class, then scheduling") {
  // Scheduled backwards in class at 10 ns, and twice as timer: fault < delivery < computation < timer <
  // evaluation.
  Engine engine;
  std::string order;
  engine.at(ns(20), EventClass::fault, [&] { order += 'z'; });
  engine.at(ns(10), EventClass::evaluation, [&] { order += 'e'; });
  engine.at(ns(10), EventClass::timer, [&] { order += 't'; });
  engine.at(ns(10), EventClass::timer, [&] { order += 'u'; });
  engine.at(ns(10), EventClass::computation, [&] { order += 'c'; });
  engine.at(ns(10), EventClass::delivery, [&] { order += 'd'; });
  engine.at(ns(10), EventClass::fault, [&] { order += 'f'; });
  CHECK(engine.run() == EndReason::finished);
  CHECK(order == "fdctuez");
  CHECK(engine.events() == 7);
  CHECK(engine.ties() == 1);  // t and u
  CHECK(engine.now() == ns(20));
}

TEST_CASE("an event scheduled at the present instant with a lower class runs next") {
  // At 10 ns a timer schedules a fault and a computation at once: both precede the second timer, fault first.
  Engine engine;
  std::string order;
  engine.at(ns(10), EventClass::timer, [&] {
    order += '1';
    engine.at(ns(10), EventClass::computation, [&] { order += 'c'; });
    engine.at(ns(10), EventClass::fault, [&] { order += 'f'; });
    engine.at(ns(10), EventClass::timer, [&] { order += '3'; });
  });
  engine.at(ns(10), EventClass::timer, [&] { order += '2'; });
  engine.run();
  CHECK(order == "1fc23");
}

TEST_CASE("a callback's new events fall into place among the pending ones") {
  // Peers, case T4: at 100 and 200; the one at 100 schedules +10 -> 100, 110, 200; a second event at 200
  // comes second.
  Engine engine;
  std::vector<std::string> log;
  const auto note = [&](const std::string& name) {
    log.push_back(name + "@" + std::to_string(engine.now().count()));
  };
  engine.at(ns(100), EventClass::timer, [&] {
    note("a");
    engine.after(Duration::nanoseconds(10), EventClass::timer, [&] { note("b"); });
    engine.at(ns(200), EventClass::timer, [&] { note("d"); });
  });
  engine.at(ns(200), EventClass::timer, [&] { note("c"); });
  engine.run();
  CHECK(log == std::vector<std::string>{"a@100", "b@110", "c@200", "d@200"});
}

TEST_CASE("fifty events of one instant run in the order of scheduling") {
  // Peers, case T3: all durations equal, or all zero.
  for (const std::int64_t time : {0, 7}) {
    Engine engine;
    std::vector<int> order, expected;
    for (int worker = 0; worker < 50; ++worker) {
      expected.push_back(worker);
      engine.at(ns(time), EventClass::computation, [&order, worker] { order.push_back(worker); });
    }
    engine.run();
    CHECK(order == expected);
    CHECK(engine.ties() == 49);
  }
}

TEST_CASE(
    "events that do nothing leave the order of the others unchanged, and a second engine repeats the first") {
  // Peers, case T2. A random cascade of 2000 events, with and without empty events between them.
  const auto trace = [](int empty_events) {
    Engine engine;
    std::vector<std::pair<std::int64_t, int>> log;
    RandomStream random(5, "cascade");
    std::function<void(int)> step = [&](int label) {
      log.emplace_back(engine.now().count(), label);
      if (log.size() > 2000) return;
      for (int child = 0; child < 2; ++child) {
        const auto offset = Duration::nanoseconds(static_cast<std::int64_t>(random.below(4)));
        for (int i = 0; i < empty_events; ++i) engine.after(offset, EventClass::computation, [] {});
        engine.after(offset, EventClass::computation, [&step, label, child] { step(2 * label + child); });
      }
    };
    engine.at(ns(0), EventClass::timer, [&] { step(1); });
    engine.run({.max_events = 50000});
    log.resize(2000);
    return log;
  };
  const auto first = trace(0);
  CHECK(first == trace(0));
  CHECK(first == trace(3));
}

TEST_CASE("times beyond 32 bits are exact and the clock jumps over gaps") {
  // Peers, case T5: 3e9 ns is 3.0 s; one event at 1e9 s = 1e18 ns.
  Engine engine;
  std::vector<double> seconds;
  engine.at(ns(3'000'000'000), EventClass::timer, [&] { seconds.push_back(engine.now().to_seconds()); });
  engine.at(Time::at_seconds(1e9), EventClass::timer, [&] { seconds.push_back(engine.now().to_seconds()); });
  engine.run();
  CHECK(seconds == std::vector<double>{3.0, 1e9});
  CHECK(engine.events() == 2);
}

TEST_CASE("a tiny duration late in a run is never in the past") {
  // Peers, case T6: 1e-13 s at t = 1e6 s is below one ulp of a double (1.16e-10 s); here it is rounded up to
  // 1 ns.
  Engine engine;
  Time fired;
  engine.at(Time::at_seconds(1e6), EventClass::timer, [&] {
    engine.after(Duration::seconds(1e-13), EventClass::delivery, [&] { fired = engine.now(); });
  });
  engine.run();
  CHECK(fired.count() == 1'000'000'000'000'001);
}

TEST_CASE("a cancelled event does not run and its name never reaches a later event") {
  Engine engine;
  int run = 0;
  const EventId first = engine.at(ns(10), EventClass::timer, [&] { ++run; });
  CHECK(engine.pending(first));
  CHECK(engine.cancel(first));
  CHECK_FALSE(engine.cancel(first));
  CHECK_FALSE(engine.pending(first));
  // The next event may use the same slot; the old name stays dead.
  const EventId second = engine.at(ns(10), EventClass::timer, [&] { run += 10; });
  CHECK_FALSE(engine.cancel(first));
  CHECK(engine.pending(second));
  CHECK_FALSE(engine.cancel(EventId{}));
  CHECK(engine.pending_events() == 1);
  engine.run();
  CHECK(run == 10);
  CHECK(engine.events() == 1);
  CHECK_FALSE(engine.cancel(second));
}

TEST_CASE("an event cannot cancel itself while it runs") {
  Engine engine;
  EventId self;
  bool cancelled = true;
  self = engine.at(ns(1), EventClass::timer, [&] { cancelled = engine.cancel(self); });
  engine.run();
  CHECK_FALSE(cancelled);
}

TEST_CASE("cancelling destroys the callback at once") {
  Engine engine;
  const auto witness = std::make_shared<int>(0);
  const EventId id = engine.at(ns(1), EventClass::timer, [witness] {});
  CHECK(witness.use_count() == 2);
  engine.cancel(id);
  CHECK(witness.use_count() == 1);
}

TEST_CASE("random schedules with cancellations run as a sorted map says, and the dead do not pile up") {
  // A timeout pattern: every event schedules a far one and cancels an earlier one. 30,000 events run, at most
  // 2 x (pending + 256) entries may be queued, or memory would grow with the number of cancellations.
  Engine engine;
  RandomStream random(3, "cancellations");
  std::map<std::tuple<std::int64_t, int, int>, EventId> expected;
  int next = 0, run = 0;
  bool equal = true;
  std::function<void()> schedule = [&] {
    const std::int64_t time = engine.now().count() + static_cast<std::int64_t>(random.below(1000));
    const int event_class = static_cast<int>(random.below(5));
    const std::tuple key(time, event_class, next++);
    expected[key] = engine.at(ns(time), static_cast<EventClass>(event_class), [&, key] {
      equal = equal && !expected.empty() && expected.begin()->first == key;
      expected.erase(key);
      if (++run >= 30000) return;
      for (int i = 0; i < 3; ++i) schedule();
      for (int i = 0; i < 2 && !expected.empty(); ++i) {
        auto victim = expected.upper_bound(
            {engine.now().count() + static_cast<std::int64_t>(random.below(1000)), 0, 0});
        if (victim == expected.end()) victim = expected.begin();
        equal = equal && engine.cancel(victim->second);
        expected.erase(victim);
      }
    });
  };
  for (int i = 0; i < 200; ++i) schedule();
  engine.run({.max_events = 30000});
  CHECK(equal);
  CHECK(run == 30000);
}

TEST_CASE("the past, an empty callback, a second run and scheduling after the run are errors") {
  Engine engine;
  bool refused = false;
  engine.at(ns(10), EventClass::timer, [&] {
    try {
      engine.at(ns(9), EventClass::timer, [] {});
    } catch (const std::logic_error&) {
      refused = true;
    }
    CHECK_THROWS_AS(engine.run(), std::logic_error);
  });
  CHECK_THROWS_AS(engine.at(ns(1), EventClass::timer, Callback{}), std::logic_error);
  engine.run();
  CHECK(refused);
  CHECK(engine.closed());
  CHECK_THROWS_AS(engine.run(), std::logic_error);
  CHECK_THROWS_AS(engine.at(ns(20), EventClass::timer, [] {}), std::logic_error);
  CHECK_THROWS_AS(engine.spawn("late", wait_for(Completion<>("x"))), std::logic_error);
}

TEST_CASE("an exception in a callback ends the run and is thrown by run") {
  Engine engine;
  int run = 0;
  engine.at(ns(1), EventClass::timer, [] { throw std::runtime_error("broken"); });
  engine.at(ns(2), EventClass::timer, [&] { ++run; });
  CHECK_THROWS_WITH_AS(engine.run(), "broken", std::runtime_error);
  CHECK(run == 0);
  CHECK(engine.closed());
  CHECK(engine.pending_events() == 0);
}

TEST_CASE("the end of a run destroys pending callbacks") {
  const auto witness = std::make_shared<int>(0);
  Engine engine;
  engine.at(ns(1), EventClass::timer, [&] { engine.stop(); });
  engine.at(ns(2), EventClass::timer, [witness] {});
  engine.run();
  CHECK(witness.use_count() == 1);
}

TEST_CASE("callbacks of any size are held and moved") {
  struct Large {
    std::array<int, 64> values;
  };
  Large large{};
  large.values[63] = 7;
  int got = 0;
  Engine engine;
  engine.at(ns(1), EventClass::timer, [large, &got] { got = large.values[63]; });
  const auto only = std::make_shared<std::string>("held");
  std::string text;
  engine.at(ns(2), EventClass::timer, [only, &text] { text = *only; });
  engine.run();
  CHECK(got == 7);
  CHECK(text == "held");
  CHECK(only.use_count() == 1);
}
