// Coordinate-by-coordinate rules that are no linear combination: adaptive outer optimizers, clipping, signs.
//
//   transform(v, [bound](double value) { return std::clamp(value, -bound, bound); });
//   transform(v, g, [](double v_i, double g_i) { return 0.99 * v_i + 0.01 * g_i * g_i; });
//
// Each value is computed in float64 and rounded once to the vector's precision.
#pragma once

#include <stdexcept>

#include "learning/vector.hpp"

namespace convoy {

/// x_i <- f(x_i).
template <class F>
void transform(Vector& x, F f) {
  const auto all = [&](auto values) {
    for (auto& value : values)
      value = static_cast<std::remove_reference_t<decltype(value)>>(f(double(value)));
  };
  if (x.empty()) return;
  if (x.precision() == Precision::float32) {
    all(x.mutable_values<float>());
  } else {
    all(x.mutable_values<double>());
  }
}

/// x_i <- f(x_i, y_i). Throws std::logic_error where sizes or precisions differ.
template <class F>
void transform(Vector& x, const Vector& y, F f) {
  if (x.size() != y.size() || x.precision() != y.precision())
    throw std::logic_error("transform of vectors of different size or precision");
  const auto all = [&](auto values, auto others) {
    for (std::size_t i = 0; i < values.size(); ++i) {
      values[i] =
          static_cast<std::remove_reference_t<decltype(values[i])>>(f(double(values[i]), double(others[i])));
    }
  };
  if (x.empty()) return;
  if (x.precision() == Precision::float32) {
    all(x.mutable_values<float>(), y.values<float>());
  } else {
    all(x.mutable_values<double>(), y.values<double>());
  }
}

}  // namespace convoy
