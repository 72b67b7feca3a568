// What this CPU lacks of the instruction set that the binary is built for.
#pragma once

#include <cstddef>

namespace convoy::cli {

inline constexpr std::size_t cpu_features = 5;
/// Writes the names of what is missing into `names` (cpu_features places) and returns their number.
std::size_t missing_cpu_features(const char** names);

}  // namespace convoy::cli
