#include "core/event_queue.hpp"

#include <doctest/doctest.h>

#include <map>
#include <tuple>
#include <vector>

#include "core/random.hpp"

using namespace convoy;
using detail::EventQueue;
using detail::QueuedEvent;

namespace {

/// The contract, written with a std::map: order by time, class, then insertion.
class ReferenceQueue {
 public:
  void push(QueuedEvent event) {
    events_.emplace(std::tuple(event.time, event.event_class(), next_++), event);
  }
  QueuedEvent pop() {
    const QueuedEvent event = events_.begin()->second;
    events_.erase(events_.begin());
    return event;
  }
  template <class Predicate>
  void remove_if(Predicate dead) {
    std::erase_if(events_, [&](const auto& entry) { return dead(entry.second); });
  }
  [[nodiscard]] std::size_t size() const { return events_.size(); }

 private:
  std::map<std::tuple<std::uint64_t, unsigned, std::uint64_t>, QueuedEvent> events_;
  std::uint64_t next_ = 0;
};

std::uint64_t payload(std::uint64_t event_class, std::uint64_t label) {
  return event_class << 61 | label;
}

/// How far ahead the events of a workload lie: each a different way into the levels of the queue.
enum class Spread { present, near, dense, exponential, powers, far, ties };

std::uint64_t draw_offset(Spread spread, RandomStream& random) {
  switch (spread) {
    case Spread::present:
      return random.below(3);
    case Spread::near:
      return random.below(64);
    case Spread::dense:
      return random.below(300);
    case Spread::exponential:
      return static_cast<std::uint64_t>(random.exponential() * 1e6);
    case Spread::powers:
      return std::uint64_t{1} << random.below(40);
    case Spread::far:
      return random.below(std::uint64_t{1} << 48);
    case Spread::ties:
      return 1000 * random.below(4);
  }
  return 0;
}

}  // namespace

TEST_CASE("the queue gives the same order as a map for any mix of pushes, pops, classes, ties and removals") {
  // 7 spreads x 3 sizes of the pending set; every popped event is compared, label by label.
  for (const Spread spread : {Spread::present, Spread::near, Spread::dense, Spread::exponential,
                              Spread::powers, Spread::far, Spread::ties}) {
    for (const std::size_t target : {3u, 70u, 2000u}) {
      EventQueue queue;
      ReferenceQueue reference;
      RandomStream random(1, "event queue test", static_cast<std::uint64_t>(spread), target);
      std::uint64_t label = 0;
      bool equal = true;
      for (int step = 0; step < 20000 && equal; ++step) {
        const std::size_t weight = queue.size() < target ? 3 : 1;
        if (random.below(4) < weight) {
          // One in five at the very present, in any class, also one that comes before the event just taken.
          const std::uint64_t offset = random.below(5) == 0 ? 0 : draw_offset(spread, random);
          const QueuedEvent event{queue.time() + offset, payload(random.below(5), label++)};
          queue.push(event);
          reference.push(event);
        } else if (random.below(500) == 0) {
          const std::uint64_t modulus = 2 + random.below(3);
          const auto dead = [&](const QueuedEvent& event) { return event.payload % modulus == 0; };
          queue.remove_if(dead);
          reference.remove_if(dead);
        } else if (queue.size() != 0) {
          QueuedEvent event{};
          REQUIRE(queue.pop(event));
          const QueuedEvent expected = reference.pop();
          equal =
              event.time == expected.time && event.payload == expected.payload && queue.time() == event.time;
        }
        equal = equal && queue.size() == reference.size();
      }
      while (equal && reference.size() != 0) {
        QueuedEvent event{};
        REQUIRE(queue.pop(event));
        const QueuedEvent expected = reference.pop();
        equal = event.time == expected.time && event.payload == expected.payload;
      }
      CAPTURE(static_cast<int>(spread));
      CAPTURE(target);
      CHECK(equal);
      QueuedEvent none{};
      CHECK_FALSE(queue.pop(none));
    }
  }
}

TEST_CASE("events removed by a counting predicate are asked in their order within a time and class") {
  // The engine buries the first n of equal resumptions: labels 0..9 at one time, the first four are dead
  // -> 4..9 remain.
  for (const std::uint64_t time : {0u, 5u, 5000000u}) {
    EventQueue queue;
    for (std::uint64_t label = 0; label < 10; ++label) queue.push({time, payload(2, label)});
    int dead = 4;
    queue.remove_if([&](const QueuedEvent&) { return dead-- > 0; });
    for (std::uint64_t label = 4; label < 10; ++label) {
      QueuedEvent event{};
      REQUIRE(queue.pop(event));
      CHECK(event.payload == payload(2, label));
    }
  }
}

TEST_CASE("the queue holds times up to the end of the clock") {
  EventQueue queue;
  constexpr auto latest = static_cast<std::uint64_t>(INT64_MAX);
  queue.push({latest, payload(0, 1)});
  queue.push({latest - 1, payload(4, 2)});
  queue.push({1, payload(3, 3)});
  std::vector<std::uint64_t> times;
  for (QueuedEvent event{}; queue.pop(event);) times.push_back(event.time);
  CHECK(times == std::vector<std::uint64_t>{1, latest - 1, latest});
}
