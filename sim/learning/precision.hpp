// Run-time choice of the scalar type. Real models train in float32, theory runs in float64.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <type_traits>
#include <utility>

namespace convoy {

enum class Precision : std::uint8_t { float32, float64 };

template <class T>
inline constexpr Precision precision_of = std::is_same_v<T, float> ? Precision::float32 : Precision::float64;

[[nodiscard]] constexpr std::size_t bytes_of(Precision precision) {
  return precision == Precision::float32 ? sizeof(float) : sizeof(double);
}
[[nodiscard]] constexpr std::string_view name_of(Precision precision) {
  return precision == Precision::float32 ? "float32" : "float64";
}

/// Calls `function(T{})` with T = float or double.
template <class F>
decltype(auto) with_scalar(Precision precision, F&& function) {
  if (precision == Precision::float32) return std::forward<F>(function)(float{});
  return std::forward<F>(function)(double{});
}

}  // namespace convoy
