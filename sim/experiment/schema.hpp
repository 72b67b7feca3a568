// JSON Schema (draft 2020-12) of configs, generated from the declarations of the options, so that editors
// complete and check what `sim check` would.
#pragma once

#include <string>

#include "core/node.hpp"
#include "core/options.hpp"

namespace convoy {

/// The schema of an object that `options` read. Quantities are texts with a pattern, choices enumerations,
/// variants a oneOf over their kinds in "$defs", shared by every option of the same family. Descriptions hold
/// the help, the range of a quantity (which JSON Schema cannot check) and the source.
[[nodiscard]] Node json_schema(const Options& options, const std::string& title = {},
                               const std::string& description = {});

}  // namespace convoy
