#include "learning/task_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "learning/classification.hpp"
#include "learning/language.hpp"

namespace convoy {
namespace {

constexpr std::string_view kind_names[] = {
    "classification", "language",  "factorization",       "sparse",
    "policy",         "quadratic", "resource_allocation", "clock_only"};

/// Which kinds know an option: one letter a kind, in the order of TaskKind; r is resource_allocation,
/// o clock_only.
constexpr std::string_view kind_letters = "clfspqro";
struct Ownership {
  const char* option;
  std::string_view kinds;
};
constexpr Ownership ownership[] = {
    {"batch_size", "clfspqro"},
    {"global_batch", "clfspqro"},
    {"batch_split", "clfspqro"},
    {"precision", "clfspqr"},
    {"data", "cl"},
    {"path", "cl"},
    {"model", "cl"},
    {"partition", "c"},
    {"factorization", "f"},
    {"sparse", "s"},
    {"policy", "p"},
    {"resource_allocation", "r"},
    {"curvature", "q"},
    {"linear", "q"},
    {"minimum", "q"},
    {"initial", "q"},
    {"dimension", "q"},
    {"noise", "q"},
};

bool owns(TaskKind kind, const Ownership& owner) {
  return owner.kinds.find(kind_letters[static_cast<std::size_t>(kind)]) != std::string_view::npos;
}

/// Kinds whose samples are many, so that the size of a batch has to be said.
bool has_samples(TaskKind kind) {
  return !is_analytic(kind) && kind != TaskKind::clock_only;
}

bool trains_a_model(TaskKind kind) {
  return kind == TaskKind::classification || kind == TaskKind::language;
}

std::string joined(const std::string& path, const char* key) {
  return path.empty() ? key : path + "." + key;
}

void check(const TaskOptions& task, const Node& whole, const std::string& path, FaultSink& faults) {
  const std::string kind(kind_names[static_cast<std::size_t>(task.kind)]);
  const auto given = [&whole](const char* key) {
    const Node* const node = whole.find(key);
    return node != nullptr && !node->is_null();
  };
  for (const Ownership& owner : ownership) {
    if (owns(task.kind, owner) || !given(owner.option)) continue;
    faults.add(*whole.find(owner.option), joined(path, owner.option),
               fmt::format("a task of kind {} has no option {}", kind, owner.option));
  }
  const auto need = [&](const char* key, bool present) {
    if (!present) faults.add(whole, joined(path, key), fmt::format("a task of kind {} needs {}", kind, key));
  };
  if (has_samples(task.kind)) need("batch_size", task.batch_size || task.global_batch);
  if (trains_a_model(task.kind)) {
    need("data", task.data.has_value());
    need("model", task.model != nullptr);
    if (task.data == DataKind::idx || task.data == DataKind::text) need("path", task.path.has_value());
    const bool language = task.kind == TaskKind::language;
    if (task.data && is_text(*task.data) != language) {
      faults.add(*whole.find("data"), joined(path, "data"),
                 language ? "a task of kind language needs a text" : "a text needs a task of kind language",
                 language ? "kjv, text" : "", language ? "" : "\"kind\": \"language\"");
    }
    if (task.model && (task.model->input() == ModelInput::text) != language) {
      faults.add(*whole.find("model"), joined(path, "model"),
                 fmt::format("{} takes {}", task.model->kind(),
                             language ? "numbers, not a text" : "a text, not numbers"),
                 "", language ? "char_gpt, char_lstm" : "\"kind\": \"language\"");
    }
  }
  if (task.kind == TaskKind::resource_allocation) {
    need("resource_allocation", task.resource_allocation.has_value());
  }
  if (task.kind == TaskKind::quadratic) {
    need("curvature", task.quadratic.curvature.given());
    if (task.quadratic.linear.given() && task.quadratic.minimum.given()) {
      faults.add(*whole.find("minimum"), joined(path, "minimum"),
                 "either linear or minimum may be given, not both");
    }
  }
  if (task.batch_size && task.global_batch) {
    faults.add(*whole.find("global_batch"), joined(path, "global_batch"),
               "either batch_size or global_batch may be given, not both");
  }
  if (task.batch_split && !task.global_batch) {
    faults.add(*whole.find("batch_split"), joined(path, "batch_split"), "batch_split needs global_batch");
  }
}

[[noreturn]] void refuse(const char* option, std::string message, std::string hint = {}) {
  throw ConfigError(ConfigFault{.path = std::string("task.") + option,
                                .message = std::move(message),
                                .found = {},
                                .allowed = {},
                                .hint = std::move(hint),
                                .file = {},
                                .line = 0,
                                .column = 0});
}

std::vector<std::size_t> sizes_of_batches(const TaskOptions& options, int workers,
                                          std::span<const std::size_t> given) {
  const auto count = static_cast<std::size_t>(workers);
  if (!given.empty()) {
    if (given.size() != count) throw std::logic_error("make_task: as many batch sizes as workers are needed");
    if (std::find(given.begin(), given.end(), std::size_t{0}) != given.end()) {
      throw std::logic_error("make_task: a batch size of 0");
    }
    return {given.begin(), given.end()};
  }
  if (options.global_batch) {
    if (options.batch_split == BatchSplit::by_speed) {
      throw std::logic_error("make_task: batch sizes by speed must be given");
    }
    return split_in_proportion(static_cast<std::size_t>(*options.global_batch),
                               std::vector<double>(count, 1));
  }
  if (!options.batch_size && trains_a_model(options.kind)) refuse("batch_size", "a task needs batch_size");
  return std::vector<std::size_t>(count, static_cast<std::size_t>(options.batch_size.value_or(1)));
}

class ClockOnly final : public LearningTask {
 public:
  explicit ClockOnly(std::vector<std::size_t> batch_sizes)
      : LearningTask(Layout::flat(0), Precision::float32, static_cast<int>(batch_sizes.size())),
        batch_sizes_(std::move(batch_sizes)) {}
  [[nodiscard]] Vector initial_parameters() const override { return {layout(), precision()}; }
  BatchResult gradient(const Vector&, int worker, std::uint64_t, Vector& gradient) const override {
    static_cast<void>(gradient.overwrite<float>(layout()));
    return {0, batch_size(worker)};
  }
  [[nodiscard]] Evaluation evaluate(const Vector&, Split) const override { return {}; }
  [[nodiscard]] std::size_t batch_size(int worker) const override {
    return batch_sizes_.at(static_cast<std::size_t>(worker));
  }
  [[nodiscard]] std::size_t worker_samples(int worker) const override { return batch_size(worker); }
  [[nodiscard]] std::string describe() const override { return "clock only: nothing is learned"; }

