// Learning-rate schedules: a factor on the optimizer's base learning rate, as a function of progress.
#pragma once

#include <memory>
#include <optional>
#include <string_view>

#include "core/options.hpp"
#include "core/units.hpp"

namespace convoy {

/// Whose progress moves the schedule.
enum class ProgressCount {
  own,         ///< the worker's own finished steps
  dispatched,  ///< all work handed out so far, by all workers (HALoS: position at round start)
  reported,    ///< all work reported to the owner of the deployed model
};

/// What a schedule needs to be told: in which unit, and whose progress.
struct ScheduleClock {
  Progress::Unit unit = Progress::Unit::local_steps;
  ProgressCount counts = ProgressCount::own;
};

/// Immutable once its options are read.
class Schedule {
 public:
  virtual ~Schedule() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  [[nodiscard]] virtual std::string_view about() const = 0;
  virtual void declare(Options& options) = 0;
  /// The factor after `position` units of progress (>= 0, fractions allowed).
  [[nodiscard]] virtual double factor(double position) const = 0;
  /// Empty if the factor does not depend on progress.
  [[nodiscard]] virtual std::optional<ScheduleClock> clock() const { return std::nullopt; }
};

/// constant, cosine.
[[nodiscard]] VariantMakers<Schedule> schedule_makers();

}  // namespace convoy
