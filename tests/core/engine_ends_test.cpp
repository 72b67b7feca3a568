#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

#include "core/engine.hpp"
#include "core/process.hpp"

using namespace convoy;

namespace {

Time ns(std::int64_t count) {
  return Time::at_nanoseconds(count);
}

Process wait_for(Completion<> completion) {
  co_await completion;
}

}  // namespace

TEST_CASE("the stop time is included and the clock ends there") {
  // Peers, case T12: three events at 1.0 s, one at 1.0000001 s, stop at 1.0 s -> exactly three run.
  Engine engine;
  int run = 0;
  for (int i = 0; i < 3; ++i) engine.at(Time::at_seconds(1.0), EventClass::timer, [&] { ++run; });
  engine.at(Time::at_seconds(1.0000001), EventClass::timer, [&] { ++run; });
  CHECK(engine.run({.latest = Time::at_seconds(1.0)}) == EndReason::time_limit);
  CHECK(run == 3);
  CHECK(engine.now() == Time::at_seconds(1.0));
}

TEST_CASE("the clock ends at the stop time even if the last event came before") {
  Engine engine;
  engine.at(ns(10), EventClass::timer, [] {});
  engine.at(ns(1000), EventClass::timer, [] {});
  CHECK(engine.run({.latest = ns(500)}) == EndReason::time_limit);
  CHECK(engine.now() == ns(500));
  CHECK(engine.events() == 1);
}

TEST_CASE("a run ends after the allowed number of events") {
  Engine engine;
  std::function<void()> again = [&] {
    engine.after(Duration::nanoseconds(1), EventClass::timer, [&] { again(); });
  };
  again();
  CHECK(engine.run({.max_events = 1000}) == EndReason::event_limit);
  CHECK(engine.events() == 1000);
  CHECK(engine.now() == ns(1000));
}

TEST_CASE("stop ends the run after the present event and what it made ready") {
  Engine engine;
  std::string order;
  Completion<> completion("a sign");
  engine.spawn("follower", [](Completion<> sign, std::string& log) -> Process {
    co_await sign;
    log += 'r';
  }(completion, order));
  engine.at(ns(5), EventClass::timer, [&] {
    engine.stop();
    completion.set();
    order += 's';
  });
  engine.at(ns(5), EventClass::timer, [&] { order += 'x'; });
  CHECK(engine.run() == EndReason::stopped);
  CHECK(order == "sr");
  CHECK(engine.now() == ns(5));
}

TEST_CASE("a run with processes that wait and no work left is a deadlock") {
  Engine engine;
  engine.spawn("worker 0", wait_for(Completion<>("a reply of the server")));
  engine.at(ns(70), EventClass::timer,
            [&] { engine.spawn("worker 1", wait_for(Completion<>("the token"))); });
  CHECK(engine.run() == EndReason::deadlock);
  const std::vector<WaitReport> waiting = engine.waiting();
  REQUIRE(waiting.size() == 2);
  CHECK(waiting[0].process == "worker 0");
  CHECK(waiting[0].waits_for == "a reply of the server");
  CHECK(waiting[0].since == ns(0));
  CHECK(waiting[1].process == "worker 1");
  CHECK(waiting[1].waits_for == "the token");
  CHECK(waiting[1].since == ns(70));
}

TEST_CASE("ambient events do not hide a deadlock, wherever they lie") {
  // An evaluation every 10 ns for ever, one at the very instant of the deadlock: the run ends at 0 ns.
  Engine engine;
  int evaluations = 0;
  std::function<void()> evaluate = [&] {
    ++evaluations;
    engine.after(
        Duration::nanoseconds(10), EventClass::evaluation, [&] { evaluate(); }, Activity::ambient);
  };
  engine.at(
      ns(0), EventClass::evaluation, [&] { evaluate(); }, Activity::ambient);
  engine.spawn("worker", wait_for(Completion<>("something")));
  CHECK(engine.run() == EndReason::deadlock);
  CHECK(evaluations == 0);
  CHECK(engine.now() == ns(0));
}

