// Means with confidence intervals over seeds, and what may be said of a speed-up.
//
//   const auto time = geometric_estimate(times);                 // seconds of each seed
//   const auto speedup = geometric_estimate(ratios_by_seed);     // reference / algorithm, same seed
//   verdict_of(speedup);                                         // faster, slower, no_difference, undecided
//
// Times and ratios are positive and skewed, so they are averaged in logs: the mean is geometric, and the
// interval is the exponential of Student's t interval of the logs (mean +- t_{n-1, 0.975} s / sqrt(n)).
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

namespace convoy {

/// A geometric mean with its 95 % interval.
struct Estimate {
  double mean = 0;
  std::optional<double> low, high;  ///< unset for a single value
  std::size_t count = 0;
};

/// Nothing for no values, or for a value that is not positive and finite.
[[nodiscard]] std::optional<Estimate> geometric_estimate(std::span<const double> values);

/// Quantile t with P(T <= t) = `probability` of Student's distribution with `degrees` > 0 degrees of freedom.
[[nodiscard]] double student_t_quantile(double degrees, double probability);

enum class Verdict {
  faster,         ///< the interval lies above 1
  slower,         ///< the interval lies below 1
  no_difference,  ///< the interval contains 1
  undecided,      ///< fewer than two pairs
};
[[nodiscard]] Verdict verdict_of(const std::optional<Estimate>& speedup);
/// "faster", "slower", "no difference", "undecided".
[[nodiscard]] std::string_view to_string(Verdict verdict);

}  // namespace convoy
