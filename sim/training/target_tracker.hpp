// When an evaluated metric reaches a ladder of targets.
//
// The series is smoothed by the centred median of three consecutive values (the two ends are raw); a crossing
// is interpolated linearly between evaluations, time and counters alike. The first raw crossing is kept
// beside it.
#pragma once

#include <vector>

#include "training/run_options.hpp"
#include "training/run_result.hpp"

namespace convoy {

class TargetTracker {
 public:
  explicit TargetTracker(const TargetOptions& target) : target_(target) {}

  /// Adds the evaluation at `at`; instants ascend.
  void add(const Counters& at, double value);
  /// True if every target is crossed by medians that later values cannot change (all but the newest).
  [[nodiscard]] bool all_confirmed() const;
  /// One result a target, in the order of the ladder. `plateaued`: the run ended for another reason than its
  /// targets, so that its last quarter may be called a plateau.
  [[nodiscard]] std::vector<TargetResult> results(bool plateaued) const;

 private:
  [[nodiscard]] bool crosses(double value, double target) const;
  [[nodiscard]] double median_at(std::size_t index) const;
  [[nodiscard]] TargetResult result_of(double target, bool plateaued) const;

  const TargetOptions& target_;
  std::vector<Counters> at_;
  std::vector<double> values_;
};

}  // namespace convoy
