// The communication graphs that a config can name, for {"graph": {"kind": "torus", "rows": 4}}.
#pragma once

#include "core/options.hpp"
#include "training/mixing_matrix.hpp"

namespace convoy {

/// Makers by kind: complete, edges, grid, hypercube, matrix, path, ring, star, static_exponential, torus.
[[nodiscard]] VariantMakers<GraphBuilder> graph_makers();

}  // namespace convoy
