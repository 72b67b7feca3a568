// Parts that algorithms with servers share: the worker's cycle and the number of its local steps.
#pragma once

#include <cstdint>

#include "core/process.hpp"
#include "training/cluster.hpp"

namespace convoy {

/// Dynamic local steps ("DyLU"): a slower worker makes fewer, so that all finish a window at about the same
/// time. max(1, ceil(H x speed / largest speed)). Source: HALoS src/halos/utils.py; the floor form of arXiv
/// 2401.09135 differs.
[[nodiscard]] std::int64_t dynamic_local_steps(std::int64_t local_steps, double relative_speed);

/// The cycle of a worker that a server feeds: receive a model, run local steps on it, push start - end with
/// the version that was read and the credits of the steps. The worker is idle during both transfers.
/// `proximal` > 0: the gradients gain proximal (x - start) (FedProx).
Process push_pull_cycle(Worker& w, Endpoint& server, Stream push, std::int64_t local_steps,
                        double proximal = 0);

/// What each algorithm with local steps calls them.
struct LocalStepOptions {
  std::int64_t local_steps = 8;
  bool dynamic_local_steps = false;
  void declare(Options& options);
  /// Local steps of that worker.
  [[nodiscard]] std::int64_t of(const Worker& w) const;
};

}  // namespace convoy
