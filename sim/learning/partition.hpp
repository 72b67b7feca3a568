// How training samples are shared out over workers.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"

namespace convoy {

/// Which samples each worker holds: positions in the list of labels that was partitioned. Immutable.
class WorkerSamples {
 public:
  /// `positions` of worker w are [offsets[w], offsets[w + 1]).
  WorkerSamples(std::vector<std::uint32_t> positions, std::vector<std::size_t> offsets)
      : positions_(std::move(positions)), offsets_(std::move(offsets)) {}
  /// Every worker holds the same samples, [0, count).
  [[nodiscard]] static WorkerSamples replicated(std::size_t count, int workers);

  [[nodiscard]] int workers() const {
    return replicas_ > 0 ? replicas_ : static_cast<int>(offsets_.size()) - 1;
  }
  [[nodiscard]] std::span<const std::uint32_t> of(int worker) const;
  /// One row a worker, one column a class.
  [[nodiscard]] std::vector<std::vector<std::size_t>> label_histograms(std::span<const std::uint8_t> labels,
                                                                       std::size_t classes) const;

 private:
  std::vector<std::uint32_t> positions_;
  std::vector<std::size_t> offsets_;
  int replicas_ = 0;
};

/// A rule of partition with its options; immutable once they are read.
class Partition {
 public:
  virtual ~Partition() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  [[nodiscard]] virtual std::string_view about() const = 0;
  virtual void declare(Options& options) = 0;
  /// "dirichlet (hsu, alpha 0.5)"
  [[nodiscard]] virtual std::string describe() const = 0;
  /// A pure function of its arguments; no worker is left without samples. Throws ConfigError if that cannot
  /// be had.
  [[nodiscard]] virtual WorkerSamples split(std::span<const std::uint8_t> labels, std::size_t classes,
                                            int workers, std::uint64_t seed) const = 0;
};

/// iid, dirichlet, replicated.
[[nodiscard]] VariantMakers<Partition> partition_makers();

}  // namespace convoy
