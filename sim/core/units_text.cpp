// Quantities as people like to read them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "core/units.hpp"

namespace convoy {

namespace {

/// A unit to show values from `least` upwards in.
struct Scale {
  double unit;
  std::string_view name;
};

constexpr std::array<Scale, 7> time_scales{
    {{1e-9, "ns"}, {1e-6, "us"}, {1e-3, "ms"}, {1, "s"}, {60, "min"}, {3600, "h"}, {86400, "d"}}};
constexpr std::array<Scale, 6> byte_scales{
    {{1, "B"}, {1e3, "kB"}, {1e6, "MB"}, {1e9, "GB"}, {1e12, "TB"}, {1e15, "PB"}}};
constexpr std::array<Scale, 6> bandwidth_scales{
    {{1, "B/s"}, {1e3, "kB/s"}, {1e6, "MB/s"}, {1e9, "GB/s"}, {1e12, "TB/s"}, {1e15, "PB/s"}}};
constexpr std::array<Scale, 8> flop_scales{{{1, "FLOP"},
                                            {1e3, "kFLOP"},
                                            {1e6, "MFLOP"},
                                            {1e9, "GFLOP"},
                                            {1e12, "TFLOP"},
                                            {1e15, "PFLOP"},
                                            {1e18, "EFLOP"},
                                            {1e21, "ZFLOP"}}};
constexpr std::array<Scale, 7> flop_rate_scales{{{1, "FLOP/s"},
                                                 {1e3, "kFLOP/s"},
                                                 {1e6, "MFLOP/s"},
                                                 {1e9, "GFLOP/s"},
                                                 {1e12, "TFLOP/s"},
                                                 {1e15, "PFLOP/s"},
                                                 {1e18, "EFLOP/s"}}};
constexpr std::array<Scale, 4> power_scales{{{1e-3, "mW"}, {1, "W"}, {1e3, "kW"}, {1e6, "MW"}}};
constexpr std::array<Scale, 5> energy_scales{
    {{1e-3, "mJ"}, {1, "J"}, {1e3, "kJ"}, {3.6e6, "kWh"}, {3.6e9, "MWh"}}};
constexpr std::array<Scale, 1> money_scales{{{1, "USD"}}};
constexpr std::array<Scale, 1> money_rate_scales{{{1.0 / 3600, "USD/h"}}};
constexpr std::array<Scale, 1> money_bytes_scales{{{1e-9, "USD/GB"}}};

std::span<const Scale> scales_of(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return time_scales;
    case Dimension::bytes:
      return byte_scales;
    case Dimension::bandwidth:
      return bandwidth_scales;
    case Dimension::flop:
      return flop_scales;
    case Dimension::flop_rate:
      return flop_rate_scales;
    case Dimension::power:
      return power_scales;
    case Dimension::energy:
      return energy_scales;
    case Dimension::money:
      return money_scales;
    case Dimension::money_rate:
      return money_rate_scales;
    case Dimension::money_bytes:
      return money_bytes_scales;
  }
  throw std::logic_error("a dimension without scales");
}

/// Three significant digits: 12.3 for 12.34, 1230 for 1234.
double rounded(double value) {
  return std::isfinite(value) ? std::stod(fmt::format("{:.2e}", value)) : value;
}

/// Without exponent where people count so, with separators of thousands, without zeros at the end.
std::string plain(double value) {
  const double magnitude = std::abs(value);
  if (!std::isfinite(value) || magnitude >= 1e15 || (magnitude < 1e-4 && value != 0))
    return fmt::format("{}", value);
  std::string text = fmt::format("{:.8f}", value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  const std::size_t whole = std::min(text.find('.'), text.size());
  const std::size_t first = text.front() == '-' ? 1 : 0;
  for (std::size_t at = whole; at > first + 3; at -= 3) text.insert(at - 3, 1, ',');
  return text;
}

}  // namespace

std::string format_quantity(double value, Dimension dimension) {
  const std::span<const Scale> scales = scales_of(dimension);
  std::size_t chosen = 0;
  if (value == 0) {
    while (scales[chosen].unit < 1 && chosen + 1 < scales.size()) ++chosen;
    return fmt::format("0 {}", scales[chosen].name);
  }
  // The largest unit of which the rounded value is at least one: 999.6 MB is "1 GB", 59.99 s is "1 min".
  for (std::size_t i = 1; i < scales.size(); ++i) {
    const double in_smaller = rounded(value / scales[chosen].unit) * (scales[chosen].unit / scales[i].unit);
    if (std::abs(in_smaller) >= 1 - 1e-9) chosen = i;
  }
  const double in_unit = value / scales[chosen].unit;
  // Amounts of money keep their last dollar.
  const bool whole = dimension == Dimension::money && std::abs(in_unit) >= 100;
  return fmt::format("{} {}", plain(whole ? std::nearbyint(in_unit) : rounded(in_unit)), scales[chosen].name);
}

std::string format_readable(double value, Dimension dimension) {
  const std::string readable = format_quantity(value, dimension);
  try {
    if (parse_quantity(readable, dimension) == value) return readable;
  } catch (const QuantityError&) {  // infinite, or with separators of thousands
  }
  return format_exact(value, dimension);
}

}  // namespace convoy
