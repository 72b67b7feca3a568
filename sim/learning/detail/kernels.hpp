// Loops over raw arrays, compiled with full vectorisation. Element-wise loops accept before == after (in
// place) and otherwise need arrays that do not overlap; sums have a fixed order. T is float or double.
#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::detail {

/// after = before + a x
template <class T>
void axpy(const T* before, T* after, std::size_t size, double a, const T* x);
/// after = a before + b x
template <class T>
void combine(const T* before, T* after, std::size_t size, double a, double b, const T* x);
/// after = before - x
template <class T>
void subtract(const T* before, T* after, std::size_t size, const T* x);
/// after = a before
template <class T>
void scale(const T* before, T* after, std::size_t size, double a);

/// out = sum_i weights[i] inputs[i] (weights null: sum_i inputs[i] / count), in float64, rounded once.
template <class T>
void weighted_sum(const double* weights, const T* const* inputs, std::size_t count, T* out, std::size_t size);

/// Sixteen interleaved partial sums in float64, added up pairwise.
template <class T>
double dot(const T* a, const T* b, std::size_t size);
template <class T>
double squared_distance(const T* a, const T* b, std::size_t size);
template <class T>
bool all_finite(const T* values, std::size_t size);

/// out = bytes * scale + shift
template <class T>
void widen(const std::uint8_t* bytes, T* out, std::size_t size, T scale, T shift);
template <class T>
void widen(const float* numbers, T* out, std::size_t size, T scale, T shift);

/// g = gradient + weight_decay x;  x -= rate g
template <class T>
void sgd(const T* before, T* after, std::size_t size, const T* gradient, double rate, double weight_decay);

/// g = gradient + weight_decay x;  m = momentum m + g;  x -= rate (nesterov ? g + momentum m : m)
template <class T>
struct MomentumArrays {
  const T* x_before;
  T* x_after;
  const T* m_before;
  T* m_after;
  const T* gradient;
};
struct MomentumFactors {
  double rate, momentum, weight_decay;
  bool nesterov;
};
template <class T>
void momentum(const MomentumArrays<T>& arrays, std::size_t size, const MomentumFactors& factors);

/// g = gradient + coupled_decay x;  m = beta1 m + (1 - beta1) g;  v = beta2 v + (1 - beta2) g^2;
/// x = keep x - rate m / (sqrt(v) inverse_root + epsilon)
template <class T>
struct AdamArrays {
  const T* x_before;
  T* x_after;
  const T* m_before;
  T* m_after;
  const T* v_before;
  T* v_after;
  const T* gradient;
};
struct AdamFactors {
  double beta1, beta2, epsilon;
  double rate;           ///< learning rate / (1 - beta1^t)
  double inverse_root;   ///< 1 / sqrt(1 - beta2^t)
  double keep;           ///< 1 - learning rate * weight decay
  double coupled_decay;  ///< weight decay in the gradient (Adam with L2)
};
/// All three arrays in place, or all three into fresh ones.
template <class T>
void adam(const AdamArrays<T>& arrays, std::size_t size, const AdamFactors& factors);

}  // namespace convoy::detail
