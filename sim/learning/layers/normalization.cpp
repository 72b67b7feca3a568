#include "learning/layers/normalization.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "learning/detail/lane_sum.hpp"

namespace convoy::layers {
namespace {

constexpr double epsilon = 1e-5;
using detail::lane_sum_of;

template <class T>
struct Moments {
  T mean, inverse_deviation;
};

template <class T>
Moments<T> moments(const T* x, std::size_t size) {
  const T share = T(1) / static_cast<T>(size);
  const T mean = share * lane_sum_of<T>(size, [x](std::size_t i) { return x[i]; });
  const T variance =
      share * lane_sum_of<T>(size, [x, mean](std::size_t i) { return (x[i] - mean) * (x[i] - mean); });
  return {mean, T(1) / std::sqrt(variance + static_cast<T>(epsilon))};
}

// The tensors of both kinds.
struct Affine {
  std::size_t weight, bias;
};

Affine lay_out_affine(Layout& layout, const std::string& name, std::size_t size) {
  const std::size_t offset = layout.size;
  layout.add_vector(name + ".weight", size);
  layout.add_vector(name + ".bias", size);
  return {offset, offset + size};
}

}  // namespace

template <class T>
void LayerNorm<T>::lay_out(Layout& layout, const std::string& name) {
  const Affine affine = lay_out_affine(layout, name, width_);
  weight_ = affine.weight;
  bias_ = affine.bias;
}

template <class T>
void LayerNorm<T>::initialise(T* parameters, std::uint64_t) const {
  std::fill_n(parameters + weight_, width_, T(1));
}

template <class T>
void LayerNorm<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const T* __restrict weight = call.parameters + weight_;
  const T* __restrict bias = call.parameters + bias_;
  for (std::size_t r = 0; r < call.samples * positions_; ++r) {
    const T* __restrict in = x + r * width_;
    T* __restrict out = y + r * width_;
    const Moments<T> m = moments(in, width_);
    call.kept[2 * r] = m.mean;
    call.kept[2 * r + 1] = m.inverse_deviation;
    for (std::size_t i = 0; i < width_; ++i)
      out[i] = (in[i] - m.mean) * m.inverse_deviation * weight[i] + bias[i];
  }
}

// With n = (x - mean) / deviation and d = dy weight: dx = (d - mean(d) - n mean(d n)) / deviation.
template <class T>
void LayerNorm<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx,
                            T* gradient) const {
  const T* __restrict weight = call.parameters + weight_;
  T* __restrict weight_sums = gradient + weight_;
  T* __restrict bias_sums = gradient + bias_;
  const T share = T(1) / static_cast<T>(width_);
  for (std::size_t r = 0; r < call.samples * positions_; ++r) {
    const T mean = call.kept[2 * r];
    const T inverse = call.kept[2 * r + 1];
    const T* __restrict in = x + r * width_;
    const T* __restrict d = dy + r * width_;
    for (std::size_t i = 0; i < width_; ++i) {
      weight_sums[i] += d[i] * ((in[i] - mean) * inverse);
      bias_sums[i] += d[i];
    }
    if (dx == nullptr) continue;
    const T first = share * lane_sum_of<T>(width_, [=](std::size_t i) { return d[i] * weight[i]; });
    const T second = share * lane_sum_of<T>(width_, [=](std::size_t i) {
                       return d[i] * weight[i] * ((in[i] - mean) * inverse);
                     });
    T* __restrict out = dx + r * width_;
    for (std::size_t i = 0; i < width_; ++i) {
      out[i] = inverse * (d[i] * weight[i] - first - (in[i] - mean) * inverse * second);
    }
  }
}

template <class T>
GroupNorm<T>::GroupNorm(Shape shape) : shape_(shape) {
  if (shape_.groups == 0 || shape_.channels % shape_.groups != 0) {
    throw std::logic_error("group norm: the number of groups does not divide that of channels");
  }
}

template <class T>
void GroupNorm<T>::lay_out(Layout& layout, const std::string& name) {
  const Affine affine = lay_out_affine(layout, name, shape_.channels);
  weight_ = affine.weight;
  bias_ = affine.bias;
}

template <class T>
void GroupNorm<T>::initialise(T* parameters, std::uint64_t) const {
  std::fill_n(parameters + weight_, shape_.channels, T(1));
}

template <class T>
void GroupNorm<T>::forward(const Call<T>& call, const T* x, T* y) const {
  const std::size_t members = shape_.channels / shape_.groups;
  const std::size_t size = members * shape_.pixels;
  for (std::size_t g = 0; g < call.samples * shape_.groups; ++g) {
    const Moments<T> m = moments(x + g * size, size);
    call.kept[2 * g] = m.mean;
    call.kept[2 * g + 1] = m.inverse_deviation;
    const std::size_t channel = g % shape_.groups * members;
    for (std::size_t c = 0; c < members; ++c) {
      const T scale = m.inverse_deviation * call.parameters[weight_ + channel + c];
      const T shift = call.parameters[bias_ + channel + c] - m.mean * scale;
      const T* __restrict in = x + g * size + c * shape_.pixels;
      T* __restrict out = y + g * size + c * shape_.pixels;
      for (std::size_t i = 0; i < shape_.pixels; ++i) out[i] = in[i] * scale + shift;
    }
  }
}

// As for layer norm, with one weight a channel.
template <class T>
void GroupNorm<T>::backward(const Call<T>& call, const T* x, const T*, const T* dy, T* dx,
                            T* gradient) const {
  const std::size_t members = shape_.channels / shape_.groups;
  const std::size_t pixels = shape_.pixels;
  const std::size_t size = members * pixels;
  for (std::size_t g = 0; g < call.samples * shape_.groups; ++g) {
    const T mean = call.kept[2 * g];
    const T inverse = call.kept[2 * g + 1];
    const std::size_t channel = g % shape_.groups * members;
    const T* const weight = call.parameters + weight_ + channel;
    T first = 0;
    T second = 0;
    for (std::size_t c = 0; c < members; ++c) {
      const T* const in = x + g * size + c * pixels;
      const T* const d = dy + g * size + c * pixels;
      const T sum = lane_sum_of<T>(pixels, [d](std::size_t i) { return d[i]; });
      const T product =
          inverse * lane_sum_of<T>(pixels, [=](std::size_t i) { return d[i] * (in[i] - mean); });
      gradient[bias_ + channel + c] += sum;
      gradient[weight_ + channel + c] += product;
      first += weight[c] * sum;
      second += weight[c] * product;
    }
    if (dx == nullptr) continue;
    first /= static_cast<T>(size);
    second /= static_cast<T>(size);
    for (std::size_t c = 0; c < members; ++c) {
      const T* __restrict in = x + g * size + c * pixels;
      const T* __restrict d = dy + g * size + c * pixels;
      T* __restrict out = dx + g * size + c * pixels;
      const T scale = weight[c];
      for (std::size_t i = 0; i < pixels; ++i) {
        out[i] = inverse * (d[i] * scale - first - (in[i] - mean) * inverse * second);
      }
    }
  }
}

template class LayerNorm<float>;
template class LayerNorm<double>;
template class GroupNorm<float>;
template class GroupNorm<double>;

}  // namespace convoy::layers
