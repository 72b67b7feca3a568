// A whole experiment, as its file states it: typed, checked, with every fault reported at once.
//
//   Node root = read_experiment_file("configs/quickstart.json", {"stop.time=2 h"});
//   auto config = read_experiment(root, registry);            // throws ConfigError with all faults
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "experiment/algorithm_block.hpp"
#include "hardware/workload.hpp"
#include "learning/task_options.hpp"
#include "training/cluster_options.hpp"
#include "training/run_options.hpp"

namespace convoy {

/// Which samples targets and metrics are measured on.
enum class TargetOn {
  validation,  ///< the last 1/12 of the training file, which is not trained on
  test,        ///< the test file, and all of the training file is trained on (replications)
};

struct ExperimentConfig {
  explicit ExperimentConfig(VariantMakers<AlgorithmBlock> makers) : makers_(std::move(makers)) {}

  std::string name;  ///< default: the file's name without its extension
  ClusterOptions cluster;
  TaskOptions task;
  WorkloadOptions workload;
  std::vector<std::unique_ptr<AlgorithmBlock>> algorithms;
  TrainingOptions training;
  std::optional<TargetOptions> target;
  TargetOn target_on = TargetOn::validation;
  StopOptions stop;
  std::optional<EvaluateOptions> evaluate;  ///< unset: never
  std::vector<std::int64_t> seeds;
  Node sweep;                    ///< path -> list of values; null without one
  std::filesystem::path folder;  ///< of the experiment's file: data are searched from here
  Node source;                   ///< what it was read from, for the places of later faults

  void declare(Options& options);
  /// Samples in a worker's batch, one a worker; empty where the task's own options say it.
  [[nodiscard]] std::vector<std::size_t> batch_sizes() const;

 private:
  std::string schema_;
  VariantMakers<AlgorithmBlock> makers_;
};

/// Reads the file, puts the files that "cluster", "task" and "algorithms" name in their place, and applies
/// overrides (PATH=VALUE, see apply_override). Throws ConfigError.
[[nodiscard]] Node read_experiment_file(const std::filesystem::path& file,
                                        std::span<const std::string> overrides = {});

/// Types and checks what was read. `folder` and the default name come from the root's origin. Throws
/// ConfigError with every fault found.
[[nodiscard]] std::shared_ptr<const ExperimentConfig> read_experiment(const Node& root,
                                                                      const Registry& registry);

/// An empty experiment with the registry's algorithms: for its declarations (schema, describe).
[[nodiscard]] std::unique_ptr<ExperimentConfig> blank_experiment(const Registry& registry);

}  // namespace convoy
