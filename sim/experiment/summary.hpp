// The files of an experiment: experiment.json, summary.json, summary.csv.
#pragma once

#include <string>
#include <vector>

#include "core/node.hpp"
#include "experiment/comparison.hpp"
#include "experiment/plan.hpp"
#include "experiment/run_record.hpp"

namespace convoy {

/// What `compare` needs to know of the experiment.
[[nodiscard]] Race race_of(const ExperimentConfig& config);
/// "16 workers in 4 regions; fashion_mnist, iid, mlp 784-128-10; at the cost of pythia-70m". The task in its
/// own words, where a run has told them.
[[nodiscard]] std::string describe_experiment(const ExperimentConfig& config,
                                              const std::vector<RunRecord>& records = {});
/// "validation_accuracy >= 0.8, 0.85"; empty without a target.
[[nodiscard]] std::string describe_target(const ExperimentConfig& config);

/// experiment.json: resolved config, points with their run ids, and what the cluster looks like.
[[nodiscard]] Node experiment_node(const Plan& plan, const std::vector<RunRecord>& records = {});
/// summary.json: a row a run (and the row `ideal` of fixed work), and the comparison.
[[nodiscard]] Node summary_node(const std::vector<RunRecord>& records, const Comparison& comparison,
                                const Race& race);
/// The rows of summary.json as a table; nested keys are joined by a dot, targets are time_to_<value>_s.
[[nodiscard]] std::string summary_csv(const Node& summary);

}  // namespace convoy
