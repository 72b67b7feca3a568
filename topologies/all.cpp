// The lists of communication graphs and of physical networks: a new one is a file of its own and a line here.
#include "topologies/all.hpp"

#include "topologies/fabrics.hpp"
#include "topologies/graphs.hpp"

namespace convoy {

VariantMakers<GraphBuilder> static_graph_makers() {
  return {
      {"bipartite", make_bipartite},
      {"complete", make_complete},
      {"edges", make_edges},
      {"erdos_renyi", make_erdos_renyi},
      {"grid", make_grid},
      {"hub_spoke", make_hub_spoke},
      {"hypercube", make_hypercube},
      {"matrix", make_matrix},
      {"path", make_path},
      {"random_regular", make_random_regular},
      {"ring", make_ring},
      {"small_world", make_small_world},
      {"star", make_star},
      {"static_exponential", make_static_exponential},
      {"torus", make_torus},
      {"tree", make_tree},
  };
}

VariantMakers<GraphBuilder> graph_makers() {
  VariantMakers<GraphBuilder> makers = static_graph_makers();
  const VariantMakers<GraphBuilder> others = {
      {"base_k", make_base_k},
      {"hierarchical", make_hierarchical},
      {"matcha", make_matcha},
      {"one_peer_exponential", make_one_peer_exponential},
      {"pairwise", make_pairwise},
      {"random_group", make_random_group},
      {"random_matching", make_random_matching},
      {"random_peers", make_random_peers},
  };
  makers.insert(others.begin(), others.end());
  return makers;
}

VariantMakers<FabricBuilder> fabric_makers() {
  return {
      {"dgx_1v", make_dgx_1v},
      {"dgx_a100", make_dgx_a100},
      {"dragonfly", make_dragonfly},
      {"fat_tree", make_fat_tree},
      {"hgx_h100", make_hgx_h100},
      {"hypercube", make_hypercube_fabric},
      {"leaf_spine", make_leaf_spine},
      {"nvlink_islands", make_nvlink_islands},
      {"rail_optimized", make_rail_optimized},
      {"regions", make_regions},
      {"single_switch", make_single_switch},
      {"torus", make_torus_fabric},
  };
}

}  // namespace convoy
