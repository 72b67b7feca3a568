#include "learning/layers/convolution.hpp"

#include <algorithm>
#include <stdexcept>

#include "learning/detail/gemm.hpp"
#include "learning/detail/lane_sum.hpp"

namespace convoy::layers {
namespace {

using Strip = OutputRows;

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

/// Calls row(is there anything inside, where in the image its first place reads, where the row begins among
/// the columns, inside) for each output row of the strip, for each tap.
template <class F>
void for_each_tap_row(const ImageShape& image, const ImageShape& result, const Window& window, Strip strip,
                      F row) {
  std::size_t tap = 0;
  for (std::size_t c = 0; c < image.channels; ++c) {
    for (std::size_t ky = 0; ky < window.side; ++ky) {
      const Inside rows(window, ky, image.height, result.height);
      for (std::size_t kx = 0; kx < window.side; ++kx, ++tap) {
        const Inside columns(window, kx, image.width, result.width);
        for (std::size_t oy = strip.first; oy < strip.last; ++oy) {
          const bool inside = oy >= rows.first && oy < rows.last && columns.first < columns.last;
          const std::size_t from =
              inside ? (c * image.height + oy * window.stride + ky - window.padding) * image.width +
                           columns.first * window.stride + kx - window.padding
                     : 0;
          const std::size_t place = tap * (strip.last - strip.first) + oy - strip.first;
          row(inside, from, place * result.width, columns);
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

// Columns of one strip, and their derivatives.
template <class T>
std::size_t Convolution<T>::scratch(std::size_t) const {
  return 2 * rounded(taps() * strip_height() * result_.width);
}

// Output rows whose columns stay in a part of the second-level cache, at least one.
template <class T>
std::size_t Convolution<T>::strip_height() const {
  constexpr std::size_t bytes = 96 << 10;
  return std::clamp<std::size_t>(bytes / (taps() * result_.width * sizeof(T)), 1, result_.height);
}

// A 1 x 1 window reads pixels as they stand.
template <class T>
bool Convolution<T>::direct() const {
  return window_.side == 1 && window_.stride == 1 && window_.padding == 0;
}

template <class T>
void Convolution<T>::unfold(const T* image, Strip strip, T* columns) const {
  const std::size_t stride = window_.stride;
  const std::size_t width = result_.width;
  for_each_tap_row(image_, result_, window_, strip,
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
}

template <class T>
void Convolution<T>::fold(const T* columns, Strip strip, T* image) const {
  const std::size_t stride = window_.stride;
  for_each_tap_row(image_, result_, window_, strip,
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
template <class F>
void Convolution<T>::for_each_strip(std::size_t samples, F f) const {
  const std::size_t height = direct() ? result_.height : strip_height();
  for (std::size_t s = 0; s < samples; ++s) {
    for (std::size_t first = 0; first < result_.height; first += height)
      f(s, Strip{first, std::min(first + height, result_.height)});
  }
}

template <class T>
void Convolution<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const std::size_t pixels = result_.pixels();
  for (std::size_t s = 0; s < call.samples; ++s) {
    T* const out = y + s * outputs();
    for (std::size_t f = 0; f < result_.channels; ++f)
      std::fill_n(out + f * pixels, pixels, biased_ ? call.parameters[bias_ + f] : T(0));
  }
  for_each_strip(call.samples, [&](std::size_t s, Strip strip) {
    const T* const image = x + s * inputs();
    const std::size_t places = (strip.last - strip.first) * result_.width;
    if (!direct()) unfold(image, strip, call.scratch);
    detail::multiply_add<T>(result_.channels, places, taps(), {call.parameters + weight_, taps()},
                            {direct() ? image : call.scratch, places},
                            y + s * outputs() + strip.first * result_.width, pixels);
  });
}

template <class T>
void Convolution<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx,
                              T* gradient) const {
  const std::size_t pixels = result_.pixels();
  T* const derivatives = call.scratch + rounded(taps() * strip_height() * result_.width);
  if (dx != nullptr && !direct()) std::fill_n(dx, call.samples * inputs(), T(0));
  for_each_strip(call.samples, [&](std::size_t s, Strip strip) {
    const T* const image = x + s * inputs();
    const T* const d = dy + s * outputs() + strip.first * result_.width;
    const std::size_t places = (strip.last - strip.first) * result_.width;
    if (!direct()) unfold(image, strip, call.scratch);
    detail::multiply_add<T>(result_.channels, taps(), places, {d, pixels},
                            {direct() ? image : call.scratch, places, true}, gradient + weight_, taps());
    if (dx == nullptr) return;
    detail::multiply<T>(taps(), places, result_.channels, {call.parameters + weight_, taps(), true},
                        {d, pixels}, direct() ? dx + s * inputs() : derivatives, places);
    if (!direct()) fold(derivatives, strip, dx + s * inputs());
  });
  for (std::size_t f = 0; biased_ && f < call.samples * result_.channels; ++f)
    gradient[bias_ + f % result_.channels] += detail::lane_sum(dy + f * pixels, pixels);
}

template <class T>
double Convolution<T>::flops(bool with_inputs) const {
  return (with_inputs ? 6.0 : 4.0) * static_cast<double>(result_.size()) * static_cast<double>(taps());
}

template class Convolution<float>;
template class Convolution<double>;

}  // namespace convoy::layers
