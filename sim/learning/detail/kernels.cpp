#include "learning/detail/kernels.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace convoy::detail {
namespace {

// Two loops, since the compiler needs to know which arrays are the same in order to vectorise.
template <class T, class F>
inline void transform(const T* before, T* after, std::size_t size, F f) {
  if (before == after) {
    for (std::size_t i = 0; i < size; ++i) after[i] = f(after[i]);
  } else {
    const T* __restrict in = before;
    T* __restrict out = after;
    for (std::size_t i = 0; i < size; ++i) out[i] = f(in[i]);
  }
}

template <class T, class F>
inline void transform(const T* before, T* after, std::size_t size, const T* other, F f) {
  const T* __restrict x = other;
  if (before == after) {
    T* __restrict out = after;
    for (std::size_t i = 0; i < size; ++i) out[i] = f(out[i], x[i]);
  } else {
    const T* __restrict in = before;
    T* __restrict out = after;
    for (std::size_t i = 0; i < size; ++i) out[i] = f(in[i], x[i]);
  }
}

constexpr std::size_t lanes = 16;

double add_up(const double* sums) {
  double partial[lanes];
  std::copy(sums, sums + lanes, partial);
  for (std::size_t width = lanes / 2; width > 0; width /= 2) {
    for (std::size_t i = 0; i < width; ++i) partial[i] += partial[i + width];
  }
  return partial[0];
}

template <class T, class F>
inline double interleaved_sum(const T* __restrict a, const T* __restrict b, std::size_t size, F term) {
  double sums[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) {
      sums[j] += term(static_cast<double>(a[i + j]), static_cast<double>(b[i + j]));
    }
  }
  for (std::size_t j = 0; i + j < size; ++j) {
    sums[j] += term(static_cast<double>(a[i + j]), static_cast<double>(b[i + j]));
  }
  return add_up(sums);
}

}  // namespace

template <class T>
void axpy(const T* before, T* after, std::size_t size, double a, const T* x) {
  const T factor = static_cast<T>(a);
  transform(before, after, size, x, [factor](T old, T other) { return old + factor * other; });
}

template <class T>
void combine(const T* before, T* after, std::size_t size, double a, double b, const T* x) {
  const T first = static_cast<T>(a);
  const T second = static_cast<T>(b);
  transform(before, after, size, x, [first, second](T old, T other) { return first * old + second * other; });
}

template <class T>
void subtract(const T* before, T* after, std::size_t size, const T* x) {
  transform(before, after, size, x, [](T old, T other) { return old - other; });
}

template <class T>
void scale(const T* before, T* after, std::size_t size, double a) {
  const T factor = static_cast<T>(a);
  transform(before, after, size, [factor](T old) { return factor * old; });
}

template <class T>
void weighted_sum(const double* weights, const T* const* inputs, std::size_t count, T* out,
                  std::size_t size) {
  constexpr std::size_t block = 512;  // 4 KiB of sums stay in the first-level cache
  double sums[block];
  const double divisor = static_cast<double>(count);
  for (std::size_t first = 0; first < size; first += block) {
    const std::size_t length = std::min(block, size - first);
    for (std::size_t rank = 0; rank < count; ++rank) {
      const T* __restrict x = inputs[rank] + first;
      const double weight = weights ? weights[rank] : 1;
      if (rank == 0) {
        for (std::size_t i = 0; i < length; ++i) sums[i] = weight * static_cast<double>(x[i]);
      } else {
        for (std::size_t i = 0; i < length; ++i) sums[i] += weight * static_cast<double>(x[i]);
      }
    }
    T* __restrict result = out + first;
    if (weights) {
      for (std::size_t i = 0; i < length; ++i) result[i] = static_cast<T>(sums[i]);
    } else {
      for (std::size_t i = 0; i < length; ++i) result[i] = static_cast<T>(sums[i] / divisor);
    }
  }
}

template <class T>
double dot(const T* a, const T* b, std::size_t size) {
  return interleaved_sum(a, b, size, [](double x, double y) { return x * y; });
}

template <class T>
double squared_distance(const T* a, const T* b, std::size_t size) {
  return interleaved_sum(a, b, size, [](double x, double y) { return (x - y) * (x - y); });
}

template <class T>
bool all_finite(const T* values, std::size_t size) {
  int bad = 0;
  for (std::size_t i = 0; i < size; ++i) bad |= !(std::abs(values[i]) <= std::numeric_limits<T>::max());
  return bad == 0;
}

template <class T>
void widen(const std::uint8_t* bytes, T* out, std::size_t size, T scale, T shift) {
  const std::uint8_t* __restrict in = bytes;
  T* __restrict result = out;
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<T>(static_cast<int>(in[i])) * scale + shift;
}

template <class T>
void widen(const float* numbers, T* out, std::size_t size, T scale, T shift) {
  const float* __restrict in = numbers;
  T* __restrict result = out;
  for (std::size_t i = 0; i < size; ++i) result[i] = static_cast<T>(in[i]) * scale + shift;
}

template <class T>
void sgd(const T* before, T* after, std::size_t size, const T* gradient, double rate, double weight_decay) {
  const T step = static_cast<T>(rate);
  const T decay = static_cast<T>(weight_decay);
  if (weight_decay == 0) {
    transform(before, after, size, gradient, [step](T x, T g) { return x - step * g; });
  } else {
    transform(before, after, size, gradient, [step, decay](T x, T g) { return x - step * (g + decay * x); });
  }
}

namespace {

template <class T, bool nesterov>
struct MomentumRule {
  T rate, momentum, decay;

