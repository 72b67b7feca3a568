// What a run needs beside its cluster, task and algorithm: inner optimizer, targets, stop rules, evaluation.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "hardware/memory_options.hpp"
#include "learning/optimizer.hpp"
#include "learning/schedule.hpp"
#include "training/encoding.hpp"
#include "training/staleness_weight.hpp"

namespace convoy {

/// The inner optimizer of every replica: the `training` block, overridden by an algorithm's own.
struct TrainingOptions {
  std::unique_ptr<Optimizer> optimizer;  ///< required when the task has math
  std::unique_ptr<Schedule> schedule;    ///< empty: constant
  std::optional<double> clip;            ///< global-norm clipping of each gradient; unset: none
  void declare(Options& options);
};

/// Options that every algorithm block has beside its own.
struct SharedAlgorithmOptions {
  std::string label;                                ///< default: the kind
  TrainingOptions training;                         ///< only what was written overrides
  std::map<std::string, EncodingOptions> messages;  ///< by stream name
  StalenessWeight staleness_weight;
  std::optional<MemoryOptions> memory;  ///< instead of the workload's
};

/// A ladder of targets on one metric.
struct TargetOptions {
  std::string metric;            ///< "validation_accuracy", "validation_loss", "train_loss", "test_accuracy",
                                 ///< "test_loss", or an extra of the task
  std::vector<double> at_least;  ///< ascending difficulty is not required
  std::vector<double> at_most;   ///< exactly one of the two is given
  void declare(Options& options);
  [[nodiscard]] bool rising() const { return !at_least.empty(); }
  [[nodiscard]] const std::vector<double>& values() const { return rising() ? at_least : at_most; }
};

/// Whichever comes first. `time` is inclusive.
struct StopOptions {
  std::optional<Duration> time;
  std::optional<std::int64_t> local_steps, samples, rounds, events;
  std::optional<Duration> no_progress;  ///< default: 100 x the longest gap between reported steps seen so far
  void declare(Options& options);
};

/// The grid of virtual times (or steps) at which the deployed model is evaluated.
struct EvaluateOptions {
  std::optional<Duration> from;  ///< geometric grid: from, from * ratio, from * ratio^2, ...
  std::optional<double> ratio;
  std::optional<Duration> every;            ///< regular grid
  std::optional<std::int64_t> every_steps;  ///< by reported local steps; only without a time target
  bool every_worker = false;                ///< evaluate each worker's own model as well
  bool target_on_test = false;              ///< set from "target_on": "test"
  void declare(Options& options);
  [[nodiscard]] bool never() const { return !from && !every && !every_steps; }
};

}  // namespace convoy
