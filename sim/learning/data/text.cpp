#include "learning/data/text.hpp"

#include <array>
#include <string_view>

#include "learning/detail/input_file.hpp"

namespace convoy {

TextCorpus read_text(const std::filesystem::path& file, std::string name) {
  constexpr std::size_t most_bytes = std::size_t{256} << 20;
  detail::InputFile input(file);
  const std::string bytes = input.read_all(most_bytes);
  std::array<bool, 256> occurs{};
  int line = 1;
  for (const char c : bytes) {
    if (c == '\0') input.fail("a NUL byte in a text", "\\0", "text", line);
    if (c == '\n') ++line;
    occurs[static_cast<unsigned char>(c)] = true;
  }
  TextCorpus corpus;
  corpus.name = std::move(name);
  std::array<std::uint8_t, 256> token{};
  for (std::size_t byte = 0; byte < occurs.size(); ++byte) {
    if (!occurs[byte]) continue;
    token[byte] = static_cast<std::uint8_t>(corpus.alphabet.size());
    corpus.alphabet.push_back(static_cast<std::uint8_t>(byte));
  }
  if (corpus.vocabulary() < 2) input.fail("a text of one character only", {}, "at least two characters");
  corpus.tokens.reserve(bytes.size());
  for (const char c : bytes) corpus.tokens.push_back(token[static_cast<unsigned char>(c)]);
  return corpus;
}

}  // namespace convoy
