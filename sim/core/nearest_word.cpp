#include "core/nearest_word.hpp"

#include <algorithm>
#include <cctype>
#include <numeric>

#include "core/node.hpp"

namespace convoy {

namespace {

/// Lower case with one kind of separator, for comparing what people mean.
std::string folded(std::string_view word) {
  std::string result(word);
  for (char& c : result) {
    c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (c == '-' || c == ' ') c = '_';
  }
  return result;
}

/// Edits (insert, delete, replace, swap of neighbours) from a to b: optimal string alignment.
std::size_t edit_distance(const std::string& a, const std::string& b) {
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  std::iota(last.begin(), last.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

}  // namespace

std::string nearest_word(std::string_view written, const std::vector<std::string>& words) {
  constexpr std::size_t longest_word = 100;
  if (written.empty() || written.size() > longest_word) return {};
  const std::string meant = folded(written);
  const std::string* nearest = nullptr;
  const std::string* extension = nullptr;
  std::size_t extensions = 0;
  std::size_t smallest = longest_word;
  for (const std::string& word : words) {
    const std::string candidate = folded(word);
    if (candidate.size() > longest_word) continue;
    const std::size_t allowed = std::max(meant.size(), candidate.size()) / 3;
    const std::size_t distance = edit_distance(meant, candidate);
    if (distance <= allowed && distance < smallest) {
      smallest = distance;
      nearest = &word;
    }
    if (meant.size() >= 3 && (candidate.starts_with(meant) || candidate.ends_with(meant))) {
      extension = &word;
      ++extensions;
    }
  }
  if (nearest != nullptr) return *nearest;
  return extensions == 1 ? *extension : std::string();
}

std::string nearest_hint(std::string_view written, const std::vector<std::string>& words) {
  const std::string word = nearest_word(written, words);
  return word.empty() ? std::string() : "did you mean " + in_quotes(word) + "?";
}

}  // namespace convoy
