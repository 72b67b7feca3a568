#include "core/process.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/channel.hpp"
#include "core/random.hpp"
#include "tests/core/witness.hpp"

using namespace convoy;

namespace {

using test::Log;
using test::ns;
using test::Witness;

Process ticker(Engine& engine, Log& log, std::string name, std::int64_t period, int times) {
  for (int i = 0; i < times; ++i) {
    co_await delay(ns(period));
    log.push_back(name + "@" + std::to_string(engine.now().count()));
  }
}

Process sleeper(Log& log, std::string name) {
  const Witness witness(log, name + " destroyed");
  co_await delay(ns(1000));
  log.push_back(name + " woke");
}

Task<int> twice(int x) {
  co_await delay(ns(10));
  co_return 2 * x;
}

Task<int> add_up(int n) {
  int sum = 0;
  for (int i = 0; i < n; ++i) sum += co_await twice(i);
  co_return sum;
}

Task<> failing() {
  co_await delay(ns(5));
  throw std::runtime_error("no luck");
}

}  // namespace

TEST_CASE("delays of two processes interleave by time, ties by the order in which they began to wait") {
  Engine engine;
  Log log;
  engine.spawn("a", ticker(engine, log, "a", 10, 3));
  engine.spawn("b", ticker(engine, log, "b", 15, 2));
  CHECK(engine.run() == EndReason::finished);
  // At 30 ns b began to wait at 15 ns, a at 20 ns.
  CHECK(log == Log{"a@10", "b@15", "a@20", "b@30", "a@30"});
  CHECK(engine.events() == 7);  // five delays, two starts
  CHECK(engine.live_processes() == 0);
}

TEST_CASE("a spawned process starts as an event of the same instant, never inside its parent") {
  Engine engine;
  Log log;
  engine.spawn("parent", [](Engine& e, Log& l) -> Process {
    l.push_back("parent before");
    e.spawn("child", [](Log& inner) -> Process {
      inner.push_back("child");
      co_return;
    }(l));
    l.push_back("parent after");
    co_return;
  }(engine, log));
  CHECK(log.empty());
  engine.run();
  CHECK(log == Log{"parent before", "parent after", "child"});
  CHECK(engine.now() == Time::origin());
}

TEST_CASE("a task runs within its parent and gives back a value") {
  // 2 x (0 + 1 + 2 + 3) = 12 after 4 x 10 ns.
  Engine engine;
  int result = 0;
  engine.spawn("parent", [](int& out) -> Process { out = co_await add_up(4); }(result));
  engine.run();
  CHECK(result == 12);
  CHECK(engine.now().count() == 40);
}

TEST_CASE("a task may give back what can only be moved, and one that never waits takes no time") {
  Engine engine;
  std::unique_ptr<int> result;
  engine.spawn("parent", [](std::unique_ptr<int>& out) -> Process {
    out = co_await [](int value) -> Task<std::unique_ptr<int>> { co_return std::make_unique<int>(value); }(5);
  }(result));
  engine.run();
  REQUIRE(result != nullptr);
  CHECK(*result == 5);
  CHECK(engine.now() == Time::origin());
}

TEST_CASE("an exception in a task reaches the parent, which may catch it") {
  Engine engine;
  Log log;
  engine.spawn("parent", [](Log& l) -> Process {
    try {
      co_await failing();
    } catch (const std::runtime_error& error) {
      l.push_back(error.what());
    }
    co_await delay(ns(1));
    l.push_back("goes on");
  }(log));
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"no luck", "goes on"});
}

TEST_CASE("an exception that escapes a process ends the run and names the process") {
  Engine engine;
  Log log;
  engine.spawn("bystander", sleeper(log, "bystander"));
  engine.spawn("worker 3", [](Log& l) -> Process {
    const Witness witness(l, "worker destroyed");
    co_await failing();
  }(log));
  std::string nested;
  try {
    engine.run();
  } catch (const ProcessError& error) {
    CHECK(std::string(error.what()) == "process worker 3: no luck");
    CHECK(error.process() == "worker 3");
    try {
      std::rethrow_if_nested(error);
    } catch (const std::runtime_error& inner) {
      nested = inner.what();
    }
  }
  CHECK(nested == "no luck");
  CHECK(log == Log{"worker destroyed", "bystander destroyed"});
}

TEST_CASE("what is thrown without being an exception is reported too") {
  Engine engine;
  engine.spawn("odd", []() -> Process {
    co_await delay(ns(1));
    throw 42;
  }());
  CHECK_THROWS_WITH_AS(engine.run(), "process odd: an exception of unknown type", ProcessError);
}

