// Normalisation within a sample, with a learned scale and shift; no statistics over samples, so that workers
// share nothing and one sample is as good as many. eps = 1e-5 is added to each variance, which divides by the
// number of values.
#pragma once

#include "learning/layers/layer.hpp"

namespace convoy::layers {

/// Over the `width` values of each position (Ba, Kiros and Hinton, arXiv 1607.06450); tensors "weight" and
/// "bias" have one entry a value.
template <class T>
class LayerNorm final : public Layer<T> {
 public:
  explicit LayerNorm(std::size_t width, std::size_t positions = 1) : width_(width), positions_(positions) {}

  [[nodiscard]] std::size_t inputs() const override { return width_ * positions_; }
  [[nodiscard]] std::size_t outputs() const override { return width_ * positions_; }
  void lay_out(Layout& layout, const std::string& name) override;
  void initialise(T* parameters, std::uint64_t seed) const override;
  [[nodiscard]] std::size_t kept(std::size_t samples) const override { return 2 * samples * positions_; }
  [[nodiscard]] std::size_t activations() const override { return (width_ + 2) * positions_; }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;

 private:
  std::size_t width_, positions_;
  std::size_t weight_ = 0, bias_ = 0;
};

/// Over groups of neighbouring channels of an image (Wu and He, ECCV 2018); "weight" and "bias" have one
/// entry a channel. `pixels` values a channel; `groups` must divide `channels`.
template <class T>
class GroupNorm final : public Layer<T> {
 public:
  struct Shape {
    std::size_t channels = 0, pixels = 0, groups = 1;
  };
  explicit GroupNorm(Shape shape);

  [[nodiscard]] std::size_t inputs() const override { return shape_.channels * shape_.pixels; }
  [[nodiscard]] std::size_t outputs() const override { return inputs(); }
  void lay_out(Layout& layout, const std::string& name) override;
  void initialise(T* parameters, std::uint64_t seed) const override;
  [[nodiscard]] std::size_t kept(std::size_t samples) const override { return 2 * samples * shape_.groups; }
  [[nodiscard]] std::size_t activations() const override { return outputs() + 2 * shape_.groups; }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;

 private:
  Shape shape_;
  std::size_t weight_ = 0, bias_ = 0;
};

}  // namespace convoy::layers
