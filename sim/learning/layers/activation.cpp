#include "learning/layers/activation.hpp"

#include <algorithm>
#include <cmath>

#include "learning/detail/exponential.hpp"
#include "learning/detail/softmax.hpp"

namespace convoy::layers {

template <class T>
void Relu<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const std::size_t size = call.samples * width_;
  if (x != y) std::copy(x, x + size, y);
  detail::relu(y, size);
}

template <class T>
void Relu<T>::backward(const Call<T>& call, const T*, const T* y, const T* dy, T* dx, T*) const {
  if (dx == nullptr) return;
  const T* __restrict out = y;
  const T* __restrict in = dy;
  T* __restrict result = dx;
  for (std::size_t i = 0; i < call.samples * width_; ++i) {
    const T value = in[i];  // read in any case, so that the choice needs no branch
    result[i] = out[i] > 0 ? value : T(0);
  }
}

namespace {

// sqrt(8 / pi) and 0.044715 sqrt(8 / pi): the coefficients of 2 sqrt(2/pi) (x + 0.044715 x^3).
constexpr double linear = 1.5957691216057308;
constexpr double cubic = 0.044715 * linear;

}  // namespace

// Keeps s = 1 / (1 + exp(-u)), u = linear x + cubic x^3, so that y = x s.
template <class T>
void Gelu<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const auto a = static_cast<T>(linear);
  const auto b = static_cast<T>(cubic);
  constexpr std::size_t block = 512;
  alignas(64) T buffer[block];
  const std::size_t size = call.samples * width_;
  for (std::size_t first = 0; first < size; first += block) {
    const std::size_t count = std::min(block, size - first);
    const T* __restrict in = x + first;
    T* __restrict out = y + first;
    T* __restrict share = call.kept + first;
    for (std::size_t i = 0; i < count; ++i) buffer[i] = -in[i] * (a + b * (in[i] * in[i]));
    detail::exponentiate(buffer, count);
    for (std::size_t i = 0; i < count; ++i) {
      const T s = T(1) / (T(1) + buffer[i]);
      share[i] = s;
      out[i] = in[i] * s;
    }
  }
}

// dy/dx = s + x s (1 - s) (linear + 3 cubic x^2)
template <class T>
void Gelu<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx, T*) const {
  if (dx == nullptr) return;
  const auto a = static_cast<T>(linear);
  const auto b = static_cast<T>(3 * cubic);
  const T* __restrict in = x;
  const T* __restrict share = call.kept;
  const T* __restrict derivative = dy;
  T* __restrict result = dx;
  for (std::size_t i = 0; i < call.samples * width_; ++i) {
    const T s = share[i];
    result[i] = derivative[i] * (s + in[i] * s * (T(1) - s) * (a + b * (in[i] * in[i])));
  }
}

template class Relu<float>;
template class Relu<double>;
template class Gelu<float>;
template class Gelu<double>;

}  // namespace convoy::layers
