// The communication graphs that a config can name, for {"graph": {"kind": "torus", "rows": 4}}, and the
// physical networks, for {"fabric": {"kind": "fat_tree", "k": 4}}.
#pragma once

#include "core/options.hpp"
#include "training/mixing_matrix.hpp"
#include "training/physical_network.hpp"

namespace convoy {

/// Makers by kind: complete, edges, grid, hypercube, matrix, path, ring, star, static_exponential, torus.
[[nodiscard]] VariantMakers<GraphBuilder> graph_makers();

/// Makers of physical networks by kind.
[[nodiscard]] VariantMakers<FabricBuilder> fabric_makers();

}  // namespace convoy
