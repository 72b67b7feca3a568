#include "experiment/run_setup.hpp"

#include <utility>

namespace convoy {

RunSetup setup_of(const PlanPoint& point, std::shared_ptr<const LearningTask> task, Algorithm& algorithm) {
  const ExperimentConfig& config = *point.config;
  const AlgorithmBlock& block = point.algorithm_block();
  const EffectiveTraining training = effective_training(config.training, block);
  RunSetup setup;
  setup.task = std::move(task);
  setup.cluster = &config.cluster;
  setup.workload = &config.workload;
  setup.algorithm = &algorithm;
  setup.optimizer = training.optimizer;
  setup.schedule = training.schedule;
  setup.clip = training.clip;
  setup.messages = &block.shared().messages;
  setup.staleness_weight = block.staleness_weight();
  const std::optional<MemoryOptions>& memory =
      block.shared().memory ? block.shared().memory : config.workload.memory;
  setup.memory = memory ? &*memory : nullptr;
  setup.target = config.target ? &*config.target : nullptr;
  setup.stop = config.stop;
  setup.evaluate = config.evaluate.value_or(EvaluateOptions{});
  setup.evaluate.target_on_test = config.target_on == TargetOn::test;
  setup.seed = static_cast<std::uint64_t>(point.seed);
  setup.run_number = point.index;
  return setup;
}

}  // namespace convoy
