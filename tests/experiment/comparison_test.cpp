#include "experiment/comparison.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <initializer_list>
#include <vector>

using namespace convoy;

namespace {

/// A run of a race to one target: reached at `time_s`, or not within 100 s where it is negative.
RunRecord run(const char* label, std::int64_t seed, std::initializer_list<double> times,
              const char* kind = nullptr) {
  RunRecord record;
  record.label = record.row = label;
  record.algorithm = kind != nullptr ? kind : label;
  record.seed = seed;
  record.stop_reason = "target_reached";
  record.samples_per_second_ideal = 10;
  double value = 0.8;
  for (const double time : times) {
    record.targets.push_back({.value = value,
                              .reached = time >= 0,
                              .time_s = time,
                              .steps = time,
                              .samples = 20 * time,
                              .bytes = 0,
                              .cost_usd = {},
                              .near_plateau = false});
    record.virtual_time_s = time >= 0 ? time : 100;
    if (time < 0) record.stop_reason = "max_time";
    value = 0.85;
  }
  return record;
}

Race race(std::vector<double> targets) {
  return {.targets = std::move(targets), .rising = true, .steps = {}, .samples = {}, .fixed_time = false};
}

}  // namespace

TEST_CASE("speed-ups are paired by seed against diloco, wherever it stands") {
  // Ratios 20/10 and 30/10 of the same seeds: log-mean sqrt(6). Unpaired means would be the same, but the
  // order of seeds differs.
  const std::vector<RunRecord> records = {run("halos", 1, {10}), run("halos", 0, {10}),
                                          run("diloco", 0, {20}), run("diloco", 1, {30})};
  const Comparison result = compare(records, race({0.8}));
  CHECK(result.reference == "diloco");
  REQUIRE(result.rungs.size() == 1);
  const RungEntry& halos = result.rungs[0].entries[0];
  CHECK(halos.speedup.ratio->mean == doctest::Approx(std::sqrt(6.0)));
  CHECK(halos.reached == 2);
  CHECK(result.rungs[0].entries[1].is_reference);
}

TEST_CASE("the reference is the first data_parallel without a diloco, else the first algorithm") {
  CHECK(compare({run("a", 0, {1}, "halos"), run("b", 0, {1}, "data_parallel")}, race({0.8})).reference ==
        "b");
  CHECK(compare({run("a", 0, {1}, "halos"), run("b", 0, {1}, "acco")}, race({0.8})).reference == "a");
}

TEST_CASE("a run that did not get there is counted and bounds the speed-up") {
  // The reference ran 100 s without getting there; the other needed 10 s and 20 s: more than sqrt(10 x 5)
  // = 7.07.
  const std::vector<RunRecord> records = {run("diloco", 0, {-1}), run("diloco", 1, {-1}),
                                          run("halos", 0, {10}),  run("halos", 1, {20}),
                                          run("acco", 0, {10}),   run("acco", 1, {-1})};
  const Comparison result = compare(records, race({0.8}));
  const auto& entries = result.rungs[0].entries;
  CHECK(entries[0].reached == 0);
  CHECK(entries[0].seeds == 2);
  CHECK(entries[0].given_s == 100);
  CHECK(*entries[1].speedup.more_than == doctest::Approx(std::sqrt(50.0)));
  CHECK_FALSE(entries[1].speedup.ratio);
  CHECK(entries[2].reached == 1);
  CHECK(entries[2].time_s->mean == 10);
  CHECK(entries[2].speedup.verdict == Verdict::undecided);
}

TEST_CASE("a diverged run has not reached anything") {
  RunRecord diverged = run("halos", 0, {-1});
  diverged.stop_reason = "diverged";
  const Comparison result = compare({run("diloco", 0, {10}), diverged}, race({0.8}));
  CHECK(result.rungs[0].entries[1].reached == 0);
  CHECK(*result.rungs[0].entries[1].speedup.less_than == doctest::Approx(0.1));
}

TEST_CASE("the headline is the log-mean over the ladder in each seed, then over seeds") {
  // Seed 0: ratios 2 and 8, log-mean 4. Seed 1: ratios 1 and 1, log-mean 1. Together 2.
  const std::vector<RunRecord> records = {run("diloco", 0, {20, 80}), run("diloco", 1, {10, 10}),
                                          run("halos", 0, {10, 10}), run("halos", 1, {10, 10})};
  const Comparison result = compare(records, race({0.8, 0.85}));
  REQUIRE(result.headline.size() == 1);
  CHECK(result.headline[0].speedup->mean == doctest::Approx(2));
  CHECK(result.headline[0].speedup->count == 2);
  CHECK(result.headline[0].cells == 4);
  CHECK(result.hardest == 1);
}

TEST_CASE("the ideal is the samples an algorithm needed over the samples per second at nominal speed") {
  // 20 samples a second of virtual time, 10 samples/s at nominal speed: twice the time.
  const Comparison result = compare({run("diloco", 0, {7})}, race({0.8}));
  CHECK(*result.rungs[0].entries[0].ideal_s == doctest::Approx(14));
}

TEST_CASE("fixed work has one ideal: steps x batch over samples per second at nominal speed") {
  RunRecord one = run("halos", 0, {});
  one.stop_reason = "max_steps";
  one.virtual_time_s = 30;
  one.steps = 101;  // reported in lots: a little beyond the stop rule
  one.samples = 404;
  const Comparison result =
      compare({one}, {.targets = {}, .rising = true, .steps = 100, .samples = {}, .fixed_time = false});
  CHECK(*result.ideal_s == doctest::Approx(100 * 4 / 10.0));
  CHECK(result.fixed_work[0].time_s->mean == 30);
  CHECK(result.rungs.empty());
}

TEST_CASE("runs of a fixed time are compared by their time a step") {
  RunRecord fast = run("halos", 0, {}), slow = run("diloco", 0, {});
  fast.stop_reason = slow.stop_reason = "max_time";
  fast.virtual_time_s = slow.virtual_time_s = 100;
  fast.steps = 50;
  slow.steps = 25;
  const Comparison result =
      compare({fast, slow}, {.targets = {}, .rising = true, .steps = {}, .samples = {}, .fixed_time = true});
  CHECK(result.per_step);
  CHECK(result.fixed_work[0].time_s->mean == 2);
  CHECK(result.fixed_work[0].speedup.ratio->mean == doctest::Approx(2));
  CHECK_FALSE(result.ideal_s);
}

TEST_CASE("a row under an axis is compared with the reference under the same value") {
  const auto with = [](RunRecord record, const char* key, int value) {
    record.axes.set(key, Node::of(value));
    record.row += " " + std::to_string(value);
    return record;
  };
  const std::vector<RunRecord> records = {
      with(run("diloco", 0, {10}), "/cluster/x", 1), with(run("diloco", 0, {40}), "/cluster/x", 2),
      with(run("halos", 0, {5}), "/cluster/x", 1), with(run("halos", 0, {5}), "/cluster/x", 2)};
  const Comparison result = compare(records, race({0.8}));
  const auto& entries = result.rungs[0].entries;
  CHECK(entries[0].is_reference);
  CHECK(entries[1].is_reference);
  CHECK(entries[2].speedup.ratio->mean == doctest::Approx(2));
  CHECK(entries[3].speedup.ratio->mean == doctest::Approx(8));
}
