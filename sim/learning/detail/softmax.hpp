// Softmax with cross-entropy over a batch, stored class by class: value (c, i) of class c and sample i stands
// at [c * samples + i], so that each loop runs over samples. T is float or double.
#pragma once

#include <cstddef>
#include <cstdint>

namespace convoy::detail {

/// Subtracts each sample's largest logit from its logits. `spoiled[i]` becomes 0, or NaN if any logit is not
/// finite.
template <class T>
void shift_by_maximum(T* logits, std::size_t classes, std::size_t samples, T* maximum, T* spoiled);

/// sums[i] = sum over classes, in order.
template <class T>
void sum_classes(const T* values, std::size_t classes, std::size_t samples, T* sums);

/// values(c, i) *= factors[i]
template <class T>
void scale_samples(T* values, std::size_t classes, std::size_t samples, const T* factors);

/// negative values become 0; NaN stays.
template <class T>
void relu(T* values, std::size_t size);

/// delta = 0 where the activation is not positive.
template <class T>
void mask_inactive(T* delta, const T* activation, std::size_t size);

/// sums[r] = sum over columns of values[column * rows + r], columns in order.
template <class T>
void sum_columns(const T* values, std::size_t rows, std::size_t columns, T* sums);

/// sums[r] = sum of row r, values[r * columns + column]: sixteen interleaved partial sums, added up pairwise.
template <class T>
void sum_rows(const T* values, std::size_t rows, std::size_t columns, T* sums);

}  // namespace convoy::detail
