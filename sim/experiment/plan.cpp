#include "experiment/plan.hpp"

#include <fmt/format.h>

#include <utility>

#include "experiment/results_version.hpp"
#include "experiment/sweep.hpp"

namespace convoy {
namespace {

/// Declared values of a const part: options bind to fields that may be written, but are only read here.
template <Declares T>
Node values_of(const T& part) {
  Options options;
  const_cast<T&>(part).declare(options);
  return options.values();
}

template <class T>
Node values_of(const std::optional<T>& part) {
  return part ? values_of(*part) : Node();
}

Node cluster_node(const ClusterOptions& cluster) {
  Node result = values_of(cluster);
  for (std::size_t i = 0; i < cluster.regions.size(); ++i) {
    const RegionOptions& region = cluster.regions[i];
    if (region.workers > 0) continue;
    result.find("regions")->items[i].set("workers",
                                         Node::of(static_cast<std::int64_t>(region.speeds.size())));
  }
  return result;
}

std::string_view target_on_word(TargetOn target_on) {
  return target_on == TargetOn::test ? "test" : "validation";
}

/// What all algorithms of an experiment share.
Node common_node(const ExperimentConfig& config) {
  Node result = Node::object();
  result.set("cluster", cluster_node(config.cluster));
  result.set("task", values_of(config.task));
  result.set("workload", values_of(config.workload));
  result.set("target", values_of(config.target));
  result.set("target_on", Node::of(target_on_word(config.target_on)));
  result.set("stop", values_of(config.stop));
  result.set("evaluate", values_of(config.evaluate));
  return result;
}

/// An options object that holds references to parts owned elsewhere.
template <class Part>
Node part_node(const Part* part) {
  if (part == nullptr) return {};
  Options options;
  const_cast<Part*>(part)->declare(options);
  Node result = Node::object();
  result.set("kind", Node::of(part->kind()));
  for (Node::Member& member : options.values().members) result.set(member.key, std::move(member.value));
  return result;
}

Node training_node(const EffectiveTraining& training) {
  Node result = Node::object();
  result.set("optimizer", part_node(training.optimizer));
  result.set("schedule", part_node(training.schedule));
  result.set("clip", training.clip ? Node::of(*training.clip) : Node());
  return result;
}

std::string hash_of(const Node& node) {
  StableHasher hasher;
  hash_canonical(node, hasher);
  return hasher.hex();
}

Node without(const Node& node, std::string_view key) {
  Node result = node;
  std::erase_if(result.members, [key](const Node::Member& member) { return member.key == key; });
  return result;
}

std::string data_hash(const ExperimentConfig& config, DataStore& store, FileHashes& hashes) {
  if (!config.task.data) return {};
  StableHasher hasher;
  for (const auto& file : store.files(*config.task.data, config.task.path)) hasher.update(hashes.of(file));
  return hasher.hex();
}

std::string plugin_hash(const Registry& registry, std::string_view kind, FileHashes& hashes) {
  const auto supplier = registry.supplied_by.find(std::string(kind));
  return supplier == registry.supplied_by.end() ? std::string() : hashes.of(supplier->second);
}

/// The points of one config: algorithms in order, each with every seed.
class Expander {
 public:
  Expander(Plan& plan, const Registry& registry, DataStore& store, FileHashes& hashes)
      : plan_(plan), registry_(registry), store_(store), hashes_(hashes) {}

  void add(const std::shared_ptr<const ExperimentConfig>& config, std::size_t block, const Node& axes) {
    Node common = common_node(*config);
    common.set("cluster", without(*common.find("cluster"), "name"));
    const std::string common_hash = hash_of(common);
    const std::string data = data_hash(*config, store_, hashes_);
    const AlgorithmBlock& algorithm = *config->algorithms[block];
    const std::string plugin = plugin_hash(registry_, algorithm.kind(), hashes_);
    Node own = Node::object();
    own.set("algorithm", algorithm.values());
    own.set("training", training_node(effective_training(config->training, algorithm)));
    const std::string own_hash = hash_of(own);
    StableHasher task;
    hash_canonical(*common.find("task"), task);
    task.update(config->cluster.worker_count()).update(config->target_on);
    for (const std::size_t size : config->batch_sizes()) task.update(size);
    const std::string task_key = task.hex();
    for (const std::int64_t seed : config->seeds) {
      PlanPoint point;
      point.index = plan_.points.size();
      point.label = algorithm.label();
      point.algorithm = algorithm.kind();
      point.row = row_name(algorithm.label(), axes);
      point.seed = seed;
      point.axes = axes;
      point.config = config;
      point.block = block;
      point.task_key = task_key;
      point.identity = {.config = StableHasher().update(common_hash).update(own_hash).update(seed).hex(),
                        .data = data,
                        .plugin = plugin,
                        .results_version = results_version,
                        .instruction_set = CONVOY_INSTRUCTION_SET};
      point.run_id = point.identity.run_id();
      plan_.points.push_back(std::move(point));
    }
  }

 private:
  Plan& plan_;
  const Registry& registry_;
  DataStore& store_;
  FileHashes& hashes_;
};

}  // namespace

Node run_config(const PlanPoint& point) {
  const ExperimentConfig& config = *point.config;
  const AlgorithmBlock& algorithm = point.algorithm_block();
  Node block = algorithm.values();
  block.set("label", Node::of(algorithm.label()));
  Node result = Node::object();
  result.set("name", Node::of(config.name));
  for (Node::Member& member : common_node(config).members) result.set(member.key, std::move(member.value));
  result.set("algorithms", Node::list({std::move(block)}));
  result.set("training", training_node(effective_training(config.training, algorithm)));
  result.set("seeds", Node::list({Node::of(point.seed)}));
  return result;
}

Node resolved_config(const ExperimentConfig& config) {
  Node result = without(values_of(config), "$schema");
  result.set("cluster", cluster_node(config.cluster));
  std::vector<Node>& blocks = result.find("algorithms")->items;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    // Null would be read back as "none", where nothing was written.
    if (!config.algorithms[i]->writes_clip()) blocks[i] = without(blocks[i], "clip");
  }
  return result;
}

Plan make_plan(const Node& root, const Registry& registry, DataStore& store, FileHashes& hashes) {
  Plan plan;
  plan.experiment = read_experiment(root, registry);
  plan.resolved = resolved_config(*plan.experiment);
  Expander expander(plan, registry, store, hashes);
  const Sweep sweep(root, *plan.experiment);
  for (std::size_t block = 0; block < plan.experiment->algorithms.size(); ++block) {
    for (const SweepPoint& point : sweep.points_of(block)) {
      const bool as_written = point.axes.members.empty();
      expander.add(as_written ? plan.experiment : read_experiment(point.root, registry), block, point.axes);
    }
  }
  return plan;
}

}  // namespace convoy
