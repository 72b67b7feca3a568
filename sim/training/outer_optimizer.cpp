#include "training/outer_optimizer.hpp"

#include <cmath>

#include "learning/elementwise.hpp"

namespace convoy {

void OuterOptimizerOptions::declare(Options& options) {
  options
      .add("kind", kind,
           {{"sgd", Kind::sgd},
            {"heavy_ball", Kind::heavy_ball},
            {"nesterov", Kind::nesterov},
            {"delayed_nesterov", Kind::delayed_nesterov},
            {"adagrad", Kind::adagrad},
            {"adam", Kind::adam},
            {"yogi", Kind::yogi}})
      .help("rule applied to each pseudo-gradient");
  options.add("learning_rate", learning_rate)
      .more_than(0)
      .tunable(0.01, 10)
      .help(
          "outer learning rate; delayed_nesterov moves theta by learning_rate / period for each "
          "pseudo-gradient");
  options.add("momentum", momentum)
      .at_least(0)
      .less_than(1)
      .help("momentum coefficient beta; b1 of the adaptive rules");
  options.add("beta2", beta2).at_least(0).less_than(1).help("adam, yogi: decay of the second moment");
  options.add("adaptivity", adaptivity)
      .more_than(0)
      .help("adagrad, adam, yogi: tau in the denominator; the second moment starts at tau^2")
      .source("Reddi et al. 2021, arXiv 2003.00295 (from memory)");
  options.add("period", period)
      .at_least(1)
      .help("delayed_nesterov: pseudo-gradients between momentum steps (N)")
      .source("arXiv 2401.09135");
  options.add("momentum_activation", momentum_activation)
      .between(0, 1)
      .help("delayed_nesterov: share c of the momentum applied at every step, at most 1/period");
  options.check([this](const Node& whole, const std::string& path, FaultSink& faults) {
    if (momentum_activation * static_cast<double>(period) > 1) {
      faults.add(whole, path + ".momentum_activation", "must be at most 1/period",
                 "a number in [0, 1/period]");
    }
  });
}

void OuterOptimizer::step(Vector& theta, const Vector& g) {
  using Kind = OuterOptimizerOptions::Kind;
  switch (options_.kind) {
    case Kind::sgd:
      theta.axpy(-options_.learning_rate, g);
      return;
    case Kind::heavy_ball:
      if (momentum_.empty()) {
        momentum_ = g;
      } else {
        momentum_.scale(options_.momentum).axpy(1, g);
      }
      theta.axpy(-options_.learning_rate, momentum_);
      return;
    case Kind::nesterov:
    case Kind::delayed_nesterov:
      step_delayed_nesterov(theta, g);
      return;
    case Kind::adagrad:
    case Kind::adam:
    case Kind::yogi:
      step_adaptive(theta, g);
      return;
  }
}

void OuterOptimizer::step_adaptive(Vector& theta, const Vector& g) {
  using Kind = OuterOptimizerOptions::Kind;
  const double b1 = options_.momentum, b2 = options_.beta2, tau = options_.adaptivity;
  if (steps_++ == 0) {
    momentum_ = 0 * g;
    accumulator_ = g;
    transform(accumulator_, [tau](double) { return tau * tau; });
  }
  momentum_.combine(b1, 1 - b1, g);
  transform(accumulator_, g, [kind = options_.kind, b2](double v, double gradient) {
    const double square = gradient * gradient;
    if (kind == Kind::adagrad) return v + square;
    if (kind == Kind::adam) return b2 * v + (1 - b2) * square;
    return v - (1 - b2) * square * (v > square ? 1 : v < square ? -1 : 0);
  });
  Vector direction = momentum_;
  transform(direction, accumulator_, [tau](double m, double v) { return m / (std::sqrt(v) + tau); });
  theta.axpy(-options_.learning_rate, direction);
}

void OuterOptimizer::step_delayed_nesterov(Vector& theta, const Vector& g) {
  const bool delayed = options_.kind == OuterOptimizerOptions::Kind::delayed_nesterov;
  const std::int64_t period = delayed ? options_.period : 1;
  const double c = delayed ? options_.momentum_activation : 0;
  const auto n = static_cast<double>(period);
  const double rate = options_.learning_rate, beta = options_.momentum;
  if (accumulator_.empty()) {
    accumulator_ = g;
  } else {
    accumulator_.axpy(1, g);
  }
  theta.axpy(-rate / n, g);
  if (++steps_ % period == 0) {
    if (momentum_.empty()) {
      momentum_ = accumulator_;
      momentum_.scale(1 / n);
    } else {
      momentum_.scale(beta).axpy(1 / n, accumulator_);
    }
    theta.axpy(-rate * (1 - c * n + c) * beta, momentum_);
    accumulator_ = Vector();
  } else if (c != 0 && !momentum_.empty()) {
    theta.axpy(-rate * c * beta, momentum_);
  }
}

}  // namespace convoy
