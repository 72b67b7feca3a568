#include "core/time.hpp"

#include <cmath>

namespace convoy {

Duration Duration::seconds(double value) {
  const double exact = value * 1e9;
  // "238.391 ms" is 238391000 ns: a product within a few ulps of an integer is that integer.
  const double nearest = std::nearbyint(exact);
  const double nanoseconds =
      std::abs(exact - nearest) <= 8 * 0x1p-52 * std::abs(exact) ? nearest : std::ceil(exact);
  // 2^63 is exactly representable; every double below it fits an int64.
  if (!(std::abs(nanoseconds) < 9223372036854775808.0)) {
    throw std::overflow_error("a duration in seconds is not finite or beyond 292 years");
  }
  return Duration(static_cast<std::int64_t>(nanoseconds));
}

}  // namespace convoy
