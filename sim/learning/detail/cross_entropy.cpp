#include "learning/detail/cross_entropy.hpp"

#include <cmath>

#include "learning/detail/softmax.hpp"

namespace convoy::detail {
namespace {

template <class T>
struct PerSample {
  T* maximum;  ///< largest logit, then the sum of exponentials
  T* spoiled;  ///< NaN where a logit is not finite, else 0
  T* chosen;   ///< logit of the label minus the largest
};

// Subtracts the largest logit of each sample and keeps what the loss needs.
template <class T>
PerSample<T> shift_logits(T* logits, std::size_t classes, std::span<const std::uint8_t> labels, T* memory) {
  const std::size_t samples = labels.size();
  const PerSample<T> each{memory, memory + padded(samples), memory + 2 * padded(samples)};
  shift_by_maximum(logits, classes, samples, each.maximum, each.spoiled);
  for (std::size_t i = 0; i < samples; ++i)
    each.chosen[i] = logits[labels[i] * samples + i] + each.spoiled[i];
  return each;
}

// Shifted logits become their exponentials. Returns the cross-entropy summed over samples.
template <class T>
double exponentiate_logits(T* logits, std::size_t classes, std::size_t samples, const PerSample<T>& each) {
  exponentiate(logits, classes * samples);
  sum_classes(logits, classes, samples, each.maximum);
  double loss = 0;
  for (std::size_t i = 0; i < samples; ++i) {
    loss += std::log(static_cast<double>(each.maximum[i])) - static_cast<double>(each.chosen[i]);
  }
  return loss;
}

}  // namespace

template <class T>
double cross_entropy_gradient(T* logits, std::size_t classes, std::span<const std::uint8_t> labels, T share,
                              T* memory) {
  const std::size_t samples = labels.size();
  const PerSample<T> each = shift_logits(logits, classes, labels, memory);
  const double loss = exponentiate_logits(logits, classes, samples, each);
  for (std::size_t i = 0; i < samples; ++i) each.maximum[i] = share / each.maximum[i] + each.spoiled[i];
  scale_samples(logits, classes, samples, each.maximum);
  for (std::size_t i = 0; i < samples; ++i) logits[labels[i] * samples + i] -= share;
  return loss;
}

template <class T>
LossTotals cross_entropy_totals(T* logits, std::size_t classes, std::span<const std::uint8_t> labels,
                                T* memory) {
  const std::size_t samples = labels.size();
  const PerSample<T> each = shift_logits(logits, classes, labels, memory);
  LossTotals result;
  for (std::size_t i = 0; i < samples; ++i) {
    bool correct = each.chosen[i] == 0;
    for (std::size_t c = 0; correct && c < labels[i]; ++c) correct = logits[c * samples + i] != 0;
    result.correct += correct ? 1 : 0;
  }
  result.loss = exponentiate_logits(logits, classes, samples, each);
  return result;
}

#define CONVOY_CROSS_ENTROPY(T)                                                                     \
  template double cross_entropy_gradient<T>(T*, std::size_t, std::span<const std::uint8_t>, T, T*); \
  template LossTotals cross_entropy_totals<T>(T*, std::size_t, std::span<const std::uint8_t>, T*);
CONVOY_CROSS_ENTROPY(float)
CONVOY_CROSS_ENTROPY(double)
#undef CONVOY_CROSS_ENTROPY

}  // namespace convoy::detail
