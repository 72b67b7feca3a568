// Models: from a declared architecture to a network that computes losses and gradients over flat parameters.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"
#include "learning/layout.hpp"
#include "learning/vector.hpp"

namespace convoy {

/// Sums over samples.
struct LossTotals {
  double loss = 0;
  std::size_t correct = 0;
};

/// A differentiable predictor of classes of T = float or double. Immutable and thread-safe.
template <class T>
class NeuralNetwork {
 public:
  virtual ~NeuralNetwork() = default;
  [[nodiscard]] virtual std::shared_ptr<const Layout> layout() const = 0;
  [[nodiscard]] virtual Vector initial_parameters(std::uint64_t seed) const = 0;
  /// Labels of one sample: 1, or for a model of sequences one a position.
  [[nodiscard]] virtual std::size_t labels_per_sample() const { return 1; }
  /// False for a model that predicts numbers, of which none is correct or not.
  [[nodiscard]] virtual bool has_accuracy() const { return true; }
  /// Mean loss over the labels (cross-entropy unless the model says otherwise); overwrites `gradient` with
  /// its gradient. `features` is sample after sample and 64-byte aligned.
  virtual double gradient(std::span<const T> parameters, const T* features,
                          std::span<const std::uint8_t> labels, std::span<T> gradient) const = 0;
  /// Summed loss, without a penalty of weights, and correct predictions (ties go to the lower class).
  [[nodiscard]] virtual LossTotals evaluate(std::span<const T> parameters, const T* features,
                                            std::span<const std::uint8_t> labels) const = 0;
  [[nodiscard]] virtual double flops_per_sample() const = 0;
  [[nodiscard]] virtual std::size_t activations_per_sample() const = 0;
};

/// What a model takes: numbers, or the characters of a text.
enum class ModelInput { features, text };

/// An architecture with its options; immutable once they are read.
class Model {
 public:
  virtual ~Model() = default;
  [[nodiscard]] virtual std::string_view kind() const = 0;
  [[nodiscard]] virtual std::string_view about() const = 0;
  virtual void declare(Options& options) = 0;
  [[nodiscard]] virtual ModelInput input() const { return ModelInput::features; }
  /// Characters of a sample, which are the `inputs` of a model of text; 0 for others.
  [[nodiscard]] virtual std::size_t context() const { return 0; }
  /// "mlp 784-128-10 relu"
  [[nodiscard]] virtual std::string describe(std::size_t inputs, std::size_t classes) const = 0;
  /// Both throw ConfigError if the model does not fit samples of `inputs` values.
  [[nodiscard]] virtual std::unique_ptr<const NeuralNetwork<float>> build_float32(
      std::size_t inputs, std::size_t classes) const = 0;
  [[nodiscard]] virtual std::unique_ptr<const NeuralNetwork<double>> build_float64(
      std::size_t inputs, std::size_t classes) const = 0;
};

/// linear_regression, logistic_regression, softmax_regression, mlp, cnn, resnet, char_gpt, char_lstm.
[[nodiscard]] VariantMakers<Model> model_makers();

}  // namespace convoy
