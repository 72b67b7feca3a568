// The books of a run: ledger, work account, targets.
#include <doctest/doctest.h>

#include <cmath>

#include "training/ledger.hpp"
#include "training/target_tracker.hpp"
#include "training/work.hpp"

namespace convoy {
namespace {

Time at(double seconds) {
  return Time::at_seconds(seconds);
}

TEST_CASE("a ledger splits overlap: compute [0,10], transfer [5,12], end 20 (T8)") {
  // Overlap 5 s counts as compute; exposed communication [10,12] = 2 s; idle [12,20] = 8 s; the sum is 20 s.
  // The naive difference compute + communication - wall = -3 s is no overlap.
  Ledger ledger;
  ledger.computing(at(0), +1);
  ledger.moving(at(5), +1);
  ledger.computing(at(10), -1);
  ledger.moving(at(12), -1);
  ledger.close(at(20));
  CHECK(ledger.totals().compute == Duration::seconds(10));
  CHECK(ledger.totals().communication == Duration::seconds(2));
  CHECK(ledger.totals().wait == Duration::seconds(8));
  CHECK(ledger.totals().down == Duration::zero());
  CHECK(ledger.totals().sum() == Duration::seconds(20));
}

TEST_CASE("a device that is down is neither computing nor waiting") {
  Ledger ledger;
  ledger.computing(at(0), +1);
  ledger.down(at(3), true);
  ledger.down(at(7), false);
  ledger.computing(at(8), -1);
  ledger.close(at(10));
  CHECK(ledger.totals().compute == Duration::seconds(4));
  CHECK(ledger.totals().down == Duration::seconds(4));
  CHECK(ledger.totals().wait == Duration::seconds(2));
}

TEST_CASE("every step is spent once: computed = merged + discarded + in flight") {
  WorkAccount account(2);
  Credits carried;
  for (int step = 0; step < 5; ++step) carried.add(account.computed(0, Duration::seconds(1)));
  carried.add(account.computed(1, Duration::seconds(2)));
  CHECK(carried.steps() == 6);
  Credits lost = account.computed(1, Duration::seconds(2));
  account.merge(std::move(carried));
  account.discard(std::move(lost), "stale");
  const Credits in_flight = account.computed(0, Duration::seconds(1));
  const WorkAccount::Row total = account.total();
  CHECK(total.computed.steps == 8);
  CHECK(total.merged.steps == 6);
  CHECK(total.merged.time == Duration::seconds(7));
  CHECK(total.discarded.at("stale").steps == 1);
  CHECK(total.in_flight_at_end.steps == 1);
  CHECK(account.rows()[0].in_flight_at_end.time == Duration::seconds(1));
}

TEST_CASE("credits have one owner: moving them leaves nothing behind") {
  WorkAccount account(1);
  Credits a = account.computed(0, Duration::seconds(1));
  Credits b = std::move(a);
  CHECK(b.steps() == 1);
  account.merge(std::move(b));
  CHECK(account.total().in_flight_at_end.steps == 0);
}

TargetOptions rising(std::vector<double> values) {
  TargetOptions target;
  target.metric = "validation_accuracy";
  target.at_least = std::move(values);
  return target;
}

Counters counters(double time) {
  Counters c;
  c.time_s = time;
  c.steps = 10 * time;
  return c;
}

TEST_CASE("a target is crossed by the median of three, and interpolated between evaluations") {
  const TargetOptions target = rising({0.5});
  TargetTracker tracker(target);
  // Values 0.1 0.9 0.3 0.4 0.6 0.7: the spike at 1 s is the first raw crossing; medians 0.1 0.3 0.4 0.4 0.6
  // 0.7 cross between 3 s and 4 s at 3 + (0.5 - 0.4) / (0.6 - 0.4) = 3.5 s.
  const std::vector<double> values = {0.1, 0.9, 0.3, 0.4, 0.6, 0.7};
  for (std::size_t i = 0; i < values.size(); ++i) tracker.add(counters(static_cast<double>(i)), values[i]);
  CHECK(tracker.all_confirmed());
  const TargetResult result = tracker.results(false).at(0);
  CHECK(result.reached);
  CHECK(result.at.time_s == doctest::Approx(3.5));
  CHECK(result.at.steps == doctest::Approx(35));
  CHECK(result.first_time_s.value() == doctest::Approx(0.5));  // raw: from 0.1 at 0 s to 0.9 at 1 s
}

TEST_CASE("a crossing by the newest value alone is not confirmed") {
  const TargetOptions target = rising({0.5});
  TargetTracker tracker(target);
  tracker.add(counters(0), 0.1);
  tracker.add(counters(1), 0.6);
  CHECK_FALSE(tracker.all_confirmed());
  tracker.add(counters(2), 0.6);
  CHECK(tracker.all_confirmed());
}

TEST_CASE("a ladder is confirmed when its hardest rung is, and a missed one is said") {
  const TargetOptions target = rising({0.5, 0.8});
  TargetTracker tracker(target);
  for (int i = 0; i < 6; ++i) tracker.add(counters(i), 0.1 * (i + 1));
  CHECK_FALSE(tracker.all_confirmed());
  const auto results = tracker.results(false);
  CHECK(results.at(0).reached);
  CHECK_FALSE(results.at(1).reached);
  CHECK_FALSE(results.at(1).first_time_s.has_value());
}

TEST_CASE("a falling metric is crossed from above, and NaN crosses nothing") {
  TargetOptions target;
  target.metric = "validation_loss";
  target.at_most = {1.0};
  TargetTracker tracker(target);
  tracker.add(counters(0), 2);
  tracker.add(counters(1), std::nan(""));
  tracker.add(counters(2), std::nan(""));
  CHECK_FALSE(tracker.all_confirmed());
  CHECK_FALSE(tracker.results(false).at(0).reached);
}

}  // namespace
}  // namespace convoy
