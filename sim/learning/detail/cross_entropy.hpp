// Softmax cross-entropy of logits stored class by class: value (c, i) of class c and sample i stands at
// [c * samples + i]. T is float or double.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "learning/detail/exponential.hpp"
#include "learning/model.hpp"

namespace convoy::detail {

/// Values of working memory, aligned to 64 bytes.
constexpr std::size_t cross_entropy_memory(std::size_t samples) {
  return 3 * padded(samples);
}

/// Cross-entropy summed over samples; leaves share * (softmax - one-hot) in `logits`, which is aligned to 64
/// bytes and padded(classes * samples) long. A logit that is not finite makes the loss NaN or infinite.
template <class T>
double cross_entropy_gradient(T* logits, std::size_t classes, std::span<const std::uint8_t> labels, T share,
                              T* memory);

/// Cross-entropy summed over samples, and correct predictions (ties go to the lower class). Spoils `logits`.
template <class T>
LossTotals cross_entropy_totals(T* logits, std::size_t classes, std::span<const std::uint8_t> labels,
                                T* memory);

}  // namespace convoy::detail
