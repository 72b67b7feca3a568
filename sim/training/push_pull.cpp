#include "training/push_pull.hpp"

#include <algorithm>
#include <cmath>

namespace convoy {

std::int64_t dynamic_local_steps(std::int64_t local_steps, double relative_speed) {
  return std::max<std::int64_t>(
      1, static_cast<std::int64_t>(std::ceil(static_cast<double>(local_steps) * relative_speed)));
}

Process push_pull_cycle(Worker& w, Endpoint& server, Stream push, std::int64_t local_steps, double proximal) {
  while (true) {
    const Message model = co_await w.receive();
    w.set_parameters(model.vector);
    const StepRule rule{.proximal = proximal, .anchor = model.vector};
    co_await w.local_steps(local_steps, rule);
    w.send(server, push,
           {.vector = model.vector - w.parameters(),
            .version = model.version,
            .work = w.take_work(),
            .steps = local_steps});
  }
}

void LocalStepOptions::declare(Options& options) {
  options.add("local_steps", local_steps)
      .at_least(1)
      .tunable(1, 1024)
      .help("local steps H between synchronisations (of the fastest worker, if they are dynamic)");
  options.add("dynamic_local_steps", dynamic_local_steps)
      .help("a worker makes max(1, ceil(H x speed / largest speed)) local steps (DyLU)")
      .source("arXiv 2401.09135; rounding as in HALoS");
}

std::int64_t LocalStepOptions::of(const Worker& w) const {
  return dynamic_local_steps ? convoy::dynamic_local_steps(local_steps, w.relative_speed()) : local_steps;
}

}  // namespace convoy
