#include "experiment/error_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string_view>

#include "experiment/json_reader.hpp"

namespace convoy {

namespace {

constexpr std::size_t indent = 9;  // of what stands under the fault, "   12 | "

/// The lines of files, each file read once.
class Sources {
 public:
  std::optional<std::string_view> line(const std::string& file, int number) {
    auto known = texts_.find(file);
    if (known == texts_.end()) known = texts_.emplace(file, text_of(file)).first;
    std::string_view rest = known->second;
    if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
    for (int at = 1; at < number; ++at) {
      const std::size_t end = rest.find('\n');
      if (end == std::string_view::npos) return std::nullopt;
      rest.remove_prefix(end + 1);
    }
    std::string_view line = rest.substr(0, rest.find('\n'));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
  }

 private:
  static std::string text_of(const std::string& file) {
    try {
      return read_text_file(file, JsonLimits().bytes);
    } catch (const ConfigError&) {
      return {};
    }
  }
  std::map<std::string, std::string> texts_;
};

bool continues_character(char c) {
  return (static_cast<unsigned char>(c) & 0xC0U) == 0x80U;
}

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(
      std::count_if(text.begin(), text.end(), [](char c) { return !continues_character(c); }));
}

/// How many bytes from `at` the mark covers: a text with its quotes, a word or number, or one sign.
std::size_t marked_bytes(std::string_view line, std::size_t at) {
  if (at >= line.size()) return 1;
  std::size_t end = at + 1;
  if (line[at] == '"') {
    while (end < line.size() && (line[end] != '"' || line[end - 1] == '\\')) ++end;
    return std::min(end + 1, line.size()) - at;
  }
  const auto is_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '.' || c == '-' || c == '+';
  };
  if (is_word(line[at])) {
    while (end < line.size() && is_word(line[end])) ++end;
  }
  return end - at;
}

/// The part of a long line around `at`, which moves with it.
std::string window(std::string_view line, std::size_t& at, std::size_t width) {
  if (line.size() <= width) return std::string(line);
  constexpr std::string_view dots = "...";
  const std::size_t before = width / 3;
  std::size_t first = at > before ? at - before : 0;
  while (first > 0 && first < line.size() && continues_character(line[first])) --first;
  std::size_t last = std::min(first + width - 2 * dots.size(), line.size());
  while (last < line.size() && continues_character(line[last])) ++last;
  std::string text(line.substr(first, last - first));
  at -= first;
  if (first > 0) {
    text.insert(0, dots);
    at += dots.size();
  }
  if (last < line.size()) text += dots;
  return text;
}

void append_source(const ConfigFault& fault, Sources& sources, std::size_t width, std::string& text) {
  if (fault.file.empty() || fault.line < 1 || fault.column < 1) return;
  const auto line = sources.line(fault.file, fault.line);
  const auto column = static_cast<std::size_t>(fault.column - 1);
  if (!line || line->empty() || column > line->size()) return;
  std::size_t at = column;
  const std::size_t room = width > 2 * indent ? width - indent : indent;
  std::string shown = window(*line, at, room);
  for (char& c : shown) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  const std::size_t marked = std::min(marked_bytes(shown, at), shown.size() > at ? shown.size() - at : 1);
  const std::size_t marks = at < shown.size() ? characters(std::string_view(shown).substr(at, marked)) : 1;
  text += fmt::format("{:>6} | {}\n", fault.line, shown);
  text +=
      fmt::format("{:>6} | {}{}\n", "", std::string(characters(std::string_view(shown).substr(0, at)), ' '),
                  std::string(std::max<std::size_t>(marks, 1), '^'));
}

/// Indented lines, broken at spaces.
void append_wrapped(std::string_view words, std::size_t width, std::string& text) {
  std::string line(indent, ' ');
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    const std::string_view word = words.substr(0, end);
    const bool begins = line.size() == indent;
    if (!begins && characters(line) + 1 + characters(word) > width) {
      text += line + '\n';
      line.assign(indent + 2, ' ');
      line += word;
    } else {
      line += begins ? "" : " ";
      line += word;
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  text += line + '\n';
}

}  // namespace

std::string explain(const ConfigError& error, std::size_t width) {
  constexpr std::size_t longest_list = 60;
  Sources sources;
  std::string text;
  for (const ConfigFault& fault : error.faults()) {
    // A long list of what is allowed gets lines of its own; the rest is the fault's one line.
    ConfigFault head = fault;
    head.hint.clear();
    if (head.allowed.size() > longest_list) head.allowed.clear();
    text += head.to_string() + '\n';
    append_source(fault, sources, width, text);
    if (!fault.hint.empty()) append_wrapped(fault.hint, width, text);
    if (!fault.allowed.empty() && head.allowed.empty() &&
        fault.message.find(fault.allowed) == std::string::npos) {
      append_wrapped("allowed: " + fault.allowed, width, text);
    }
  }
  return text;
}

}  // namespace convoy
