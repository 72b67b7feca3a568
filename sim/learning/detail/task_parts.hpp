// What the tasks that train networks share.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <type_traits>

#include "learning/model.hpp"

namespace convoy::detail {

template <class T>
std::unique_ptr<const NeuralNetwork<T>> build_network(const Model& model, std::size_t inputs,
                                                      std::size_t classes) {
  if constexpr (std::is_same_v<T, float>) {
    return model.build_float32(inputs, classes);
  } else {
    return model.build_float64(inputs, classes);
  }
}

/// "32", or "16 to 64" where workers differ.
[[nodiscard]] std::string batch_text(std::span<const std::size_t> sizes);

/// True unless there are none, or one of them is 0.
[[nodiscard]] bool are_batch_sizes(std::span<const std::size_t> sizes);

/// Number of the first sample of mini-batch `step` in a worker's endless stream. Throws std::logic_error if
/// the batch would lie beyond the largest number.
[[nodiscard]] std::uint64_t first_sample(std::uint64_t step, std::size_t size);

/// All coordinates; throws std::logic_error if they are not the layout's.
template <class T>
std::span<const T> parameters_of(const Vector& parameters, const Layout& layout);

}  // namespace convoy::detail
