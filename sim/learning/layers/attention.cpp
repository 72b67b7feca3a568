#include "learning/layers/attention.hpp"

#include <Eigen/Core>
#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "learning/detail/exponential.hpp"
#include "learning/detail/gemm.hpp"

namespace convoy::layers {

using detail::multiply;

template <class T>
CausalAttention<T>::CausalAttention(Shape shape) : shape_(shape) {
  if (shape_.heads == 0 || shape_.width % shape_.heads != 0) {
    throw std::logic_error("attention: the number of heads does not divide the width");
  }
}

template <class T>
T CausalAttention<T>::scale() const {
  return static_cast<T>(1 / std::sqrt(static_cast<double>(head_width())));
}

// The weights of each head: positions x positions.
template <class T>
std::size_t CausalAttention<T>::kept(std::size_t samples) const {
  return samples * shape_.heads * shape_.positions * shape_.positions;
}

// Derivatives of one head's weights; or a row of exponentials.
template <class T>
std::size_t CausalAttention<T>::scratch(std::size_t) const {
  return shape_.positions * shape_.positions + detail::padded(shape_.positions);
}

namespace {

template <class T>
using Row = Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>, Eigen::Aligned64>;

// Row t: softmax of scale * the first t + 1 values, 0 behind them. A score that is not finite gives NaN.
template <class T>
void causal_softmax(T* scores, std::size_t positions, T scale, T* buffer) {
  for (std::size_t t = 0; t < positions; ++t) {
    T* __restrict row = scores + t * positions;
    T* __restrict e = buffer;
    const std::size_t count = t + 1;
    const std::size_t size = detail::padded(count);
    std::copy(row, row + count, e);
    std::fill(e + count, e + size, row[0]);
    Row<T> all(e, static_cast<Eigen::Index>(size));
    const T spoiled = (all * T(0)).sum();
    all = (all - all.maxCoeff()) * scale;
    all = all.exp();
    std::fill(e + count, e + size, T(0));
    const T factor = T(1) / all.sum() + spoiled;
    for (std::size_t i = 0; i < count; ++i) row[i] = e[i] * factor;
    std::fill(row + count, row + positions, T(0));
  }
}

// From the derivatives by the weights to those by the unscaled scores: scale w (d - sum w d).
template <class T>
void softmax_backward(const T* weights, T* derivatives, std::size_t positions, T scale) {
  for (std::size_t t = 0; t < positions; ++t) {
    const T* __restrict w = weights + t * positions;
    T* __restrict d = derivatives + t * positions;
    using Values = Eigen::Map<const Eigen::Array<T, Eigen::Dynamic, 1>>;
    const auto size = static_cast<Eigen::Index>(positions);
    const T sum = (Values(w, size) * Values(d, size)).sum();
    for (std::size_t k = 0; k < positions; ++k) d[k] = scale * (w[k] * (d[k] - sum));
  }
}

}  // namespace

template <class T>
void CausalAttention<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const std::size_t length = shape_.positions;
  const std::size_t width = shape_.width;
  const std::size_t part = head_width();
  for (std::size_t s = 0; s < call.samples; ++s) {
    for (std::size_t h = 0; h < shape_.heads; ++h) {
      const T* const query = x + s * inputs() + h * part;
      const T* const key = query + width;
      const T* const value = key + width;
      T* const weights = call.kept + (s * shape_.heads + h) * length * length;
      multiply<T>(length, length, part, {query, 3 * width}, {key, 3 * width, true}, weights, length);
      causal_softmax(weights, length, scale(), call.scratch);
      multiply<T>(length, part, length, {weights, length}, {value, 3 * width}, y + s * outputs() + h * part,
                  width);
    }
  }
}

template <class T>
void CausalAttention<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx, T*) const {
  if (dx == nullptr) return;
  const std::size_t length = shape_.positions;
  const std::size_t width = shape_.width;
  const std::size_t part = head_width();
  T* const scores = call.scratch;
  for (std::size_t s = 0; s < call.samples; ++s) {
    for (std::size_t h = 0; h < shape_.heads; ++h) {
      const T* const query = x + s * inputs() + h * part;
      const T* const key = query + width;
      const T* const value = key + width;
      T* const query_derivative = dx + s * inputs() + h * part;
      const T* const d = dy + s * outputs() + h * part;
      const T* const weights = call.kept + (s * shape_.heads + h) * length * length;
      multiply<T>(length, part, length, {weights, length, true}, {d, width}, query_derivative + 2 * width,
                  3 * width);
      multiply<T>(length, length, part, {d, width}, {value, 3 * width, true}, scores, length);
      softmax_backward(weights, scores, length, scale());
      multiply<T>(length, part, length, {scores, length}, {key, 3 * width}, query_derivative, 3 * width);
      multiply<T>(length, part, length, {scores, length, true}, {query, 3 * width}, query_derivative + width,
                  3 * width);
    }
  }
}

// Two products forward, four backward, each 2 positions^2 width.
template <class T>
double CausalAttention<T>::flops(bool with_inputs) const {
  const auto length = static_cast<double>(shape_.positions);
  return (with_inputs ? 12 : 4) * length * length * static_cast<double>(shape_.width);
}

template class CausalAttention<float>;
template class CausalAttention<double>;

}  // namespace convoy::layers
