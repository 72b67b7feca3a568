// What this binary is: stands in every experiment.json.
#pragma once

#include <string>
#include <string_view>

#include "core/node.hpp"

namespace convoy {

/// "0.1.0".
[[nodiscard]] std::string_view convoy_version();
/// "GNU 12.2.0".
[[nodiscard]] std::string compiler_name();
/// {"compiler", "instruction_set", "results_version"}.
[[nodiscard]] Node build_node();

}  // namespace convoy
