#include "learning/detail/data_files.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <string_view>

#include "learning/detail/input_file.hpp"

namespace convoy::detail {
namespace {

constexpr std::size_t text_limit = 64 << 20;

std::uint32_t big_endian(const std::uint8_t* bytes) {
  return static_cast<std::uint32_t>(bytes[0]) << 24 | static_cast<std::uint32_t>(bytes[1]) << 16 |
         static_cast<std::uint32_t>(bytes[2]) << 8 | static_cast<std::uint32_t>(bytes[3]);
}

struct IdxValues {
  std::size_t count = 0;
  std::size_t features = 1;
  std::vector<std::uint8_t> values;
};

IdxValues read_idx_file(InputFile& file, std::size_t least_rank, std::size_t most_rank) {
  const std::vector<std::uint8_t> magic = file.read_exactly(4, "IDX magic number");
  if (magic[0] != 0 || magic[1] != 0) {
    file.fail("not an IDX file: its magic number does not begin with two zero bytes",
              std::to_string(magic[0]) + " " + std::to_string(magic[1]));
  }
  if (magic[2] != 0x08) {
    file.fail("IDX values must be unsigned bytes", "type code " + std::to_string(magic[2]), "type code 8");
  }
  const std::size_t rank = magic[3];
  if (rank < least_rank || rank > most_rank) {
    file.fail("wrong number of IDX dimensions", std::to_string(rank),
              least_rank == most_rank ? std::to_string(least_rank)
                                      : std::to_string(least_rank) + " to " + std::to_string(most_rank));
  }
  const std::vector<std::uint8_t> sizes = file.read_exactly(4 * rank, "IDX dimensions");
  IdxValues result;
  result.count = big_endian(sizes.data());
  if (result.count == 0) file.fail("the IDX file declares no samples");
  constexpr std::size_t most_features = 1 << 24;
  for (std::size_t i = 1; i < rank; ++i) {
    const std::size_t extent = big_endian(sizes.data() + 4 * i);
    if (extent == 0 || extent > most_features / result.features) {
      file.fail("an IDX image must have 1 to " + std::to_string(most_features) + " values",
                "dimension " + std::to_string(i) + " of size " + std::to_string(extent));
    }
    result.features *= extent;
  }
  result.values = file.read_exactly(result.count * result.features, "values");
  file.require_end();
  return result;
}

// Splits one line at commas into numbers; the file and the line are named in faults.
class LineReader {
 public:
  LineReader(const InputFile& file, const std::string& text) : file_(file), rest_(text) {}

  /// False at the end. Blank lines are skipped.
  bool next_line() {
    while (!rest_.empty()) {
      ++number_;
      const std::size_t end = rest_.find('\n');
      line_ = rest_.substr(0, end);
      rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
      if (!line_.empty() && line_.back() == '\r') line_.remove_suffix(1);
      if (!line_.empty()) return true;
    }
    return false;
  }

  /// Cuts the line into fields.
  void fields(std::vector<std::string_view>& out) const {
    out.clear();
    for (std::string_view rest = line_;;) {
      const std::size_t comma = rest.find(',');
      out.push_back(rest.substr(0, comma));
      if (comma == std::string_view::npos) return;
      rest.remove_prefix(comma + 1);
    }
  }

  template <class Number>
  [[nodiscard]] Number number(std::string_view field, const char* allowed) const {
    Number value{};
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), value);
    bool good = error == std::errc() && end == field.data() + field.size();
    if constexpr (std::is_floating_point_v<Number>) good = good && std::isfinite(value);
    if (!good) fail("not a number", "\"" + std::string(field.substr(0, 40)) + "\"", allowed);
    return value;
  }

  [[noreturn]] void fail(std::string message, std::string found = {}, std::string allowed = {}) const {
    file_.fail(std::move(message), std::move(found), std::move(allowed), number_);
  }

 private:
  const InputFile& file_;
  std::string_view rest_;
  std::string_view line_;
  int number_ = 0;
};

}  // namespace

