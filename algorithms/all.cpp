#include "algorithms/all.hpp"

namespace convoy {

void register_algorithms(Registry& registry) {
  register_acco(registry);
  register_async_local_sgd(registry);
  register_data_parallel(registry);
  register_decentralized_sgd(registry);
  register_delayed_parameter_update(registry);
  register_diloco(registry);
  register_gradient_tracking(registry);
  register_halos(registry);
  register_local_sgd(registry);
}

}  // namespace convoy
