// The algorithms that come with Convoy: one file each, one line here, one in all.cpp.
#pragma once

#include "training/algorithm.hpp"

namespace convoy {

void register_acco(Registry& registry);
void register_ad_psgd(Registry& registry);
void register_adacomm(Registry& registry);
void register_asgd(Registry& registry);
void register_async_local_sgd(Registry& registry);
void register_bmuf(Registry& registry);
void register_choco_sgd(Registry& registry);
void register_co2(Registry& registry);
void register_cocod_sgd(Registry& registry);
void register_data_parallel(Registry& registry);
void register_decentralized_sgd(Registry& registry);
void register_decoupled_diloco(Registry& registry);
void register_delayed_parameter_update(Registry& registry);
void register_dga(Registry& registry);
void register_diloco(Registry& registry);
void register_dmsgd(Registry& registry);
void register_eager_diloco(Registry& registry);
void register_easgd(Registry& registry);
void register_epidemic_learning(Registry& registry);
void register_exact_diffusion(Registry& registry);
void register_fedavg(Registry& registry);
void register_fedbuff(Registry& registry);
void register_gossip_pga(Registry& registry);
void register_gradient_tracking(Registry& registry);
void register_halos(Registry& registry);
void register_hsl(Registry& registry);
void register_k_async(Registry& registry);
void register_k_gt(Registry& registry);
void register_k_sync(Registry& registry);
void register_lasgd(Registry& registry);
void register_local_dsgd(Registry& registry);
void register_local_sgd(Registry& registry);
void register_lu_gt(Registry& registry);
void register_noloco(Registry& registry);
void register_orlomo(Registry& registry);
void register_ormo(Registry& registry);
void register_overlap_local_sgd(Registry& registry);
void register_palsgd(Registry& registry);
void register_post_local_sgd(Registry& registry);
void register_prague(Registry& registry);
void register_relay_sgd(Registry& registry);
void register_ringleader(Registry& registry);
void register_ringmaster(Registry& registry);
void register_scaffold(Registry& registry);
void register_sgp(Registry& registry);
void register_slowmo(Registry& registry);
void register_sparta(Registry& registry);
void register_ssp(Registry& registry);
void register_streaming_diloco(Registry& registry);

/// All of the above. `registry.graphs` must be filled before.
void register_algorithms(Registry& registry);

}  // namespace convoy