Samples read_idx(const std::filesystem::path& images, const std::filesystem::path& labels,
                 std::size_t features, std::size_t classes) {
  InputFile image_file(images);
  IdxValues pixels = read_idx_file(image_file, 2, 4);
  if (features != 0 && pixels.features != features) {
    image_file.fail("wrong size of the images", std::to_string(pixels.features) + " values",
                    std::to_string(features) + " values");
  }
  InputFile label_file(labels);
  IdxValues marks = read_idx_file(label_file, 1, 1);
  if (marks.count != pixels.count) {
    label_file.fail("as many labels as images are needed", std::to_string(marks.count) + " labels",
                    std::to_string(pixels.count) + " images in " + images.string());
  }
  if (classes != 0) {
    for (std::size_t i = 0; i < marks.count; ++i) {
      if (marks.values[i] >= classes) {
        label_file.fail("label " + std::to_string(i) + " is out of range", std::to_string(marks.values[i]),
                        "0 to " + std::to_string(classes - 1));
      }
    }
  }
  Samples result;
  result.count = pixels.count;
  result.features = pixels.features;
  result.bytes = std::move(pixels.values);
  result.labels = std::move(marks.values);
  return result;
}

Samples read_digits(const std::filesystem::path& path) {
  constexpr std::size_t pixels = 64;
  InputFile file(path);
  const std::string text = file.read_all(text_limit);
  LineReader reader(file, text);
  Samples result;
  result.features = pixels;
  std::vector<std::string_view> fields;
  while (reader.next_line()) {
    reader.fields(fields);
    if (fields.size() != pixels + 1) {
      reader.fail("a line needs 64 values and a label", std::to_string(fields.size()) + " fields",
                  "65 fields");
    }
    for (std::size_t i = 0; i <= pixels; ++i) {
      const bool is_pixel = i < pixels;
      const char* const allowed = is_pixel ? "an integer from 0 to 16" : "an integer from 0 to 9";
      const int value = reader.number<int>(fields[i], allowed);
      if (value < 0 || value > (is_pixel ? 16 : 9)) {
        reader.fail(is_pixel ? "a pixel is out of range" : "the label is out of range", std::to_string(value),
                    allowed);
      }
      (is_pixel ? result.bytes : result.labels).push_back(static_cast<std::uint8_t>(value));
    }
  }
  result.count = result.labels.size();
  if (result.count == 0) file.fail("the data file holds no samples");
  return result;
}

LabelledNumbers read_numbers(const std::filesystem::path& path) {
  InputFile file(path);
  const std::string text = file.read_all(text_limit);
  LineReader reader(file, text);
  std::vector<std::string_view> fields;
  if (!reader.next_line()) file.fail("the data file holds no lines");
  reader.fields(fields);
  if (fields.size() < 4) {
    reader.fail(
        "the first line needs the number of samples, of features and the names of at least two classes",
        std::to_string(fields.size()) + " fields");
  }
  LabelledNumbers result;
  result.classes = fields.size() - 2;
  const auto samples = reader.number<std::uint32_t>(fields[0], "a number of samples");
  const auto features = reader.number<std::uint32_t>(fields[1], "a number of features");
  if (samples == 0 || features == 0 || result.classes > 256) {
    reader.fail("at least one sample, one feature and at most 256 classes are needed");
  }
  while (reader.next_line()) {
    reader.fields(fields);
    if (fields.size() != std::size_t{features} + 1) {
      reader.fail("a line needs its features and a label", std::to_string(fields.size()) + " fields",
                  std::to_string(features + 1ULL) + " fields");
    }
    for (std::size_t i = 0; i < features; ++i) {
      result.samples.numbers.push_back(reader.number<float>(fields[i], "a finite number"));
    }
    const auto label = reader.number<std::uint32_t>(fields[features], "a class number");
    if (label >= result.classes) {
      reader.fail("the label is out of range", std::to_string(label),
                  "0 to " + std::to_string(result.classes - 1));
    }
    result.samples.labels.push_back(static_cast<std::uint8_t>(label));
  }
  if (result.samples.labels.size() != samples) {
    file.fail("as many samples as the first line declares are needed",
              std::to_string(result.samples.labels.size()), std::to_string(samples));
  }
  result.samples.count = samples;
  result.samples.features = features;
  return result;
}

}  // namespace convoy::detail
