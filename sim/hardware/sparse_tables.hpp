// A recommendation model with embedding tables (Naumov et al., DLRM, arXiv 1906.00091): a step reads and
// writes the rows that its samples name, not the tables.
//
//   "workload": {"sparse": {"rows": [1000000, 500], "width": 64, "lookups": 2, "dense_features": 13,
//                           "bottom": [512, 64], "top": [512, 256, 1]}}
#pragma once

#include <cstdint>
#include <vector>

#include "core/options.hpp"
#include "hardware/tensor_shape.hpp"

namespace convoy {

struct SparseTables {
  std::vector<std::int64_t> rows;    ///< of each table
  std::int64_t width = 0;            ///< of a row, and of the last bottom layer
  std::int64_t lookups = 1;          ///< rows that a sample names in each table; their sum goes on
  std::int64_t dense_features = 13;  ///< inputs of the bottom layers
  std::vector<std::int64_t> bottom;  ///< widths of the bottom layers; the last is `width`
  std::vector<std::int64_t> top;     ///< widths of the top layers, which take all dot products of two rows
  void declare(Options& options);

  /// One matrix a table, then the dense layers' matrices and biases.
  [[nodiscard]] std::vector<TensorShape> tensors() const;
  /// Elements of the tables.
  [[nodiscard]] std::int64_t table_elements() const;
  /// Elements of the tables that a sample reads: lookups x width a table.
  [[nodiscard]] double gathered_elements() const;
  /// FLOPs of a sample's forward pass: dense layers, sums of rows, and dot products of each pair of the
  /// tables' and the bottom's vectors.
  [[nodiscard]] double forward_flops() const;
  /// Outputs of the dense layers, rows and dot products of a sample.
  [[nodiscard]] double activation_elements() const;

 private:
  struct Layer {
    std::int64_t inputs, outputs;
  };
  [[nodiscard]] std::int64_t pairs() const;  ///< of vectors that meet
  [[nodiscard]] std::vector<Layer> layers() const;
};

}  // namespace convoy
