// Labelled samples in memory, as stored in their files; they become floating-point numbers batch by batch.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/error.hpp"

namespace convoy {

/// A data file that is missing, unreadable or not what it claims to be. Names the file and what is wrong in
/// it.
class DataError : public ConfigError {
 public:
  using ConfigError::ConfigError;
};

/// The data sets known by name.
enum class DataKind { fashion_mnist, mnist, digits, breast_cancer, idx, kjv, text };

/// What `sim list datasets` shows.
struct DataSetInfo {
  DataKind kind;
  std::string_view name;
  std::string_view about;  ///< content, files, normalisation and split
};
[[nodiscard]] std::span<const DataSetInfo> data_set_catalogue();
[[nodiscard]] std::string_view name_of(DataKind kind);
/// True for texts, which tasks of kind language read; the others hold labelled samples.
[[nodiscard]] constexpr bool is_text(DataKind kind) {
  return kind == DataKind::kjv || kind == DataKind::text;
}
/// Empty for an unknown name.
[[nodiscard]] std::optional<DataKind> data_kind_of(std::string_view name);

/// Samples of one split. Either `bytes` or `numbers` holds count x features values, sample after sample.
struct Samples {
  std::size_t count = 0;
  std::size_t features = 0;
  std::vector<std::uint8_t> bytes;
  std::vector<float> numbers;
  std::vector<std::uint8_t> labels;  ///< count labels, each below the number of classes
};

/// A data set with its training and test samples. What a model sees is stored value * scale + shift.
struct DataSet {
  DataKind kind = DataKind::idx;
  std::string name;
  std::size_t features = 0;
  std::size_t classes = 0;
  double scale = 1;
  double shift = 0;
  Samples training;
  Samples test;

  /// Writes the samples `rows` into `out` (rows.size() x features), scaled.
  template <class T>
  void widen(const Samples& samples, std::span<const std::uint32_t> rows, T* out) const;
};

/// Row numbers, ascending.
struct HeldOut {
  std::vector<std::uint32_t> kept;
  std::vector<std::uint32_t> held_out;
};
/// Holds out the last 1/`denominator` of each class in file order (rounded to nearest): how validation is
/// split off.
[[nodiscard]] HeldOut hold_out_last(std::span<const std::uint8_t> labels, std::size_t classes,
                                    std::size_t denominator);
/// Holds out samples number `denominator`, 2 `denominator`, ... of each class in file order: how test samples
/// are taken from a data set of one file.
[[nodiscard]] HeldOut hold_out_every(std::span<const std::uint8_t> labels, std::size_t classes,
                                     std::size_t denominator);

}  // namespace convoy
