// What tasks on a list of exchangeable samples share: splits, parts of the workers, order of mini-batches.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "learning/classification.hpp"
#include "learning/detail/task_parts.hpp"
#include "learning/task.hpp"

namespace convoy::detail {

/// Positions [first, last) of a list.
struct Range {
  std::size_t first = 0, last = 0;
  [[nodiscard]] std::size_t size() const { return last - first; }
};

/// The last tenth is for the test and the last twelfth of what comes before for validation; with
/// `use_all_training_data` that trains too, and validation is the test.
struct Splits {
  Range training, validation, test;
  Splits(std::size_t total, bool use_all_training_data);
};

/// Contiguous parts of sizes that differ by one at most.
[[nodiscard]] std::vector<Range> shares(Range whole, std::size_t workers);

/// What every synthetic task is made from.
struct SplitParts {
  std::uint64_t seed = 0;
  std::vector<std::size_t> batch_sizes;  ///< one a worker
  bool use_all_training_data = false;
};

/// What a gradient is computed from and into. The parameters stay as they are even if `gradient` is the same
/// object.
template <class T>
struct GradientBuffers {
  /// Throws std::logic_error if the parameters are not the layout's.
  GradientBuffers(const Vector& parameters, Vector& gradient, const std::shared_ptr<const Layout>& layout)
      : kept(parameters), x(parameters_of<T>(kept, *layout)), g(gradient.overwrite<T>(layout)) {
    std::fill(g.begin(), g.end(), T(0));
  }
  GradientBuffers(const GradientBuffers&) = delete;
  GradientBuffers& operator=(const GradientBuffers&) = delete;

  const Vector kept;
  const std::span<const T> x;
  const std::span<T> g;  ///< zeros
};

class SplitTask : public LearningTask {
 public:
  [[nodiscard]] std::size_t batch_size(int worker) const override {
    return parts_.batch_sizes.at(static_cast<std::size_t>(worker));
  }
  [[nodiscard]] std::size_t worker_samples(int worker) const override {
    return shares_.at(static_cast<std::size_t>(worker)).size();
  }

 protected:
  /// Throws ConfigError at task.`option` if a worker or a split would have no sample.
  SplitTask(std::shared_ptr<const Layout> layout, Precision precision, SplitParts parts, std::size_t total,
            const char* option);

  /// Calls f(position) for each sample of mini-batch `step`: epochs in random order, as for classification.
  template <class F>
  void for_each_sample(int worker, std::uint64_t step, F f) const {
    const Range& share = shares_.at(static_cast<std::size_t>(worker));
    const std::size_t size = batch_size(worker);
    const std::uint64_t first = first_sample(step, size);
    SampleOrder order(parts_.seed, worker, share.size());
    for (std::size_t i = 0; i < size; ++i) f(share.first + order.at(first + i));
  }
  [[nodiscard]] const Range& range_of(Split split) const {
    return split == Split::test ? splits_.test : splits_.validation;
  }
  [[nodiscard]] std::uint64_t seed() const { return parts_.seed; }
  [[nodiscard]] const Range& training_range() const { return splits_.training; }
  /// ", batch 32, float32"
  [[nodiscard]] std::string batch_and_precision() const;

 private:
  SplitParts parts_;
  Splits splits_;
  std::vector<Range> shares_;
};

}  // namespace convoy::detail
