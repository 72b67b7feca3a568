#include "core/process.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/channel.hpp"
#include "core/random.hpp"

using namespace convoy;

namespace {

using Log = std::vector<std::string>;

Duration ns(std::int64_t count) { return Duration::nanoseconds(count); }

/// Writes its name when it is destroyed.
class Witness {
 public:
  Witness(Log& log, std::string name) : log_(&log), name_(std::move(name)) {}
  Witness(Witness&& other) noexcept : log_(std::exchange(other.log_, nullptr)), name_(std::move(other.name_)) {}
  Witness& operator=(Witness&&) = delete;
  ~Witness() {
    if (log_ != nullptr) log_->push_back(name_);
  }

 private:
  Log* log_;
  std::string name_;
};

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

TEST_CASE("cancelling a process takes back its delay, destroys its frame between events and resumes who awaits it") {
  Engine engine;
  Log log;
  const ProcessHandle victim = engine.spawn("victim", sleeper(log, "victim"));
  engine.spawn("joiner", [](ProcessHandle awaited, Log& l) -> Process {
    co_await awaited;
    l.push_back("joined");
  }(victim, log));
  engine.at(Time::at_nanoseconds(50), EventClass::timer, [&] {
    victim.cancel();
    victim.cancel();  // asking twice changes nothing
    log.push_back("asked");
  });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"asked", "victim destroyed", "joined"});
  CHECK(victim.cancelled());
  CHECK(engine.now().count() == 50);  // nothing left at 1000 ns
}

TEST_CASE("a process cancelled before its start never runs") {
  Engine engine;
  Log log;
  const ProcessHandle handle = engine.spawn("early", sleeper(log, "early"));
  handle.cancel();
  CHECK(engine.run() == EndReason::finished);
  CHECK(handle.cancelled());
  CHECK(log.empty());
  CHECK(engine.events() == 0);
}

TEST_CASE("a process that cancels itself goes on until it waits") {
  Engine engine;
  Log log;
  std::optional<ProcessHandle> self;
  self = engine.spawn("self", [](std::optional<ProcessHandle>& own, Log& l) -> Process {
    const Witness witness(l, "destroyed");
    own->cancel();
    l.push_back("still here");
    co_await delay(ns(1));
    l.push_back("never");
  }(self, log));
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"still here", "destroyed"});
  CHECK(self->cancelled());
}

TEST_CASE("a process cancelled in the event that made it ready does not resume") {
  Engine engine;
  Log log;
  Completion<> sign("a sign");
  const ProcessHandle victim = engine.spawn("victim", [](Completion<> s, Log& l) -> Process {
    const Witness witness(l, "destroyed");
    co_await s;
    l.push_back("never");
  }(sign, log));
  engine.at(Time::at_nanoseconds(5), EventClass::timer, [&] {
    sign.set();
    victim.cancel();
  });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"destroyed"});
}

TEST_CASE("cancellation destroys a whole stack of tasks, innermost first") {
  Engine engine;
  Log log;
  struct Part {
    static Task<> inner(Log& l) {
      const Witness witness(l, "inner");
      co_await delay(ns(1000));
    }
    static Task<> outer(Log& l) {
      const Witness witness(l, "outer");
      co_await inner(l);
    }
    static Process top(Log& l) {
      const Witness witness(l, "top");
      co_await outer(l);
    }
  };
  const ProcessHandle handle = engine.spawn("top", Part::top(log));
  engine.at(Time::at_nanoseconds(3), EventClass::timer, [&] { handle.cancel(); });
  engine.run();
  CHECK(log == Log{"inner", "outer", "top"});
}

TEST_CASE("equal delays of reused frames: only the cancelled ones are taken back") {
  // Round r spawns 8 processes that wait until 1000 ns and cancels half of them; frames of the cancelled are reused by
  // the next round, so that dead and live resumptions of one address and time lie in the queue. 20 rounds leave
  // 20 x 4 = 80 that wake, in the order of spawning.
  Engine engine;
  std::vector<int> woke;
  std::vector<int> expected;
  std::vector<ProcessHandle> victims;
  struct Part {
    static Process until(Engine& e, std::vector<int>& out, int label) {
      co_await delay(Time::at_nanoseconds(1000) - e.now());
      out.push_back(label);
    }
  };
  for (int round = 0; round < 20; ++round) {
    engine.at(Time::at_nanoseconds(10 * round), EventClass::timer, [&, round] {
      for (int i = 0; i < 8; ++i) {
        const int label = 8 * round + i;
        const ProcessHandle handle = engine.spawn("p", Part::until(engine, woke, label));
        if (i % 2 == 0) {
          victims.push_back(handle);
        } else {
          expected.push_back(label);
        }
      }
    });
    engine.at(Time::at_nanoseconds(10 * round + 5), EventClass::timer, [&] {
      for (const ProcessHandle& victim : victims) victim.cancel();
      victims.clear();
    });
  }
  CHECK(engine.run() == EndReason::finished);
  CHECK(woke == expected);
  CHECK(engine.now().count() == 1000);
}

