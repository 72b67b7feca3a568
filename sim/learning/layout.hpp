// How the coordinates of a model are grouped into named layers.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace convoy {

/// One tensor inside a flat vector: coordinates [offset, offset + rows * cols), stored row by row. A weight
/// matrix has a row per output and a column per input (`matrix` is true even if one of them is 1); a bias or
/// any other vector has cols == 1 and `matrix` false. `matrix` decides weight decay and low-rank compression.
struct LayerSpan {
  std::string name;
  std::size_t offset = 0;
  std::size_t rows = 0;
  std::size_t cols = 1;
  bool matrix = false;

  [[nodiscard]] std::size_t size() const { return rows * cols; }
};

/// The layers of a vector, in order and without gaps; `size` is the sum of their sizes. Shared, immutable.
class Layout {
 public:
  std::vector<LayerSpan> layers;
  std::size_t size = 0;

  /// Appends a layer behind the last one.
  Layout& add_matrix(std::string name, std::size_t rows, std::size_t cols) {
    layers.push_back({std::move(name), size, rows, cols, true});
    size += rows * cols;
    return *this;
  }
  Layout& add_vector(std::string name, std::size_t rows) {
    layers.push_back({std::move(name), size, rows, 1, false});
    size += rows;
    return *this;
  }
  /// One vector layer of that many coordinates.
  [[nodiscard]] static std::shared_ptr<const Layout> flat(std::size_t size, std::string name = "x") {
    auto layout = std::make_shared<Layout>();
    if (size > 0) layout->add_vector(std::move(name), size);
    return layout;
  }
};

}  // namespace convoy
