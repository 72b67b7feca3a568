#include "core/units.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <span>

#include "core/decimal.hpp"
#include "core/nearest_word.hpp"
#include "core/node.hpp"
#include "core/unit_table.hpp"

namespace convoy {

namespace {

constexpr std::size_t longest_quantity = 200;

std::string_view trimmed(std::string_view text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

std::string needed(Dimension dimension) {
  return dimension_name(dimension, true) + " is needed";
}

std::string written_like(Dimension dimension) {
  return fmt::format("write {}", examples_of(dimension));
}

/// `did you mean "80 Gbit/s" or "80 GB/s"?`
std::string did_you_mean(std::string_view number, std::span<const std::string> units) {
  std::string result = "did you mean ";
  for (std::size_t i = 0; i < units.size(); ++i) {
    result += fmt::format("{}\"{} {}\"", i == 0 ? "" : " or ", number, units[i]);
  }
  return result + "?";
}

/// "inf", "-nan(0x1)", "Infinity": numbers to C, not to us.
bool is_not_finite(std::string_view text) {
  std::string word;
  for (const char c : text.substr(0, 10)) {
    if (c != '-' && c != '+') word += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  }
  return word == "inf" || word.starts_with("inf ") || word.starts_with("infinity") || word == "nan" ||
         word.starts_with("nan ") || word.starts_with("nan(");
}

[[noreturn]] void throw_no_number(std::string_view text, Dimension dimension) {
  if (text.empty()) throw QuantityError("the text is empty, " + needed(dimension), written_like(dimension));
  if (is_not_finite(text)) {
    throw QuantityError(fmt::format("{} is not finite, {}", in_quotes(text), needed(dimension)),
                        written_like(dimension));
  }
  const Unit* unit = find_unit(text);
  if (unit != nullptr && unit->dimension == dimension) {
    throw QuantityError(fmt::format("{} is a unit without a number, {}", in_quotes(text), needed(dimension)),
                        did_you_mean("1", std::array{std::string(text)}));
  }
  throw QuantityError(fmt::format("{} does not begin with a number, {}", in_quotes(text), needed(dimension)),
                      written_like(dimension));
}

/// A number apart from its unit, both as written.
struct Quantity {
  Decimal value;
  std::string_view number;
  const Unit* unit;
};

[[noreturn]] void throw_unit_fault(std::string_view text, std::string_view number, std::string_view unit,
                                   Dimension dimension) {
  if (unit.front() == ',') {
    throw QuantityError(fmt::format("{} has a comma in its number, {}", in_quotes(text), needed(dimension)),
                        "write the decimal point as a point, and no separators of thousands");
  }
  if (unit.front() >= '0' && unit.front() <= '9') {
    throw QuantityError(fmt::format("{} has two numbers, {}", in_quotes(text), needed(dimension)),
                        "write the digits of a number together");
  }
  const std::vector<std::string> meant = units_meant(unit, dimension);
  throw QuantityError(fmt::format("the unit of {} is unknown, {}", in_quotes(text), needed(dimension)),
                      meant.empty() ? written_like(dimension) : did_you_mean(number, meant));
}

/// Splits and converts to base units, exactly. Throws QuantityError.
Quantity split(std::string_view given, Dimension dimension) {
  const std::string_view text = trimmed(given);
  if (text.size() > longest_quantity) {
    throw QuantityError(fmt::format("{} is too long, {}", in_quotes(text), needed(dimension)),
                        written_like(dimension));
  }
  std::size_t used = 0;
  const std::optional<Decimal> value = Decimal::parse(text, used);
  if (!value) throw_no_number(text, dimension);
  const std::string_view number = text.substr(0, used);
  const std::string_view name = trimmed(text.substr(used));
  if (name.empty()) {
    throw QuantityError(fmt::format("{} has no unit, {}", in_quotes(text), needed(dimension)),
                        fmt::format("did you mean \"{}\"?", likely_spelling(number, dimension)));
  }
  const Unit* unit = find_unit(name);
  if (unit == nullptr) throw_unit_fault(text, number, name, dimension);
  if (unit->dimension != dimension) {
    const std::vector<std::string> meant = related_units(*unit, dimension);
    throw QuantityError(fmt::format("{} is {}, {}", in_quotes(text), dimension_name(unit->dimension, true),
                                    needed(dimension)),
                        meant.empty() ? written_like(dimension) : did_you_mean(number, meant));
  }
  Quantity result{*value, number, unit};
  result.value.multiply(unit->factor).shift(unit->power);
  return result;
}

std::string_view base_unit(Dimension dimension) {
  switch (dimension) {
    case Dimension::time:
      return "s";
    case Dimension::bytes:
      return "B";
    case Dimension::bandwidth:
      return "B/s";
    case Dimension::flop:
      return "FLOP";
    case Dimension::flop_rate:
      return "FLOP/s";
    case Dimension::power:
      return "W";
    case Dimension::energy:
      return "J";
    case Dimension::money:
      return "USD";
    case Dimension::money_rate:
      return "USD/s";
    case Dimension::money_bytes:
      return "USD/B";
  }
  throw std::logic_error("a dimension without a base unit");
}

}  // namespace

double parse_quantity(std::string_view text, Dimension dimension) {
  Quantity quantity = split(text, dimension);
  const bool zero = quantity.value.is_zero();
  if (quantity.unit->divisor > 1) quantity.value.divide(quantity.unit->divisor);
  const double result = quantity.value.to_double();
  if (std::isinf(result)) throw QuantityError(fmt::format("{} is too large", in_quotes(text)), {});
  if (result == 0 && !zero) {
    throw QuantityError(fmt::format("{} is too close to zero", in_quotes(text)), "write 0 if zero is meant");
  }
  return result;
}

Duration parse_duration(std::string_view text) {
  Quantity quantity = split(text, Dimension::time);
  const std::optional<std::int64_t> count = quantity.value.shift(9).round_up();
  if (!count) {
    throw QuantityError(
        fmt::format("{} is beyond the 292 years that virtual time can count", in_quotes(text)), {});
  }
  return Duration::nanoseconds(*count);
}

std::string format_exact(double value, Dimension dimension) {
  return fmt::format("{} {}", value == 0 ? 0.0 : value, base_unit(dimension));
}

std::string format_exact(Duration value) {
  const std::int64_t count = value.count();
  const std::uint64_t magnitude =
      count < 0 ? 0 - static_cast<std::uint64_t>(count) : static_cast<std::uint64_t>(count);
  std::string text = fmt::format("{}.{:09}", magnitude / 1'000'000'000, magnitude % 1'000'000'000);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return fmt::format("{}{} s", count < 0 ? "-" : "", text);
}

std::string likely_spelling(std::string_view number, Dimension dimension) {
  std::size_t used = 0;
  const std::optional<Decimal> value = Decimal::parse(number, used);
  // Whoever writes millions without a unit has counted in the base unit.
  const bool large = value && std::abs(value->to_double()) >= 1e6;
  switch (dimension) {
    case Dimension::time:
      return fmt::format("{} s", number);
    case Dimension::bytes:
      return fmt::format("{} {}", number, large ? "B" : "GB");
    case Dimension::bandwidth:
      return fmt::format("{} {}", number, large ? "B/s" : "Gbit/s");
    case Dimension::flop:
      return fmt::format("{} {}", number, large ? "FLOP" : "TFLOP");
    case Dimension::flop_rate:
      return fmt::format("{} {}", number, large ? "FLOP/s" : "TFLOP/s");
    case Dimension::power:
      return fmt::format("{} W", number);
    case Dimension::energy:
      return fmt::format("{} {}", number, large ? "J" : "kWh");
    case Dimension::money:
      return fmt::format("{} USD", number);
    case Dimension::money_rate:
      return fmt::format("{} USD/h", number);
    case Dimension::money_bytes:
      return fmt::format("{} USD/GB", number);
  }
  throw std::logic_error("a dimension without a likely unit");
}

Progress parse_progress(std::string_view given) {
  constexpr std::array<std::pair<std::string_view, Progress::Unit>, 3> units{
      {{"local_steps", Progress::Unit::local_steps},
       {"samples", Progress::Unit::samples},
       {"rounds", Progress::Unit::rounds}}};
  const std::string example =
      "write a number of local_steps, samples or rounds, such as \"4800 local_steps\"";
  const std::string_view text = trimmed(given);
  if (text.empty()) throw QuantityError("the text is empty, an amount of progress is needed", example);
  if (text.size() > longest_quantity) {
    throw QuantityError(fmt::format("{} is too long, an amount of progress is needed", in_quotes(text)),
                        example);
  }
  std::size_t used = 0;
  const std::optional<Decimal> value = Decimal::parse(text, used);
  if (!value) {
    const char* fault = is_not_finite(text) ? "is not finite" : "does not begin with a number";
    throw QuantityError(fmt::format("{} {}, an amount of progress is needed", in_quotes(text), fault),
                        example);
  }
  const std::string_view name = trimmed(text.substr(used));
  const std::string_view number = text.substr(0, used);
  if (name.empty()) {
    throw QuantityError(fmt::format("{} has no unit, an amount of progress is needed", in_quotes(text)),
                        fmt::format("did you mean \"{} local_steps\"?", number));
  }
  for (const auto& unit : units) {
    if (name != unit.first) continue;
    const double amount = value->to_double();
    if (std::isinf(amount)) throw QuantityError(fmt::format("{} is too large", in_quotes(text)), {});
    return {.amount = amount, .unit = unit.second};
  }
  const std::string meant = nearest_word(name, {"local_steps", "samples", "rounds"});
  throw QuantityError(
      fmt::format("the unit of {} is unknown, an amount of progress is needed", in_quotes(text)),
      meant.empty() ? example : fmt::format("did you mean \"{} {}\"?", number, meant));
}

std::string format_exact(const Progress& value) {
  switch (value.unit) {
    case Progress::Unit::local_steps:
      return fmt::format("{} local_steps", value.amount);
    case Progress::Unit::samples:
      return fmt::format("{} samples", value.amount);
    case Progress::Unit::rounds:
      return fmt::format("{} rounds", value.amount);
  }
  throw std::logic_error("a progress of no unit");
}

}  // namespace convoy
