// Convolution and pooling of images, stored channel by channel, row by row.
#pragma once

#include "learning/layers/layer.hpp"

namespace convoy::layers {

struct ImageShape {
  std::size_t channels = 1, height = 0, width = 0;

  [[nodiscard]] std::size_t pixels() const { return height * width; }
  [[nodiscard]] std::size_t size() const { return channels * pixels(); }
};

/// A square window moved over an image with zeros around it.
struct Window {
  std::size_t side = 1, stride = 1, padding = 0;

  /// Places along an edge of that length: floor((length + 2 padding - side) / stride) + 1, or 0 if the window
  /// is too large.
  [[nodiscard]] std::size_t places(std::size_t length) const {
    const std::size_t padded = length + 2 * padding;
    return padded < side ? 0 : (padded - side) / stride + 1;
  }
};

/// Rows [first, last) of a convolution's output.
struct OutputRows {
  std::size_t first = 0, last = 0;
};

/// Cross-correlation, as the field calls convolution, by im2col and a matrix product, strip by strip; tensors
/// "weight" (filters x channels side side) and, unless
/// a normalisation that follows would take it away again, "bias".
template <class T>
class Convolution final : public Layer<T> {
 public:
  /// Throws std::logic_error if the window does not fit the image.
  Convolution(ImageShape image, std::size_t filters, Window window, Initial initial, bool biased = true);

  [[nodiscard]] ImageShape result() const { return result_; }
  [[nodiscard]] std::size_t inputs() const override { return image_.size(); }
  [[nodiscard]] std::size_t outputs() const override { return result_.size(); }
  void lay_out(Layout& layout, const std::string& name) override;
  void initialise(T* parameters, std::uint64_t seed) const override;
  [[nodiscard]] std::size_t scratch(std::size_t samples) const override;
  void forward(const Call<T>& call, const T* x, T* y) const override;
  void backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T* gradient) const override;
  [[nodiscard]] double flops(bool with_inputs) const override;

 private:
  [[nodiscard]] std::size_t taps() const { return image_.channels * window_.side * window_.side; }
  [[nodiscard]] bool direct() const;
  [[nodiscard]] std::size_t strip_height() const;
  /// One row a tap and one column a place: what the weights are multiplied with.
  void unfold(const T* image, OutputRows strip, T* columns) const;
  /// Adds columns to the pixels that they come from.
  void fold(const T* columns, OutputRows strip, T* image) const;
  /// Calls f(sample, strip) for strips that together are each sample's output.
  template <class F>
  void for_each_strip(std::size_t samples, F f) const;

  ImageShape image_, result_;
  Window window_;
  Initial initial_;
  bool biased_;
  std::size_t weight_ = 0, bias_ = 0;
};

}  // namespace convoy::layers
