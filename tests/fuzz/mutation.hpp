// Deterministic mutation of texts for the fuzz tests: the same inputs in every run, on every machine.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace convoy::fuzz {

/// Marsaglia's xorshift64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return state_ % n;
  }
  template <class T>
  const T& any_of(const std::vector<T>& values) {
    return values[below(values.size())];
  }

 private:
  std::uint64_t state_;
};

/// A few edits of a text: bytes flipped, inserted, removed, pieces repeated, tokens of the language put in.
inline std::string mutated(std::string text, const std::vector<std::string>& tokens, Random& random) {
  constexpr std::size_t longest = 4000;
  for (std::uint64_t edits = 1 + random.below(4); edits > 0; --edits) {
    const std::size_t at = random.below(text.size() + 1);
    switch (random.below(6)) {
      case 0:
        if (at < text.size()) text[at] = static_cast<char>(random.below(256));
        break;
      case 1:
        text.insert(at, 1, static_cast<char>(random.below(256)));
        break;
      case 2:
        text.erase(at, 1 + random.below(8));
        break;
      case 3:
        text.insert(at, text.substr(random.below(text.size() + 1), random.below(40)));
        break;
      case 4:
        text.insert(at, random.any_of(tokens));
        break;
      default: {
        const std::string token = random.any_of(tokens);
        text.replace(at, std::min(token.size(), text.size() - at), token);
      }
    }
    if (text.size() > longest) text.resize(longest);
  }
  return text;
}

}  // namespace convoy::fuzz
