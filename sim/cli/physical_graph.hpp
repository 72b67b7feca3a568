// Drawings of physical networks.
#pragma once

#include <string>

#include "training/physical_network.hpp"

namespace convoy::cli {

/// Graphviz text: workers as boxes, in their hosts.
[[nodiscard]] std::string to_dot(const PhysicalNetwork& machines);

}  // namespace convoy::cli
