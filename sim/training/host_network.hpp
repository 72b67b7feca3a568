// From the listed hosts of a cluster (host_options.hpp) to the network.
#pragma once

#include "training/physical_network.hpp"

namespace convoy {

struct ClusterOptions;

/// Throws ConfigError where names, links, routes or workers contradict each other; paths are below the
/// cluster: "routes[2].over[0]".
[[nodiscard]] PhysicalNetwork host_network(const ClusterOptions& cluster);

}  // namespace convoy
