// What joins the workers of a task whose parameters are no copies of one model: each worker owns a block of
// x, and the blocks together keep sum_i A_i x_i = sum_i b_i (resource allocation, economic dispatch).
#pragma once

#include <memory>

#include "learning/vector.hpp"

namespace convoy {

/// Immutable and thread-safe. x is always the vector of all blocks; functions of worker i read and write only
/// its block. Multipliers have one coordinate a constraint.
class CoupledConstraint {
 public:
  virtual ~CoupledConstraint() = default;
  /// Zero multipliers, one a constraint.
  [[nodiscard]] virtual Vector zero_multipliers() const = 0;
  /// A_i x_i - b_i, the worker's share of what is missing.
  [[nodiscard]] virtual Vector residual(const Vector& x, int worker) const = 0;
  /// gradient += A_i^T multipliers, in the worker's block.
  virtual void add_pull(Vector& gradient, const Vector& multipliers, int worker) const = 0;
  /// The nearest point of the set X_i that the worker's block has to lie in.
  virtual void project(Vector& x, int worker) const = 0;
  /// The worker's block of `from` becomes that of x.
  virtual void copy_block(Vector& x, const Vector& from, int worker) const = 0;
};

}  // namespace convoy
