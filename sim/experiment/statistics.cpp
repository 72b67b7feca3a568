#include "experiment/statistics.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

namespace convoy {

double student_t_quantile(double degrees, double probability) {
  return boost::math::quantile(boost::math::students_t(degrees), probability);
}

std::optional<Estimate> geometric_estimate(std::span<const double> values) {
  if (values.empty()) return std::nullopt;
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double value : values) {
    if (!(value > 0) || !std::isfinite(value)) return std::nullopt;
    logs.push_back(std::log(value));
  }
  const auto n = static_cast<double>(logs.size());
  const double mean = std::accumulate(logs.begin(), logs.end(), 0.0) / n;
  Estimate result{.mean = std::exp(mean), .low = {}, .high = {}, .count = logs.size()};
  // Equal values (a clock without luck) average to themselves, not to their logarithm's rounding.
  const auto [least, most] = std::minmax_element(values.begin(), values.end());
  if (*least == *most) result.mean = *least;
  if (logs.size() < 2) return result;
  double squares = 0;
  for (const double value : logs) squares += (value - mean) * (value - mean);
  const double error = *least == *most ? 0 : std::sqrt(squares / (n - 1) / n);
  const double reach = std::exp(student_t_quantile(n - 1, 0.975) * error);
  result.low = result.mean / reach;
  result.high = result.mean * reach;
  return result;
}

Verdict verdict_of(const std::optional<Estimate>& speedup) {
  if (!speedup || !speedup->low || !speedup->high) return Verdict::undecided;
  if (*speedup->low > 1) return Verdict::faster;
  if (*speedup->high < 1) return Verdict::slower;
  return Verdict::no_difference;
}

std::string_view to_string(Verdict verdict) {
  switch (verdict) {
    case Verdict::faster:
      return "faster";
    case Verdict::slower:
      return "slower";
    case Verdict::no_difference:
      return "no difference";
    case Verdict::undecided:
      return "undecided";
  }
  throw std::logic_error("a verdict without a name");
}

}  // namespace convoy