 private:
  std::vector<std::size_t> batch_sizes_;
};

}  // namespace

void TaskOptions::declare(Options& options) {
  options
      .add("kind", kind,
           {{"classification", TaskKind::classification},
            {"language", TaskKind::language},
            {"factorization", TaskKind::factorization},
            {"sparse", TaskKind::sparse},
            {"policy", TaskKind::policy},
            {"quadratic", TaskKind::quadratic},
            {"resource_allocation", TaskKind::resource_allocation},
            {"clock_only", TaskKind::clock_only}})
      .help(
          "classification trains a model on data, language one on a text to predict the next character; "
          "factorization learns ratings, sparse is softmax regression on very many features, policy is "
          "reinforcement learning on problems with a right answer; quadratic is the problem of theory; "
          "resource_allocation shares a demand out, each worker owning its share; clock_only has no "
          "gradients");
  std::vector<std::pair<std::string, DataKind>> data_words;
  for (const DataSetInfo& info : data_set_catalogue()) data_words.emplace_back(info.name, info.kind);
  options.add("data", data, std::move(data_words)).help("data set (classification, language)");
  options.add("path", path)
      .default_text("CONVOY_DATA, the folders around the config, /usr/share/datasets")
      .help("folder of the data files, absolute or relative to one of those (classification, language)");
  options.add("partition", partition, partition_makers())
      .default_text("iid")
      .help("how training samples are shared out over workers (classification)");
  options.add("model", model, model_makers()).help("what is trained (classification, language)");
  options.add("batch_size", batch_size)
      .at_least(1)
      .at_most(1 << 20)
      .default_text("1 for quadratic, resource_allocation and clock_only")
      .help("samples of a worker's mini-batch");
  options.add("global_batch", global_batch)
      .at_least(1)
      .at_most(1 << 30)
      .help("samples of all workers' mini-batches together, instead of batch_size");
  options.add("batch_split", batch_split, {{"equal", BatchSplit::equal}, {"by_speed", BatchSplit::by_speed}})
      .default_text("equal")
      .help("how global_batch is shared out");
  options.add("precision", precision, {{"float32", Precision::float32}, {"float64", Precision::float64}})
      .default_text("float64 for quadratic and resource_allocation, else float32")
      .help("scalar type of parameters and gradients");
  options.add("factorization", factorization).help("ratings and what is learned of them (factorization)");
  options.add("sparse", sparse).help("synthetic documents (sparse)");
  options.add("policy", policy).help("problem and policy (policy)");
  options.add("resource_allocation", resource_allocation)
      .help("costs, bounds and demand (resource_allocation)");
  quadratic.declare(options);
  options.check([this](const Node& whole, const std::string& at, FaultSink& faults) {
    check(*this, whole, at, faults);
  });
}

bool is_analytic(TaskKind kind) {
  return kind == TaskKind::quadratic || kind == TaskKind::resource_allocation;
}

std::shared_ptr<const LearningTask> make_task(const TaskOptions& options, DataStore& store,
                                              std::uint64_t seed, int workers, bool target_on_test,
                                              std::span<const std::size_t> batch_sizes) {
  if (workers < 1) throw std::logic_error("make_task: a task over no workers");
  std::vector<std::size_t> sizes = sizes_of_batches(options, workers, batch_sizes);
  const Precision precision =
      options.precision.value_or(is_analytic(options.kind) ? Precision::float64 : Precision::float32);
  const auto split_parts = [&] { return detail::SplitParts{seed, std::move(sizes), target_on_test}; };
  switch (options.kind) {
    case TaskKind::clock_only:
      return std::make_shared<ClockOnly>(std::move(sizes));
    case TaskKind::quadratic:
      return make_quadratic(options.quadratic, precision, std::move(sizes), seed);
    case TaskKind::resource_allocation:
      if (!options.resource_allocation) refuse("resource_allocation", "the task needs its numbers");
      return make_resource_allocation(*options.resource_allocation, precision, std::move(sizes));
    case TaskKind::factorization:
      return make_factorization(options.factorization.value_or(FactorizationOptions{}), precision,
                                split_parts());
    case TaskKind::sparse:
      return make_sparse_softmax(std::make_shared<const SparseSamples>(
                                     make_sparse_samples(options.sparse.value_or(SparseOptions{}), seed)),
                                 precision, split_parts());
    case TaskKind::policy:
      return make_policy(options.policy.value_or(PolicyOptions{}), precision, split_parts());
    case TaskKind::classification:
    case TaskKind::language:
      break;
  }
  if (!options.data) refuse("data", "the task needs data");
  if (!options.model) refuse("model", "the task needs a model");
  if (options.kind == TaskKind::language) {
    return make_language_task({.text = store.load_text(*options.data, options.path),
                               .model = options.model.get(),
                               .seed = seed,
                               .batch_sizes = std::move(sizes),
                               .use_all_training_data = target_on_test},
                              precision);
  }
  const std::unique_ptr<Partition> iid = partition_makers().at("iid")();
  return make_classification({.data = store.load(*options.data, options.path),
                              .model = options.model.get(),
                              .partition = options.partition ? options.partition.get() : iid.get(),
                              .seed = seed,
                              .batch_sizes = std::move(sizes),
                              .use_all_training_data = target_on_test},
                             precision);
}

std::vector<std::size_t> split_in_proportion(std::size_t total, std::span<const double> weights) {
  const std::size_t count = weights.size();
  if (count == 0) throw std::logic_error("split_in_proportion: no shares");
  if (total < count)
    refuse("global_batch", fmt::format("{} samples for {} workers", total, count), "at least one each");
  double sum = 0;
  for (const double weight : weights) {
    if (!(weight > 0) || !std::isfinite(weight))
      throw std::logic_error("split_in_proportion: a weight is not positive");
    sum += weight;
  }
  // Each gets one; the rest is shared out by largest remainder of what would bring it to its exact part.
  std::vector<std::size_t> shares(count);
  std::vector<double> remainders(count);
  std::size_t given = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const double exact = static_cast<double>(total) * weights[i] / sum;
    shares[i] = std::max<std::size_t>(1, static_cast<std::size_t>(exact));
    remainders[i] = exact - static_cast<double>(shares[i]);
    given += shares[i];
  }
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return remainders[a] > remainders[b]; });
  for (std::size_t i = 0; given < total; i = (i + 1) % count, ++given) ++shares[order[i]];
  for (std::size_t i = count; given > total; i = i == 1 ? count : i - 1) {
    if (shares[order[i - 1]] > 1) --shares[order[i - 1]], --given;
  }
  return shares;
}

}  // namespace convoy
