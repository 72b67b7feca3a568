// Makers of every physical network; each is defined in the file of its name (dgx_a100 and hgx_h100 in
// rail_optimized.cpp, nvlink_islands in single_switch.cpp).
#pragma once

#include <memory>

#include "training/physical_network.hpp"

namespace convoy {

[[nodiscard]] std::unique_ptr<FabricBuilder> make_dgx_1v();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_dgx_a100();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_dragonfly();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_fat_tree();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_hgx_h100();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_hypercube_fabric();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_leaf_spine();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_nvlink_islands();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_rail_optimized();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_regions();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_single_switch();
[[nodiscard]] std::unique_ptr<FabricBuilder> make_torus_fabric();

}  // namespace convoy
