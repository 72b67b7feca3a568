#include "learning/detail/layered_network.hpp"

#include <algorithm>
#include <stdexcept>

#include "learning/detail/cross_entropy.hpp"
#include "learning/detail/scratch.hpp"
#include "learning/numerics.hpp"

namespace convoy::detail {
namespace {

enum Slot : std::size_t { kept_slot = 1, layer_scratch_slot, exit_slot, logits_slot, loss_slot };

// Half of the second-level cache that numerics are pinned to.
constexpr std::size_t cache_bytes = 256 << 10;

template <class T>
void transpose(const T* values, std::size_t rows, std::size_t cols, T* out) {
  for (std::size_t c = 0; c < cols; ++c) {
    for (std::size_t r = 0; r < rows; ++r) out[c * rows + r] = values[r * cols + c];
  }
}

template <class T>
class LayeredNetwork final : public NeuralNetwork<T> {
 public:
  LayeredNetwork(std::unique_ptr<layers::Sequential<T>> body, LayeredShape shape)
      : body_(std::move(body)), shape_(shape) {
    pin_numerics();
    if (body_->outputs() != shape_.classes * shape_.labels_per_sample) {
      throw std::logic_error("a network whose exit is not a logit for each class and label");
    }
    auto layout = std::make_shared<Layout>();
    body_->lay_out(*layout, "");
    layout_ = std::move(layout);
    const std::size_t bytes = std::max<std::size_t>(1, body_->kept(1) * sizeof(T));
    part_ = std::max(shape_.least_samples, cache_bytes / bytes);
  }

  [[nodiscard]] std::shared_ptr<const Layout> layout() const override { return layout_; }
  [[nodiscard]] std::size_t labels_per_sample() const override { return shape_.labels_per_sample; }

  [[nodiscard]] Vector initial_parameters(std::uint64_t seed) const override {
    Vector result(layout_, precision_of<T>);
    body_->initialise(result.mutable_values<T>().data(), seed);
    return result;
  }

  double gradient(std::span<const T> parameters, const T* features, std::span<const std::uint8_t> labels,
                  std::span<T> gradient) const override {
    std::fill(gradient.begin(), gradient.end(), T(0));
    const T share = T(1) / static_cast<T>(labels.size());
    double loss = 0;
    for_each_part(parameters, features, labels, [&](const Part& part) {
      loss += cross_entropy_gradient(part.logits, shape_.classes, part.labels, share, part.loss_memory);
      // The exit takes the derivatives; no layer that reads its output ends a network of logits.
      transpose(part.logits, shape_.classes, part.labels.size(), part.exit);
      body_->backward(part.call, part.features, part.exit, part.exit, nullptr, gradient.data());
    });
    return loss / static_cast<double>(labels.size());
  }

  [[nodiscard]] LossTotals evaluate(std::span<const T> parameters, const T* features,
                                    std::span<const std::uint8_t> labels) const override {
    LossTotals sum;
    for_each_part(parameters, features, labels, [&](const Part& part) {
      const LossTotals totals =
          cross_entropy_totals(part.logits, shape_.classes, part.labels, part.loss_memory);
      sum.loss += totals.loss;
      sum.correct += totals.correct;
    });
    return sum;
  }

  [[nodiscard]] double flops_per_sample() const override { return body_->flops(false); }
  [[nodiscard]] std::size_t activations_per_sample() const override {
    return body_->inputs() + body_->activations();
  }

 private:
  /// Samples that went through the layers, up to their logits, stored class by class.
  struct Part {
    layers::Call<T> call;
    const T* features;
    std::span<const std::uint8_t> labels;
    T* exit;
    T* logits;
    T* loss_memory;
  };

  template <class F>
  void for_each_part(std::span<const T> parameters, const T* features, std::span<const std::uint8_t> labels,
                     F f) const {
    const std::size_t samples = labels.size() / shape_.labels_per_sample;
    const std::size_t most = std::min(part_, samples);
    const std::size_t most_labels = most * shape_.labels_per_sample;
    Scratch& memory = Scratch::of_this_thread();
    Part part{};
    part.exit = memory.get<T>(exit_slot, most * body_->outputs());
    part.logits = memory.get<T>(logits_slot, padded(shape_.classes * most_labels));
    part.loss_memory = memory.get<T>(loss_slot, cross_entropy_memory(most_labels));
    part.call = {most, parameters.data(), memory.get<T>(kept_slot, body_->kept(most)),
                 memory.get<T>(layer_scratch_slot, body_->scratch(most))};
    for (std::size_t first = 0; first < samples; first += most) {
      part.call.samples = std::min(most, samples - first);
      part.features = features + first * body_->inputs();
      part.labels =
          labels.subspan(first * shape_.labels_per_sample, part.call.samples * shape_.labels_per_sample);
      body_->forward(part.call, part.features, part.exit);
      transpose(part.exit, part.labels.size(), shape_.classes, part.logits);
      f(part);
    }
  }

  std::unique_ptr<layers::Sequential<T>> body_;
  LayeredShape shape_;
  std::shared_ptr<const Layout> layout_;
  std::size_t part_ = 1;
};

}  // namespace

template <class T>
std::unique_ptr<const NeuralNetwork<T>> make_layered_network(std::unique_ptr<layers::Sequential<T>> body,
                                                             LayeredShape shape) {
  if (body->reads_output()) throw std::logic_error("a network whose last layer reads its output");
  return std::make_unique<LayeredNetwork<T>>(std::move(body), shape);
}

template std::unique_ptr<const NeuralNetwork<float>> make_layered_network<float>(
    std::unique_ptr<layers::Sequential<float>>, LayeredShape);
template std::unique_ptr<const NeuralNetwork<double>> make_layered_network<double>(
    std::unique_ptr<layers::Sequential<double>>, LayeredShape);

}  // namespace convoy::detail
