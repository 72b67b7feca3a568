// A text as a sequence of characters, each a number below the size of its alphabet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace convoy {

struct TextCorpus {
  std::string name;
  std::vector<std::uint8_t> tokens;    ///< positions in `alphabet`
  std::vector<std::uint8_t> alphabet;  ///< the bytes that occur, ascending

  [[nodiscard]] std::size_t vocabulary() const { return alphabet.size(); }
};

/// Reads a text file, plain or gzip: a character is a byte. Throws DataError if it is missing, empty, of one
/// character only, larger than 256 MiB, or holds a NUL byte.
[[nodiscard]] TextCorpus read_text(const std::filesystem::path& file, std::string name);

}  // namespace convoy
