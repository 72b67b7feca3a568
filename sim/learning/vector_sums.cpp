// Sums over many vectors: mean and weighted_sum of learning/vector.hpp.
#include <stdexcept>
#include <string>

#include "learning/detail/kernels.hpp"
#include "learning/vector.hpp"

namespace convoy {
namespace {

[[noreturn]] void refuse(const char* what) {
  throw std::logic_error(std::string("sum of vectors: ") + what);
}

// `weights` empty: the mean.
void reduce_range(std::span<const double> weights, std::span<const Vector> vectors, Vector& result,
                  std::size_t first, std::size_t last) {
  if (first > last || last > result.size()) refuse("range outside the vector");
  if (!result.unshared()) refuse("a range is written into a shared vector");
  for (const Vector& vector : vectors) {
    if (vector.size() != result.size()) refuse("vectors of different size");
    if (vector.precision() != result.precision()) refuse("vectors of different precision");
  }
  if (first == last) return;
  with_scalar(result.precision(), [&](auto scalar) {
    using T = decltype(scalar);
    std::vector<const T*> inputs;
    inputs.reserve(vectors.size());
    for (const Vector& vector : vectors) inputs.push_back(vector.values<T>().data() + first);
    detail::weighted_sum<T>(weights.empty() ? nullptr : weights.data(), inputs.data(), inputs.size(),
                            result.mutable_values<T>().data() + first, last - first);
  });
}

void require_weights(std::span<const double> weights, std::span<const Vector> vectors) {
  if (vectors.empty()) refuse("a sum of no vectors");
  if (weights.size() != vectors.size()) refuse("as many weights as vectors are needed");
}

Vector unwritten_like(const Vector& vector) {
  Vector result;
  if (vector.shared_layout()) {
    with_scalar(vector.precision(), [&](auto scalar) {
      static_cast<void>(result.overwrite<decltype(scalar)>(vector.shared_layout()));
    });
  }
  return result;
}

}  // namespace

Vector mean(std::span<const Vector> vectors) {
  if (vectors.empty()) refuse("a mean of no vectors");
  Vector result = unwritten_like(vectors.front());
  reduce_range({}, vectors, result, 0, result.size());
  return result;
}

Vector weighted_sum(std::span<const double> weights, std::span<const Vector> vectors) {
  require_weights(weights, vectors);
  Vector result = unwritten_like(vectors.front());
  reduce_range(weights, vectors, result, 0, result.size());
  return result;
}

void weighted_sum_range(std::span<const double> weights, std::span<const Vector> vectors, Vector& result,
                        std::size_t first, std::size_t last) {
  require_weights(weights, vectors);
  reduce_range(weights, vectors, result, first, last);
}

void mean_range(std::span<const Vector> vectors, Vector& result, std::size_t first, std::size_t last) {
  if (vectors.empty()) refuse("a mean of no vectors");
  reduce_range({}, vectors, result, first, last);
}

}  // namespace convoy
