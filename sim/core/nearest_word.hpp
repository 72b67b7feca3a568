// What a user most likely meant by a misspelt name: the "did you mean" of every error message.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace convoy {

/// The word of `words` nearest to `written` (edit distance at most a third of the longer one, case and - _
/// alike; else the only word that begins or ends with it), or empty.
[[nodiscard]] std::string nearest_word(std::string_view written, const std::vector<std::string>& words);
/// "did you mean \"word\"?" for the nearest word, or empty.
[[nodiscard]] std::string nearest_hint(std::string_view written, const std::vector<std::string>& words);

}  // namespace convoy
