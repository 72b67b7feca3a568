#include "learning/data_set.hpp"

#include <algorithm>
#include <array>

#include "learning/detail/kernels.hpp"

namespace convoy {
namespace {

constexpr std::array<DataSetInfo, 7> catalogue{{
    {DataKind::fashion_mnist, "fashion_mnist",
     "60,000 training and 10,000 test images of clothing, 28x28 bytes, 10 classes (Xiao et al. 2017); IDX "
     "files of "
     "Debian's dataset-fashion-mnist; x/255 standardised by mean 0.2860 and deviation 0.3530"},
    {DataKind::mnist, "mnist",
     "60,000 training and 10,000 test images of digits, 28x28 bytes, 10 classes (LeCun et al. 1998); IDX "
     "files in a "
     "folder of yours; x/255 standardised by mean 0.1307 and deviation 0.3081"},
    {DataKind::digits, "digits",
     "1,797 images of digits, 8x8 values 0..16, 10 classes (UCI Optical Recognition of Handwritten Digits, "
     "its test "
     "part); shipped; x/16; every sixth of each class is the test split"},
    {DataKind::breast_cancer, "breast_cancer",
     "569 samples of 30 numbers, 2 classes (UCI Breast Cancer Wisconsin, Diagnostic); shipped; each feature "
     "standardised by the mean and deviation of all but the test split, every sixth of each class"},
    {DataKind::idx, "idx",
     "any IDX image set of unsigned bytes (EMNIST, KMNIST, ...): \"path\" names a folder with one "
     "*train-images-idx*-ubyte, *train-labels-idx1-ubyte and the same two for t10k or test; x/255"},
    {DataKind::kjv, "kjv",
     "the first 1,115,345 characters of the King James Bible, 62 different ones, one verse a line; shipped; "
     "for "
     "tasks of kind language; the last tenth is the test split"},
    {DataKind::text, "text",
     "any text for tasks of kind language: \"path\" names a folder with one *.txt; a character is a byte; "
     "the "
     "last tenth is the test split"},
}};

}  // namespace

std::span<const DataSetInfo> data_set_catalogue() {
  return catalogue;
}

std::string_view name_of(DataKind kind) {
  for (const DataSetInfo& info : catalogue) {
    if (info.kind == kind) return info.name;
  }
  throw std::logic_error("a data set that the catalogue does not know");
}

std::optional<DataKind> data_kind_of(std::string_view name) {
  for (const DataSetInfo& info : catalogue) {
    if (info.name == name) return info.kind;
  }
  return std::nullopt;
}

template <class T>
void DataSet::widen(const Samples& samples, std::span<const std::uint32_t> rows, T* out) const {
  // Rows of a batch lie anywhere in memory: the row after next is fetched while this one is widened.
  constexpr std::size_t ahead = 3;
  constexpr std::size_t line = 64;
  const T factor = static_cast<T>(scale);
  const T offset = static_cast<T>(shift);
  const std::size_t width = samples.features;
  const bool is_bytes = samples.numbers.empty();
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (is_bytes) {
      if (i + ahead < rows.size()) {
        const std::uint8_t* const next = samples.bytes.data() + rows[i + ahead] * width;
        for (std::size_t at = 0; at < width; at += line) __builtin_prefetch(next + at);
      }
      detail::widen(samples.bytes.data() + rows[i] * width, out + i * width, width, factor, offset);
    } else {
      detail::widen(samples.numbers.data() + rows[i] * width, out + i * width, width, factor, offset);
    }
  }
}

template void DataSet::widen<float>(const Samples&, std::span<const std::uint32_t>, float*) const;
template void DataSet::widen<double>(const Samples&, std::span<const std::uint32_t>, double*) const;

HeldOut hold_out_last(std::span<const std::uint8_t> labels, std::size_t classes, std::size_t denominator) {
  std::vector<std::size_t> kept(classes, 0);
  for (const std::uint8_t label : labels) ++kept.at(label);
  for (std::size_t& count : kept) count -= (count + denominator / 2) / denominator;
  HeldOut result;
  std::vector<std::size_t> seen(classes, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool keep = seen[labels[i]]++ < kept[labels[i]];
    (keep ? result.kept : result.held_out).push_back(static_cast<std::uint32_t>(i));
  }
  return result;
}

HeldOut hold_out_every(std::span<const std::uint8_t> labels, std::size_t classes, std::size_t denominator) {
  HeldOut result;
  std::vector<std::size_t> seen(classes, 0);
  for (std::size_t i = 0; i < labels.size(); ++i) {
    const bool keep = ++seen.at(labels[i]) % denominator != 0;
    (keep ? result.kept : result.held_out).push_back(static_cast<std::uint32_t>(i));
  }
  return result;
}

}  // namespace convoy
