// `sim describe`: options as an aligned table.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "core/options.hpp"
#include "core/options_words.hpp"

namespace convoy {

namespace {

using Row = std::array<std::string, 4>;
constexpr std::size_t columns = 4;
constexpr std::string_view gap = "  ";

/// Characters, not bytes: continuation bytes of UTF-8 take no room.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string help_of(const Option& option) {
  std::string help = option.help_text();
  if (const auto range = option.tuning_range()) {
    help += fmt::format("{}tuned over {} to {}", help.empty() ? "" : "; ", range->first, range->second);
  }
  if (!option.source_text().empty())
    help += fmt::format("{}[{}]", help.empty() ? "" : " ", option.source_text());
  return help;
}

void add_rows(const Options& options, std::size_t depth, std::vector<Row>& rows) {
  for (const Option& option : options.all()) {
    rows.push_back({std::string(2 * depth, ' ') + option.name(), option.type_text(), option.default_shown(),
                    help_of(option)});
    const Option* holder = option.element() != nullptr ? option.element() : &option;
    // A type may hold a list of its own kind: no end to that.
    constexpr std::size_t deepest = 5;
    if (depth >= deepest) continue;
    if (const auto group = holder->group()) add_rows(*group, depth + 1, rows);
  }
}

/// Where the word at `first` ends: at a space outside of double quotes.
std::size_t word_end(std::string_view text, std::size_t first) {
  bool quotes = false;
  std::size_t at = first;
  for (; at < text.size() && (quotes || text[at] != ' '); ++at) {
    if (text[at] == '"') quotes = !quotes;
  }
  return at;
}

/// Lines of at most `width` characters, broken at spaces outside of quotes; a longer word is cut.
std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line(text.substr(0, std::min(text.find_first_not_of(' '), text.size())));
  const std::size_t indent = line.size();
  while (!text.empty()) {
    const std::size_t first = text.find_first_not_of(' ');
    if (first == std::string_view::npos) break;
    const std::size_t end = word_end(text, first);
    std::string_view word = text.substr(first, end - first);
    text.remove_prefix(end);
    const bool begins = line.size() == indent;
    if (!begins && width_of(line) + 1 + width_of(word) > width) {
      lines.push_back(std::exchange(line, std::string(indent, ' ')));
    } else if (!begins) {
      line += ' ';
    }
    while (width_of(line) + width_of(word) > width && word.size() > width - indent) {
      lines.push_back(line + std::string(word.substr(0, width - indent)));
      word.remove_prefix(width - indent);
      line.assign(indent, ' ');
    }
    line += word;
  }
  lines.push_back(std::move(line));
  return lines;
}

/// As wide as the widest cell, within the share of the table that leaves room for the help.
std::array<std::size_t, columns> widths_of(const std::vector<Row>& rows, std::size_t width) {
  const std::array<std::size_t, columns> most{width * 26 / 100, width * 27 / 100, width * 17 / 100, width};
  std::array<std::size_t, columns> widths{};
  for (const Row& row : rows) {
    for (std::size_t i = 0; i < columns; ++i)
      widths[i] = std::min(std::max(widths[i], width_of(row[i])), most[i]);
  }
  const std::size_t used = widths[0] + widths[1] + widths[2] + 3 * gap.size();
  widths[3] = std::min(widths[3], width - used);
  return widths;
}

void append_row(const Row& row, const std::array<std::size_t, columns>& widths, std::string& table) {
  std::array<std::vector<std::string>, columns> cells;
  std::size_t height = 1;
  for (std::size_t i = 0; i < columns; ++i) {
    cells[i] = wrapped(row[i], widths[i]);
    height = std::max(height, cells[i].size());
  }
  for (std::size_t at = 0; at < height; ++at) {
    std::string line;
    std::size_t column = 0;
    for (std::size_t i = 0; i < columns; ++i) {
      if (at < cells[i].size() && !cells[i][at].empty()) {
        line.append(column - width_of(line), ' ');
        line += cells[i][at];
      }
      column += widths[i] + gap.size();
    }
    table += line + '\n';
  }
}

}  // namespace

std::string describe_options(const Options& options, std::size_t width) {
  constexpr std::size_t least_width = 60;
  std::vector<Row> rows{{"name", "type", "default", "meaning"}};
  add_rows(options, 0, rows);
  if (rows.size() == 1) return "no options\n";
  const auto widths = widths_of(rows, std::max(width, least_width));
  std::string table;
  for (const Row& row : rows) append_row(row, widths, table);
  return table;
}

}  // namespace convoy
