// Functions of single values.
#pragma once

#include "learning/layers/layer.hpp"

namespace convoy::layers {

/// max(x, 0); NaN stays.
template <class T>
class Relu final : public Layer<T> {
 public:
  explicit Relu(std::size_t width) : width_(width) {}

  [[nodiscard]] std::size_t inputs() const override { return width_; }
  [[nodiscard]] std::size_t outputs() const override { return width_; }
  [[nodiscard]] bool in_place() const override { return true; }
  [[nodiscard]] bool reads_output() const override { return true; }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;

 private:
  std::size_t width_;
};

/// x Phi(x) with the tanh form of the normal distribution function,
/// x / (1 + exp(-2 sqrt(2/pi) (x + 0.044715 x^3))) (Hendrycks and Gimpel, arXiv 1606.08415, section 2).
template <class T>
class Gelu final : public Layer<T> {
 public:
  explicit Gelu(std::size_t width) : width_(width) {}

  [[nodiscard]] std::size_t inputs() const override { return width_; }
  [[nodiscard]] std::size_t outputs() const override { return width_; }
  [[nodiscard]] std::size_t kept(std::size_t samples) const override { return samples * width_; }
  [[nodiscard]] std::size_t activations() const override { return 2 * width_; }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;

 private:
  std::size_t width_;
};

}  // namespace convoy::layers
