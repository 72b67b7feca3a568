// The list of communication graphs: a new one is a file of its own and a line here.
#include "topologies/all.hpp"

#include "topologies/graphs.hpp"

namespace convoy {

VariantMakers<GraphBuilder> graph_makers() {
  return {
      {"complete", make_complete},   {"edges", make_edges},   {"grid", make_grid},
      {"hypercube", make_hypercube}, {"matrix", make_matrix}, {"path", make_path},
      {"ring", make_ring},           {"star", make_star},     {"static_exponential", make_static_exponential},
      {"torus", make_torus},
  };
}

VariantMakers<FabricBuilder> fabric_makers() {
  return {};
}

}  // namespace convoy
