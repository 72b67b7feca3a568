// Matrix products of row-major matrices by Eigen's blocked kernel, without allocating: what it packs lies in
// the thread's scratch memory.
#pragma once

#include <cstddef>

namespace convoy::detail {

/// A row-major factor, `stride` values from row to row; `transposed` takes its transpose in the product.
template <class T>
struct Factor {
  const T* values;
  std::size_t stride;
  bool transposed = false;
};

/// c += op(a) op(b), with op(a) rows x depth, op(b) depth x cols and c rows x cols, `stride` values from row
/// to row. c overlaps neither factor. The bits are those of the same product written with Eigen. T is float
/// or double.
template <class T>
void multiply_add(std::size_t rows, std::size_t cols, std::size_t depth, Factor<T> a, Factor<T> b, T* c,
                  std::size_t stride);

/// c = op(a) op(b)
template <class T>
void multiply(std::size_t rows, std::size_t cols, std::size_t depth, Factor<T> a, Factor<T> b, T* c,
              std::size_t stride);

}  // namespace convoy::detail