TEST_CASE("thousands of cancelled delays do not stay in the queue") {
  // 5000 processes wait for an hour and are cancelled: their resumptions are buried, 1 event is left pending.
  Engine engine;
  Log log;
  std::vector<ProcessHandle> handles;
  for (int i = 0; i < 5000; ++i) {
    handles.push_back(engine.spawn("p", []() -> Process { co_await delay(Duration::seconds(3600)); }()));
  }
  std::size_t pending = 0;
  engine.at(Time::at_nanoseconds(1), EventClass::timer, [&] {
    for (const ProcessHandle& handle : handles) handle.cancel();
  });
  engine.at(Time::at_nanoseconds(2), EventClass::timer, [&] { pending = engine.pending_events(); });
  engine.at(Time::at_nanoseconds(3), EventClass::timer, [] {});
  CHECK(engine.run() == EndReason::finished);
  CHECK(pending == 1);
  CHECK(engine.now().count() == 3);
}

TEST_CASE("dropping a handle stops nothing, and a handle outlives its engine") {
  Log log;
  std::optional<ProcessHandle> kept;
  {
    Engine engine;
    { const ProcessHandle dropped = engine.spawn("dropped", sleeper(log, "dropped")); }
    kept = engine.spawn("kept", sleeper(log, "kept"));
    engine.run({.latest = Time::at_nanoseconds(1000)});
  }
  CHECK(log == Log{"dropped woke", "dropped destroyed", "kept woke", "kept destroyed"});
  CHECK(kept->done());
  kept->cancel();
  CHECK(kept->name() == "kept");
}

TEST_CASE("an engine destroyed before or after its run destroys its processes, the latest first") {
  Log log;
  std::optional<ProcessHandle> kept;
  {
    Engine engine;
    kept = engine.spawn("never started", sleeper(log, "never started"));
    engine.at(Time::at_nanoseconds(5), EventClass::timer, [] {});
  }
  CHECK(log.empty());  // its body never began
  CHECK(kept->cancelled());
  CHECK_FALSE(kept->done());
  {
    Engine engine;
    engine.spawn("first", sleeper(log, "first"));
    engine.spawn("second", sleeper(log, "second"));
    engine.at(Time::at_nanoseconds(5), EventClass::timer, [&] { engine.stop(); });
    CHECK(engine.run() == EndReason::stopped);
    CHECK(log == Log{"second destroyed", "first destroyed"});
  }
}

TEST_CASE("a process that was never spawned frees its frame and parameters") {
  Log log;
  {
    const Process unused = [](Witness) -> Process { co_return; }(Witness(log, "parameter"));
    CHECK(log.empty());
  }
  CHECK(log == Log{"parameter"});
}

TEST_CASE("a finished process is freed at once") {
  Engine engine;
  Log log;
  engine.spawn("short", [](Witness, Log& l) -> Process {
    co_await delay(ns(1));
    l.push_back("body ends");
  }(Witness(log, "parameter"), log));
  engine.at(Time::at_nanoseconds(2), EventClass::timer, [&] { log.push_back("later"); });
  engine.run();
  CHECK(log == Log{"body ends", "parameter", "later"});
}

TEST_CASE("a destructor that schedules during a cancellation is told off by run, and schedules nothing") {
  struct Culprit {
    Engine& engine;
    int& run;
    ~Culprit() {
      engine.after(ns(1), EventClass::timer, [&r = run] { ++r; });
    }
  };
  struct Part {
    static Process process(Engine& e, int& run) {
      const Culprit culprit{e, run};
      co_await delay(ns(100));
    }
  };
  for (const bool by_request : {true, false}) {
    Engine engine;
    int run = 0;
    const ProcessHandle handle = engine.spawn("culprit", Part::process(engine, run));
    engine.at(Time::at_nanoseconds(5), EventClass::timer, [&] {
      if (by_request) {
        handle.cancel();
      } else {
        engine.stop();
      }
    });
    CHECK_THROWS_AS(engine.run(), std::logic_error);
    CHECK(run == 0);
  }
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
