#include "learning/detail/dense_network.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>
#include <string>

#include "core/random.hpp"
#include "learning/detail/scratch.hpp"
#include "learning/detail/softmax.hpp"
#include "learning/numerics.hpp"

namespace convoy::detail {
namespace {

using Eigen::Index;

// Matrices over flat memory. ByColumn: samples are columns, so that the values of one sample are contiguous.
// ByRow: weights, and the logits with their gradient, whose loops run over samples.
template <class T>
using ByColumn = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>>;
template <class T>
using ByRow = Eigen::Map<Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;
template <class T>
using ConstByColumn = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::ColMajor>>;
template <class T>
using ConstByRow = Eigen::Map<const Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>;

// exp of each value with Eigen's vector polynomial: the array is aligned and its length rounded up to whole
// vectors, so that no element ever takes the scalar route, whose bits are the C library's.
constexpr std::size_t exp_block = 16;
constexpr std::size_t padded(std::size_t size) {
  return (size + exp_block - 1) / exp_block * exp_block;
}

template <class T>
void exponentiate(T* values, std::size_t size) {
  std::fill(values + size, values + padded(size), T(0));
  Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>, Eigen::Aligned64> all(values,
                                                                       static_cast<Index>(padded(size)));
  all = all.exp();
}

// Slots of the thread's scratch memory; hidden layer l has its activations at first_layer + l. Slot 0 is the
// caller's (features).
enum Slot : std::size_t { delta_slot = 1, other_delta_slot, logits_slot, samples_slot, first_layer };

template <class T>
class DenseNetwork final : public NeuralNetwork<T> {
 public:
  explicit DenseNetwork(std::vector<std::size_t> widths) : widths_(std::move(widths)) {
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
    const double loss = softmax_gradient(scratch, labels) / static_cast<double>(samples);
    backward(scratch, parameters.data(), features, samples, gradient.data());
    return loss;
  }

