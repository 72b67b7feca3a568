// Virtual time: integer nanoseconds with strong types for instants (`Time`) and lengths (`Duration`).
//
//   Time now = Time::origin() + Duration::seconds(0.25);
//   double hours = (now - Time::origin()).to_seconds() / 3600;
//
// Seconds become nanoseconds in one place, `Duration::seconds`, and always upwards, so that no cost is ever
// rounded to nothing. Arithmetic that leaves the range of 64 bits (292 years) throws std::overflow_error.
#pragma once

#include <compare>
#include <cstdint>
#include <stdexcept>

namespace convoy {

/// A length of virtual time; may be negative as a difference of two instants.
class Duration {
 public:
  constexpr Duration() = default;
  [[nodiscard]] static constexpr Duration zero() { return Duration(0); }
  [[nodiscard]] static constexpr Duration nanoseconds(std::int64_t count) { return Duration(count); }
  /// Rounds up to the next nanosecond. Throws std::overflow_error if not finite or out of range.
  [[nodiscard]] static Duration seconds(double value);

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  [[nodiscard]] constexpr double to_seconds() const { return static_cast<double>(count_) / 1e9; }

  [[nodiscard]] Duration operator+(Duration other) const {
    return Duration(checked_add(count_, other.count_));
  }
  [[nodiscard]] Duration operator-(Duration other) const {
    return Duration(checked_sub(count_, other.count_));
  }
  [[nodiscard]] Duration operator*(std::int64_t factor) const {
    std::int64_t result = 0;
    if (__builtin_mul_overflow(count_, factor, &result))
      throw std::overflow_error("virtual time overflows 64 bits");
    return Duration(result);
  }
  Duration& operator+=(Duration other) { return *this = *this + other; }
  Duration& operator-=(Duration other) { return *this = *this - other; }
  constexpr auto operator<=>(const Duration&) const = default;

 private:
  friend class Time;
  explicit constexpr Duration(std::int64_t count) : count_(count) {}
  [[nodiscard]] static std::int64_t checked_add(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_add_overflow(a, b, &result)) throw std::overflow_error("virtual time overflows 64 bits");
    return result;
  }
  [[nodiscard]] static std::int64_t checked_sub(std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (__builtin_sub_overflow(a, b, &result)) throw std::overflow_error("virtual time overflows 64 bits");
    return result;
  }
  std::int64_t count_ = 0;
};

/// An instant of virtual time, counted from the start of the run.
class Time {
 public:
  constexpr Time() = default;
  [[nodiscard]] static constexpr Time origin() { return Time(0); }
  [[nodiscard]] static constexpr Time latest() { return Time(INT64_MAX); }
  [[nodiscard]] static constexpr Time at_nanoseconds(std::int64_t count) { return Time(count); }
  [[nodiscard]] static Time at_seconds(double value) { return origin() + Duration::seconds(value); }

  [[nodiscard]] constexpr std::int64_t count() const { return count_; }
  [[nodiscard]] constexpr double to_seconds() const { return static_cast<double>(count_) / 1e9; }

  [[nodiscard]] Time operator+(Duration other) const {
    return Time(Duration::checked_add(count_, other.count()));
  }
  [[nodiscard]] Time operator-(Duration other) const {
    return Time(Duration::checked_sub(count_, other.count()));
  }
  [[nodiscard]] Duration operator-(Time other) const {
    return Duration::nanoseconds(Duration::checked_sub(count_, other.count_));
  }
  constexpr auto operator<=>(const Time&) const = default;

 private:
  explicit constexpr Time(std::int64_t count) : count_(count) {}
  std::int64_t count_ = 0;
};

}  // namespace convoy
