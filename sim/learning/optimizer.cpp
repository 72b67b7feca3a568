#include "learning/optimizer.hpp"

#include <cmath>
#include <stdexcept>
#include <string>

#include "learning/detail/kernels.hpp"

namespace convoy {
namespace {

void require_fitting(const Vector& parameters, const Vector& gradient, const OptimizerState& state,
                     std::size_t slots) {
  if (gradient.size() != parameters.size() || gradient.precision() != parameters.precision()) {
    throw std::logic_error("optimizer: gradient and parameters differ in size or precision");
  }
  if (state.slots.size() != slots) throw std::logic_error("optimizer: state of another optimizer");
  for (const Vector& slot : state.slots) {
    if (slot.size() != parameters.size() || slot.precision() != parameters.precision()) {
      throw std::logic_error("optimizer: state and parameters differ in size or precision");
    }
  }
}

// Slots share one buffer of zeros until they are written.
OptimizerState zero_state(std::shared_ptr<const Layout> layout, Precision precision, std::size_t slots) {
  OptimizerState state;
  if (slots > 0) state.slots.assign(slots, Vector(std::move(layout), precision));
  return state;
}

class Sgd final : public Optimizer {
 public:
  [[nodiscard]] std::string_view kind() const override { return "sgd"; }
  [[nodiscard]] std::string_view about() const override {
    return "g += weight_decay x; x -= lr g (Robbins and Monro 1951)";
  }
  void declare(Options& options) override {
    options.add("learning_rate", learning_rate_)
        .required()
        .more_than(0)
        .tunable(1e-3, 1)
        .help("step size, before the schedule's factor");
    options.add("weight_decay", weight_decay_)
        .at_least(0)
        .help("L2 penalty on all parameters, added to the gradient");
  }
  [[nodiscard]] OptimizerState initial_state(std::shared_ptr<const Layout> layout,
                                             Precision precision) const override {
    return zero_state(std::move(layout), precision, 0);
  }
  void step(Vector& parameters, const Vector& gradient, OptimizerState& state, double factor) const override {
    require_fitting(parameters, gradient, state, 0);
    with_scalar(parameters.precision(), [&](auto scalar) {
      using T = decltype(scalar);
      const Rewrite<T> x(parameters);
      detail::sgd(x.before(), x.after(), parameters.size(), gradient.values<T>().data(),
                  learning_rate_ * factor, weight_decay_);
    });
    ++state.step;
  }
  [[nodiscard]] int slots() const override { return 0; }

 private:
  double weight_decay_ = 0;
};

// Heavy ball and Nesterov momentum differ in the last line only.
class Momentum final : public Optimizer {
 public:
  explicit Momentum(bool nesterov) : nesterov_(nesterov) {}
  [[nodiscard]] std::string_view kind() const override { return nesterov_ ? "nesterov" : "momentum"; }
  [[nodiscard]] std::string_view about() const override {
    return nesterov_ ? "g += weight_decay x; m = momentum m + g; x -= lr (g + momentum m): the convention of "
                       "PyTorch's "
                       "SGD(nesterov=True) (Sutskever et al., ICML 2013)"
                     : "g += weight_decay x; m = momentum m + g; x -= lr m: heavy ball (Polyak 1964), "
                       "PyTorch's SGD "
                       "with dampening 0";
  }
  void declare(Options& options) override {
    options.add("learning_rate", learning_rate_)
        .required()
        .more_than(0)
        .tunable(1e-4, 0.3)
        .help("step size, before the schedule's factor");
    options.add("momentum", momentum_)
        .at_least(0)
        .less_than(1)
        .help("share of the former direction that is kept")
        .source("Sutskever et al., ICML 2013: 0.9");
    options.add("weight_decay", weight_decay_)
        .at_least(0)
        .help("L2 penalty on all parameters, added to the gradient");
  }
  [[nodiscard]] OptimizerState initial_state(std::shared_ptr<const Layout> layout,
                                             Precision precision) const override {
    return zero_state(std::move(layout), precision, 1);
  }
  void step(Vector& parameters, const Vector& gradient, OptimizerState& state, double factor) const override {
    require_fitting(parameters, gradient, state, 1);
    const bool fresh = !parameters.unshared() || !state.slots[0].unshared();
    with_scalar(parameters.precision(), [&](auto scalar) {
      using T = decltype(scalar);
      const Rewrite<T> x(parameters, fresh);
      const Rewrite<T> m(state.slots[0], fresh);
      detail::momentum<T>({x.before(), x.after(), m.before(), m.after(), gradient.values<T>().data()},
                          parameters.size(), {learning_rate_ * factor, momentum_, weight_decay_, nesterov_});
    });
    ++state.step;
  }
  [[nodiscard]] int slots() const override { return 1; }

