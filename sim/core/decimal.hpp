// Exact decimal numbers, as far as units need them: "238.391" times 10^-3 is 0.238391, to the last digit.
//
//   std::size_t used = 0;
//   auto number = Decimal::parse("0.537 Gbit/s", used);       // used == 5
//   number->shift(9).multiply(125).shift(-3).to_double();     // 67125000 exactly
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace convoy {

/// A finite number, sign * digits * 10^exponent.
class Decimal {
 public:
  /// Reads the longest number that `text` begins with ("+1.5e-3"; "2E" is 2) and says how many bytes it took.
  /// Returns nothing if there is none.
  [[nodiscard]] static std::optional<Decimal> parse(std::string_view text, std::size_t& used);

  /// Times 10^power.
  Decimal& shift(std::int64_t power);
  /// Times factor, which must be below 2^59.
  Decimal& multiply(std::uint64_t factor);
  /// Divided by a divisor below 2^59: exact if the quotient ends within 60 further digits; else its tail
  /// becomes a last digit 1, so that rounding sees on which side of a tie it lies.
  Decimal& divide(std::uint64_t divisor);

  /// The nearest double; infinite if too large, 0 if too small.
  [[nodiscard]] double to_double() const;
  /// The next integer upwards; nothing beyond 64 bits.
  [[nodiscard]] std::optional<std::int64_t> round_up() const;
  [[nodiscard]] bool is_zero() const { return digits_.empty(); }

 private:
  void trim();
  bool negative_ = false;
  std::string digits_;  ///< most significant first, without zeros at either end; empty for 0
  std::int64_t exponent_ = 0;
};

}  // namespace convoy
