// The file formats of data sets. Every fault is a DataError that names the file and, in text, the line.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "learning/data_set.hpp"

namespace convoy::detail {

/// IDX (LeCun, yann.lecun.com/exdb/mnist): big-endian, 0 0 type rank, one 32-bit size a dimension, then the
/// values. `images` of unsigned bytes with at least two dimensions, `labels` with one. Labels must be below
/// `classes`, unless that is 0; `features` unless 0 is how many values an image must have.
[[nodiscard]] Samples read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                               std::size_t features, std::size_t classes);

/// Lines of 64 integers 0..16 and a label 0..9, separated by commas.
[[nodiscard]] Samples read_digits(const std::filesystem::path& file);

/// First line "samples,features,name of class 0,name of class 1,..."; then one line a sample, label last.
struct LabelledNumbers {
  Samples samples;
  std::size_t classes = 0;
};
[[nodiscard]] LabelledNumbers read_numbers(const std::filesystem::path& file);

}  // namespace convoy::detail
