// The event queue under the hold model (Vaucher, Duval, CACM 18 (1975)): every event schedules one successor,
// so that the number of pending events stays the same. Each benchmark runs the engine with coroutine
// processes, then a bare std::priority_queue of plain records that does the same work, in turns; both visit
// the same processes at the same times, which is checked. `ratio` is the median over the turns of engine
// events/s over heap events/s.
//
// Targets: hold ratio >= 1 at 1,000 pending and >= 2 at 100,000; ties ratio >= 1.
#include "core/engine.hpp"

#include <benchmark/benchmark.h>

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <queue>
#include <vector>

#include "core/process.hpp"
#include "core/random.hpp"

namespace {

using namespace convoy;

/// What both sides do at an event, and what has to come out equal.
class HoldModel {
 public:
  HoldModel(const std::vector<std::int64_t>& increments, std::uint64_t warm_up, std::uint64_t events)
      : increments_(increments), first_(warm_up), last_(warm_up + events) {}
  /// Notes that `process` had its turn; gives its next increment. `finish` is called once, after the last
  /// event.
  template <class Finish>
  std::int64_t visit(std::uint64_t process, Finish finish) {
    checksum_ = checksum_ * 0x9e3779b97f4a7c15 + process;
    if (count_ == first_) start_ = std::clock();
    if (count_ == last_) {
      end_ = std::clock();
      final_checksum_ = checksum_;
      finish();
    }
    return increments_[count_++ % increments_.size()];
  }
  [[nodiscard]] bool done() const { return count_ > last_; }
  [[nodiscard]] double seconds() const { return static_cast<double>(end_ - start_) / CLOCKS_PER_SEC; }
  [[nodiscard]] std::uint64_t checksum() const { return final_checksum_; }

 private:
  const std::vector<std::int64_t>& increments_;
  std::uint64_t first_, last_;
  std::uint64_t count_ = 0, checksum_ = 0, final_checksum_ = 0;
  std::clock_t start_ = 0, end_ = 0;  // processor time: other programs count as little as can be
};

struct Outcome {
  double seconds;
  std::uint64_t checksum;
  std::int64_t clock;
};

Process hold(Engine& engine, HoldModel& model, std::uint64_t id) {
  while (true) co_await delay(Duration::nanoseconds(model.visit(id, [&engine] { engine.stop(); })));
}

Outcome run_processes(HoldModel model, std::uint64_t pending) {
  Engine engine;
  for (std::uint64_t id = 0; id < pending; ++id) engine.spawn({}, hold(engine, model, id));
  engine.run();
  return {model.seconds(), model.checksum(), engine.now().count()};
}

void hold_callback(Engine& engine, HoldModel& model, std::uint64_t id) {
  const std::int64_t increment = model.visit(id, [&engine] { engine.stop(); });
  engine.after(Duration::nanoseconds(increment), EventClass::timer,
               [&engine, &model, id] { hold_callback(engine, model, id); });
}

Outcome run_callbacks(HoldModel model, std::uint64_t pending) {
  Engine engine;
  for (std::uint64_t id = 0; id < pending; ++id) {
    engine.at(Time::origin(), EventClass::timer, [&engine, &model, id] { hold_callback(engine, model, id); });
  }
  engine.run();
  return {model.seconds(), model.checksum(), engine.now().count()};
}

struct Record {
  std::int64_t time;
  std::uint64_t order;
  std::uint64_t process;
  bool operator>(const Record& other) const {
    return time > other.time || (time == other.time && order > other.order);
  }
};

Outcome run_heap(HoldModel model, std::uint64_t pending) {
  std::priority_queue<Record, std::vector<Record>, std::greater<>> queue;
  std::uint64_t order = 0;
  std::int64_t now = 0;
  for (std::uint64_t id = 0; id < pending; ++id) queue.push({0, order++, id});
  while (!model.done()) {
    const Record record = queue.top();
    queue.pop();
    now = record.time;
    queue.push({now + model.visit(record.process, [] {}), order++, record.process});
  }
  return {model.seconds(), model.checksum(), now};
}

using Runner = Outcome (*)(HoldModel, std::uint64_t);

void compare(benchmark::State& state, Runner runner, const std::vector<std::int64_t>& increments) {
  const auto pending = static_cast<std::uint64_t>(state.range(0));
  const std::uint64_t warm_up = 2 * pending;
  const std::uint64_t events = std::max<std::uint64_t>(1'000'000, 2 * pending);
  std::vector<double> ratios;
  double ours = 0, heap = 0;
  for (auto _ : state) {
    const Outcome engine = runner(HoldModel(increments, warm_up, events), pending);
    const Outcome reference = run_heap(HoldModel(increments, warm_up, events), pending);
    if (engine.clock != reference.clock || engine.checksum != reference.checksum) {
      state.SkipWithError("the engine and the heap disagree on the order of events");
      return;
    }
    state.SetIterationTime(engine.seconds);
    ours += engine.seconds;
    heap += reference.seconds;
    ratios.push_back(reference.seconds / engine.seconds);
  }
  std::nth_element(ratios.begin(), ratios.begin() + static_cast<std::ptrdiff_t>(ratios.size() / 2),
                   ratios.end());
  const double total = static_cast<double>(events) * static_cast<double>(ratios.size());
  state.counters["engine_events/s"] = total / ours;
  state.counters["heap_events/s"] = total / heap;
  state.counters["ratio"] = ratios[ratios.size() / 2];
}

/// Exponential increments with a mean of 1 ms.
std::vector<std::int64_t> exponential_increments() {
  RandomStream random(1, "hold model");
  std::vector<std::int64_t> increments(1 << 16);
  for (std::int64_t& increment : increments)
    increment = static_cast<std::int64_t>(random.exponential() * 1e6) + 1;
  return increments;
}

void hold_processes(benchmark::State& state) {
  compare(state, run_processes, exponential_increments());
}
void hold_callbacks(benchmark::State& state) {
  compare(state, run_callbacks, exponential_increments());
}
void ties_processes(benchmark::State& state) {
  compare(state, run_processes, {1'000'000});
}

void sizes(benchmark::internal::Benchmark* benchmark) {
  for (const std::int64_t pending : {64, 1'000, 10'000, 100'000, 1'000'000}) benchmark->Arg(pending);
  benchmark->UseManualTime()->Unit(benchmark::kMillisecond)->MinTime(0.3);
}

BENCHMARK(hold_processes)->Apply(sizes);
BENCHMARK(ties_processes)->Apply(sizes);
BENCHMARK(hold_callbacks)->Apply(sizes);

}  // namespace

BENCHMARK_MAIN();
