#include "core/unit_table.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "core/nearest_word.hpp"

namespace convoy {

namespace {

using enum Dimension;
constexpr std::uint64_t kibi = 1024;

// Within a dimension the first spelling of a size is the one that error messages and schemas show.
// A bit is 125 thousandths of a byte, so that every decimal of bits is an exact decimal of bytes.
constexpr auto units = std::to_array<Unit>({
    {"ns", time, 1, -9},
    {"us", time, 1, -6},
    {"\u00B5s", time, 1, -6},  // micro sign
    {"\u03BCs", time, 1, -6},  // Greek mu
    {"ms", time, 1, -3},
    {"s", time},
    {"min", time, 60},
    {"h", time, 3600},
    {"d", time, 86400},

    {"bit", bytes, 125, -3},
    {"B", bytes},
    {"kbit", bytes, 125, 0},
    {"kB", bytes, 1, 3},
    {"KiB", bytes, kibi},
    {"Mbit", bytes, 125, 3},
    {"MB", bytes, 1, 6},
    {"MiB", bytes, kibi* kibi},
    {"Gbit", bytes, 125, 6},
    {"GB", bytes, 1, 9},
    {"GiB", bytes, kibi* kibi* kibi},
    {"Tbit", bytes, 125, 9},
    {"TB", bytes, 1, 12},
    {"TiB", bytes, kibi* kibi* kibi* kibi},
    {"PB", bytes, 1, 15},
    {"PiB", bytes, kibi* kibi* kibi* kibi* kibi},

    {"bit/s", bandwidth, 125, -3},
    {"B/s", bandwidth},
    {"kbit/s", bandwidth, 125, 0},
    {"kbps", bandwidth, 125, 0},
    {"kB/s", bandwidth, 1, 3},
    {"KiB/s", bandwidth, kibi},
    {"Mbit/s", bandwidth, 125, 3},
    {"Mbps", bandwidth, 125, 3},
    {"MB/s", bandwidth, 1, 6},
    {"MiB/s", bandwidth, kibi* kibi},
    {"Gbit/s", bandwidth, 125, 6},
    {"Gbps", bandwidth, 125, 6},
    {"GB/s", bandwidth, 1, 9},
    {"GiB/s", bandwidth, kibi* kibi* kibi},
    {"Tbit/s", bandwidth, 125, 9},
    {"Tbps", bandwidth, 125, 9},
    {"TB/s", bandwidth, 1, 12},
    {"TiB/s", bandwidth, kibi* kibi* kibi* kibi},
    {"PB/s", bandwidth, 1, 15},

    {"FLOP", flop},
    {"kFLOP", flop, 1, 3},
    {"MFLOP", flop, 1, 6},
    {"GFLOP", flop, 1, 9},
    {"TFLOP", flop, 1, 12},
    {"PFLOP", flop, 1, 15},
    {"EFLOP", flop, 1, 18},
    {"ZFLOP", flop, 1, 21},

    {"FLOP/s", flop_rate},
    {"FLOPS", flop_rate},
    {"kFLOP/s", flop_rate, 1, 3},
    {"MFLOP/s", flop_rate, 1, 6},
    {"MFLOPS", flop_rate, 1, 6},
    {"GFLOP/s", flop_rate, 1, 9},
    {"GFLOPS", flop_rate, 1, 9},
    {"TFLOP/s", flop_rate, 1, 12},
    {"TFLOPS", flop_rate, 1, 12},
    {"PFLOP/s", flop_rate, 1, 15},
    {"PFLOPS", flop_rate, 1, 15},
    {"EFLOP/s", flop_rate, 1, 18},
    {"EFLOPS", flop_rate, 1, 18},

    {"mW", power, 1, -3},
    {"W", power},
    {"kW", power, 1, 3},
    {"MW", power, 1, 6},

    {"mJ", energy, 1, -3},
    {"J", energy},
    {"kJ", energy, 1, 3},
    {"Wh", energy, 3600},
    {"MJ", energy, 1, 6},
    {"kWh", energy, 3600, 3},
    {"GJ", energy, 1, 9},
    {"MWh", energy, 3600, 6},

    {"USD", money},

    {"USD/d", money_rate, 1, 0, 86400},
    {"USD/h", money_rate, 1, 0, 3600},
    {"USD/min", money_rate, 1, 0, 60},
    {"USD/s", money_rate},

    {"USD/TB", money_bytes, 1, -12},
    {"USD/TiB", money_bytes, 1, 0, kibi* kibi* kibi* kibi},
    {"USD/GB", money_bytes, 1, -9},
    {"USD/GiB", money_bytes, 1, 0, kibi* kibi* kibi},
    {"USD/MB", money_bytes, 1, -6},
    {"USD/B", money_bytes},
});

struct Meaning {
  std::string_view written, meant;
};

constexpr auto usual_spellings = std::to_array<Meaning>({
    {"sec", "s"},         {"secs", "s"},       {"second", "s"},       {"seconds", "s"},
    {"S", "s"},           {"msec", "ms"},      {"msecs", "ms"},       {"usec", "us"},
    {"usecs", "us"},      {"nsec", "ns"},      {"m", "min"},          {"mins", "min"},
    {"minute", "min"},    {"minutes", "min"},  {"hr", "h"},           {"hrs", "h"},
    {"hour", "h"},        {"hours", "h"},      {"day", "d"},          {"days", "d"},
    {"byte", "B"},        {"bytes", "B"},      {"bits", "bit"},       {"Watt", "W"},
    {"watts", "W"},       {"watt", "W"},       {"joule", "J"},        {"joules", "J"},
    {"$", "USD"},         {"dollars", "USD"},  {"$/h", "USD/h"},      {"$/hr", "USD/h"},
    {"$/hour", "USD/h"},  {"USD/hr", "USD/h"}, {"USD/hour", "USD/h"}, {"$/GB", "USD/GB"},
    {"USD/day", "USD/d"}, {"FLOPs", "FLOP"},   {"FLOPs/s", "FLOP/s"}, {"flops", "FLOP/s"},
});

/// "Gb", "KB/s", "GBps": a prefix, b or B, and nothing, "/s" or "ps". "b" may be either of bit and byte.
std::vector<std::string> bit_or_byte(std::string_view name) {
  std::string prefix;
  const std::string_view prefixes = "kKmMgGtTpP";
  if (!name.empty() && prefixes.find(name.front()) != std::string_view::npos) {
    prefix = name.front() == 'k' || name.front() == 'K' ? 'k' : static_cast<char>(name.front() & ~0x20);
    name.remove_prefix(1);
  }
  if (name.empty() || (name.front() != 'b' && name.front() != 'B')) return {};
  const bool is_byte = name.front() == 'B';
  name.remove_prefix(1);
  if (!name.empty() && name != "/s" && name != "ps") return {};
  const std::string rate = name.empty() ? "" : "/s";
  if (is_byte && prefix == "k") return {"kB" + rate, "KiB" + rate};
  if (is_byte) return {prefix + "B" + rate};
  if (name == "ps") return {prefix + "bit/s"};
  return {prefix + "bit" + rate, prefix + "B" + rate};
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

}  // namespace

const Unit* find_unit(std::string_view name) {
  const auto found =
      std::find_if(units.begin(), units.end(), [name](const Unit& unit) { return unit.name == name; });
  return found == units.end() ? nullptr : &*found;
}

std::vector<std::string> related_units(const Unit& unit, Dimension dimension) {
  std::vector<std::string> candidates;
  for (const char* per : {"/h", "/s", "/GB"}) candidates.push_back(std::string(unit.name) + per);
  if (unit.dimension == bandwidth || unit.dimension == flop_rate) {
    std::string amount(unit.name);
    if (amount.ends_with("/s")) amount.resize(amount.size() - 2);
    if (amount.ends_with("bps")) amount.replace(amount.size() - 2, 2, "it");
    if (amount.ends_with("FLOPS")) amount.pop_back();
    candidates.push_back(amount);
  }
  if (unit.dimension == power) candidates.push_back(std::string(unit.name) + "h");
  if (unit.dimension == energy && unit.name.ends_with("h")) {
    candidates.emplace_back(unit.name.substr(0, unit.name.size() - 1));
  }
  if (unit.dimension == money_rate || unit.dimension == money_bytes) candidates.emplace_back("USD");
  for (const std::string& candidate : candidates) {
    const Unit* related = find_unit(candidate);
    if (related != nullptr && related->dimension == dimension) return {candidate};
  }
  return {};
}

std::vector<std::string> units_meant(std::string_view name, Dimension dimension) {
  std::vector<std::string> meant = bit_or_byte(name);
  for (const Meaning& meaning : usual_spellings) {
    if (meant.empty() && lower(meaning.written) == lower(name)) meant.emplace_back(meaning.meant);
  }
  if (meant.empty()) {
    for (const Unit& unit : units) {
      if (unit.dimension == dimension && lower(unit.name) == lower(name)) meant.emplace_back(unit.name);
    }
  }
  if (meant.empty()) {
    std::vector<std::string> names;
    for (const std::string_view unit : unit_names(dimension)) names.emplace_back(unit);
    if (std::string nearest = nearest_word(name, names); !nearest.empty())
      meant.push_back(std::move(nearest));
  }
  // A meaning of another dimension helps only by its relative in this one: "Gb" for a bandwidth is "Gbit/s"
  // or "GB/s".
  std::vector<std::string> result;
  for (const std::string& candidate : meant) {
    const Unit* unit = find_unit(candidate);
    if (unit == nullptr) continue;
    if (unit->dimension == dimension) {
      result.push_back(candidate);
    } else {
      for (std::string& related : related_units(*unit, dimension)) result.push_back(std::move(related));
    }
  }
  return result;
}

std::vector<std::string_view> unit_names(Dimension dimension) {
  std::vector<std::string_view> result;
  for (const Unit& unit : units) {
    if (unit.dimension == dimension) result.push_back(unit.name);
  }
  return result;
}

std::string dimension_name(Dimension dimension, bool with_article) {
  const auto name = [dimension]() -> std::string {
    switch (dimension) {
      case time:
        return "time";
      case bytes:
        return "amount of data";
      case bandwidth:
        return "bandwidth";
      case flop:
        return "number of operations";
      case flop_rate:
        return "computing rate";
      case power:
        return "power";
      case energy:
        return "amount of energy";
      case money:
        return "amount of money";
      case money_rate:
        return "price per time";
      case money_bytes:
        return "price per amount of data";
    }
    throw std::logic_error("a dimension without a name");
  }();
  if (!with_article) return name;
  return (name.front() == 'a' ? "an " : "a ") + name;
}

std::string dimension_plural(Dimension dimension) {
  switch (dimension) {
    case bytes:
      return "amounts of data";
    case flop:
      return "numbers of operations";
    case energy:
      return "amounts of energy";
    case money:
      return "amounts of money";
    case money_rate:
      return "prices per time";
    case money_bytes:
      return "prices per amount of data";
    default:
      return dimension_name(dimension) + "s";
  }
}

std::string_view examples_of(Dimension dimension) {
  switch (dimension) {
    case time:
      return "a time such as \"30 s\" or \"2 h\"";
    case bytes:
      return "an amount of data such as \"80 GB\" or \"80 GiB\"";
    case bandwidth:
      return "a bandwidth such as \"100 Gbit/s\" or \"12.5 GB/s\"";
    case flop:
      return "a number of operations such as \"6 TFLOP\"";
    case flop_rate:
      return "a computing rate such as \"312 TFLOP/s\"";
    case power:
      return "a power such as \"400 W\"";
    case energy:
      return "an amount of energy such as \"3 kWh\" or \"500 J\"";
    case money:
      return "an amount of money such as \"12 USD\"";
    case money_rate:
      return "a price per time such as \"0.9 USD/h\"";
    case money_bytes:
      return "a price per amount of data such as \"0.02 USD/GB\"";
  }
  throw std::logic_error("a dimension without examples");
}

}  // namespace convoy
