#include "core/completion.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

#include "core/process.hpp"

using namespace convoy;

namespace {

using Log = std::vector<std::string>;
Time at(std::int64_t count) {
  return Time::at_nanoseconds(count);
}

Process reader(Completion<int> result, Log& log, std::string name) {
  const int value = co_await result;
  log.push_back(name + "=" + std::to_string(value));
}

}  // namespace

TEST_CASE(
    "waiters resume in order of arrival, inside the setting event, after its callback and the handle's "
    "callbacks") {
  Engine engine;
  Log log;
  const Completion<int> result("a result");
  engine.spawn("a", reader(result, log, "a"));
  engine.spawn("b", reader(result, log, "b"));
  result.on_done([&] { log.push_back("callback 1"); });
  result.on_done([&] { log.push_back("callback 2"); });
  engine.at(at(10), EventClass::delivery, [&] {
    result.set(7);
    log.push_back("setter goes on");
  });
  engine.at(at(10), EventClass::delivery, [&] { log.push_back("next event"); });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"callback 1", "callback 2", "setter goes on", "a=7", "b=7", "next event"});
}

TEST_CASE("who awaits what is past goes on at once, and a late callback is called at once") {
  Engine engine;
  Log log;
  const Completion<int> result("a result");
  CHECK_FALSE(result.done());
  CHECK_THROWS_AS(static_cast<void>(result.value()), std::logic_error);
  result.set(3);
  CHECK(result.done());
  CHECK(result.value() == 3);
  result.on_done([&] { log.push_back("late callback"); });
  engine.spawn("a", reader(result, log, "a"));
  engine.run();
  CHECK(log == Log{"late callback", "a=3"});
  CHECK(engine.events() == 1);
}

TEST_CASE("a completion ends once") {
  const Completion<> once("once");
  once.set();
  CHECK_THROWS_WITH_AS(once.set(), "ended twice: once", std::logic_error);
}

TEST_CASE("results are shared, not copied") {
  Engine engine;
  const Completion<std::unique_ptr<int>> result("a pointer");
  const int* seen[2] = {nullptr, nullptr};
  struct Part {
    static Process look(Completion<std::unique_ptr<int>> handle, const int*& out) {
      out = (co_await handle).get();
    }
  };
  engine.spawn("a", Part::look(result, seen[0]));
  engine.spawn("b", Part::look(result, seen[1]));
  engine.at(at(1), EventClass::delivery, [&] { result.set(std::make_unique<int>(5)); });
  engine.run();
  CHECK(seen[0] == result.value().get());
  CHECK(seen[1] == result.value().get());
}

TEST_CASE("dropping every handle but the producer's leaves the work going") {
  Engine engine;
  Log log;
  {
    const Completion<int> result("a result");
    engine.spawn("a", reader(result, log, "a"));
    engine.at(at(10), EventClass::delivery, [result] { result.set(1); });
  }
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"a=1"});
}

TEST_CASE("a waiter that is destroyed leaves the list") {
  Engine engine;
  Log log;
  const Completion<int> result("a result");
  const ProcessHandle victim = engine.spawn("victim", reader(result, log, "victim"));
  engine.spawn("other", reader(result, log, "other"));
  engine.at(at(5), EventClass::timer, [&] { victim.cancel(); });
  engine.at(at(10), EventClass::timer, [&] { result.set(2); });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"other=2"});
}

TEST_CASE("a completion outlives its engine and may be set afterwards") {
  Log log;
  const Completion<int> result("a result");
  {
    Engine engine;
    engine.spawn("a", reader(result, log, "a"));
    CHECK(engine.run() == EndReason::deadlock);
  }
  result.set(1);
  CHECK(log.empty());
}

TEST_CASE("a description is a literal, a text, or made when asked for") {
  int made = 0;
  const Completion<> literal("a literal");
  const Completion<> text(std::string("worker ") + std::to_string(3));
  const Completion<> lazy([&made] { return "made " + std::to_string(++made) + " times"; });
  CHECK(literal.description() == "a literal");
  CHECK(text.description() == "worker 3");
  CHECK(made == 0);
  CHECK(lazy.description() == "made 1 times");
}
