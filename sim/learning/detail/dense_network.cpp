#include "learning/detail/dense_network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

#include "core/random.hpp"
#include "learning/detail/cross_entropy.hpp"
#include "learning/detail/gemm.hpp"
#include "learning/detail/linear_network.hpp"
#include "learning/detail/scratch.hpp"
#include "learning/detail/softmax.hpp"
#include "learning/numerics.hpp"

namespace convoy::detail {
namespace {

// Slots of the thread's scratch memory; hidden layer l has its activations at first_layer + l. Slot 0 is the
// caller's (features).
enum Slot : std::size_t { delta_slot = 1, other_delta_slot, logits_slot, samples_slot, first_layer };

template <class T>
class DenseNetwork final : public NeuralNetwork<T> {
 public:
  DenseNetwork(std::vector<std::size_t> widths, double l2) : widths_(std::move(widths)), l2_(l2) {
    if (widths_.size() < 2) throw std::logic_error("a dense network needs inputs and outputs");
    pin_numerics();
    auto layout = std::make_shared<Layout>();
    for (std::size_t l = 1; l < widths_.size(); ++l) {
      const std::string name = "dense" + std::to_string(l);
      layout->add_matrix(name + ".weight", widths_[l], widths_[l - 1]);
      layout->add_vector(name + ".bias", widths_[l]);
    }
    layout_ = std::move(layout);
  }

  [[nodiscard]] std::shared_ptr<const Layout> layout() const override { return layout_; }

  // Weights before a ReLU: uniform in +-sqrt(6 / inputs), variance 2 / inputs (He et al., ICCV 2015, eq. 10).
  // Weights before the softmax: uniform in +-sqrt(6 / (inputs + outputs)) (Glorot and Bengio, AISTATS 2010,
  // eq. 16). Biases 0.
  [[nodiscard]] Vector initial_parameters(std::uint64_t seed) const override {
    Vector result(layout_, precision_of<T>);
    for (std::size_t l = 1; l < widths_.size(); ++l) {
      RandomStream stream(seed, "initial parameters", l);
      const double inputs = static_cast<double>(widths_[l - 1]);
      const double outputs = static_cast<double>(widths_[l]);
      const bool last = l + 1 == widths_.size();
      const double bound = std::sqrt(6 / (last ? inputs + outputs : inputs));
      for (T& weight : result.mutable_layer<T>(2 * (l - 1))) {
        weight = static_cast<T>(bound * (2 * stream.uniform() - 1));
      }
    }
    return result;
  }

  double gradient(std::span<const T> parameters, const T* features, std::span<const std::uint8_t> labels,
                  std::span<T> gradient) const override {
    const std::size_t samples = labels.size();
    Scratch& scratch = Scratch::of_this_thread();
    forward(scratch, parameters.data(), features, samples);
    const double loss =
        cross_entropy_gradient(logits(scratch, samples), classes(), labels, T(1) / static_cast<T>(samples),
                               loss_memory(scratch, samples)) /
        static_cast<double>(samples);
    backward(scratch, parameters.data(), features, samples, gradient.data());
    return loss + add_l2(l2_, *layout_, parameters, gradient);
  }

  [[nodiscard]] LossTotals evaluate(std::span<const T> parameters, const T* features,
                                    std::span<const std::uint8_t> labels) const override {
    Scratch& scratch = Scratch::of_this_thread();
    forward(scratch, parameters.data(), features, labels.size());
    return cross_entropy_totals(logits(scratch, labels.size()), classes(), labels,
                                loss_memory(scratch, labels.size()));
  }

  // Forward: 2 inputs outputs a layer. Backward: as much for the weights, and as much for the layer's inputs,
  // which the first layer does not need.
  [[nodiscard]] double flops_per_sample() const override {
    double flops = 0;
    for (std::size_t l = 1; l < widths_.size(); ++l) {
      flops += (l == 1 ? 4.0 : 6.0) * static_cast<double>(widths_[l]) * static_cast<double>(widths_[l - 1]);
    }
    return flops;
  }

  [[nodiscard]] std::size_t activations_per_sample() const override {
    std::size_t sum = 0;
    for (const std::size_t width : widths_) sum += width;
    return sum;
  }

