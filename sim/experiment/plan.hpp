// From an experiment to its runs: algorithm x sweep axes x seed, each with the id of its results.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/node.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/run_identity.hpp"
#include "learning/data_store.hpp"
#include "training/algorithm.hpp"

namespace convoy {

/// One run to be.
struct PlanPoint {
  std::size_t index = 0;
  std::string run_id;
  std::string label;      ///< of the algorithm's block
  std::string algorithm;  ///< its kind
  std::string row;        ///< label with the values of the axes, "halos local_steps=8": what tables group by
  std::int64_t seed = 0;
  Node axes = Node::object();                      ///< sweep path -> value
  std::shared_ptr<const ExperimentConfig> config;  ///< with the axes' values in place
  std::size_t block = 0;                           ///< of config->algorithms
  std::string task_key;                            ///< equal for points with the same task, up to the seed
  RunIdentity identity;

  [[nodiscard]] const AlgorithmBlock& algorithm_block() const { return *config->algorithms[block]; }
};

struct Plan {
  std::shared_ptr<const ExperimentConfig> experiment;
  Node resolved;                  ///< the experiment with all defaults, in base units
  std::vector<PlanPoint> points;  ///< algorithm by algorithm, then axes, then seeds
};

/// Reads the experiment at `root` (see read_experiment_file), checks it and expands it. The data files must
/// be there: they are hashed, not read. Throws ConfigError with every fault.
[[nodiscard]] Plan make_plan(const Node& root, const Registry& registry, DataStore& store,
                             FileHashes& hashes);

/// The resolved config of one run as an experiment of its own: one algorithm, one seed, defaults, base units.
[[nodiscard]] Node run_config(const PlanPoint& point);
[[nodiscard]] Node resolved_config(const ExperimentConfig& config);

}  // namespace convoy
