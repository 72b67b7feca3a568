#include "learning/layers/convolution.hpp"

#include <algorithm>
#include <stdexcept>

#include "learning/detail/gemm.hpp"

namespace convoy::layers {
namespace {

/// The places ox in [first, last) of a row where tap kx stands inside the image.
struct Inside {
  std::size_t first, last;

  Inside(const Window& window, std::size_t tap, std::size_t length, std::size_t places) {
    const std::size_t missing = window.padding > tap ? window.padding - tap : 0;
    first = std::min(places, (missing + window.stride - 1) / window.stride);
    const std::size_t reach = length + window.padding;  // ox stride + tap < reach
    last = reach > tap ? std::min(places, (reach - tap + window.stride - 1) / window.stride) : 0;
    last = std::max(first, last);
  }
};

/// Calls row(image row or null, columns of that output row, inside, column of the image at place `first`) for
/// each output row of each tap.
template <class F>
void for_each_tap_row(const ImageShape& image, const ImageShape& result, const Window& window, F row) {
  std::size_t tap = 0;
  for (std::size_t c = 0; c < image.channels; ++c) {
    for (std::size_t ky = 0; ky < window.side; ++ky) {
      const Inside rows(window, ky, image.height, result.height);
      for (std::size_t kx = 0; kx < window.side; ++kx, ++tap) {
        const Inside columns(window, kx, image.width, result.width);
        for (std::size_t oy = 0; oy < result.height; ++oy) {
          const bool inside = oy >= rows.first && oy < rows.last && columns.first < columns.last;
          const std::size_t from =
              inside ? (c * image.height + oy * window.stride + ky - window.padding) * image.width +
                           columns.first * window.stride + kx - window.padding
                     : 0;
          row(inside, from, tap * result.pixels() + oy * result.width, columns);
        }
      }
    }
  }
}

}  // namespace

template <class T>
Convolution<T>::Convolution(ImageShape image, std::size_t filters, Window window, Initial initial,
                            bool biased)
    : image_(image),
      result_{filters, window.places(image.height), window.places(image.width)},
      window_(window),
      initial_(initial),
      biased_(biased) {
  if (window_.stride == 0 || result_.size() == 0) throw std::logic_error("a convolution without places");
}

template <class T>
void Convolution<T>::lay_out(Layout& layout, const std::string& name) {
  weight_ = layout.size;
  layout.add_matrix(name + ".weight", result_.channels, taps());
  bias_ = layout.size;
  if (biased_) layout.add_vector(name + ".bias", result_.channels);
}

template <class T>
void Convolution<T>::initialise(T* parameters, std::uint64_t seed) const {
  RandomStream random = initial_stream(seed, weight_);
  initial_.fill(parameters + weight_, result_.channels * taps(), random);
}

// Columns of one sample, and their derivatives.
template <class T>
std::size_t Convolution<T>::scratch(std::size_t) const {
  return 2 * rounded(taps() * result_.pixels());
}

template <class T>
const T* Convolution<T>::unfold(const T* image, T* columns) const {
  if (window_.side == 1 && window_.stride == 1 && window_.padding == 0) return image;
  const std::size_t stride = window_.stride;
  const std::size_t width = result_.width;
  for_each_tap_row(image_, result_, window_,
                   [=](bool inside, std::size_t from, std::size_t to, const Inside& places) {
                     T* __restrict out = columns + to;
                     if (!inside) {
                       std::fill_n(out, width, T(0));
                       return;
                     }
                     const T* __restrict in = image + from;
                     for (std::size_t i = 0; i < places.first; ++i) out[i] = 0;
                     const std::size_t count = places.last - places.first;
                     out += places.first;
                     if (stride == 1) {
                       for (std::size_t i = 0; i < count; ++i) out[i] = in[i];
                     } else {
                       for (std::size_t i = 0; i < count; ++i) out[i] = in[i * stride];
                     }
                     for (std::size_t i = count; i + places.first < width; ++i) out[i] = 0;
                   });
  return columns;
}

template <class T>
void Convolution<T>::fold(const T* columns, T* image) const {
  std::fill_n(image, image_.size(), T(0));
  const std::size_t stride = window_.stride;
  for_each_tap_row(image_, result_, window_,
                   [=](bool inside, std::size_t to, std::size_t from, const Inside& places) {
                     if (!inside) return;
                     const T* __restrict in = columns + from + places.first;
                     T* __restrict out = image + to;
                     const std::size_t count = places.last - places.first;
                     if (stride == 1) {
                       for (std::size_t i = 0; i < count; ++i) out[i] += in[i];
                     } else {
                       for (std::size_t i = 0; i < count; ++i) out[i * stride] += in[i];
                     }
                   });
}

template <class T>
void Convolution<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const std::size_t pixels = result_.pixels();
  for (std::size_t s = 0; s < call.samples; ++s) {
    const T* const columns = unfold(x + s * inputs(), call.scratch);
    T* const out = y + s * outputs();
    for (std::size_t f = 0; f < result_.channels; ++f)
      std::fill_n(out + f * pixels, pixels, biased_ ? call.parameters[bias_ + f] : T(0));
    detail::multiply_add<T>(result_.channels, pixels, taps(), {call.parameters + weight_, taps()},
                            {columns, pixels}, out, pixels);
  }
}

template <class T>
void Convolution<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx,
                              T* gradient) const {
  const std::size_t pixels = result_.pixels();
  T* const derivatives = call.scratch + rounded(taps() * pixels);
  for (std::size_t s = 0; s < call.samples; ++s) {
    const T* const columns = unfold(x + s * inputs(), call.scratch);
    const T* const d = dy + s * outputs();
    detail::multiply_add<T>(result_.channels, taps(), pixels, {d, pixels}, {columns, pixels, true},
                            gradient + weight_, taps());
    for (std::size_t f = 0; biased_ && f < result_.channels; ++f) {
      T sum = 0;
      for (std::size_t i = 0; i < pixels; ++i) sum += d[f * pixels + i];
      gradient[bias_ + f] += sum;
    }
    if (dx == nullptr) continue;
    const bool direct = columns != call.scratch;  // a 1 x 1 window: columns are pixels
    T* const target = direct ? dx + s * inputs() : derivatives;
    detail::multiply<T>(taps(), pixels, result_.channels, {call.parameters + weight_, taps(), true},
                        {d, pixels}, target, pixels);
    if (!direct) fold(derivatives, dx + s * inputs());
  }
}

template <class T>
double Convolution<T>::flops(bool with_inputs) const {
  return (with_inputs ? 6.0 : 4.0) * static_cast<double>(result_.size()) * static_cast<double>(taps());
}

template class Convolution<float>;
template class Convolution<double>;

}  // namespace convoy::layers
