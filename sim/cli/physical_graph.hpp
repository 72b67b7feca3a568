// What bounds the traffic of a physical network, and its drawing.
#pragma once

#include <string>

#include "network/graph.hpp"
#include "training/cluster_options.hpp"

namespace convoy::cli {

/// B/s of one direction over the worst cut that halves the workers (one more on one side where they are odd).
/// Exact for regions of hosts on a switch: all sides of the switches are tried (at most 16 regions, else
/// nothing: 0).
[[nodiscard]] double bisection_bandwidth(const ClusterOptions& cluster);

/// Graphviz text.
[[nodiscard]] std::string to_dot(const NetworkGraph& graph);

}  // namespace convoy::cli
