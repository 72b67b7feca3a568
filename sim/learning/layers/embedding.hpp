// Tokens to vectors.
#pragma once

#include "learning/layers/layer.hpp"

namespace convoy::layers {

/// Row x_t of "weight" (vocabulary x width) for the token x_t at position t, plus row t of "position"
/// (positions x width) if there is one. Tokens are whole numbers in [0, vocabulary), as values of T.
template <class T>
class Embedding final : public Layer<T> {
 public:
  struct Shape {
    std::size_t vocabulary = 0, width = 0, positions = 1;
    bool learned_positions = false;
  };
  Embedding(Shape shape, Initial initial) : shape_(shape), initial_(initial) {}

  [[nodiscard]] const Shape& shape() const { return shape_; }
  [[nodiscard]] std::size_t weight_offset() const { return weight_; }

  [[nodiscard]] std::size_t inputs() const override { return shape_.positions; }
  [[nodiscard]] std::size_t outputs() const override { return shape_.positions * shape_.width; }
  void lay_out(Layout& layout, const std::string& name) override;
  void initialise(T* parameters, std::uint64_t seed) const override;
  void forward(const Call<T>& call, const T* x, T* y) const override;
  /// Tokens have no derivatives: `dx` must be null.
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;

 private:
  Shape shape_;
  Initial initial_;
  std::size_t weight_ = 0, position_ = 0;
};

}  // namespace convoy::layers
