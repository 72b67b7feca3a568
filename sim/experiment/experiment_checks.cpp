#include "experiment/experiment_checks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "experiment/node_access.hpp"
#include "hardware/catalogue.hpp"
#include "training/mixing_sequence.hpp"

namespace convoy {
namespace {

/// The node at `path` ("cluster.regions[2].speeds"), or the nearest one above it: where a fault about
/// something missing is shown.
const Node& place(const Node& root, std::string_view path) {
  for (;;) {
    if (const Node* node = find_path(root, path)) return *node;
    const std::size_t cut = path.find_last_of(".[");
    if (cut == std::string_view::npos) return root;
    path = path.substr(0, cut);
  }
}

class Checker {
 public:
  Checker(const ExperimentConfig& config, const Node& root, FaultSink& faults)
      : config_(config), root_(root), faults_(faults) {}

  void run() {
    check_name();
    check_seeds();
    check_labels();
    check_messages();
    check_compute_model();
    check_devices();
    check_batch();
    check_analytic();
    check_optimizer();
    check_servers();
    check_graphs();
    check_stop();
    check_target();
  }

 private:
  void add(std::string path, std::string message, std::string allowed = {}, std::string hint = {}) {
    const Node& node = place(root_, path);
    faults_.add(node, std::move(path), std::move(message), std::move(allowed), std::move(hint));
  }
  [[nodiscard]] bool has(std::string_view path) const {
    const Node* node = find_path(root_, path);
    return node != nullptr && !node->is_null();
  }
  [[nodiscard]] bool has_math() const { return config_.task.kind != TaskKind::clock_only; }
  /// The node that the i-th algorithm was read from; a text where it is written short.
  [[nodiscard]] const Node& block(std::size_t i) const {
    const Node* blocks = root_.find("algorithms");
    return blocks != nullptr && blocks->is_list() && i < blocks->items.size() ? blocks->items[i] : root_;
  }

  void check_name() {
    const std::string& name = config_.name;
    if (name.find('/') != std::string::npos || name == "." || name == ".." ||
        name.find('\0') != std::string::npos) {
      add("name", "names a folder of results and must not be a path", "a word without /");
    }
  }

  void check_seeds() {
    std::set<std::int64_t> seen;
    for (std::size_t i = 0; i < config_.seeds.size(); ++i) {
      if (seen.insert(config_.seeds[i]).second) continue;
      const Node& list = place(root_, "seeds");
      faults_.add(list.is_list() ? list.items[i] : list, item_path("seeds", i),
                  fmt::format("the seed {} stands twice", config_.seeds[i]), "each seed once");
    }
  }

  void check_labels() {
    std::map<std::string, std::size_t> first;
    for (std::size_t i = 0; i < config_.algorithms.size(); ++i) {
      if (config_.algorithms[i] == nullptr) continue;
      const std::string& label = config_.algorithms[i]->label();
      const std::string path = item_path("algorithms", i);
      if (label == "ideal") {
        faults_.add(block(i), path, "the label \"ideal\" is kept for the row of the ideal",
                    "another \"label\"");
      }
      const auto [entry, is_new] = first.emplace(label, i);
      if (!is_new) {
        faults_.add(
            block(i), path,
            fmt::format("the label {} is that of algorithms[{}] too", in_quotes(label), entry->second),
            "labels that differ", "give one of them a \"label\"");
      }
    }
  }

  void check_messages() {
    for (std::size_t i = 0; i < config_.algorithms.size(); ++i) {
      if (config_.algorithms[i] == nullptr) continue;
      config_.algorithms[i]->check_messages(block(i), item_path("algorithms", i), faults_);
    }
  }

  void check_compute_model() {
    if (!has("cluster")) return;  // said already
    if (has("workload.step_time")) return;
    const char* forms =
        "\"step_time\" with \"reference_batch\" in workload, or \"compute\" in cluster and a device for "
        "every worker";
    const PhysicalNetwork machines = config_.cluster.physical();
    const bool devices =
        std::none_of(machines.devices.begin(), machines.devices.end(),
                     [](const PhysicalNetwork::Device& device) { return device.model.empty(); });
    if (devices && config_.cluster.compute) {
      if (!has_math() && !config_.workload.states_model()) {
        add("workload", "a task without a model needs the size of one: nothing says what a step computes",
            "\"stand_in\", \"transformer\", \"sparse\" or \"parameters\"");
      }
      return;
    }
    const std::string path = devices ? "cluster.compute" : "workload.step_time";
    add(path, "nothing says how long a step takes: a run needs a compute-time model", forms,
        "\"workload\": {\"step_time\": \"100 ms\", \"reference_batch\": 64}");
  }

