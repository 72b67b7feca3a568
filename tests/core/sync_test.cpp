#include "core/sync.hpp"

#include <doctest/doctest.h>

#include <optional>
#include <string>
#include <vector>

#include "core/process.hpp"

using namespace convoy;

namespace {

using Log = std::vector<std::string>;
Time at(std::int64_t count) {
  return Time::at_nanoseconds(count);
}
Duration ns(std::int64_t count) {
  return Duration::nanoseconds(count);
}

Process member(Engine& engine, Barrier& barrier, Log& log, std::string name, std::int64_t work, int rounds) {
  for (int round = 0; round < rounds; ++round) {
    co_await delay(ns(work));
    co_await barrier.arrive();
    log.push_back(name + "@" + std::to_string(engine.now().count()));
  }
}

Process user(Engine& engine, Resource& resource, Log& log, std::string name, std::int64_t amount,
             std::int64_t time) {
  const Lease lease = co_await resource.acquire(amount);
  log.push_back(name + "@" + std::to_string(engine.now().count()));
  co_await delay(ns(time));
}

}  // namespace

TEST_CASE("everyone passes a barrier when the slowest arrives, round after round") {
  // Work 1, 3, 2 ns a round: rounds end at 3 and 6 ns. The last to arrive goes on first, then in order of
  // arrival.
  Engine engine;
  Log log;
  Barrier barrier(3);
  engine.spawn("a", member(engine, barrier, log, "a", 1, 2));
  engine.spawn("b", member(engine, barrier, log, "b", 3, 2));
  engine.spawn("c", member(engine, barrier, log, "c", 2, 2));
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"b@3", "a@3", "c@3", "b@6", "a@6", "c@6"});
  CHECK(barrier.arrived() == 0);
}

TEST_CASE("a barrier with a member that never comes is a deadlock that says who waits for what since when") {
  // Peers, case T22: 4 members, 3 live. They wait since 1, 3 and 2 ns; reports come in the order of spawning.
  Engine engine;
  Log log;
  Barrier barrier(4, "average of round 0");
  engine.spawn("worker 0", member(engine, barrier, log, "0", 1, 1));
  engine.spawn("worker 1", member(engine, barrier, log, "1", 3, 1));
  engine.spawn("worker 2", member(engine, barrier, log, "2", 2, 1));
  CHECK(engine.run() == EndReason::deadlock);
  CHECK(log.empty());
  CHECK(engine.now() == at(3));
  const std::vector<WaitReport> waiting = engine.waiting();
  REQUIRE(waiting.size() == 3);
  const std::int64_t since[3] = {1, 3, 2};
  for (std::size_t i = 0; i < 3; ++i) {
    CHECK(waiting[i].process == "worker " + std::to_string(i));
    CHECK(waiting[i].waits_for == "average of round 0: 3 of 4 arrived");
    CHECK(waiting[i].since == at(since[i]));
  }
}

TEST_CASE("disjoint barriers do not hold each other up") {
  // Peers, case T22: the group {0, 1} finishes though the group {2, 3} misses a member.
  Engine engine;
  Log log;
  Barrier whole(2, "group 0"), broken(2, "group 1");
  engine.spawn("0", member(engine, whole, log, "0", 1, 1));
  engine.spawn("1", member(engine, whole, log, "1", 2, 1));
  engine.spawn("2", member(engine, broken, log, "2", 1, 1));
  CHECK(engine.run() == EndReason::deadlock);
  CHECK(log == Log{"1@2", "0@2"});
  REQUIRE(engine.waiting().size() == 1);
  CHECK(engine.waiting()[0].process == "2");
}

TEST_CASE("a member cancelled at the barrier has not arrived; one that leaves is not waited for") {
  Engine engine;
  Log log;
  Barrier barrier(3);
  const ProcessHandle victim = engine.spawn("victim", member(engine, barrier, log, "victim", 1, 1));
  engine.spawn("a", member(engine, barrier, log, "a", 1, 1));
  engine.spawn("b", member(engine, barrier, log, "b", 10, 1));
  engine.at(at(5), EventClass::fault, [&] { victim.cancel(); });
  engine.at(at(20), EventClass::fault, [&] {
    CHECK(barrier.arrived() == 2);
    barrier.leave();
  });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"a@20", "b@20"});
  CHECK_THROWS_AS(Barrier(0), std::invalid_argument);
}

