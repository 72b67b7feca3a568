#include "training/target_tracker.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace convoy {
namespace {

double between(double a, double b, double share) {
  return a + (b - a) * share;
}

std::optional<double> between(const std::optional<double>& a, const std::optional<double>& b, double share) {
  if (!a || !b) return b;
  return between(*a, *b, share);
}

Counters between(const Counters& a, const Counters& b, double share) {
  Counters result;
  result.time_s = between(a.time_s, b.time_s, share);
  result.steps = between(a.steps, b.steps, share);
  result.rounds = between(a.rounds, b.rounds, share);
  result.samples = between(a.samples, b.samples, share);
  result.bytes = between(a.bytes, b.bytes, share);
  result.energy_j = between(a.energy_j, b.energy_j, share);
  result.cost_usd = between(a.cost_usd, b.cost_usd, share);
  return result;
}

/// How far `target` lies between two values that enclose it.
double share_of(double before, double after, double target) {
  return after == before ? 1 : std::clamp((target - before) / (after - before), 0.0, 1.0);
}

}  // namespace

void TargetTracker::add(const Counters& at, double value) {
  at_.push_back(at);
  values_.push_back(value);
}

bool TargetTracker::crosses(double value, double target) const {
  return target_.rising() ? value >= target : value <= target;  // false for NaN
}

double TargetTracker::median_at(std::size_t index) const {
  if (index == 0 || index + 1 == values_.size()) return values_[index];
  const double a = values_[index - 1], b = values_[index], c = values_[index + 1];
  if (std::isnan(a) || std::isnan(b) || std::isnan(c)) return b;
  return std::max(std::min(a, b), std::min(std::max(a, b), c));
}

bool TargetTracker::all_confirmed() const {
  const auto confirmed = [this](double target) {
    for (std::size_t i = 0; i + 1 < values_.size(); ++i) {
      if (crosses(median_at(i), target)) return true;
    }
    return false;
  };
  return std::all_of(target_.values().begin(), target_.values().end(), confirmed);
}

TargetResult TargetTracker::result_of(double target, bool plateaued) const {
  TargetResult result;
  result.metric = target_.metric;
  result.value = target;
  for (std::size_t i = 0; i < values_.size() && !result.first_time_s; ++i) {
    if (!crosses(values_[i], target)) continue;
    const double share = i == 0 ? 1 : share_of(values_[i - 1], values_[i], target);
    result.first_time_s = i == 0 ? at_[0].time_s : between(at_[i - 1].time_s, at_[i].time_s, share);
  }
  for (std::size_t i = 0; i < values_.size() && !result.reached; ++i) {
    if (!crosses(median_at(i), target)) continue;
    result.reached = true;
    result.at =
        i == 0 ? at_[0] : between(at_[i - 1], at_[i], share_of(median_at(i - 1), median_at(i), target));
  }
  const std::size_t window = values_.size() / 4;
  if (plateaued && window >= 3) {
    const auto first = values_.end() - static_cast<std::ptrdiff_t>(window);
    const auto count = static_cast<double>(window);
    const double average = std::accumulate(first, values_.end(), 0.0) / count;
    const double squares = std::accumulate(first, values_.end(), 0.0, [average](double sum, double value) {
      return sum + (value - average) * (value - average);
    });
    result.near_plateau = std::abs(target - average) <= 2 * std::sqrt(squares / (count - 1));
  }
  return result;
}

std::vector<TargetResult> TargetTracker::results(bool plateaued) const {
  std::vector<TargetResult> results;
  for (const double target : target_.values()) results.push_back(result_of(target, plateaued));
  return results;
}

}  // namespace convoy
