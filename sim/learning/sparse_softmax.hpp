// Wide sparse softmax regression: very many features, of which a sample has few.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/options.hpp"
#include "learning/detail/split_task.hpp"
#include "learning/task.hpp"

namespace convoy {

/// Samples by rows (CSR): sample i has the values [offsets[i], offsets[i + 1]).
struct SparseSamples {
  std::size_t features = 0, classes = 0;
  std::vector<std::size_t> offsets{0};
  std::vector<std::uint32_t> columns;  ///< below `features`
  std::vector<float> values;
  std::vector<std::uint32_t> labels;  ///< below `classes`

  [[nodiscard]] std::size_t count() const { return labels.size(); }
};

/// Synthetic documents: a sample of class c holds `nonzeros` words, each of the class's own 64 with
/// probability `signal`, else drawn from all features with probability proportional to 1 / rank (Zipf);
/// values are counts over sqrt(nonzeros).
struct SparseOptions {
  std::int64_t samples = 20'000, features = 10'000, classes = 100, nonzeros = 30;
  double signal = 0.3;

  void declare(Options& options);
};
[[nodiscard]] SparseSamples make_sparse_samples(const SparseOptions& options, std::uint64_t seed);

/// Softmax regression on given samples, in their order: see detail::Splits. Tensors "weight" (features x
/// classes, a row a feature, so that a sample touches few rows) and "bias"; all start at 0, where the loss is
/// convex anyway.
[[nodiscard]] std::shared_ptr<const LearningTask> make_sparse_softmax(
    std::shared_ptr<const SparseSamples> samples, Precision precision, detail::SplitParts parts);

}  // namespace convoy