TEST_CASE("a barrier of one never waits") {
  Engine engine;
  Log log;
  Barrier barrier(1);
  engine.spawn("a", member(engine, barrier, log, "a", 5, 2));
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"a@5", "a@10"});
}

TEST_CASE("a resource serves in order of arrival without overtaking") {
  // Capacity 3: a takes 2 until 10 ns, b wants 2 and waits, c wants 1 (would fit) but waits behind b.
  Engine engine;
  Log log;
  Resource resource(3);
  engine.spawn("a", user(engine, resource, log, "a", 2, 10));
  engine.spawn("b", user(engine, resource, log, "b", 2, 10));
  engine.spawn("c", user(engine, resource, log, "c", 1, 10));
  engine.spawn("d", user(engine, resource, log, "d", 3, 10));
  engine.at(at(5), EventClass::timer, [&] {
    CHECK(resource.in_use() == 2);
    CHECK(resource.queue_length() == 3);
  });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"a@0", "b@10", "c@10", "d@20"});
  CHECK(resource.in_use() == 0);
}

TEST_CASE("cancelling the holder passes its share on, cancelling the head of the queue lets the next go") {
  Engine engine;
  Log log;
  Resource resource(2);
  const ProcessHandle holder = engine.spawn("holder", user(engine, resource, log, "holder", 1, 1000));
  const ProcessHandle head = engine.spawn("head", user(engine, resource, log, "head", 2, 1000));
  engine.spawn("small", user(engine, resource, log, "small", 1, 10));
  engine.spawn("both", user(engine, resource, log, "both", 2, 10));
  engine.at(at(5), EventClass::timer, [&] { head.cancel(); });
  engine.at(at(20), EventClass::timer, [&] { holder.cancel(); });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"holder@0", "small@5", "both@20"});
  CHECK(engine.now() == at(30));
}

TEST_CASE("a share granted to a process that is cancelled at the same instant goes to the next") {
  Engine engine;
  Log log;
  Resource resource(1);
  const ProcessHandle holder = engine.spawn("holder", user(engine, resource, log, "holder", 1, 1000));
  const ProcessHandle second = engine.spawn("second", user(engine, resource, log, "second", 1, 1000));
  engine.spawn("third", user(engine, resource, log, "third", 1, 10));
  engine.at(at(5), EventClass::timer, [&] {
    holder.cancel();
    second.cancel();
  });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"holder@0", "third@5"});
  CHECK(resource.in_use() == 0);
}

TEST_CASE("a lease outlives its resource, moves, and can be given back early") {
  Lease kept;
  {
    Engine engine;
    Resource resource(2);
    struct Part {
      static Process keep(Resource& r, Lease& out) { out = co_await r.acquire(2); }
    };
    engine.spawn("a", Part::keep(resource, kept));
    engine.run();
    CHECK(resource.in_use() == 2);
    CHECK(kept.amount() == 2);
  }
  Lease moved = std::move(kept);
  moved.release();
  moved.release();
  CHECK(moved.amount() == 0);
}

TEST_CASE("wrong amounts are refused, and a report names what is wanted") {
  Resource resource(2, "the uplink");
  CHECK_THROWS_AS(static_cast<void>(resource.acquire(3)), std::invalid_argument);
  CHECK_THROWS_AS(static_cast<void>(resource.acquire(0)), std::invalid_argument);
  CHECK_THROWS_AS(Resource(0), std::invalid_argument);
  Engine engine;
  Log log;
  Lease kept;
  struct Part {
    static Process keep(Resource& r, Lease& out) { out = co_await r.acquire(1); }
  };
  engine.spawn("keeper", Part::keep(resource, kept));
  engine.spawn("b", user(engine, resource, log, "b", 2, 1));
  CHECK(engine.run() == EndReason::deadlock);
  REQUIRE(engine.waiting().size() == 1);
  CHECK(engine.waiting()[0].waits_for == "the uplink: 1 of 2 in use, wants 2");
}
