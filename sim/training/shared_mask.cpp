#include "training/shared_mask.hpp"

namespace convoy {

void SharedMaskOptions::declare(Options& options) {
  options.add("share", share)
      .more_than(0)
      .at_most(1)
      .tunable(1e-4, 1)
      .help("p: share of the coordinates that is averaged in a round");
  options.add("selection", selection, {{"random", Selection::random}, {"turn", Selection::turn}})
      .help("random: drawn for each round; turn: a random partition, every coordinate once in 1/p rounds");
}

ModelPart SharedMaskOptions::of(const Cluster& cluster, std::int64_t round) const {
  const auto number = static_cast<std::uint64_t>(round);
  return selection == Selection::random
             ? ModelPart::random(share, cluster.seed(), number)
             : ModelPart::turn(static_cast<std::int64_t>(1 / share + 0.5), cluster.seed(), number);
}

}  // namespace convoy