  [[nodiscard]] LossTotals evaluate(std::span<const T> parameters, const T* features,
                                    std::span<const std::uint8_t> labels) const override {
    Scratch& scratch = Scratch::of_this_thread();
    forward(scratch, parameters.data(), features, labels.size());
    return totals(scratch, labels);
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

  [[nodiscard]] ConstByRow<T> weights(const T* parameters, std::size_t l) const {
    return {parameters + weight(l).offset, static_cast<Index>(widths_[l]),
            static_cast<Index>(widths_[l - 1])};
  }

  // What layer l reads: the features, or the activations of hidden layer l - 1.
  [[nodiscard]] ConstByColumn<T> inputs(Scratch& scratch, const T* features, std::size_t samples,
                                        std::size_t l) const {
    const T* values = l == 1 ? features : scratch.get<T>(first_layer + l - 1, widths_[l - 1] * samples);
    return {values, static_cast<Index>(widths_[l - 1]), static_cast<Index>(samples)};
  }

  [[nodiscard]] T* logits(Scratch& scratch, std::size_t samples) const {
    return scratch.get<T>(logits_slot, padded(classes() * samples));
  }

  // Fills the activations of the hidden layers and the logits.
  void forward(Scratch& scratch, const T* parameters, const T* features, std::size_t samples) const {
    const auto count = static_cast<Index>(samples);
    for (std::size_t l = 1; l <= depth(); ++l) {
      const ConstByColumn<T> input = inputs(scratch, features, samples, l);
      const std::size_t outputs = widths_[l];
      const T* const b = parameters + bias(l).offset;
      if (l < depth()) {
        T* const values = scratch.get<T>(first_layer + l, outputs * samples);
        for (std::size_t i = 0; i < samples; ++i) std::copy(b, b + outputs, values + i * outputs);
        ByColumn<T>(values, static_cast<Index>(outputs), count).noalias() += weights(parameters, l) * input;
        relu(values, outputs * samples);
      } else {
        T* const values = logits(scratch, samples);
        for (std::size_t c = 0; c < outputs; ++c) std::fill_n(values + c * samples, samples, b[c]);
        ByRow<T>(values, static_cast<Index>(outputs), count).noalias() += weights(parameters, l) * input;
      }
    }
  }

  struct PerSample {
    T* maximum;  ///< largest logit, then the sum of exponentials
    T* spoiled;  ///< NaN where a logit is not finite, else 0
    T* chosen;   ///< logit of the label minus the largest
  };

  // Subtracts the largest logit of each sample and keeps what the loss needs.
  [[nodiscard]] PerSample shift_logits(Scratch& scratch, std::span<const std::uint8_t> labels) const {
    const std::size_t samples = labels.size();
    T* const values = logits(scratch, samples);
    T* const memory = scratch.get<T>(samples_slot, 3 * padded(samples));
    const PerSample each{memory, memory + padded(samples), memory + 2 * padded(samples)};
    shift_by_maximum(values, classes(), samples, each.maximum, each.spoiled);
    for (std::size_t i = 0; i < samples; ++i)
      each.chosen[i] = values[labels[i] * samples + i] + each.spoiled[i];
    return each;
  }

  // Shifted logits become their exponentials. Returns the cross-entropy summed over samples.
  double exponentiate_logits(Scratch& scratch, const PerSample& each, std::size_t samples) const {
    T* const values = logits(scratch, samples);
    exponentiate(values, classes() * samples);
    sum_classes(values, classes(), samples, each.maximum);
    double loss = 0;
    for (std::size_t i = 0; i < samples; ++i) {
      loss += std::log(static_cast<double>(each.maximum[i])) - static_cast<double>(each.chosen[i]);
    }
    return loss;
  }

  // Cross-entropy summed over samples; leaves (softmax - one-hot) / samples in the logits.
  double softmax_gradient(Scratch& scratch, std::span<const std::uint8_t> labels) const {
    const std::size_t samples = labels.size();
    const PerSample each = shift_logits(scratch, labels);
    const double loss = exponentiate_logits(scratch, each, samples);
    T* const values = logits(scratch, samples);
    const T share = T(1) / static_cast<T>(samples);
    for (std::size_t i = 0; i < samples; ++i) each.maximum[i] = share / each.maximum[i] + each.spoiled[i];
    scale_samples(values, classes(), samples, each.maximum);
    for (std::size_t i = 0; i < samples; ++i) values[labels[i] * samples + i] -= share;
    return loss;
  }

  [[nodiscard]] LossTotals totals(Scratch& scratch, std::span<const std::uint8_t> labels) const {
    const std::size_t samples = labels.size();
    const PerSample each = shift_logits(scratch, labels);
    const T* const shifted = logits(scratch, samples);
    LossTotals result;
    for (std::size_t i = 0; i < samples; ++i) {
      bool correct = each.chosen[i] == 0;
      for (std::size_t c = 0; correct && c < labels[i]; ++c) correct = shifted[c * samples + i] != 0;
      result.correct += correct ? 1 : 0;
    }
    result.loss = exponentiate_logits(scratch, each, samples);
    return result;
  }

  void backward(Scratch& scratch, const T* parameters, const T* features, std::size_t samples,
                T* gradient) const {
    const auto count = static_cast<Index>(samples);
    // The last layer's delta is stored by row (the logits), the others' by column.
    const T* delta = logits(scratch, samples);
    for (std::size_t l = depth(); l >= 1; --l) {
      const auto outputs = static_cast<Index>(widths_[l]);
      const auto width = static_cast<Index>(widths_[l - 1]);
      const ConstByColumn<T> input = inputs(scratch, features, samples, l);
      ByRow<T> weight_gradient(gradient + weight(l).offset, outputs, width);
      T* const bias_gradient = gradient + bias(l).offset;
      T* const next =
          l == 1 ? nullptr
                 : scratch.get<T>(l % 2 == 0 ? delta_slot : other_delta_slot, widths_[l - 1] * samples);
      const auto propagate = [&](const auto& delta_matrix) {
        weight_gradient.noalias() = delta_matrix * input.transpose();
        if (next != nullptr) {
          ByColumn<T>(next, width, count).noalias() = weights(parameters, l).transpose() * delta_matrix;
        }
      };
      if (l == depth()) {
        propagate(ConstByRow<T>(delta, outputs, count));
        sum_rows(delta, widths_[l], samples, bias_gradient);
      } else {
        propagate(ConstByColumn<T>(delta, outputs, count));
        sum_columns(delta, widths_[l], samples, bias_gradient);
      }
      if (next != nullptr) mask_inactive(next, input.data(), widths_[l - 1] * samples);
      delta = next;
    }
  }

  std::vector<std::size_t> widths_;
  std::shared_ptr<const Layout> layout_;
};

}  // namespace

template <class T>
std::unique_ptr<const NeuralNetwork<T>> make_dense_network(std::vector<std::size_t> widths) {
  return std::make_unique<DenseNetwork<T>>(std::move(widths));
}

template std::unique_ptr<const NeuralNetwork<float>> make_dense_network<float>(
    std::vector<std::size_t> widths);
template std::unique_ptr<const NeuralNetwork<double>> make_dense_network<double>(
    std::vector<std::size_t> widths);

}  // namespace convoy::detail
