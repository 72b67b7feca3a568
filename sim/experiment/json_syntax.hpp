// What is wrong where the JSON parser stopped, in the words of somebody who only sees the file. Internal to
// json_reader.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/error.hpp"

namespace convoy::detail {

/// Line and column from 1, the column in bytes.
struct TextPosition {
  int line = 1;
  int column = 1;
};
[[nodiscard]] TextPosition position_of(std::string_view text, std::size_t offset);
/// The next byte from `from` that is neither white space nor in a comment; at most `end`.
[[nodiscard]] std::size_t skip_blanks(std::string_view text, std::size_t from, std::size_t end);

/// The state in which the parser stopped.
struct SyntaxStop {
  std::string_view text;     ///< the whole text
  std::size_t previous = 0;  ///< where the last good token begins
  std::size_t start = 0;     ///< where the offending token begins
  std::size_t consumed = 0;  ///< how far the parser has read
  std::string_view report;   ///< what the parser says
  char opener = 0;           ///< '{' or '[' of the innermost open container, 0 outside of any
  std::size_t opened = 0;    ///< where that container opens
  bool finished = false;     ///< the root value is complete
};
/// Fills in message, found, hint and position; file and path are the caller's.
[[nodiscard]] ConfigFault explain_syntax(const SyntaxStop& stop);

}  // namespace convoy::detail
