// Faults of a config as a terminal shows them: the fault, the line it stands in with a mark under it, and
// what would be right.
//
//   configs/quickstart.json:12:21: algorithms[1].staleness_bnd: unknown key
//      12 |     {"kind": "ssp", "staleness_bnd": 3}
//         |                     ^^^^^^^^^^^^^^^
//         did you mean "staleness_bound"?
//         allowed: kind, label, local_steps, staleness_bound
#pragma once

#include <cstddef>
#include <string>

#include "core/error.hpp"

namespace convoy {

/// Every fault with its source line, where the file can still be read, in lines of about `width` columns;
/// ends in a newline.
[[nodiscard]] std::string explain(const ConfigError& error, std::size_t width = 110);

}  // namespace convoy
