// Limits that an algorithm's options meet only once the cluster is known.
#pragma once

#include <cstdint>
#include <string>

#include "core/error.hpp"

namespace convoy {

/// Throws ConfigError at `option` where `value` exceeds `most`, the number of `what` ("workers") there are.
inline void require_at_most(std::string option, std::int64_t value, std::int64_t most,
                            const std::string& what) {
  if (value <= most) return;
  throw ConfigError(ConfigFault{.path = std::move(option),
                                .message = "exceeds the " + what,
                                .found = std::to_string(value),
                                .allowed = "at most " + std::to_string(most),
                                .hint = {},
                                .file = {}});
}

}  // namespace convoy
