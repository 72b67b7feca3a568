// The `task` block of an experiment, and the task made from it.
//
//   {"data": "fashion_mnist", "partition": {"kind": "dirichlet", "convention": "hsu", "alpha": 0.5},
//    "model": {"kind": "mlp", "hidden": [128]}, "batch_size": 64}
//   {"kind": "language", "data": "kjv", "model": {"kind": "char_gpt", "layers": 2}, "batch_size": 16}
//   {"kind": "factorization", "factorization": {"users": 1000, "rank": 8}, "batch_size": 256}
//   {"kind": "quadratic", "curvature": [1, 0.8], "linear": [0.1, -0.2], "initial": 1}
//   {"kind": "resource_allocation", "resource_allocation": {"demand": [10], "curvature": [1, 2, 1], "upper":
//   [5]}}
//   {"kind": "clock_only"}
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/options.hpp"
#include "learning/data_set.hpp"
#include "learning/data_store.hpp"
#include "learning/factorization.hpp"
#include "learning/model.hpp"
#include "learning/partition.hpp"
#include "learning/policy.hpp"
#include "learning/quadratic.hpp"
#include "learning/resource_allocation.hpp"
#include "learning/sparse_softmax.hpp"
#include "learning/task.hpp"

namespace convoy {

enum class TaskKind {
  classification,
  language,
  factorization,
  sparse,
  policy,
  quadratic,
  resource_allocation,
  clock_only
};
/// How `global_batch` is shared out.
enum class BatchSplit { equal, by_speed };

/// Made of a few numbers, without samples: the task costs nothing to make, and its optimum is known.
[[nodiscard]] bool is_analytic(TaskKind kind);

/// An option that the kind does not know is a fault, as is a missing one that it needs (classification and
/// language: data, model, and batch_size or global_batch; factorization, sparse and policy: the latter;
/// quadratic: curvature; resource_allocation: the block of its name).
struct TaskOptions {
  TaskKind kind = TaskKind::classification;
  std::optional<std::int64_t> batch_size;
  std::optional<std::int64_t> global_batch;
  std::optional<BatchSplit> batch_split;  ///< default: equal
  std::optional<Precision>
      precision;  ///< default: float64 for quadratic and resource_allocation, else float32
  // classification and language
  std::optional<DataKind> data;
  std::optional<std::string> path;  ///< folder of the data files instead of the search path
  std::unique_ptr<Model> model;
  // classification
  std::unique_ptr<Partition> partition;  ///< null: iid
  // each the kind of its name
  std::optional<FactorizationOptions> factorization;
  std::optional<SparseOptions> sparse;
  std::optional<PolicyOptions> policy;
  std::optional<ResourceAllocationOptions> resource_allocation;
  QuadraticOptions quadratic;

  void declare(Options& options);
};

/// Makes the task for `workers` workers. `seed` decides initial parameters, partition, order of data and
/// gradient noise. `target_on_test` trains on the validation samples too (and validation metrics are then the
/// test's). `batch_sizes`, one a worker, overrides the sizes of the options; needed for BatchSplit::by_speed.
/// Throws ConfigError (DataError for files) for what the options or the data do not allow.
[[nodiscard]] std::shared_ptr<const LearningTask> make_task(const TaskOptions& options, DataStore& store,
                                                            std::uint64_t seed, int workers,
                                                            bool target_on_test,
                                                            std::span<const std::size_t> batch_sizes = {});

/// Integer shares of `total` in proportion to `weights` (largest remainder, ties to the lower index), each at
/// least 1. Throws ConfigError if total < number of weights.
[[nodiscard]] std::vector<std::size_t> split_in_proportion(std::size_t total,
                                                           std::span<const double> weights);

}  // namespace convoy