  void check_devices() {
    const std::vector<std::string> names = config_.cluster.hardware.known_names();
    const auto check = [&](const std::vector<std::string>& used, const std::string& path) {
      for (std::size_t i = 0; i < used.size(); ++i) {
        if (std::find(names.begin(), names.end(), used[i]) != names.end()) continue;
        add(item_path(path, i), fmt::format("no device has the name {}", in_quotes(used[i])),
            "see `sim list devices`", nearest_hint(used[i], names));
      }
    };
    check(config_.cluster.devices, "cluster.devices");
    for (std::size_t i = 0; i < config_.cluster.regions.size(); ++i) {
      check(config_.cluster.regions[i].devices, item_path("cluster.regions", i) + ".devices");
    }
  }

  void check_batch() {
    const auto& load = config_.workload;
    if (!load.step_time || !load.reference_batch || load.fixed_time || !has("task")) return;
    const auto refuse = [&](const char* path, std::int64_t batch) {
      add(path,
          fmt::format("the stated step time is for batches of {}, and nothing says what one of {} takes",
                      *load.reference_batch, batch),
          fmt::format("{}, or workload.fixed_time for an affine step time", *load.reference_batch));
    };
    if (config_.task.batch_size && *config_.task.batch_size != *load.reference_batch) {
      refuse("task.batch_size", *config_.task.batch_size);
    }
    const int workers = config_.cluster.worker_count();
    if (!config_.task.global_batch || workers == 0) return;
    if (*config_.task.global_batch < workers) {
      add("task.global_batch",
          fmt::format("is shared out over {} workers, each of which needs a sample", workers),
          fmt::format(">= {}", workers));
      return;
    }
    for (const std::size_t batch : shares(workers)) {
      if (static_cast<std::int64_t>(batch) == *load.reference_batch) continue;
      refuse("task.global_batch", static_cast<std::int64_t>(batch));
      return;
    }
  }

  [[nodiscard]] std::vector<std::size_t> shares(int workers) const {
    std::vector<std::size_t> sizes = config_.batch_sizes();
    if (!sizes.empty()) return sizes;
    return split_in_proportion(static_cast<std::size_t>(*config_.task.global_batch),
                               std::vector<double>(static_cast<std::size_t>(workers), 1));
  }

  /// Lists that fit neither the workers nor the coordinates are known only when the task is made, which costs
  /// nothing.
  void check_analytic() {
    if (!has("task") || !is_analytic(config_.task.kind) || config_.cluster.worker_count() == 0)
      return;
    try {
      DataStore store;
      analytic_ =
          make_task(config_.task, store, 0, config_.cluster.worker_count(), false, config_.batch_sizes());
    } catch (const ConfigError& error) {
      for (const ConfigFault& fault : error.faults())
        add(fault.path, fault.message, fault.allowed, fault.hint);
    }
  }

  void check_optimizer() {
    if (!has("task") || !has_math()) return;
    for (std::size_t i = 0; i < config_.algorithms.size(); ++i) {
      if (config_.algorithms[i] == nullptr) continue;
      if (effective_training(config_.training, *config_.algorithms[i]).optimizer != nullptr) continue;
      if (has("training.optimizer")) continue;  // read with faults
      add("training.optimizer", "is missing: a task with gradients needs an inner optimizer",
          fmt::format("one of {}", fmt::join(kinds(optimizer_makers()), ", ")),
          "\"training\": {\"optimizer\": {\"kind\": \"sgd\", \"learning_rate\": 0.1}}");
      return;
    }
  }

  template <class Base>
  static std::vector<std::string> kinds(const VariantMakers<Base>& makers) {
    std::vector<std::string> result;
    for (const auto& maker : makers) result.push_back(maker.first);
    return result;
  }

  void check_servers() {
    if (!has("cluster") || config_.cluster.servers.update_time || config_.cluster.servers.memory_bandwidth ||
        has("cluster.servers.update_time") || has("cluster.servers.memory_bandwidth")) {
      return;
    }
    for (const auto& algorithm : config_.algorithms) {
      if (algorithm == nullptr || !algorithm->algorithm().uses_servers()) continue;
      add("cluster.servers.update_time",
          fmt::format("is missing: {} places servers, and nothing says how long an update takes there",
                      algorithm->label()),
          "\"update_time\" (\"0 s\" has to be written) or \"memory_bandwidth\"",
          "\"servers\": {\"update_time\": \"0 s\"}");
      return;
    }
  }

