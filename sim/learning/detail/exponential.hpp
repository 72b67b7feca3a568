// The exponential function over arrays.
#pragma once

#include <Eigen/Core>
#include <algorithm>
#include <cstddef>

namespace convoy::detail {

/// What arrays for `exponentiate` are rounded up to, in values.
constexpr std::size_t padded(std::size_t size) {
  constexpr std::size_t block = 16;
  return (size + block - 1) / block * block;
}

/// exp of each value with Eigen's vector polynomial. The array is aligned to 64 bytes and padded(size) long,
/// so that no element ever takes the scalar route, whose bits are the C library's; what lies behind `size` is
/// overwritten.
template <class T>
void exponentiate(T* values, std::size_t size) {
  std::fill(values + size, values + padded(size), T(0));
  Eigen::Map<Eigen::Array<T, Eigen::Dynamic, 1>, Eigen::Aligned64> all(
      values, static_cast<Eigen::Index>(padded(size)));
  all = all.exp();
}

}  // namespace convoy::detail
