// Reads a data file that may be compressed with gzip; every fault is a DataError that names the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "learning/data_set.hpp"

namespace convoy::detail {

class InputFile {
 public:
  /// Opens a regular file, plain or gzip (told apart by content). Throws DataError if it is missing, a
  /// directory, not readable, or empty.
  explicit InputFile(const std::filesystem::path& path);

  /// Reads up to `count` bytes; less only at the end. Throws DataError for corrupt or cut off gzip.
  std::size_t read(void* out, std::size_t count);
  /// Exactly `count` bytes of `what`; memory grows with what is really there. Throws DataError if the file is
  /// shorter.
  [[nodiscard]] std::vector<std::uint8_t> read_exactly(std::size_t count, std::string_view what);
  /// All of it; throws DataError beyond `limit` bytes.
  [[nodiscard]] std::string read_all(std::size_t limit);
  /// Throws DataError unless everything has been read.
  void require_end();

  /// Throws DataError{file, message}; `line` from 1, 0 if it has none.
  [[noreturn]] void fail(std::string message, std::string found = {}, std::string allowed = {},
                         int line = 0) const;

 private:
  struct Close {
    void operator()(void* file) const;
  };
  std::string name_;
  std::unique_ptr<void, Close> file_;
};

}  // namespace convoy::detail
