#include "core/scope.hpp"

#include <doctest/doctest.h>

#include <optional>
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

struct Witness {
  Log& log;
  std::string name;
  ~Witness() { log.push_back(name + " destroyed"); }
};

Process child(Log& log, std::string name, std::int64_t time) {
  const Witness witness{log, name};
  co_await delay(ns(time));
  log.push_back(name + " done");
}

}  // namespace

TEST_CASE("join waits for every child") {
  Engine engine;
  Log log;
  engine.spawn("parent", [](Engine& e, Log& l) -> Process {
    Scope scope(e);
    scope.spawn("a", child(l, "a", 20));
    scope.spawn("b", child(l, "b", 10));
    co_await scope.join();
    l.push_back("joined@" + std::to_string(e.now().count()));
  }(engine, log));
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"b done", "b destroyed", "a done", "a destroyed", "joined@20"});
}

TEST_CASE("cancel ends the children between events; join then returns") {
  Engine engine;
  Log log;
  engine.spawn("parent", [](Engine& e, Log& l) -> Process {
    Scope scope(e);
    scope.spawn("a", child(l, "a", 1000));
    scope.spawn("b", child(l, "b", 5));
    co_await delay(ns(10));
    CHECK(scope.size() == 1);
    scope.cancel();
    l.push_back("asked");
    co_await scope.join();
    l.push_back("joined@" + std::to_string(e.now().count()));
  }(engine, log));
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"b done", "b destroyed", "asked", "a destroyed", "joined@10"});
}

TEST_CASE("the end of a scope ends its children, and they never resume meanwhile") {
  // The parent makes its child ready and returns in the same event: the child must not run on.
  Engine engine;
  Log log;
  Completion<> sign("a sign");
  struct Part {
    static Process waiter(Completion<> s, Log& l) {
      const Witness witness{l, "child"};
      co_await s;
      l.push_back("never");
    }
    static Process parent(Engine& e, Completion<> s, Log& l) {
      Scope scope(e);
      scope.spawn("child", waiter(s, l));
      co_await delay(ns(10));
      s.set();
      l.push_back("parent returns");
    }
  };
  engine.spawn("parent", Part::parent(engine, sign, log));
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"parent returns", "child destroyed"});
}

TEST_CASE("cancelling a parent ends its whole tree, children before what the parent declared earlier") {
  Engine engine;
  Log log;
  struct Part {
    static Process middle(Engine& e, Log& l) {
      const Witness witness{l, "middle"};
      Scope scope(e);
      scope.spawn("leaf", child(l, "leaf", 1000));
      co_await scope.join();
    }
    static Process top(Engine& e, Log& l) {
      const Witness witness{l, "top"};
      Scope scope(e);
      scope.spawn("middle", middle(e, l));
      co_await scope.join();
    }
  };
  const ProcessHandle top = engine.spawn("top", Part::top(engine, log));
  engine.at(at(10), EventClass::fault, [&] { top.cancel(); });
  engine.at(at(20), EventClass::timer, [&] { log.push_back("later"); });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"leaf destroyed", "middle destroyed", "top destroyed", "later"});
  CHECK(engine.live_processes() == 0);
}

TEST_CASE("a scope outside of any process can be cancelled by an event and does not grow with its past") {
  Engine engine;
  Log log;
  Scope scope(engine);
  for (int i = 0; i < 1000; ++i) {
    engine.at(at(10 * i), EventClass::timer,
              [&] { scope.spawn("short", []() -> Process { co_await delay(ns(1)); }()); });
  }
  engine.at(at(20000), EventClass::timer, [&] { scope.spawn("long", child(log, "long", 1'000'000)); });
  engine.at(at(20001), EventClass::timer, [&] { scope.cancel(); });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"long destroyed"});
  CHECK(scope.size() == 0);
}

TEST_CASE("a scope may outlive its engine's run") {
  Log log;
  Engine engine;
  std::optional<Scope> scope(std::in_place, engine);
  scope->spawn("a", child(log, "a", 100));
  engine.run({.latest = at(50)});
  CHECK(log == Log{"a destroyed"});
  scope.reset();
}
