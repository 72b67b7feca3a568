// A quadratic per worker: the problem on which theory is exact.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/options.hpp"
#include "learning/task.hpp"

namespace convoy {

/// A number for each worker and coordinate, written as a number (all), a list with a number a worker (all
/// coordinates), or a list with a list a worker.
struct WorkerNumbers {
  std::vector<std::vector<double>>
      rows;  ///< empty: not given; one row: all workers; rows of one number: all coordinates
  [[nodiscard]] bool given() const { return !rows.empty(); }
};

/// f_i(x) = 1/2 a_i (x - m_i)^2 with `minimum` m, or 1/2 a_i x^2 - b_i x with `linear` b, summed over
/// coordinates.
struct QuadraticOptions {
  WorkerNumbers curvature;                ///< a
  WorkerNumbers linear;                   ///< b
  WorkerNumbers minimum;                  ///< m; 0 if neither is given
  std::vector<double> initial;            ///< one number: all coordinates
  std::optional<std::int64_t> dimension;  ///< default: the longest list of coordinates
  std::optional<double>
      noise;  ///< standard deviation of the Gaussian noise on each coordinate of a gradient; 0

  void declare(Options& options);
};

/// Throws ConfigError if lists do not fit the dimension or the number of workers.
[[nodiscard]] std::shared_ptr<const LearningTask> make_quadratic(const QuadraticOptions& options,
                                                                 Precision precision,
                                                                 std::vector<std::size_t> batch_sizes,
                                                                 std::uint64_t seed);

}  // namespace convoy