TEST_CASE("ambient events run while work is pending, and an ambient process is not waited for") {
  // Work at 35 ns; the ambient process ticks at 0, 10, 20, 30 and is cancelled with the end of the work.
  Engine engine;
  int ticks = 0;
  engine.spawn(
      "evaluator",
      [](int& count) -> Process {
        while (true) {
          ++count;
          co_await delay(Duration::nanoseconds(10), EventClass::evaluation);
        }
      }(ticks),
      Activity::ambient);
  engine.at(ns(35), EventClass::timer, [] {});
  CHECK(engine.run() == EndReason::finished);
  CHECK(ticks == 4);
  CHECK(engine.now() == ns(35));
}

TEST_CASE("a pending repair is hope, and the deadlock comes when it did not help") {
  for (const bool helps : {true, false}) {
    Engine engine;
    Completion<> up("the repair of gpu 3");
    engine.spawn("worker", wait_for(up));
    engine.at(
        ns(500), EventClass::fault,
        [&] {
          if (helps) up.set();
        },
        Activity::repair);
    engine.at(
        ns(900), EventClass::evaluation, [] {}, Activity::ambient);
    CHECK(engine.run() == (helps ? EndReason::finished : EndReason::deadlock));
    CHECK(engine.now() == ns(500));
  }
}

TEST_CASE("a pending repair that nobody waits for does not keep a finished run alive") {
  Engine engine;
  engine.at(ns(10), EventClass::timer, [] {});
  engine.at(
      ns(500), EventClass::fault, [] {}, Activity::repair);
  CHECK(engine.run() == EndReason::finished);
  CHECK(engine.now() == ns(10));
}

TEST_CASE("a million events at one instant are a stall") {
  Engine engine;
  std::function<void()> again = [&] { engine.after(Duration::zero(), EventClass::timer, [&] { again(); }); };
  again();
  CHECK(engine.run() == EndReason::stalled);
  // One event was pending when the instant began: the allowance is 1,000,000 + 1.
  CHECK(engine.events() == 1'000'001);
  CHECK(engine.now() == ns(0));
}

TEST_CASE("events that were pending when an instant began do not count as a stall") {
  // 2000 events at 5 ns with an allowance of 100: they were there before, none was made at that instant.
  Engine engine;
  for (int i = 0; i < 2000; ++i) engine.at(ns(5), EventClass::timer, [] {});
  CHECK(engine.run({.max_at_one_instant = 100}) == EndReason::finished);
  CHECK(engine.events() == 2000);
}

TEST_CASE("no reported progress for the stated time is a stall at that time") {
  // Progress at 30 ns and 90 ns (guard 100 ns): the run stalls at 190 ns. An event at exactly 190 ns still
  // runs.
  Engine engine;
  std::vector<std::int64_t> ticks;
  std::function<void()> tick = [&] {
    ticks.push_back(engine.now().count());
    engine.after(Duration::nanoseconds(19), EventClass::timer, [&] { tick(); });
  };
  engine.at(ns(0), EventClass::timer, [&] { tick(); });
  engine.at(ns(30), EventClass::computation, [&] { engine.note_progress(); });
  engine.at(ns(90), EventClass::computation, [&] { engine.note_progress(); });
  CHECK(engine.run({.no_progress = Duration::nanoseconds(100)}) == EndReason::stalled);
  CHECK(engine.now() == ns(190));
  CHECK(ticks.back() == 190);
}

TEST_CASE("the guard against no progress can be set while running, and a time limit before it wins") {
  Engine engine;
  std::function<void()> tick = [&] {
    engine.after(Duration::nanoseconds(10), EventClass::timer, [&] { tick(); });
  };
  tick();
  engine.at(ns(50), EventClass::timer, [&] { engine.set_no_progress(Duration::nanoseconds(200)); });
  CHECK(engine.run({.latest = ns(1000)}) == EndReason::stalled);
  CHECK(engine.now() == ns(200));  // the last progress is the start of the run

  Engine limited;
  std::function<void()> tock = [&] {
    limited.after(Duration::nanoseconds(10), EventClass::timer, [&] { tock(); });
  };
  tock();
  CHECK(limited.run({.latest = ns(100), .no_progress = Duration::nanoseconds(200)}) == EndReason::time_limit);
  CHECK(limited.now() == ns(100));
}

TEST_CASE("a reason for the end has a name") {
  CHECK(to_string(EndReason::finished) == "finished");
  CHECK(to_string(EndReason::time_limit) == "time_limit");
  CHECK(to_string(EndReason::deadlock) == "deadlock");
}
