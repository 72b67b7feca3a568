// One parameter tensor of a workload.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace convoy {

/// Vectors (biases, norms) have cols == 1 and matrix == false.
struct TensorShape {
  std::string name{};
  std::int64_t rows = 0;
  std::int64_t cols = 1;
  bool matrix = false;
  [[nodiscard]] std::int64_t elements() const { return rows * cols; }
};

[[nodiscard]] inline TensorShape matrix_shape(std::string name, std::int64_t rows, std::int64_t cols) {
  return {std::move(name), rows, cols, true};
}
[[nodiscard]] inline TensorShape vector_shape(std::string name, std::int64_t size) {
  return {std::move(name), size, 1, false};
}
/// Elements of all of them.
[[nodiscard]] inline std::int64_t elements_of(const std::vector<TensorShape>& tensors) {
  std::int64_t sum = 0;
  for (const TensorShape& tensor : tensors) sum += tensor.elements();
  return sum;
}

}  // namespace convoy
