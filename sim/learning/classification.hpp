// The task of classifying a data set that is split over workers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "learning/data_set.hpp"
#include "learning/model.hpp"
#include "learning/partition.hpp"
#include "learning/task.hpp"

namespace convoy {

struct ClassificationParts {
  std::shared_ptr<const DataSet> data;
  const Model* model = nullptr;          ///< needed while the task is made only
  const Partition* partition = nullptr;  ///< likewise
  std::uint64_t seed = 0;
  std::vector<std::size_t> batch_sizes;  ///< one a worker
  /// Train on all training samples; the validation split is then the test split. Else the last 1/12 of each
  /// class of the training file is held out for validation.
  bool use_all_training_data = false;
};

/// Throws ConfigError if the data do not suffice for the workers.
[[nodiscard]] std::shared_ptr<const LearningTask> make_classification(const ClassificationParts& parts,
                                                                      Precision precision);

/// The sample at position `cursor` = 0, 1, 2, ... of a worker's endless stream: an index in [0, samples).
/// Each epoch
/// (`samples` positions) is a random permutation keyed by (seed, worker, epoch).
class SampleOrder {
 public:
  SampleOrder(std::uint64_t seed, int worker, std::size_t samples)
      : seed_(seed), worker_(worker), samples_(samples) {}
  /// Cheapest for rising positions.
  [[nodiscard]] std::size_t at(std::uint64_t cursor);

 private:
  std::uint64_t seed_;
  int worker_;
  std::uint64_t samples_;
  std::uint64_t epoch_ = UINT64_MAX;
  std::uint64_t key_ = 0;
};

}  // namespace convoy
