// Makers of every communication graph; each is defined in the file of its name.
#pragma once

#include <memory>

#include "training/mixing_matrix.hpp"

namespace convoy {

[[nodiscard]] std::unique_ptr<GraphBuilder> make_complete();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_edges();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_grid();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_hypercube();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_matrix();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_path();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_ring();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_star();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_static_exponential();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_torus();

}  // namespace convoy