  /// A communication graph exists for the cluster's workers and fits its algorithm.
  void check_graphs() {
    const int workers = config_.cluster.worker_count();
    if (workers == 0) return;
    for (std::size_t i = 0; i < config_.algorithms.size(); ++i) {
      if (config_.algorithms[i] == nullptr) continue;
      const Algorithm& algorithm = config_.algorithms[i]->algorithm();
      if (algorithm.graph() == nullptr || algorithm.graph_requirement() == nullptr) continue;
      try {
        (void)algorithm.graph_requirement()->require(*algorithm.graph(), workers, 0, algorithm.kind());
      } catch (const ConfigError& error) {
        for (const ConfigFault& fault : error.faults())
          add(item_path("algorithms", i) + "." + fault.path, fault.message, fault.allowed, fault.hint);
      }
    }
  }

  void check_stop() {
    if (!has("stop") || !place(root_, "stop").is_object()) return;
    const StopOptions& stop = config_.stop;
    if (stop.time || stop.local_steps || stop.samples || stop.rounds || stop.events) return;
    for (const char* rule : {"time", "local_steps", "samples", "rounds", "events"}) {
      if (has(std::string("stop.") + rule)) return;  // read with faults
    }
    add("stop", "has no rule that ends a run",
        "\"time\", \"local_steps\", \"samples\", \"rounds\" or \"events\"", "\"stop\": {\"time\": \"6 h\"}");
  }

  void check_target() {
    if (!has("target") || !config_.target) return;
    if (!has("evaluate")) {
      add("target", "needs evaluations to be measured", "an \"evaluate\" block",
          "\"evaluate\": {\"from\": \"20 s\", \"ratio\": 1.02}");
    }
    if (config_.evaluate && config_.evaluate->every_steps) {
      add("evaluate.every_steps", "a time to a target needs evaluations on a grid of virtual times",
          "{\"from\": \"20 s\", \"ratio\": 1.02} or {\"every\": \"30 s\"}");
    }
    if (!has("task") || config_.target->metric.empty()) return;
    const std::vector<std::string> metrics = known_metrics();
    if (std::find(metrics.begin(), metrics.end(), config_.target->metric) != metrics.end()) return;
    if (config_.target->metric.starts_with("x.") && has_math()) return;  // recorded by an algorithm
    add("target.metric",
        metrics.empty() ? "a task of kind clock_only has no metric to reach"
                        : fmt::format("the task reports no metric {}", in_quotes(config_.target->metric)),
        metrics.empty() ? "no target" : fmt::format("one of {}", fmt::join(metrics, ", ")),
        nearest_hint(config_.target->metric, metrics));
  }

  [[nodiscard]] std::vector<std::string> known_metrics() const {
    std::vector<std::string> names;
    switch (config_.task.kind) {
      case TaskKind::classification:
      case TaskKind::language:
      case TaskKind::sparse:
      case TaskKind::policy:
        names = config_.target_on == TargetOn::test
                    ? std::vector<std::string>{"test_accuracy", "test_loss", "train_loss"}
                    : std::vector<std::string>{"validation_accuracy", "validation_loss", "train_loss"};
        break;
      case TaskKind::factorization:
        names = config_.target_on == TargetOn::test
                    ? std::vector<std::string>{"test_loss", "train_loss"}
                    : std::vector<std::string>{"validation_loss", "train_loss"};
        break;
      case TaskKind::quadratic:
      case TaskKind::resource_allocation:
        names = {"validation_loss", "train_loss"};
        break;
      case TaskKind::clock_only:
        return names;
    }
    names.emplace_back("consensus_distance");
    if (analytic_ != nullptr) {
      for (const auto& extra :
           analytic_->evaluate(analytic_->initial_parameters(), Split::validation).extra) {
        names.push_back(extra.first);
      }
    }
    return names;
  }

  const ExperimentConfig& config_;
  const Node& root_;
  FaultSink& faults_;
  std::shared_ptr<const LearningTask> analytic_;
};

}  // namespace

ConfigError located(const ConfigError& error, const Node& root, std::size_t block) {
  std::vector<ConfigFault> faults = error.faults();
  for (ConfigFault& fault : faults) {
    if (!fault.file.empty()) continue;
    const std::string in_block =
        item_path("algorithms", block) + (fault.path.empty() ? "" : "." + fault.path);
    const std::size_t first_step = fault.path.find_first_of(".[");
    const bool of_experiment = !fault.path.empty() && root.find(fault.path.substr(0, first_step)) != nullptr;
    if (!of_experiment) fault.path = in_block;
    const Node& node = place(root, fault.path);
    if (!node.origin.file) continue;
    fault.file = *node.origin.file;
    fault.line = node.origin.line;
    fault.column = node.origin.column;
  }
  return ConfigError(std::move(faults));
}

void check_experiment(const ExperimentConfig& config, const Node& root, FaultSink& faults) {
  Checker(config, root, faults).run();
}

}  // namespace convoy
