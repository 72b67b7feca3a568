#include <doctest/doctest.h>

#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "core/process.hpp"
#include "tests/core/witness.hpp"

using namespace convoy;

namespace {

using test::Log;
using test::ns;
using test::Witness;

Process sleeper(Log& log, std::string name) {
  const Witness witness(log, name + " destroyed");
  co_await delay(ns(1000));
  log.push_back(name + " woke");
}

}  // namespace

TEST_CASE(
    "cancelling a process takes back its delay, destroys its frame between events and resumes who awaits "
    "it") {
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
  // Round r spawns 8 processes that wait until 1000 ns and cancels half of them; frames of the cancelled are
  // reused by the next round, so that dead and live resumptions of one address and time lie in the queue. 20
  // rounds leave 20 x 4 = 80 that wake, in the order of spawning.
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
