#include "topologies/wan_tables.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <stdexcept>

namespace convoy {

namespace {

struct Row {
  const char *a, *b;
  int milliseconds;  // round trip
  double gigabits;
};

constexpr Row aws[] = {
    {"oregon", "virginia", 67, 0.79},      {"oregon", "ohio", 49, 1.1},
    {"oregon", "tokyo", 96, 0.523},        {"oregon", "seoul", 124, 0.46},
    {"oregon", "singapore", 163, 0.341},   {"oregon", "sydney", 139, 0.36},
    {"oregon", "london", 136, 0.42},       {"oregon", "frankfurt", 143, 0.404},
    {"oregon", "ireland", 124, 0.482},     {"virginia", "ohio", 11, 1.12},
    {"virginia", "tokyo", 143, 0.524},     {"virginia", "seoul", 172, 0.5},
    {"virginia", "singapore", 230, 0.364}, {"virginia", "sydney", 197, 0.383},
    {"virginia", "london", 76, 1.16},      {"virginia", "frankfurt", 90, 1.02},
    {"virginia", "ireland", 67, 1.05},     {"ohio", "tokyo", 130, 0.694},
    {"ohio", "seoul", 159, 0.529},         {"ohio", "singapore", 197, 0.452},
    {"ohio", "sydney", 185, 0.484},        {"ohio", "london", 86, 1.05},
    {"ohio", "frankfurt", 99, 0.799},      {"ohio", "ireland", 77, 1.14},
    {"tokyo", "seoul", 34, 1.1},           {"tokyo", "singapore", 73, 1.01},
    {"tokyo", "sydney", 100, 0.761},       {"tokyo", "london", 210, 0.366},
    {"tokyo", "frankfurt", 223, 0.36},     {"tokyo", "ireland", 199, 0.465},
    {"seoul", "singapore", 74, 1.14},      {"seoul", "sydney", 148, 0.58},
    {"seoul", "london", 238, 0.342},       {"seoul", "frankfurt", 235, 0.358},
    {"seoul", "ireland", 228, 0.335},      {"singapore", "sydney", 92, 0.816},
    {"singapore", "london", 169, 0.5},     {"singapore", "frankfurt", 155, 0.535},
    {"singapore", "ireland", 179, 0.492},  {"sydney", "london", 262, 0.326},
    {"sydney", "frankfurt", 265, 0.328},   {"sydney", "ireland", 254, 0.344},
    {"london", "frankfurt", 14, 1.14},     {"london", "ireland", 12, 1.09},
    {"frankfurt", "ireland", 24, 1.08},
};

constexpr Row aws_us[] = {
    {"virginia", "oregon", 67, 1.15}, {"virginia", "california", 59, 1.05},
    {"virginia", "ohio", 11, 1.12},   {"oregon", "california", 12, 1.25},
    {"oregon", "ohio", 49, 1.1},      {"california", "ohio", 52, 1.02},
};

constexpr Row halos[] = {
    {"r0", "r1", 0, 0.537}, {"r0", "r2", 0, 0.935}, {"r0", "r3", 0, 0.202},
    {"r1", "r2", 0, 0.386}, {"r1", "r3", 0, 0.117}, {"r2", "r3", 0, 0.127},
};

std::span<const Row> table(WanPreset preset) {
  switch (preset) {
    case WanPreset::none:
      return {};
    case WanPreset::aws:
      return aws;
    case WanPreset::aws_us:
      return aws_us;
    case WanPreset::halos:
      return halos;
  }
  return {};
}

}  // namespace

std::vector<std::string> wan_regions(WanPreset preset) {
  std::vector<std::string> names;
  for (const Row& row : table(preset)) {
    for (const char* name : {row.a, row.b}) {
      if (std::find(names.begin(), names.end(), name) == names.end()) names.emplace_back(name);
    }
  }
  return names;
}

WanPair wan_pair(WanPreset preset, std::string_view a, std::string_view b) {
  for (const Row& row : table(preset)) {
    if ((row.a == a && row.b == b) || (row.a == b && row.b == a)) {
      // Whole bytes a second: 0.537 Gbit/s is 67,125,000 B/s.
      constexpr double bytes_a_gigabit = 1e9 / 8;
      return {std::round(row.gigabits * bytes_a_gigabit),
              Duration::nanoseconds(std::int64_t{1'000'000} * row.milliseconds)};
    }
  }
  throw std::logic_error("no wide-area link between \"" + std::string(a) + "\" and \"" + std::string(b) +
                         "\"");
}

}  // namespace convoy
