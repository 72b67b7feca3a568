// The exact minimum of a convex task, against which algorithms are checked.
#pragma once

#include "learning/task.hpp"

namespace convoy {

struct Optimum {
  Vector parameters;
  double loss = 0;           ///< of the objective at `parameters`
  double gradient_norm = 0;  ///< what is left of it
  int steps = 0;             ///< of Newton's method
};

/// The minimum of f(x) = sum_i n_i f_i(x) / sum_i n_i over the workers i of the task, where f_i is the loss
/// of worker i's mini-batch 0 of n_i samples: of all its samples if the batch sizes are worker_samples(i).
/// Newton's method with conjugate gradients on the derivatives of the gradient by central differences, and
/// backtracking (Nocedal and Wright, Numerical Optimization, 2nd ed., algorithm 7.1): the steps are
/// approximate, the end is exact to `tolerance` in the norm of the gradient. Throws std::logic_error unless
/// the task has float64 parameters, and ConfigError if the minimum is not reached within `most_steps`, as for
/// an objective that has none.
[[nodiscard]] Optimum find_optimum(const LearningTask& task, double tolerance = 1e-12, int most_steps = 200);

}  // namespace convoy
