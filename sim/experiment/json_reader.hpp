// JSON text to nodes that remember where they stood. Comments (// and /* */), a byte order mark, CRLF and a
// missing final newline are accepted and change nothing. Everything else that is no JSON is one ConfigError
// with file, line and column:
//
//   Node root = read_json_file("configs/quickstart.json");
//   root.find("name")->origin.line;   // 2
//
// Bounds: 64 MB, 5 million values, 100 levels. A key written twice in one object is a fault naming both
// lines; all such faults of a file are reported together.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "core/node.hpp"

namespace convoy {

struct JsonLimits {
  std::size_t bytes = 64'000'000;
  std::size_t values = 5'000'000;
  std::size_t depth = 100;
};

/// Throws ConfigError if the file cannot be read or is no JSON. `path` stands in the origins as it is given.
[[nodiscard]] Node read_json_file(const std::string& path, const JsonLimits& limits = {});
/// `file` is the name that origins and faults show. Throws ConfigError.
[[nodiscard]] Node read_json_text(std::string_view text, const std::string& file,
                                  const JsonLimits& limits = {});
/// The bytes of a file, at most `limit` of them. Throws ConfigError if it cannot be read or is larger.
[[nodiscard]] std::string read_text_file(const std::string& path, std::size_t limit);

}  // namespace convoy
