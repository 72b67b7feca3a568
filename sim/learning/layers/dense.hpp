// Fully connected layers, applied to each position of a sample.
#pragma once

#include "learning/layers/embedding.hpp"
#include "learning/layers/layer.hpp"

namespace convoy::layers {

/// y = W x + b at each of `positions` positions; tensors "weight" (outputs x inputs) and "bias".
template <class T>
class Dense final : public Layer<T> {
 public:
  struct Shape {
    std::size_t inputs = 0, outputs = 0, positions = 1;
  };
  Dense(Shape shape, Initial initial) : shape_(shape), initial_(initial) {}

  [[nodiscard]] std::size_t inputs() const override { return shape_.inputs * shape_.positions; }
  [[nodiscard]] std::size_t outputs() const override { return shape_.outputs * shape_.positions; }
  void lay_out(Layout& layout, const std::string& name) override;
  void initialise(T* parameters, std::uint64_t seed) const override;
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;
  [[nodiscard]] double flops(bool with_inputs) const override;

 private:
  Shape shape_;
  Initial initial_;
  std::size_t weight_ = 0, bias_ = 0;
};

/// y = E x with the token embedding E of another layer, which must outlive this one and be laid out before
/// (Press and Wolf, EACL 2017).
template <class T>
class TiedHead final : public Layer<T> {
 public:
  explicit TiedHead(const Embedding<T>& embedding) : embedding_(embedding) {}

  [[nodiscard]] std::size_t inputs() const override { return embedding_.outputs(); }
  [[nodiscard]] std::size_t outputs() const override {
    return embedding_.shape().positions * embedding_.shape().vocabulary;
  }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;
  [[nodiscard]] double flops(bool with_inputs) const override;

 private:
  const Embedding<T>& embedding_;
};

}  // namespace convoy::layers
