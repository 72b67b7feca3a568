#include "experiment/json_syntax.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "core/node.hpp"

namespace convoy::detail {

namespace {

bool is_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  return result;
}

class Explainer {
 public:
  explicit Explainer(const SyntaxStop& stop) : stop_(stop), at_(std::min(stop.start, stop.text.size())) {}

  ConfigFault explain() {
    if (stop_.report.find("invalid string") != std::string_view::npos) {
      bad_text();
    } else if (stop_.report.find("invalid comment") != std::string_view::npos) {
      bad_comment();
    } else if (at_ >= stop_.text.size()) {
      early_end();
    } else if (stop_.finished) {
      say("more follows after the end of the value", "a file holds one value");
    } else if (stop_.report.find("number overflow") != std::string_view::npos) {
      say("the number is too large for a double", "the largest is about 1.8e308");
    } else if (!bad_word()) {
      misplaced();
    }
    const TextPosition position = position_of(stop_.text, at_);
    fault_.line = position.line;
    fault_.column = position.column;
    return fault_;
  }

 private:
  void say(std::string message, std::string hint = {}) {
    fault_.message = std::move(message);
    fault_.hint = std::move(hint);
    fault_.found = at_ < stop_.text.size() ? token() : "the end of the file";
  }

  [[nodiscard]] std::string opening() const {
    const TextPosition at = position_of(stop_.text, stop_.opened);
    return fmt::format("the {} that opens at line {}, column {}", stop_.opener == '{' ? "object" : "list",
                       at.line, at.column);
  }

  [[nodiscard]] std::string_view closer() const { return stop_.opener == '{' ? "\"}\"" : "\"]\""; }

  /// The word, text or sign at the fault, shortened.
  [[nodiscard]] std::string token() const {
    std::size_t end = at_ + 1;
    const char first = stop_.text[at_];
    if (is_word(first) || first == '-' || first == '+' || first == '.') {
      while (end < stop_.text.size() && (is_word(stop_.text[end]) || stop_.text[end] == '.')) ++end;
    } else if (first == '"') {
      while (end < stop_.text.size() && stop_.text[end] != '"' && stop_.text[end] != '\n') ++end;
      if (end < stop_.text.size() && stop_.text[end] == '"') ++end;
      const std::string_view inside = stop_.text.substr(at_ + 1, end - at_ - 1);
      return in_quotes(inside.substr(0, inside.find_last_not_of("\"\r\n") + 1), 40);
    } else {
      // A whole UTF-8 sequence.
      while (end < stop_.text.size() && (static_cast<unsigned char>(stop_.text[end]) & 0xC0U) == 0x80U) ++end;
    }
    return in_quotes(stop_.text.substr(at_, end - at_), 40);
  }

  [[nodiscard]] std::string_view word() const {
    std::size_t end = at_;
    while (end < stop_.text.size() && is_word(stop_.text[end])) ++end;
    return stop_.text.substr(at_, end - at_);
  }

  /// Faults inside of a text, whose last byte read is the offending one.
  void bad_text() {
    const std::string_view report = stop_.report;
    const auto reports = [report](std::string_view words) {
      return report.find(words) != std::string_view::npos;
    };
    if (reports("missing closing quote")) return say("the text that begins here has no closing quote");
    at_ =
        std::min(std::max(at_, stop_.consumed - std::min<std::size_t>(stop_.consumed, 1)), stop_.text.size());
    if (reports("U+000A") || reports("U+000D")) {
      at_ = std::min(stop_.start, stop_.text.size());
      return say("the text that begins here has no closing quote on its line",
                 "a line break inside of a text is \\n");
    }
    if (reports("U+0009")) {
      say("a text holds a raw tab", "write \\t");
    } else if (reports("control character")) {
      say("a text holds a raw control character",
          at_ < stop_.text.size()
              ? fmt::format("write \\u{:04x}",
                            static_cast<unsigned>(static_cast<unsigned char>(stop_.text[at_])))
              : "");
    } else if (reports("UTF-8")) {
      say("the bytes here are no UTF-8", "save the file as UTF-8");
    } else if (reports("forbidden character after backslash")) {
      say("a text holds a backslash that begins no escape", "write \\\\ for a backslash");
    } else if (reports("surrogate")) {
      say("a text holds half of a surrogate pair", "write the character itself; the file is UTF-8");
    } else {
      say("a text holds a \\u without four hexadecimal digits", "write \\\\ for a backslash");
    }
    fault_.found = {};
  }

  void bad_comment() {
    if (stop_.report.find("missing closing") != std::string_view::npos) {
      return say("the comment that begins here is not closed", "close it with */");
    }
    say("a single \"/\" begins no comment", "comments are // to the end of the line or /* ... */");
  }

  void early_end() {
    if (stop_.opener == 0) return say("the file holds no value", "write an object, {...}");
    say(fmt::format("the file ends inside {}", opening()), fmt::format("close it with {}", closer()));
    fault_.found = {};
  }

