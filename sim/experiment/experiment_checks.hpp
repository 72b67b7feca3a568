// Rules between the blocks of an experiment, which no single block can check.
#pragma once

#include "core/options.hpp"
#include "experiment/experiment_config.hpp"

namespace convoy {

/// Adds a fault for each rule broken. `root` is the experiment's node, for the places of the faults; blocks
/// that were read with faults hold defaults, so only rules between blocks that are present are checked.
void check_experiment(const ExperimentConfig& config, const Node& root, FaultSink& faults);

/// The faults of the parts of one run, which know no files, with their places in the experiment: below the
/// algorithm number `block`, else below the root.
[[nodiscard]] ConfigError located(const ConfigError& error, const Node& root, std::size_t block);

}  // namespace convoy
