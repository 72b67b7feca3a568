// Makers of every communication graph; each is defined in the file of its name
// (random_rounds.cpp: random_group, random_matching, random_peers; matcha.cpp: pairwise).
#pragma once

#include <memory>

#include "training/mixing_matrix.hpp"

namespace convoy {

[[nodiscard]] std::unique_ptr<GraphBuilder> make_base_k();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_bipartite();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_complete();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_edges();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_erdos_renyi();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_grid();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_hierarchical();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_hub_spoke();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_hypercube();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_matcha();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_matrix();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_one_peer_exponential();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_pairwise();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_path();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_random_group();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_random_matching();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_random_peers();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_random_regular();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_ring();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_small_world();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_star();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_static_exponential();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_torus();
[[nodiscard]] std::unique_ptr<GraphBuilder> make_tree();

}  // namespace convoy
