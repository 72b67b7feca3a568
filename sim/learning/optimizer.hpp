// Optimizers: rule and state apart, so that a step that is abandoned leaves no trace.
//
//   OptimizerState state = optimizer.initial_state(layout, precision);
//   Vector next = committed;                       // shares
//   OptimizerState next_state = committed_state;   // shares
//   optimizer.step(next, gradient, next_state, schedule.factor(position));
//   // keep (next, next_state), or drop them
//
// A step reads and writes each coordinate once; where a buffer is shared it writes into a fresh one.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "learning/vector.hpp"

namespace convoy {

struct OptimizerState {
  std::vector<Vector> slots;
  std::int64_t step = 0;  ///< steps taken
};

/// An update rule with its options; immutable once they are read, so one instance may serve many workers and
/// threads.
class Optimizer {
 public:
  virtual ~Optimizer() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  /// One line and the source of the rule.
  [[nodiscard]] virtual std::string_view about() const = 0;
  virtual void declare(Options& options) = 0;
  [[nodiscard]] virtual OptimizerState initial_state(std::shared_ptr<const Layout> layout,
                                                     Precision precision) const = 0;
  /// Moves `parameters` by one step along `gradient`. The learning rate is base_learning_rate() times the
  /// factor.
  virtual void step(Vector& parameters, const Vector& gradient, OptimizerState& state,
                    double learning_rate_factor) const = 0;
  [[nodiscard]] double base_learning_rate() const { return learning_rate_; }
  void set_base_learning_rate(double value) { learning_rate_ = value; }
  /// Vectors of state a replica holds (0 sgd, 1 momentum, 2 adamw): for memory and checkpoint sizes.
  [[nodiscard]] virtual int slots() const = 0;

 protected:
  double learning_rate_ = 0;
};

/// sgd, momentum, nesterov, adamw.
[[nodiscard]] VariantMakers<Optimizer> optimizer_makers();

}  // namespace convoy
