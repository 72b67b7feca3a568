// A share of the coordinates that all workers agree on without telling each other: drawn from the run's seed.
#pragma once

#include <cstdint>

#include "core/options.hpp"
#include "training/cluster.hpp"
#include "training/model_part.hpp"

namespace convoy {

struct SharedMaskOptions {
  enum class Selection { random, turn };
  double share = 0.005;
  Selection selection = Selection::random;

  /// The options "share" and "selection".
  void declare(Options& options);
  /// The coordinates of round 0, 1, ...
  [[nodiscard]] ModelPart of(const Cluster& cluster, std::int64_t round) const;
};

}  // namespace convoy
