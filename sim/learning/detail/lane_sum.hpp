// Sums that the compiler vectorises, in a fixed order.
#pragma once

#include <cstddef>

namespace convoy::detail {

/// The sum of term(0), ..., term(size - 1): sixteen interleaved partial sums, added up pairwise.
template <class T, class F>
inline T lane_sum_of(std::size_t size, F term) {
  constexpr std::size_t lanes = 16;
  T partial[lanes] = {};
  std::size_t i = 0;
  for (; i + lanes <= size; i += lanes) {
    for (std::size_t j = 0; j < lanes; ++j) partial[j] += term(i + j);
  }
  for (std::size_t j = 0; i + j < size; ++j) partial[j] += term(i + j);
  for (std::size_t width = lanes / 2; width > 0; width /= 2) {
    for (std::size_t j = 0; j < width; ++j) partial[j] += partial[j + width];
  }
  return partial[0];
}

template <class T>
inline T lane_sum(const T* values, std::size_t size) {
  return lane_sum_of<T>(size, [values](std::size_t i) { return values[i]; });
}

}  // namespace convoy::detail
