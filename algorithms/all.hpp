// The algorithms that come with Convoy: one file each, one line here, one in all.cpp.
#pragma once

#include "training/algorithm.hpp"

namespace convoy {

void register_acco(Registry& registry);
void register_async_local_sgd(Registry& registry);
void register_data_parallel(Registry& registry);
void register_decentralized_sgd(Registry& registry);
void register_delayed_parameter_update(Registry& registry);
void register_diloco(Registry& registry);
void register_gradient_tracking(Registry& registry);
void register_halos(Registry& registry);
void register_local_sgd(Registry& registry);

/// All of the above. `registry.graphs` must be filled before.
void register_algorithms(Registry& registry);

}  // namespace convoy
