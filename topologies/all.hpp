// The communication graphs that a config can name, for {"graph": {"kind": "torus", "rows": 4}}, and the
// physical networks, for {"fabric": {"kind": "fat_tree", "k": 4}}.
#pragma once

#include "core/options.hpp"
#include "training/mixing_matrix.hpp"
#include "training/physical_network.hpp"

namespace convoy {

/// Makers by kind.
[[nodiscard]] VariantMakers<GraphBuilder> graph_makers();

/// Those that can be the part of another: graphs that hold no graph, and that do not change from round to round
/// (unless drawn anew).
[[nodiscard]] VariantMakers<GraphBuilder> static_graph_makers();

/// Makers of physical networks by kind.
[[nodiscard]] VariantMakers<FabricBuilder> fabric_makers();

}  // namespace convoy
