#include "experiment/experiment_config.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiment/experiment_checks.hpp"
#include "experiment/graph_file.hpp"
#include "experiment/json_reader.hpp"
#include "experiment/node_path.hpp"

namespace convoy {
namespace {

namespace fs = std::filesystem;

/// Of the file that `node` stands in; the working directory for what the command line says.
fs::path folder_of(const Node& node) {
  const bool in_file = node.origin.file && node.origin.line > 0;
  return in_file ? fs::path(*node.origin.file).parent_path() : fs::path();
}

/// Puts the content of the file that `node` names in its place. What is relative is relative to the file that
/// names it.
void load_reference(Node& node, const std::string& path, FaultSink& faults) {
  const std::string where =
      node.origin.file && node.origin.line > 0
          ? fmt::format("named by {} in {}:{}", path, *node.origin.file, node.origin.line)
          : fmt::format("named by {}", path);
  try {
    Node content = read_json_file((folder_of(node) / node.text).string());
    if (!content.is_object()) {
      faults.add(content, path, "must be an object", {}, where);
      content = Node::object();
    }
    node = std::move(content);
  } catch (const ConfigError& error) {
    for (ConfigFault fault : error.faults()) {
      if (fault.path.empty()) fault.path = path;
      if (fault.hint.empty()) fault.hint = where;
      faults.add(std::move(fault));
    }
    node = Node();
  }
}

/// cluster and task as a text, and algorithms written "file.json" (any other text is a kind).
void load_references(Node& root, FaultSink& faults) {
  for (const char* key : {"cluster", "task"}) {
    Node* block = root.find(key);
    if (block != nullptr && block->is_text()) load_reference(*block, key, faults);
  }
  Node* cluster = root.find("cluster");
  Node* hardware = cluster == nullptr ? nullptr : cluster->find("hardware");
  if (hardware != nullptr && hardware->is_text()) load_reference(*hardware, "cluster.hardware", faults);
  if (root.find("kind") != nullptr) load_graph_file(root, "", faults);  // a graph alone, for `sim topology`
  Node* algorithms = root.find("algorithms");
  if (algorithms == nullptr || !algorithms->is_list()) return;
  for (std::size_t i = 0; i < algorithms->items.size(); ++i) {
    Node& block = algorithms->items[i];
    if (block.is_text() && block.text.ends_with(".json"))
      load_reference(block, item_path("algorithms", i), faults);
    if (Node* graph = block.find("graph"))
      load_graph_file(*graph, item_path("algorithms", i) + ".graph", faults);
  }
}

void require_object(const Node& root) {
  if (root.is_object()) return;
  FaultSink faults;
  faults.add(root, "", "an experiment must be an object", {}, "see `sim schema`");
  faults.throw_if_any();
}

}  // namespace

Node read_experiment_file(const fs::path& file, std::span<const std::string> overrides) {
  Node root = read_json_file(file.string());
  require_object(root);
  FaultSink faults;
  load_references(root, faults);
  faults.throw_if_any();
  for (const std::string& override : overrides) apply_override(root, override);
  load_references(root, faults);
  faults.throw_if_any();
  return root;
}

void ExperimentConfig::declare(Options& options) {
  options.add("$schema", schema_).help("for editors; not read");
  options.add("name", name).help("of the results' folder and the report").default_text("the file's name");
  options.add("cluster", cluster).required().or_file().help("devices, regions, links, servers");
  options.add("task", task).required().or_file().help("what is learned: data, partition, model, batch size");
  options.add("workload", workload)
      .help("what a step costs: the time of a step, and the model whose bytes are sent")
      .default_text("the model that trains");
  options.add("algorithms", algorithms, makers_)
      .required()
      .items(1)
      .help("who races; each an object, a kind or a file");
  options.add("training", training).help("inner optimizer of every algorithm that has none of its own");
  options.add("target", target).help("what to reach; a ladder of values").default_text("none: fixed work");
  options.add("target_on", target_on, {{"validation", TargetOn::validation}, {"test", TargetOn::test}})
      .help("samples that metrics are measured on; test: train on the validation samples too (replications)");
  options.add("stop", stop)
      .required()
      .help("when a run ends without reaching its targets; whichever comes first");
  options.add("evaluate", evaluate).help("when the deployed model is evaluated").default_text("never");
  options.add("seeds", seeds)
      .required()
      .items(1)
      .at_least(0)
      .help("one run of each algorithm for each; results are paired by seed");
  options
      .custom(
          "sweep", "object of path -> list of values",
          [this](const Node& node, const std::string&, FaultSink&) { sweep = node; },
          [this] { return sweep; })
      .help(
          "axes that multiply the runs: {\"/cluster/network/contention\": [true, false]}; an axis below "
          "/algorithms/<label>/ multiplies that algorithm alone");
}

std::vector<std::size_t> ExperimentConfig::batch_sizes() const {
  const auto workers = static_cast<std::size_t>(cluster.worker_count());
  if (task.global_batch && task.batch_split == BatchSplit::by_speed) {
    std::vector<double> speeds;
    for (const PhysicalNetwork::Device& device : cluster.physical().devices) speeds.push_back(device.speed);
    return split_in_proportion(static_cast<std::size_t>(*task.global_batch), speeds);
  }
  // A task without samples of its own takes the batch that the stated step time is for.
  const bool without_samples = is_analytic(task.kind) || task.kind == TaskKind::clock_only;
  if (without_samples && !task.batch_size && !task.global_batch && workload.reference_batch) {
    return std::vector<std::size_t>(workers, static_cast<std::size_t>(*workload.reference_batch));
  }
  return {};
}

std::shared_ptr<const ExperimentConfig> read_experiment(const Node& root, const Registry& registry) {
  require_object(root);
  auto config = std::shared_ptr<ExperimentConfig>(blank_experiment(registry));
  Options options;
  config->declare(options);
  FaultSink faults;
  read_options(root, "", options, faults);
  check_experiment(*config, root, faults);
  faults.throw_if_any();
  config->folder = folder_of(root);
  config->source = root;
  if (config->name.empty() && root.origin.file) config->name = fs::path(*root.origin.file).stem().string();
  return config;
}

std::unique_ptr<ExperimentConfig> blank_experiment(const Registry& registry) {
  auto config = std::make_unique<ExperimentConfig>(algorithm_block_makers(registry));
  config->cluster.fabrics = registry.fabrics;
  return config;
}

}  // namespace convoy
