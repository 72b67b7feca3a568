// The listed routes of a cluster: from names to fixed routes of the graph.
#pragma once

#include <optional>
#include <vector>

#include "network/graph.hpp"
#include "training/host_names.hpp"
#include "training/host_options.hpp"

namespace convoy {

/// Fixes them in the graph. Links without ends start at the node `unplaced`; between them a route must join
/// end to end. Throws ConfigError (paths are "routes[2].over[0]") for unknown names, a route that breaks or
/// ends elsewhere, one against a link of one way, and one that is stated twice.
void add_listed_routes(const std::vector<RouteOptions>& routes, const Names<NodeId>& nodes,
                       const Names<LinkId>& links, std::optional<NodeId> unplaced, NetworkGraph& graph);

}  // namespace convoy
