#include "learning/detail/linear_network.hpp"

#include <algorithm>
#include <cmath>

#include "learning/detail/gemm.hpp"
#include "learning/detail/kernels.hpp"
#include "learning/detail/scratch.hpp"
#include "learning/numerics.hpp"

namespace convoy::detail {
namespace {

enum Slot : std::size_t { predictions_slot = 1 };

template <class T>
class LinearNetwork final : public NeuralNetwork<T> {
 public:
  LinearNetwork(std::size_t inputs, LinearLoss loss, double l2) : inputs_(inputs), loss_(loss), l2_(l2) {
    pin_numerics();
    auto layout = std::make_shared<Layout>();
    layout->add_matrix("weight", 1, inputs_);
    layout->add_vector("bias", 1);
    layout_ = std::move(layout);
  }

  [[nodiscard]] std::shared_ptr<const Layout> layout() const override { return layout_; }
  [[nodiscard]] bool has_accuracy() const override { return loss_ == LinearLoss::logistic; }
  [[nodiscard]] Vector initial_parameters(std::uint64_t) const override { return {layout_, precision_of<T>}; }

  double gradient(std::span<const T> parameters, const T* features, std::span<const std::uint8_t> labels,
                  std::span<T> gradient) const override {
    const std::size_t samples = labels.size();
    T* const z = predict(parameters, features, samples);
    double loss = 0;
    double residuals = 0;
    for (std::size_t i = 0; i < samples; ++i) {
      const auto prediction = static_cast<double>(z[i]);
      loss += loss_of(prediction, labels[i]);
      const double residual = derivative(prediction, labels[i]) / static_cast<double>(samples);
      residuals += residual;
      z[i] = static_cast<T>(residual);
    }
    multiply<T>(1, inputs_, samples, {z, samples}, {features, inputs_}, gradient.data(), inputs_);
    gradient[inputs_] = static_cast<T>(residuals);
    return loss / static_cast<double>(samples) + add_l2(l2_, *layout_, parameters, gradient);
  }

  [[nodiscard]] LossTotals evaluate(std::span<const T> parameters, const T* features,
                                    std::span<const std::uint8_t> labels) const override {
    const T* const z = predict(parameters, features, labels.size());
    LossTotals sum;
    for (std::size_t i = 0; i < labels.size(); ++i) {
      sum.loss += loss_of(static_cast<double>(z[i]), labels[i]);
      if (has_accuracy()) sum.correct += (z[i] > 0) == (labels[i] == 1) ? 1 : 0;
    }
    return sum;
  }

  // A product forward and one for the weights' derivatives.
  [[nodiscard]] double flops_per_sample() const override { return 4.0 * static_cast<double>(inputs_); }
  [[nodiscard]] std::size_t activations_per_sample() const override { return inputs_ + 1; }

 private:
  T* predict(std::span<const T> parameters, const T* features, std::size_t samples) const {
    T* const z = Scratch::of_this_thread().get<T>(predictions_slot, samples);
    std::fill_n(z, samples, parameters[inputs_]);
    multiply_add<T>(samples, 1, inputs_, {features, inputs_}, {parameters.data(), inputs_, true}, z, 1);
    return z;
  }

  [[nodiscard]] double loss_of(double z, double y) const {
    if (loss_ == LinearLoss::squared) return 0.5 * (z - y) * (z - y);
    // log(1 + exp(z)) without overflow; NaN stays.
    return std::max(z, 0.0) + std::log1p(std::exp(-std::abs(z))) - y * z + z * 0;
  }
  [[nodiscard]] double derivative(double z, double y) const {
    return loss_ == LinearLoss::squared ? z - y : 1 / (1 + std::exp(-z)) - y;
  }

  std::size_t inputs_;
  LinearLoss loss_;
  double l2_;
  std::shared_ptr<const Layout> layout_;
};

}  // namespace

template <class T>
std::unique_ptr<const NeuralNetwork<T>> make_linear_network(std::size_t inputs, LinearLoss loss, double l2) {
  return std::make_unique<LinearNetwork<T>>(inputs, loss, l2);
}

template <class T>
double add_l2(double l2, const Layout& layout, std::span<const T> parameters, std::span<T> gradient) {
  if (l2 == 0) return 0;
  double squares = 0;
  for (const LayerSpan& layer : layout.layers) {
    if (!layer.matrix) continue;
    const T* const weights = parameters.data() + layer.offset;
    T* const target = gradient.data() + layer.offset;
    axpy(target, target, layer.size(), l2, weights);
    squares += dot(weights, weights, layer.size());
  }
  return 0.5 * l2 * squares;
}

#define CONVOY_LINEAR(T)                                                                                    \
  template std::unique_ptr<const NeuralNetwork<T>> make_linear_network<T>(std::size_t, LinearLoss, double); \
  template double add_l2<T>(double, const Layout&, std::span<const T>, std::span<T>);
CONVOY_LINEAR(float)
CONVOY_LINEAR(double)
#undef CONVOY_LINEAR

}  // namespace convoy::detail
