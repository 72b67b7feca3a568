#include "learning/layers/pooling.hpp"

#include <algorithm>
#include <stdexcept>

namespace convoy::layers {
namespace {

ImageShape pooled(const ImageShape& image, const Window& window) {
  if (window.side == 0 || window.stride == 0 || window.padding != 0)
    throw std::logic_error("pooling: a bad window");
  const ImageShape result{image.channels, window.places(image.height), window.places(image.width)};
  if (result.size() == 0) throw std::logic_error("pooling: the window does not fit the image");
  return result;
}

/// Calls row(its windows' first value in the image, its first place in the result) for each row of the
/// result.
template <class F>
void for_each_row(const ImageShape& image, const ImageShape& result, std::size_t stride, std::size_t samples,
                  F row) {
  std::size_t out = 0;
  for (std::size_t c = 0; c < samples * image.channels; ++c) {
    for (std::size_t oy = 0; oy < result.height; ++oy, out += result.width)
      row((c * image.height + oy * stride) * image.width, out);
  }
}

/// Calls place(upper left corner in the image, place in the result) for each window of each sample.
template <class F>
void for_each_place(const ImageShape& image, const ImageShape& result, std::size_t stride,
                    std::size_t samples, F place) {
  for_each_row(image, result, stride, samples, [&](std::size_t in, std::size_t out) {
    for (std::size_t ox = 0; ox < result.width; ++ox) place(in + ox * stride, out + ox);
  });
}

/// Calls value(index) for each value of the window at `corner`, row by row.
template <class F>
void for_each_value(const ImageShape& image, const Window& window, std::size_t corner, F value) {
  for (std::size_t ky = 0; ky < window.side; ++ky) {
    for (std::size_t kx = 0; kx < window.side; ++kx) value(corner + ky * image.width + kx);
  }
}

}  // namespace

template <class T>
MaxPool<T>::MaxPool(ImageShape image, Window window)
    : image_(image), result_(pooled(image, window)), window_(window) {}

namespace {

// The larger of two; NaN if either is.
template <class T>
T larger(T a, T b) {
  return a > b || a != a ? a : b;
}

// Halves of an even length, or of one less: the window of most networks, without a branch a value.
template <class T>
void halve(const T* above, const T* below, std::size_t width, T* out) {
  const T* __restrict a = above;
  const T* __restrict b = below;
  T* __restrict result = out;
  for (std::size_t i = 0; i < width; ++i)
    result[i] = larger(larger(a[2 * i], a[2 * i + 1]), larger(b[2 * i], b[2 * i + 1]));
}

// Gives each derivative to the first of the four that is the largest.
template <class T>
void spread(const T* x, const T* y, const T* dy, std::size_t width, std::size_t stride, T* dx) {
  for (std::size_t i = 0; i < width; ++i) {
    const T* const in = x + 2 * i;
    T* const out = dx + 2 * i;
    const bool first = in[0] == y[i];
    const bool second = !first && in[1] == y[i];
    const bool third = !first && !second && in[stride] == y[i];
    const T d = dy[i];
    out[0] = first ? d : T(0);
    out[1] = second ? d : T(0);
    out[stride] = third ? d : T(0);
    out[stride + 1] = first || second || third || in[stride + 1] != y[i] ? T(0) : d;
  }
}

}  // namespace

template <class T>
bool MaxPool<T>::halves() const {
  return window_.side == 2 && window_.stride == 2;
}

template <class T>
void MaxPool<T>::forward(const Call<T>& call, const T* x, T* y) const {
  if (halves()) {
    for_each_row(image_, result_, window_.stride, call.samples, [&](std::size_t in, std::size_t out) {
      halve(x + in, x + in + image_.width, result_.width, y + out);
    });
    return;
  }
  for_each_place(image_, result_, window_.stride, call.samples, [&](std::size_t corner, std::size_t place) {
    T largest = x[corner];
    for_each_value(image_, window_, corner, [&](std::size_t i) { largest = larger(x[i], largest); });
    y[place] = largest;
  });
}

template <class T>
void MaxPool<T>::backward(const Call<T>& call, const T* x, const T* y, const T* dy, T* dx, T*) const {
  if (dx == nullptr) return;
  std::fill_n(dx, call.samples * inputs(), T(0));
  if (halves()) {
    for_each_row(image_, result_, window_.stride, call.samples, [&](std::size_t in, std::size_t out) {
      spread(x + in, y + out, dy + out, result_.width, image_.width, dx + in);
    });
    return;
  }
  for_each_place(image_, result_, window_.stride, call.samples, [&](std::size_t corner, std::size_t place) {
    T rest = dy[place];
    for_each_value(image_, window_, corner, [&](std::size_t i) {
      const bool mine = x[i] == y[place];
      dx[i] += mine ? rest : T(0);
      rest = mine ? T(0) : rest;
    });
  });
}

template <class T>
AveragePool<T>::AveragePool(ImageShape image, Window window)
    : image_(image), result_(pooled(image, window)), window_(window) {}

template <class T>
void AveragePool<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const T share = T(1) / static_cast<T>(window_.side * window_.side);
  for_each_place(image_, result_, window_.stride, call.samples, [&](std::size_t corner, std::size_t place) {
    T sum = 0;
    for_each_value(image_, window_, corner, [&](std::size_t i) { sum += x[i]; });
    y[place] = share * sum;
  });
}

template <class T>
void AveragePool<T>::backward(const Call<T>& call, const T*, const T*, const T* dy, T* dx, T*) const {
  if (dx == nullptr) return;
  const T share = T(1) / static_cast<T>(window_.side * window_.side);
  std::fill_n(dx, call.samples * inputs(), T(0));
  for_each_place(image_, result_, window_.stride, call.samples, [&](std::size_t corner, std::size_t place) {
    const T part = share * dy[place];
    for_each_value(image_, window_, corner, [&](std::size_t i) { dx[i] += part; });
  });
}

template class MaxPool<float>;
template class MaxPool<double>;
template class AveragePool<float>;
template class AveragePool<double>;

}  // namespace convoy::layers
