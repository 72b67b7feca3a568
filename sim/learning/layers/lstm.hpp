// Long short-term memory.
#pragma once

#include "learning/layers/layer.hpp"

namespace convoy::layers {

/// The recurrent layer of Hochreiter and Schmidhuber (Neural Computation 9 (1997)) with a forget gate (Gers
/// et al., 2000), from a zero state, over all positions of a sample:
///   (i, f, g, o) = W x_t + U h_{t-1} + b;  c_t = sigmoid(f) c_{t-1} + sigmoid(i) tanh(g);  h_t = sigmoid(o)
///   tanh(c_t)
/// Tensors "input" W (4 width x inputs), "recurrent" U (4 width x width), "bias" b, which starts at 1 for the
/// forget gate (Jozefowicz et al., ICML 2015) and 0 elsewhere.
template <class T>
class Lstm final : public Layer<T> {
 public:
  struct Shape {
    std::size_t inputs = 0, width = 0, positions = 1;
  };
  Lstm(Shape shape, Initial initial) : shape_(shape), initial_(initial) {}

  [[nodiscard]] std::size_t inputs() const override { return shape_.inputs * shape_.positions; }
  [[nodiscard]] std::size_t outputs() const override { return shape_.width * shape_.positions; }
  void lay_out(Layout& layout, const std::string& name) override;
  void initialise(T* parameters, std::uint64_t seed) const override;
  [[nodiscard]] std::size_t kept(std::size_t samples) const override;
  [[nodiscard]] std::size_t scratch(std::size_t samples) const override;
  [[nodiscard]] bool reads_output() const override { return true; }
  [[nodiscard]] std::size_t activations() const override { return 7 * outputs(); }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;
  [[nodiscard]] double flops(bool with_inputs) const override;

 private:
  Shape shape_;
  Initial initial_;
  std::size_t input_ = 0, recurrent_ = 0, bias_ = 0;
};

}  // namespace convoy::layers
