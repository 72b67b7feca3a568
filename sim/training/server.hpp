// A process without a data-holding replica, placed on a host: parameter server, aggregator, local or global.
#pragma once

#include <cstdint>
#include <vector>

#include "core/process.hpp"
#include "training/endpoint.hpp"
#include "training/outer_optimizer.hpp"

namespace convoy {

class Server final : public Endpoint {
 public:
  using Endpoint::Endpoint;

  /// Takes the time that an update of the model costs on this host: what the config states
  /// ("servers": {"update_time": "0 s"}), or the time of touching `vectors` model-sized vectors in its
  /// memory.
  Task<void> spend_update(int vectors);

  struct Times {
    Duration busy;  ///< spent in updates
    std::int64_t updates = 0;
    std::int64_t longest_queue = 0;
  };
  [[nodiscard]] const Times& times() const { return times_; }

 private:
  Times times_;
};

/// A model that a server holds, its optimizer and its version; the part that every server loop shares.
class ServerModel {
 public:
  /// Model-sized vectors that one step of the optimizer reads or writes: model, pseudo-gradient, accumulator,
  /// momentum.
  static constexpr int vectors_touched = 4;

  ServerModel(Cluster& cluster, Vector initial, const OuterOptimizerOptions& optimizer);

  [[nodiscard]] const Vector& parameters() const { return parameters_; }
  /// Replaces the model without a step of the optimizer (HALoS merges the global model this way).
  void set_parameters(Vector parameters) { parameters_ = std::move(parameters); }
  /// Number of pseudo-gradients applied.
  [[nodiscard]] std::int64_t version() const { return version_; }

  /// One optimizer step on the message's pseudo-gradient, weighted by the staleness policy of the run.
  /// Staleness counts from the version that was read. It is recorded here, and in the run's histogram unless
  /// the algorithm says that another tier stands there.
  enum class Record { in_run, own_only };
  void apply(const Message& message, Record record = Record::in_run);

  [[nodiscard]] double mean_staleness() const;
  [[nodiscard]] std::int64_t max_staleness() const { return max_staleness_; }

 private:
  Cluster& cluster_;
  Vector parameters_;
  OuterOptimizer optimizer_;
  std::int64_t version_ = 0;
  std::int64_t staleness_sum_ = 0;
  std::int64_t max_staleness_ = 0;
};

}  // namespace convoy
