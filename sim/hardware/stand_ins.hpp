// Models whose time and bytes can be charged by their name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "hardware/workload.hpp"

namespace convoy {

/// Names of the stand-ins, ascending.
[[nodiscard]] std::vector<std::string> stand_ins();
/// "bert-base, gpt-2, ...": for faults and help.
[[nodiscard]] std::string all_stand_ins();
/// Throws ConfigError (path `path`) naming the nearest stand-in. tokens_per_sample is 2048 for pythia-70m.
[[nodiscard]] Workload stand_in(std::string_view name, std::string_view path = {});

}  // namespace convoy
