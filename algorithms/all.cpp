#include "algorithms/all.hpp"

namespace convoy {

void register_algorithms(Registry& registry) {
  register_acco(registry);
  register_ad_psgd(registry);
  register_adacomm(registry);
  register_asgd(registry);
  register_async_local_sgd(registry);
  register_bmuf(registry);
  register_choco_sgd(registry);
  register_co2(registry);
  register_cocod_sgd(registry);
  register_data_parallel(registry);
  register_decentralized_sgd(registry);
  register_decoupled_diloco(registry);
  register_delayed_parameter_update(registry);
  register_dga(registry);
  register_diloco(registry);
  register_dmsgd(registry);
  register_eager_diloco(registry);
  register_easgd(registry);
  register_epidemic_learning(registry);
  register_exact_diffusion(registry);
  register_fedavg(registry);
  register_fedbuff(registry);
  register_gossip_pga(registry);
  register_gradient_tracking(registry);
  register_halos(registry);
  register_hsl(registry);
  register_k_async(registry);
  register_k_gt(registry);
  register_k_sync(registry);
  register_lasgd(registry);
  register_local_dsgd(registry);
  register_local_sgd(registry);
  register_lu_gt(registry);
  register_noloco(registry);
  register_orlomo(registry);
  register_ormo(registry);
  register_overlap_local_sgd(registry);
  register_palsgd(registry);
  register_post_local_sgd(registry);
  register_prague(registry);
  register_relay_sgd(registry);
  register_ringleader(registry);
  register_ringmaster(registry);
  register_scaffold(registry);
  register_sgp(registry);
  register_slowmo(registry);
  register_sparta(registry);
  register_ssp(registry);
  register_streaming_diloco(registry);
}

}  // namespace convoy