TEST_CASE("a negative delay and one beyond the clock are errors of the process") {
  for (const Duration wrong : {ns(-1), ns(INT64_MAX)}) {
    Engine engine;
    engine.spawn("hasty", [](Duration d) -> Process {
      co_await delay(ns(5));
      co_await delay(d);
    }(wrong));
    CHECK_THROWS_AS(engine.run(), ProcessError);
  }
}

TEST_CASE("awaiting a process waits for its end, at once if it is past") {
  Engine engine;
  Log log;
  const ProcessHandle child = engine.spawn("child", ticker(engine, log, "child", 10, 2));
  for (const int start : {0, 100}) {
    engine.spawn("joiner", [](Engine& e, ProcessHandle awaited, Log& l, int begin) -> Process {
      co_await delay(ns(begin));
      co_await awaited;
      l.push_back("joined@" + std::to_string(e.now().count()));
    }(engine, child, log, start));
  }
  CHECK_FALSE(child.done());
  engine.run();
  CHECK(child.done());
  CHECK_FALSE(child.cancelled());
  CHECK(log == Log{"child@10", "child@20", "joined@20", "joined@100"});
}

TEST_CASE("processes that only exchange messages at one instant are a stall") {
  // Two processes send one message back and forth without taking time: no event, only resumptions.
  Engine engine;
  Channel<int> ping("a ping"), pong("a pong");
  struct Part {
    static Process player(Channel<int>& in, Channel<int>& out) {
      while (true) out.send(co_await in.receive());
    }
  };
  engine.spawn("left", Part::player(ping, pong));
  engine.spawn("right", Part::player(pong, ping));
  engine.at(Time::at_nanoseconds(7), EventClass::timer, [&] { ping.send(1); });
  CHECK(engine.run({.max_at_one_instant = 1000}) == EndReason::stalled);
  CHECK(engine.now().count() == 7);
  CHECK(engine.waiting().size() == 2);
}

TEST_CASE("a process that awaits what is past, for ever, is a stall") {
  Engine engine;
  Completion<> past("the past");
  past.set();
  engine.spawn("loop", [](Completion<> c) -> Process {
    while (true) co_await c;
  }(past));
  CHECK(engine.run({.max_at_one_instant = 1000}) == EndReason::stalled);
}

TEST_CASE("a report follows the tasks down to what is really waited for") {
  Engine engine;
  struct Part {
    static Task<> inner(Completion<> c) {
      co_await delay(ns(30));
      co_await c;
    }
    static Task<> outer(Completion<> c) { co_await inner(c); }
    static Process top(Completion<> c) { co_await outer(c); }
  };
  engine.spawn("worker 7", Part::top(Completion<>("the token")));
  std::vector<WaitReport> before, during;
  before = engine.waiting();
  engine.at(Time::at_nanoseconds(10), EventClass::timer, [&] { during = engine.waiting(); });
  CHECK(engine.run() == EndReason::deadlock);
  REQUIRE(before.size() == 1);
  CHECK(before[0].waits_for == "its start");
  REQUIRE(during.size() == 1);
  CHECK(during[0].waits_for == "the end of a delay at 3e-08 s");
  CHECK(during[0].since == Time::origin());
  REQUIRE(engine.waiting().size() == 1);
  CHECK(engine.waiting()[0].waits_for == "the token");
  CHECK(engine.waiting()[0].since.count() == 30);
}

TEST_CASE("a thousand processes with random delays wake in the order of a sorted list") {
  // Each of 1000 processes takes 20 random delays; (time, order of beginning to wait) must never decrease.
  Engine engine;
  struct State {
    std::uint64_t next = 0;
    std::pair<std::int64_t, std::uint64_t> last{0, 0};
    bool sorted = true;
    std::int64_t checksum = 0;
  } state;
  struct Part {
    static Process process(Engine& e, State& s, std::uint64_t entity) {
      RandomStream random(9, "delays", entity);
      for (int i = 0; i < 20; ++i) {
        const std::uint64_t order = ++s.next;
        co_await delay(ns(static_cast<std::int64_t>(random.below(5000))));
        const std::pair now(e.now().count(), order);
        s.sorted = s.sorted && s.last < now;
        s.last = now;
      }
      s.checksum += e.now().count();
    }
  };
  for (std::uint64_t i = 0; i < 1000; ++i) engine.spawn("p", Part::process(engine, state, i));
  CHECK(engine.run() == EndReason::finished);
  CHECK(state.sorted);
  // The sum of all delays, drawn again.
  std::int64_t expected = 0;
  for (std::uint64_t i = 0; i < 1000; ++i) {
    RandomStream random(9, "delays", i);
    for (int k = 0; k < 20; ++k) expected += static_cast<std::int64_t>(random.below(5000));
  }
  CHECK(state.checksum == expected);
}