  explicit MomentumRule(const MomentumFactors& factors)
      : rate(static_cast<T>(factors.rate)),
        momentum(static_cast<T>(factors.momentum)),
        decay(static_cast<T>(factors.weight_decay)) {}

  void operator()(T x, T m, T gradient, T& new_x, T& new_m) const {
    const T g = gradient + decay * x;
    new_m = momentum * m + g;
    new_x = x - rate * (nesterov ? g + momentum * new_m : new_m);
  }
};

template <class T, class Rule>
void momentum_in_place(T* __restrict x, T* __restrict m, const T* __restrict gradient, std::size_t size,
                       const Rule rule) {
  for (std::size_t i = 0; i < size; ++i) rule(x[i], m[i], gradient[i], x[i], m[i]);
}

template <class T, class Rule>
void momentum_fresh(const T* __restrict x, T* __restrict new_x, const T* __restrict m, T* __restrict new_m,
                    const T* __restrict gradient, std::size_t size, const Rule rule) {
  for (std::size_t i = 0; i < size; ++i) rule(x[i], m[i], gradient[i], new_x[i], new_m[i]);
}

template <class T, class Rule>
void run_momentum(const MomentumArrays<T>& arrays, std::size_t size, const Rule& rule) {
  if (arrays.x_before == arrays.x_after) {
    momentum_in_place(arrays.x_after, arrays.m_after, arrays.gradient, size, rule);
  } else {
    momentum_fresh(arrays.x_before, arrays.x_after, arrays.m_before, arrays.m_after, arrays.gradient, size,
                   rule);
  }
}

template <class T>
struct AdamRule {
  T beta1, beta2, rest1, rest2, epsilon, rate, inverse_root, keep, coupled;

  explicit AdamRule(const AdamFactors& factors)
      : beta1(static_cast<T>(factors.beta1)),
        beta2(static_cast<T>(factors.beta2)),
        rest1(static_cast<T>(1 - factors.beta1)),
        rest2(static_cast<T>(1 - factors.beta2)),
        epsilon(static_cast<T>(factors.epsilon)),
        rate(static_cast<T>(factors.rate)),
        inverse_root(static_cast<T>(factors.inverse_root)),
        keep(static_cast<T>(factors.keep)),
        coupled(static_cast<T>(factors.coupled_decay)) {}

  void operator()(T x, T m, T v, T gradient, T& new_x, T& new_m, T& new_v) const {
    const T g = gradient + coupled * x;
    const T mean = beta1 * m + rest1 * g;
    const T square = beta2 * v + rest2 * (g * g);
    new_m = mean;
    new_v = square;
    new_x = keep * x - rate * mean / (std::sqrt(square) * inverse_root + epsilon);
  }
};

template <class T>
void adam_in_place(T* __restrict x, T* __restrict m, T* __restrict v, const T* __restrict gradient,
                   std::size_t size, const AdamRule<T> rule) {
  for (std::size_t i = 0; i < size; ++i) rule(x[i], m[i], v[i], gradient[i], x[i], m[i], v[i]);
}

// Not inlined: GCC 12 forgets __restrict when it inlines.
template <class T>
[[gnu::noinline]] void adam_fresh(const T* __restrict x, T* __restrict new_x, const T* __restrict m,
                                  T* __restrict new_m, const T* __restrict v, T* __restrict new_v,
                                  const T* __restrict gradient, std::size_t size, const AdamRule<T> rule) {
  for (std::size_t i = 0; i < size; ++i) rule(x[i], m[i], v[i], gradient[i], new_x[i], new_m[i], new_v[i]);
}

}  // namespace

template <class T>
void momentum(const MomentumArrays<T>& arrays, std::size_t size, const MomentumFactors& factors) {
  if (factors.nesterov) {
    run_momentum(arrays, size, MomentumRule<T, true>(factors));
  } else {
    run_momentum(arrays, size, MomentumRule<T, false>(factors));
  }
}

template <class T>
void adam(const AdamArrays<T>& arrays, std::size_t size, const AdamFactors& factors) {
  const AdamRule<T> rule(factors);
  if (arrays.x_before == arrays.x_after) {
    adam_in_place(arrays.x_after, arrays.m_after, arrays.v_after, arrays.gradient, size, rule);
  } else {
    adam_fresh(arrays.x_before, arrays.x_after, arrays.m_before, arrays.m_after, arrays.v_before,
               arrays.v_after, arrays.gradient, size, rule);
  }
}

#define CONVOY_KERNELS(T)                                                                      \
  template void axpy<T>(const T*, T*, std::size_t, double, const T*);                          \
  template void combine<T>(const T*, T*, std::size_t, double, double, const T*);               \
  template void subtract<T>(const T*, T*, std::size_t, const T*);                              \
  template void scale<T>(const T*, T*, std::size_t, double);                                   \
  template void weighted_sum<T>(const double*, const T* const*, std::size_t, T*, std::size_t); \
  template double dot<T>(const T*, const T*, std::size_t);                                     \
  template double squared_distance<T>(const T*, const T*, std::size_t);                        \
  template bool all_finite<T>(const T*, std::size_t);                                          \
  template void widen<T>(const std::uint8_t*, T*, std::size_t, T, T);                          \
  template void widen<T>(const float*, T*, std::size_t, T, T);                                 \
  template void sgd<T>(const T*, T*, std::size_t, const T*, double, double);                   \
  template void momentum<T>(const MomentumArrays<T>&, std::size_t, const MomentumFactors&);    \
  template void adam<T>(const AdamArrays<T>&, std::size_t, const AdamFactors&);
CONVOY_KERNELS(float)
CONVOY_KERNELS(double)
#undef CONVOY_KERNELS

}  // namespace convoy::detail