 private:
  [[nodiscard]] std::size_t depth() const { return widths_.size() - 1; }
  [[nodiscard]] std::size_t classes() const { return widths_.back(); }
  [[nodiscard]] const LayerSpan& weight(std::size_t l) const { return layout_->layers[2 * (l - 1)]; }
  [[nodiscard]] const LayerSpan& bias(std::size_t l) const { return layout_->layers[2 * (l - 1) + 1]; }

  [[nodiscard]] Factor<T> weights(const T* parameters, std::size_t l, bool transposed) const {
    return {parameters + weight(l).offset, widths_[l - 1], transposed};
  }

  // What layer l reads: the features, or the activations of hidden layer l - 1.
  [[nodiscard]] const T* inputs(Scratch& scratch, const T* features, std::size_t samples,
                                std::size_t l) const {
    return l == 1 ? features : scratch.get<T>(first_layer + l - 1, widths_[l - 1] * samples);
  }

  [[nodiscard]] T* logits(Scratch& scratch, std::size_t samples) const {
    return scratch.get<T>(logits_slot, padded(classes() * samples));
  }

  [[nodiscard]] T* loss_memory(Scratch& scratch, std::size_t samples) const {
    return scratch.get<T>(samples_slot, cross_entropy_memory(samples));
  }

  // Fills the activations of the hidden layers, sample after sample, and the logits, class after class.
  void forward(Scratch& scratch, const T* parameters, const T* features, std::size_t samples) const {
    for (std::size_t l = 1; l <= depth(); ++l) {
      const T* const input = inputs(scratch, features, samples, l);
      const std::size_t width = widths_[l - 1];
      const std::size_t outputs = widths_[l];
      const T* const b = parameters + bias(l).offset;
      if (l < depth()) {
        T* const values = scratch.get<T>(first_layer + l, outputs * samples);
        for (std::size_t i = 0; i < samples; ++i) std::copy(b, b + outputs, values + i * outputs);
        multiply_add(samples, outputs, width, {input, width}, weights(parameters, l, true), values, outputs);
        relu(values, outputs * samples);
      } else {
        T* const values = logits(scratch, samples);
        for (std::size_t c = 0; c < outputs; ++c) std::fill_n(values + c * samples, samples, b[c]);
        multiply_add(outputs, samples, width, weights(parameters, l, false), {input, width, true}, values,
                     samples);
      }
    }
  }

  void backward(Scratch& scratch, const T* parameters, const T* features, std::size_t samples,
                T* gradient) const {
    // The last layer's delta stands class after class (the logits), the others' sample after sample.
    const T* delta = logits(scratch, samples);
    for (std::size_t l = depth(); l >= 1; --l) {
      const std::size_t outputs = widths_[l];
      const std::size_t width = widths_[l - 1];
      const T* const input = inputs(scratch, features, samples, l);
      const bool by_class = l == depth();
      const std::size_t stride = by_class ? samples : outputs;
      multiply(outputs, width, samples, {delta, stride, !by_class}, {input, width},
               gradient + weight(l).offset, width);
      if (by_class) {
        sum_rows(delta, outputs, samples, gradient + bias(l).offset);
      } else {
        sum_columns(delta, outputs, samples, gradient + bias(l).offset);
      }
      if (l == 1) break;
      T* const next = scratch.get<T>(l % 2 == 0 ? delta_slot : other_delta_slot, width * samples);
      multiply(samples, width, outputs, {delta, stride, by_class}, weights(parameters, l, false), next,
               width);
      mask_inactive(next, input, width * samples);
      delta = next;
    }
  }

  std::vector<std::size_t> widths_;
  double l2_;
  std::shared_ptr<const Layout> layout_;
};

}  // namespace

template <class T>
std::unique_ptr<const NeuralNetwork<T>> make_dense_network(std::vector<std::size_t> widths, double l2) {
  return std::make_unique<DenseNetwork<T>>(std::move(widths), l2);
}

template std::unique_ptr<const NeuralNetwork<float>> make_dense_network<float>(
    std::vector<std::size_t> widths, double l2);
template std::unique_ptr<const NeuralNetwork<double>> make_dense_network<double>(
    std::vector<std::size_t> widths, double l2);

}  // namespace convoy::detail
