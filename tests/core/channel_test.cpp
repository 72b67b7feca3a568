#include "core/channel.hpp"

#include <doctest/doctest.h>

#include <memory>
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

Process receive_one(Channel<int>& channel, Log& log, std::string name) {
  const int item = co_await channel.receive();
  log.push_back(name + "<-" + std::to_string(item));
}

}  // namespace

TEST_CASE("items arrive in order of sending, receivers are served in order of arrival") {
  Engine engine;
  Log log;
  Channel<int> channel;
  engine.spawn("a", receive_one(channel, log, "a"));
  engine.spawn("b", receive_one(channel, log, "b"));
  engine.at(at(5), EventClass::delivery, [&] {
    for (int i = 1; i <= 3; ++i) channel.send(i);
    log.push_back("sent");
    CHECK(channel.size() == 1);
    CHECK(channel.try_receive() == 3);  // 1 and 2 already belong to a and b
    CHECK(channel.try_receive() == std::nullopt);
  });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"sent", "a<-1", "b<-2"});
}

TEST_CASE("a receiver goes on at once while items wait") {
  Engine engine;
  Log log;
  Channel<int> channel;
  for (int i = 1; i <= 3; ++i) channel.send(i);
  engine.spawn("a", [](Channel<int>& c, Log& l) -> Process {
    for (int i = 0; i < 3; ++i) l.push_back(std::to_string(co_await c.receive()));
  }(channel, log));
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"1", "2", "3"});
  CHECK(engine.events() == 1);
}

TEST_CASE("items may be movable only") {
  Engine engine;
  Channel<std::unique_ptr<int>> channel;
  int got = 0;
  engine.spawn("a", [](Channel<std::unique_ptr<int>>& c, int& out) -> Process {
    const std::unique_ptr<int> item = co_await c.receive();
    out = *item;
  }(channel, got));
  engine.at(at(1), EventClass::delivery, [&] { channel.send(std::make_unique<int>(9)); });
  engine.run();
  CHECK(got == 9);
}

TEST_CASE("a receiver cancelled while it waits leaves its place to the next") {
  Engine engine;
  Log log;
  Channel<int> channel;
  const ProcessHandle first = engine.spawn("first", receive_one(channel, log, "first"));
  engine.spawn("second", receive_one(channel, log, "second"));
  engine.at(at(5), EventClass::timer, [&] { first.cancel(); });
  engine.at(at(6), EventClass::timer, [&] {
    CHECK(channel.receivers() == 1);
    channel.send(1);
  });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"second<-1"});
}

TEST_CASE("a receiver cancelled after it was given an item gives it back to the front") {
  // 1 goes to `first`, which is cancelled in the same event; `second` then gets 1, and 2 stays.
  Engine engine;
  Log log;
  Channel<int> channel;
  const ProcessHandle first = engine.spawn("first", receive_one(channel, log, "first"));
  engine.at(at(5), EventClass::timer, [&] {
    channel.send(1);
    channel.send(2);
    first.cancel();
  });
  engine.at(at(6), EventClass::timer, [&] { engine.spawn("second", receive_one(channel, log, "second")); });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"second<-1"});
  CHECK(channel.try_receive() == 2);
}

TEST_CASE("an item given back reaches the receiver that waits already") {
  Engine engine;
  Log log;
  Channel<int> channel;
  const ProcessHandle first = engine.spawn("first", receive_one(channel, log, "first"));
  engine.spawn("second", receive_one(channel, log, "second"));
  engine.at(at(5), EventClass::timer, [&] {
    channel.send(1);
    first.cancel();
  });
  CHECK(engine.run() == EndReason::finished);
  CHECK(log == Log{"second<-1"});
  CHECK(engine.now() == at(5));
}

TEST_CASE("a channel that dies before its receivers leaves them waiting, and they die in peace") {
  Engine engine;
  Log log;
  auto channel = std::make_unique<Channel<int>>("a letter");
  engine.spawn("a", receive_one(*channel, log, "a"));
  std::vector<WaitReport> before;
  engine.at(at(1), EventClass::timer, [&] {
    before = engine.waiting();
    channel.reset();
  });
  CHECK(engine.run() == EndReason::deadlock);
  REQUIRE(before.size() == 1);
  CHECK(before[0].waits_for == "a letter");
  REQUIRE(engine.waiting().size() == 1);
  CHECK(engine.waiting()[0].waits_for == "a channel that is gone");
}
