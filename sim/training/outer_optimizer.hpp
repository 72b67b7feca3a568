// The optimizer of a server or of a synchronisation: one step per pseudo-gradient g = start - end ("old minus
// new").
#pragma once

#include <cstdint>

#include "core/options.hpp"
#include "learning/vector.hpp"

namespace convoy {

struct OuterOptimizerOptions {
  enum class Kind {
    sgd,               ///< theta -= lr g
    heavy_ball,        ///< m = beta m + g;  theta -= lr m
    nesterov,          ///< m = beta m + g;  theta -= lr (g + beta m)              (torch convention)
    delayed_nesterov,  ///< the momentum is applied once every `period` steps (arXiv 2401.09135)
    adagrad,  ///< m = b1 m + (1 - b1) g;  v += g^2;                    theta -= lr m / (sqrt(v) + tau)
    adam,     ///< the same with           v = b2 v + (1 - b2) g^2      (FedOpt, arXiv 2003.00295)
    yogi,     ///< the same with           v -= (1 - b2) g^2 sign(v - g^2)
  };
  Kind kind = Kind::sgd;
  double learning_rate = 1;
  double momentum = 0;
  std::int64_t period = 1;         ///< N of delayed Nesterov
  double momentum_activation = 0;  ///< c of delayed Nesterov, in [0, 1/N]
  double beta2 = 0.99;             ///< b2 of the adaptive rules; b1 is the momentum
  double adaptivity = 1e-3;        ///< tau of the adaptive rules, whose v starts at tau^2

  void declare(Options& options);
};

/// State and rule of one outer optimizer.
///
/// Delayed Nesterov with period N, learning rate e and activation c, state m = D = t = 0, on each g:
///   D += g
///   every N-th step:  m = beta m + D/N;  theta -= e ((1 - cN + c) beta m + g/N);  D = 0
///   otherwise:        theta -= e (c beta m + g/N)
/// With N = 1 this is Nesterov, bit for bit. Source: HALoS src/halos/opt.py and arXiv 2401.09135.
class OuterOptimizer {
 public:
  explicit OuterOptimizer(const OuterOptimizerOptions& options) : options_(options) {}
  /// One step of theta on pseudo-gradient g; both have the same layout and precision.
  void step(Vector& theta, const Vector& g);

 private:
  void step_delayed_nesterov(Vector& theta, const Vector& g);
  void step_adaptive(Vector& theta, const Vector& g);
  OuterOptimizerOptions options_;
  Vector momentum_;     // m
  Vector accumulator_;  // D of delayed Nesterov, v of the adaptive rules
  std::int64_t steps_ = 0;
};

}  // namespace convoy
