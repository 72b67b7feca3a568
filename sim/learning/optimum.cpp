#include "learning/optimum.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "core/error.hpp"

namespace convoy {
namespace {

class Objective {
 public:
  explicit Objective(const LearningTask& task)
      : task_(task), parts_(static_cast<std::size_t>(task.workers())) {
    double total = 0;
    for (int w = 0; w < task.workers(); ++w) total += static_cast<double>(task.batch_size(w));
    for (int w = 0; w < task.workers(); ++w)
      weights_.push_back(static_cast<double>(task.batch_size(w)) / total);
  }

  struct Value {
    double loss = 0;
    Vector gradient;
  };
  [[nodiscard]] Value at(const Vector& x) {
    double loss = 0;
    for (std::size_t w = 0; w < parts_.size(); ++w)
      loss += weights_[w] * task_.gradient(x, static_cast<int>(w), 0, parts_[w]).loss;
    return {loss, weighted_sum(weights_, parts_)};
  }

  /// The Hessian at x times v, by central differences of a length at which what they cut off and what they
  /// round are alike.
  [[nodiscard]] Vector hessian_times(const Vector& x, const Vector& v) {
    const double h = 1e-5 * (1 + x.norm()) / v.norm();
    Vector above = x;
    above.axpy(h, v);
    Vector below = x;
    below.axpy(-h, v);
    Vector result = at(above).gradient - at(below).gradient;
    return result.scale(1 / (2 * h));
  }

 private:
  const LearningTask& task_;
  std::vector<Vector> parts_;
  std::vector<double> weights_;
};

// Solves H d = -g to a residual of `share` of g.
Vector newton_direction(Objective& objective, const Vector& x, const Vector& gradient, double share) {
  Vector direction(gradient.shared_layout(), gradient.precision());
  Vector residual = -1.0 * gradient;
  Vector search = residual;
  double squares = residual.squared_norm();
  const double target = share * share * squares;
  for (std::size_t i = 0; i < 2 * x.size() + 10 && squares > target; ++i) {
    const Vector product = objective.hessian_times(x, search);
    const double curvature = search.dot(product);
    if (!(curvature > 0)) break;  // flat to rounding
    direction.axpy(squares / curvature, search);
    residual.axpy(-squares / curvature, product);
    const double next = residual.squared_norm();
    search.combine(next / squares, 1, residual);
    squares = next;
  }
  return direction.squared_norm() > 0 ? direction : -1.0 * gradient;
}

}  // namespace

Optimum find_optimum(const LearningTask& task, double tolerance, int most_steps) {
  if (task.precision() != Precision::float64)
    throw std::logic_error("find_optimum: a task of float64 is needed");
  Objective objective(task);
  Vector x = task.initial_parameters();
  Objective::Value value = objective.at(x);
  for (int step = 0; step < most_steps; ++step) {
    const double norm = value.gradient.norm();
    if (norm <= tolerance) return {x, value.loss, norm, step};
    const Vector direction =
        newton_direction(objective, x, value.gradient, std::min(0.1, std::sqrt(norm)) * 0.1);
    const double slope = value.gradient.dot(direction);
    double length = 1;
    Objective::Value next;
    Vector candidate;
    // Armijo's condition, with room for rounding near the minimum.
    for (int halvings = 0; halvings < 60; ++halvings, length /= 2) {
      candidate = x;
      candidate.axpy(length, direction);
      next = objective.at(candidate);
      if (next.loss <= value.loss + 1e-4 * length * slope + 1e-14 * std::abs(value.loss)) break;
    }
    x = candidate;
    value = std::move(next);
  }
  throw ConfigError(ConfigFault{
      .path = "task",
      .message = fmt::format("no minimum found: the gradient's norm is {} after {} steps of Newton's method",
                             value.gradient.norm(), most_steps),
      .found = {},
      .allowed = {},
      .hint = "separable data have no minimum without \"l2\"",
      .file = {},
      .line = 0,
      .column = 0});
}

}  // namespace convoy
