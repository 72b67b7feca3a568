#include "training/server.hpp"

#include <algorithm>

#include "training/run_state.hpp"

namespace convoy {

Task<void> Server::spend_update(int vectors) {
  RunState& run = cluster_.run_;
  const ServerOptions& options = run.setup.cluster->servers;
  const double bytes =
      static_cast<double>(vectors) * static_cast<double>(run.workload.shape.identity_bytes());
  const Duration time = options.update_time ? *options.update_time
                                            : Duration::seconds(bytes / options.memory_bandwidth.value());
  ++times_.updates;
  times_.longest_queue = std::max(times_.longest_queue, static_cast<std::int64_t>(waiting_messages()));
  times_.busy += time;
  if (time > Duration::zero()) co_await delay(time, EventClass::computation);
}

ServerModel::ServerModel(Cluster& cluster, Vector initial, const OuterOptimizerOptions& optimizer)
    : cluster_(cluster), parameters_(std::move(initial)), optimizer_(optimizer) {}

void ServerModel::apply(const Message& message, Record record) {
  const std::int64_t staleness = version_ - message.version;
  staleness_sum_ += staleness;
  max_staleness_ = std::max(max_staleness_, staleness);
  if (record == Record::in_run) cluster_.record_staleness(staleness);
  const double weight = cluster_.staleness_weight(staleness);
  cluster_.math([&] {
    if (weight == 1) {
      optimizer_.step(parameters_, message.vector);
    } else {
      optimizer_.step(parameters_, weight * message.vector);
    }
  });
  ++version_;
}

double ServerModel::mean_staleness() const {
  return version_ == 0 ? 0 : static_cast<double>(staleness_sum_) / static_cast<double>(version_);
}

}  // namespace convoy