  /// What people write out of habit from other languages. False if it is none of these.
  bool bad_word() {
    const char first = stop_.text[at_];
    if (first == '\'') return say("texts and keys stand in double quotes"), true;
    if (first == '#') return say("\"#\" begins no comment", "comments begin with //"), true;
    if (first == '=' || first == ';') {
      return say(fmt::format("\"{}\" is no sign of JSON", first),
                 first == '=' ? "write \":\"" : "write \",\""),
             true;
    }
    if (static_cast<unsigned char>(first) >= 0x80) {
      return say("an unexpected character", "texts and keys stand in straight double quotes"), true;
    }
    if (first == '+' || first == '.' || first == '-' || (first >= '0' && first <= '9')) return bad_number();
    if (!is_word(first)) return false;
    return bad_name();
  }

  bool bad_number() {
    const std::string_view rest = stop_.text.substr(at_ + 1);
    const std::string name = lower(rest.substr(0, 8));
    if ((name.starts_with("inf") || name.starts_with("nan")) &&
        (stop_.text[at_] == '-' || stop_.text[at_] == '+')) {
      return say("numbers are finite in JSON", "for \"no limit\" leave the key out"), true;
    }
    if (stop_.text[at_] == '+') return say("a number has no plus sign", "leave the \"+\" out"), true;
    if (stop_.text[at_] == '.')
      return say("a number begins with a digit", "write \"0\" before the point"), true;
    if (stop_.report.find("invalid number") != std::string_view::npos) {
      return say("the number is not complete", "a digit is missing after \"-\", \".\" or \"e\""), true;
    }
    const bool after_zero = at_ > 0 && stop_.previous + 1 == at_ && stop_.text[stop_.previous] == '0';
    if (after_zero) return say("a number has no leading zeros"), true;
    return false;
  }

  /// Whether a number stands before, in the same line.
  [[nodiscard]] bool follows_number() const {
    const std::size_t before = stop_.text.find_last_not_of(' ', at_ == 0 ? 0 : at_ - 1);
    return at_ > 0 && before != std::string_view::npos && before >= stop_.previous && stop_.previous < at_ &&
           (stop_.text[stop_.previous] == '-' ||
            (stop_.text[stop_.previous] >= '0' && stop_.text[stop_.previous] <= '9'));
  }

  bool bad_name() {
    const std::string_view name = word();
    const std::string folded = lower(name);
    if (name == "true" || name == "false" || name == "null") return false;
    if (folded == "nan" || folded == "inf" || folded == "infinity") {
      return say("numbers are finite in JSON", "for \"no limit\" leave the key out"), true;
    }
    if (folded == "true" || folded == "false") return say("a word without quotes", "write " + folded), true;
    if (folded == "none" || folded == "nil") return say("a word without quotes", "write null"), true;
    if (follows_number()) {
      return say("letters after a number", "a quantity with a unit is a text in double quotes"), true;
    }
    const std::size_t next = skip_blanks(stop_.text, at_ + name.size(), stop_.text.size());
    const bool key = next < stop_.text.size() && stop_.text[next] == ':';
    return say(key ? "keys stand in double quotes" : "texts stand in double quotes",
               fmt::format("write {}", in_quotes(name, 40))),
           true;
  }

  /// A well-formed token where it may not stand.
  void misplaced() {
    const char sign = stop_.text[at_];
    const char previous = stop_.previous < stop_.text.size() ? stop_.text[stop_.previous] : '\0';
    const bool key_expected = stop_.report.find("object key") != std::string_view::npos;
    const bool closes = sign == '}' || sign == ']';
    if (closes && stop_.opener == 0) return say("nothing is open that this could close", "remove it");
    if (closes && (sign == '}') != (stop_.opener == '{')) {
      return say(fmt::format("{} is not closed", opening()), fmt::format("close it with {} first", closer()));
    }
    if (closes && previous == ',') {
      at_ = stop_.previous;
      return say(fmt::format("a comma before the closing \"{}\"", sign), "remove the comma");
    }
    if (stop_.report.find("object separator") != std::string_view::npos) {
      return say("a \":\" is missing after the key", "write \"key\": value");
    }
    if (key_expected) return say("a key in double quotes is needed here");
    if (sign == ',') return say("a value is missing before the comma");
    if (sign == ':') return say("a \":\" may only follow a key");
    if (closes) return say("a value is missing here");
    say("a comma is missing before this");
  }

  const SyntaxStop& stop_;
  std::size_t at_;
  ConfigFault fault_;
};

}  // namespace

TextPosition position_of(std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') + 1;  // npos + 1 is 0
  return {.line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
          .column = static_cast<int>(before.size() - line_start) + 1};
}

std::size_t skip_blanks(std::string_view text, std::size_t from, std::size_t end) {
  std::size_t at = from;
  end = std::min(end, text.size());
  while (at < end) {
    if (text[at] == ' ' || text[at] == '\t' || text[at] == '\n' || text[at] == '\r') {
      ++at;
    } else if (text.substr(at, 2) == "//") {
      at = std::min(text.find_first_of("\r\n", at), end);
    } else if (text.substr(at, 2) == "/*") {
      const std::size_t close = text.find("*/", at + 2);
      if (close == std::string_view::npos) return at;
      at = std::min(close + 2, end);
    } else {
      break;
    }
  }
  return at;
}

ConfigFault explain_syntax(const SyntaxStop& stop) {
  return Explainer(stop).explain();
}

}  // namespace convoy::detail
