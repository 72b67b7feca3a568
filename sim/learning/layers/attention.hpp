// Causal self-attention.
#pragma once

#include "learning/layers/layer.hpp"

namespace convoy::layers {

/// Each position holds query, key and value, `width` values each; head h owns the h-th part of each. A
/// position attends to itself and those before it with weights softmax(q k / sqrt(width / heads)) (Vaswani et
/// al., NeurIPS 2017). No tensors: the projections around it are Dense layers.
template <class T>
class CausalAttention final : public Layer<T> {
 public:
  struct Shape {
    std::size_t width = 0, heads = 1, positions = 1;
  };
  /// Throws std::logic_error unless `heads` divides `width`.
  explicit CausalAttention(Shape shape);

  [[nodiscard]] std::size_t inputs() const override { return 3 * outputs(); }
  [[nodiscard]] std::size_t outputs() const override { return shape_.positions * shape_.width; }
  [[nodiscard]] std::size_t kept(std::size_t samples) const override;
  [[nodiscard]] std::size_t scratch(std::size_t samples) const override;
  [[nodiscard]] std::size_t activations() const override { return outputs() + kept(1); }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;
  [[nodiscard]] double flops(bool with_inputs) const override;

 private:
  [[nodiscard]] std::size_t head_width() const { return shape_.width / shape_.heads; }
  [[nodiscard]] T scale() const;
  Shape shape_;
};

}  // namespace convoy::layers
