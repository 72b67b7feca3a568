// Pooling of images, stored channel by channel, row by row.
#pragma once

#include "learning/layers/convolution.hpp"

namespace convoy::layers {

/// The largest value of each window; of several the first takes the derivative. The window may not be padded.
template <class T>
class MaxPool final : public Layer<T> {
 public:
  /// Throws std::logic_error if the window does not fit the image.
  MaxPool(ImageShape image, Window window);

  [[nodiscard]] ImageShape result() const { return result_; }
  [[nodiscard]] std::size_t inputs() const override { return image_.size(); }
  [[nodiscard]] std::size_t outputs() const override { return result_.size(); }
  [[nodiscard]] bool reads_output() const override { return true; }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;

 private:
  [[nodiscard]] bool halves() const;
  ImageShape image_, result_;
  Window window_;
};

/// The mean of each window, on the same terms; a window as large as the image is global average pooling.
template <class T>
class AveragePool final : public Layer<T> {
 public:
  AveragePool(ImageShape image, Window window);

  [[nodiscard]] ImageShape result() const { return result_; }
  [[nodiscard]] std::size_t inputs() const override { return image_.size(); }
  [[nodiscard]] std::size_t outputs() const override { return result_.size(); }
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;

 private:
  ImageShape image_, result_;
  Window window_;
};

}  // namespace convoy::layers
