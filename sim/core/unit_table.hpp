// The units that quantities are written in, and what people mean by spellings that are none of them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/units.hpp"

namespace convoy {

/// One unit is factor * 10^power / divisor base units of its dimension.
struct Unit {
  std::string_view name;
  Dimension dimension;
  std::uint64_t factor = 1;
  int power = 0;
  std::uint64_t divisor = 1;
};

/// The unit of exactly that spelling, or nullptr.
[[nodiscard]] const Unit* find_unit(std::string_view name);
/// The units that an unknown spelling may mean, best first: "Gb/s" -> {"Gbit/s", "GB/s"}, "hours" -> {"h"}.
[[nodiscard]] std::vector<std::string> units_meant(std::string_view name, Dimension dimension);
/// The unit of `dimension` that goes with one of another: "GB" -> {"GB/s"} for a bandwidth. Empty if none
/// does.
[[nodiscard]] std::vector<std::string> related_units(const Unit& unit, Dimension dimension);

}  // namespace convoy
