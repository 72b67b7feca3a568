#include "core/combinators.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace convoy;

namespace {

using Log = std::vector<std::string>;
Time at(std::int64_t count) {
  return Time::at_nanoseconds(count);
}
Duration ns(std::int64_t count) {
  return Duration::nanoseconds(count);
}

struct Fixture {
  Engine engine;
  Log log;
  std::vector<Completion<int>> handles;

  /// Three handles that end at the given times.
  explicit Fixture(std::vector<std::int64_t> times) {
    for (std::size_t i = 0; i < times.size(); ++i) {
      handles.emplace_back("transfer " + std::to_string(i));
      engine.at(at(times[i]), EventClass::delivery,
                [handle = handles.back(), i] { handle.set(static_cast<int>(i)); });
    }
  }
  void note(const std::string& text) { log.push_back(text + "@" + std::to_string(engine.now().count())); }
};

Process await_all(Fixture& f) {
  co_await when_all(f.handles);
  f.note("all");
}

Process await_any(Fixture& f) {
  const std::size_t index = co_await when_any(f.handles);
  f.note("any " + std::to_string(index));
}

Process worker(Fixture& f, std::string name, std::int64_t time) {
  co_await delay(ns(time));
  f.note(name);
}

}  // namespace

TEST_CASE("when_all ends with the last, when_any with the first, and the losers of when_any go on") {
  Fixture f({30, 10, 20});
  f.engine.spawn("all", await_all(f));
  f.engine.spawn("any", await_any(f));
  CHECK(f.engine.run() == EndReason::finished);
  CHECK(f.log == Log{"any 1@10", "all@30"});
  for (const auto& handle : f.handles) CHECK(handle.done());
}

TEST_CASE("of handles that end at one instant the first to end wins") {
  Fixture f({10, 10, 10});
  f.engine.spawn("any", await_any(f));
  f.engine.run();
  CHECK(f.log == Log{"any 0@10"});
}

TEST_CASE("of handles that are past the lowest index wins, at once") {
  Fixture f({30, 10, 20});
  f.engine.at(at(25), EventClass::timer, [&] { f.engine.spawn("any", await_any(f)); });
  f.engine.run();
  CHECK(f.log == Log{"any 1@25"});
}

TEST_CASE("when_any over processes cancels the losers") {
  Fixture f({});
  struct Part {
    static Process race(Fixture& fixture) {
      const ProcessHandle slow = fixture.engine.spawn("slow", worker(fixture, "slow", 100));
      const ProcessHandle fast = fixture.engine.spawn("fast", worker(fixture, "fast", 10));
      const std::size_t winner = co_await when_any(slow, fast);
      fixture.note("winner " + std::to_string(winner));
      co_await slow;
      CHECK(slow.cancelled());
      CHECK_FALSE(fast.cancelled());
      fixture.note("slow ended");
    }
  };
  f.engine.spawn("race", Part::race(f));
  CHECK(f.engine.run() == EndReason::finished);
  CHECK(f.log == Log{"fast@10", "winner 1@10", "slow ended@10"});
}

TEST_CASE("handles of different kinds can be mixed; processes among them then go on") {
  Fixture f({50});
  struct Part {
    static Process race(Fixture& fixture) {
      const ProcessHandle process = fixture.engine.spawn("p", worker(fixture, "p", 70));
      const Completion<int> transfer = fixture.handles[0];
      const std::size_t winner = co_await when_any(transfer, process);
      fixture.note("winner " + std::to_string(winner));
      co_await when_all(transfer, process);
      fixture.note("all");
    }
  };
  f.engine.spawn("race", Part::race(f));
  CHECK(f.engine.run() == EndReason::finished);
  CHECK(f.log == Log{"winner 0@50", "p@70", "all@70"});
}

TEST_CASE("when_all of nothing goes on at once; when_any of nothing is an error") {
  Fixture f({});
  f.engine.spawn("all", await_all(f));
  CHECK(f.engine.run() == EndReason::finished);
  CHECK(f.log == Log{"all@0"});
  Fixture g({});
  g.engine.spawn("any", await_any(g));
  CHECK_THROWS_WITH_AS(g.engine.run(), "process any: when_any of nothing", ProcessError);
}

TEST_CASE("a process cancelled in when_any leaves every list") {
  Fixture f({30, 10, 20});
  const ProcessHandle victim = f.engine.spawn("any", await_any(f));
  f.engine.at(at(5), EventClass::timer, [&] { victim.cancel(); });
  CHECK(f.engine.run() == EndReason::finished);
  CHECK(f.log.empty());
  CHECK(f.handles[0].state().waiters().empty());
}

TEST_CASE("the same handle may stand twice") {
  Fixture f({10});
  f.handles.push_back(f.handles[0]);
  f.engine.spawn("any", await_any(f));
  CHECK(f.engine.run() == EndReason::finished);
  CHECK(f.log == Log{"any 0@10"});
}

TEST_CASE("a report names what when_all still misses and what when_any waits for") {
  Engine engine;
  std::vector<Completion<>> handles;
  for (int i = 0; i < 6; ++i) handles.emplace_back("h" + std::to_string(i));
  handles[0].set();
  struct Part {
    static Process all(std::vector<Completion<>> h) { co_await when_all(h); }
    static Process any(std::vector<Completion<>> h) { co_await when_any(h); }
  };
  engine.spawn("all", Part::all(handles));
  engine.spawn("any", Part::any(std::vector<Completion<>>(handles.begin() + 1, handles.end())));
  CHECK(engine.run() == EndReason::deadlock);
  REQUIRE(engine.waiting().size() == 2);
  CHECK(engine.waiting()[0].waits_for == "h1");
  CHECK(engine.waiting()[1].waits_for == "the first of 5: h1, h2, h3, h4, ...");
}
