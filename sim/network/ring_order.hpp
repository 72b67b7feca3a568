// The order of a ring that makes its slowest route as fast as possible.
#pragma once

#include <span>
#include <vector>

#include "network/graph.hpp"

namespace convoy {

/// Positions in `members` in ring order, the first member first. Members of one site (NodeSpec::site; a
/// member without one is a site of its own) stay adjacent in the order given; the cyclic order of sites is
/// chosen so that the slowest route between neighbours is as fast as possible, then the sum of latencies
/// small, then the order as given. Exact for up to 9 sites (HALoS searches all orders of regions likewise,
/// ICML 2025); greedy widest edges and exchanges up to 512 sites; the order given beyond. The result depends
/// on nothing but the arguments.
[[nodiscard]] std::vector<int> ring_order(const NetworkGraph& graph, std::span<const NodeId> members);

}  // namespace convoy