 private:
  bool nesterov_;
  double momentum_ = 0.9;
  double weight_decay_ = 0;
};

// base^exponent by squaring: the same bits whatever the C library.
double power(double base, std::int64_t exponent) {
  double result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= base;
    base *= base;
  }
  return result;
}

class AdamW final : public Optimizer {
 public:
  AdamW() { learning_rate_ = 1e-3; }
  [[nodiscard]] std::string_view kind() const override { return "adamw"; }
  [[nodiscard]] std::string_view about() const override {
    return "m = beta1 m + (1 - beta1) g; v = beta2 v + (1 - beta2) g^2; x = (1 - lr weight_decay) x - lr m' "
           "/ "
           "(sqrt(v') + epsilon), m' = m / (1 - beta1^t), v' = v / (1 - beta2^t) (Kingma and Ba, ICLR 2015; "
           "Loshchilov and Hutter, ICLR 2019)";
  }
  void declare(Options& options) override {
    options.add("learning_rate", learning_rate_)
        .more_than(0)
        .tunable(1e-5, 1e-1)
        .help("step size, before the schedule's factor")
        .source("Kingma and Ba, ICLR 2015, and PyTorch: 0.001");
    options.add("beta1", beta1_)
        .at_least(0)
        .less_than(1)
        .help("decay of the mean gradient")
        .source("as above: 0.9");
    options.add("beta2", beta2_)
        .at_least(0)
        .less_than(1)
        .help("decay of the mean squared gradient (language models often 0.95)")
        .source("as above: 0.999");
    options.add("epsilon", epsilon_).more_than(0).help("added to the root").source("as above: 1e-8");
    options.add("weight_decay", weight_decay_)
        .at_least(0)
        .tunable(1e-4, 1)
        .help("decay of the parameters")
        .source("PyTorch AdamW: 0.01; HALoS trains with 0.1");
    options.add("decay_matrices_only", decay_matrices_only_)
        .help("weight decay spares biases and other vectors")
        .source("HALoS and most language models");
    options.add("decoupled", decoupled_)
        .help("decay applied to the parameters (AdamW); false adds it to the gradient (Adam with L2)")
        .source("Loshchilov and Hutter, ICLR 2019");
  }
  [[nodiscard]] OptimizerState initial_state(std::shared_ptr<const Layout> layout,
                                             Precision precision) const override {
    return zero_state(std::move(layout), precision, 2);
  }
  void step(Vector& parameters, const Vector& gradient, OptimizerState& state, double factor) const override {
    require_fitting(parameters, gradient, state, 2);
    ++state.step;
    if (parameters.empty()) return;
    const double rate = learning_rate_ * factor;
    detail::AdamFactors plain{.beta1 = beta1_,
                              .beta2 = beta2_,
                              .epsilon = epsilon_,
                              .rate = rate / (1 - power(beta1_, state.step)),
                              .inverse_root = 1 / std::sqrt(1 - power(beta2_, state.step)),
                              .keep = 1,
                              .coupled_decay = 0};
    detail::AdamFactors decaying = plain;
    (decoupled_ ? decaying.keep : decaying.coupled_decay) =
        decoupled_ ? 1 - rate * weight_decay_ : weight_decay_;
    const bool fresh = !parameters.unshared() || !state.slots[0].unshared() || !state.slots[1].unshared();
    with_scalar(parameters.precision(), [&](auto scalar) {
      using T = decltype(scalar);
      const Rewrite<T> x(parameters, fresh);
      const Rewrite<T> m(state.slots[0], fresh);
      const Rewrite<T> v(state.slots[1], fresh);
      const T* const g = gradient.values<T>().data();
      const auto run = [&](std::size_t at, std::size_t size, const detail::AdamFactors& factors) {
        detail::adam<T>({x.before() + at, x.after() + at, m.before() + at, m.after() + at, v.before() + at,
                         v.after() + at, g + at},
                        size, factors);
      };
      if (!decay_matrices_only_ || weight_decay_ == 0) return run(0, parameters.size(), decaying);
      for (const LayerSpan& layer : parameters.layout().layers) {
        run(layer.offset, layer.size(), layer.matrix ? decaying : plain);
      }
    });
  }
  [[nodiscard]] int slots() const override { return 2; }

 private:
  double beta1_ = 0.9;
  double beta2_ = 0.999;
  double epsilon_ = 1e-8;
  double weight_decay_ = 0.01;
  bool decay_matrices_only_ = true;
  bool decoupled_ = true;
};

}  // namespace

VariantMakers<Optimizer> optimizer_makers() {
  return {{"sgd", [] { return std::make_unique<Sgd>(); }},
          {"momentum", [] { return std::make_unique<Momentum>(false); }},
          {"nesterov", [] { return std::make_unique<Momentum>(true); }},
          {"adamw", [] { return std::make_unique<AdamW>(); }}};
}

}  // namespace convoy
