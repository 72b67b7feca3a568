#include "learning/detail/softmax.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace convoy::detail {

template <class T>
void shift_by_maximum(T* logits, std::size_t classes, std::size_t samples, T* maximum, T* spoiled) {
  T* __restrict largest = maximum;
  T* __restrict poison = spoiled;
  const T* __restrict first = logits;
  for (std::size_t i = 0; i < samples; ++i) {
    largest[i] = first[i];
    poison[i] = first[i] * 0;  // NaN if infinite or NaN
  }
  for (std::size_t c = 1; c < classes; ++c) {
    const T* __restrict row = logits + c * samples;
    for (std::size_t i = 0; i < samples; ++i) {
      largest[i] = row[i] > largest[i] ? row[i] : largest[i];
      poison[i] += row[i] * 0;
    }
  }
  for (std::size_t c = 0; c < classes; ++c) {
    T* __restrict row = logits + c * samples;
    for (std::size_t i = 0; i < samples; ++i) row[i] -= largest[i];
  }
}

template <class T>
void sum_classes(const T* values, std::size_t classes, std::size_t samples, T* sums) {
  T* __restrict out = sums;
  const T* __restrict first = values;
  for (std::size_t i = 0; i < samples; ++i) out[i] = first[i];
  for (std::size_t c = 1; c < classes; ++c) {
    const T* __restrict row = values + c * samples;
    for (std::size_t i = 0; i < samples; ++i) out[i] += row[i];
  }
}

template <class T>
void scale_samples(T* values, std::size_t classes, std::size_t samples, const T* factors) {
  const T* __restrict factor = factors;
  for (std::size_t c = 0; c < classes; ++c) {
    T* __restrict row = values + c * samples;
    for (std::size_t i = 0; i < samples; ++i) row[i] *= factor[i];
  }
}

template <class T>
void relu(T* values, std::size_t size) {
  for (std::size_t i = 0; i < size; ++i) {
    const T value = values[i];
    values[i] = value < 0 ? T(0) : value;
  }
}

template <class T>
void mask_inactive(T* delta, const T* activation, std::size_t size) {
  T* __restrict out = delta;
  const T* __restrict a = activation;
  for (std::size_t i = 0; i < size; ++i) {
    const T value = out[i];  // read in any case, so that the choice needs no branch
    out[i] = a[i] > 0 ? value : T(0);
  }
}

template <class T>
void sum_columns(const T* values, std::size_t rows, std::size_t columns, T* sums) {
  T* __restrict out = sums;
  std::fill(out, out + rows, T(0));
  for (std::size_t column = 0; column < columns; ++column) {
    const T* __restrict in = values + column * rows;
    for (std::size_t r = 0; r < rows; ++r) out[r] += in[r];
  }
}

template <class T>
void sum_rows(const T* values, std::size_t rows, std::size_t columns, T* sums) {
  constexpr std::size_t lanes = 16;
  for (std::size_t r = 0; r < rows; ++r) {
    const T* __restrict in = values + r * columns;
    T partial[lanes] = {};
    std::size_t i = 0;
    for (; i + lanes <= columns; i += lanes) {
      for (std::size_t j = 0; j < lanes; ++j) partial[j] += in[i + j];
    }
    for (std::size_t j = 0; i + j < columns; ++j) partial[j] += in[i + j];
    for (std::size_t width = lanes / 2; width > 0; width /= 2) {
      for (std::size_t j = 0; j < width; ++j) partial[j] += partial[j + width];
    }
    sums[r] = partial[0];
  }
}

#define CONVOY_SOFTMAX(T)                                                  \
  template void shift_by_maximum<T>(T*, std::size_t, std::size_t, T*, T*); \
  template void sum_classes<T>(const T*, std::size_t, std::size_t, T*);    \
  template void scale_samples<T>(T*, std::size_t, std::size_t, const T*);  \
  template void relu<T>(T*, std::size_t);                                  \
  template void mask_inactive<T>(T*, const T*, std::size_t);               \
  template void sum_columns<T>(const T*, std::size_t, std::size_t, T*);    \
  template void sum_rows<T>(const T*, std::size_t, std::size_t, T*);
CONVOY_SOFTMAX(float)
CONVOY_SOFTMAX(double)
#undef CONVOY_SOFTMAX

}  // namespace convoy::detail
