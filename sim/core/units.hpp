// Physical quantities as users write them: a number and a unit, "100 Gbit/s", "12.5 GB/s", "936 ns", "80
// GiB". Bits and bytes, decimal and binary prefixes are distinct. Inside, every quantity is in its base unit.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/time.hpp"

namespace convoy {

/// What a quantity measures, and the base unit that it is stored in.
enum class Dimension {
  time,         ///< s
  bytes,        ///< B
  bandwidth,    ///< B/s
  flop,         ///< FLOP
  flop_rate,    ///< FLOP/s
  power,        ///< W
  energy,       ///< J
  money,        ///< USD
  money_rate,   ///< USD/s, written "0.9 USD/h"
  money_bytes,  ///< USD/B, written "0.02 USD/GB"
};

/// Thrown by parse_quantity; what() says what is wrong, `hint` the likely spelling.
class QuantityError : public std::runtime_error {
 public:
  QuantityError(const std::string& message, std::string hint)
      : std::runtime_error(message), hint_(std::move(hint)) {}
  [[nodiscard]] const std::string& hint() const { return hint_; }

 private:
  std::string hint_;
};

/// "100 Gbit/s" -> 1.25e10 (B/s). Exact where the decimal is (parsed as one decimal with the prefix's power).
/// Throws QuantityError: no number, missing unit, unit of another dimension, not finite.
[[nodiscard]] double parse_quantity(std::string_view text, Dimension dimension);
/// "4.2 s" -> Duration, exact to the nanosecond for decimal input ("238.391 ms" is 238391000 ns).
[[nodiscard]] Duration parse_duration(std::string_view text);
/// Shortest text that parses back to the same value, in the base unit: "12500000000 B/s". For resolved
/// configs.
[[nodiscard]] std::string format_exact(double value, Dimension dimension);
[[nodiscard]] std::string format_exact(Duration value);
/// For people: "12.5 GB/s", "18.2 min", "118 GB", three significant digits.
[[nodiscard]] std::string format_quantity(double value, Dimension dimension);
/// "an amount of data such as \"80 GB\" or \"80 GiB\"": for error messages.
[[nodiscard]] std::string_view examples_of(Dimension dimension);

/// "time", "amount of data", "bandwidth", ...; `with_article` puts "a" or "an" before it.
[[nodiscard]] std::string dimension_name(Dimension dimension, bool with_article = false);
[[nodiscard]] std::string dimension_plural(Dimension dimension);
/// The accepted spellings of the dimension's units, smallest first.
[[nodiscard]] std::vector<std::string_view> unit_names(Dimension dimension);
/// format_quantity if that text parses back to the very value ("2 h"), else format_exact.
[[nodiscard]] std::string format_readable(double value, Dimension dimension);
/// "100" for a bandwidth -> "100 Gbit/s": what a bare number most likely means.
[[nodiscard]] std::string likely_spelling(std::string_view number, Dimension dimension);

/// A point of training progress, "4800 local_steps".
struct Progress {
  enum class Unit { local_steps, samples, rounds };
  double amount = 0;
  Unit unit = Unit::local_steps;
  bool operator==(const Progress&) const = default;
};
[[nodiscard]] Progress parse_progress(std::string_view text);
[[nodiscard]] std::string format_exact(const Progress& value);

}  // namespace convoy
