#include "experiment/graph_file.hpp"

#include <charconv>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "experiment/json_reader.hpp"

namespace convoy {
namespace {

constexpr std::size_t most_bytes = std::size_t{1} << 28;

/// The number at the start of `text`, cut off; false where there is none.
bool take_number(std::string_view& text, Node& number) {
  const char* const end = text.data() + text.size();
  std::int64_t whole = 0;
  double value = 0;
  const auto integer = std::from_chars(text.data(), end, whole);
  const auto real = std::from_chars(text.data(), end, value);
  if (real.ec != std::errc()) return false;
  number = integer.ec == std::errc() && integer.ptr == real.ptr ? Node::of(whole) : Node::of(value);
  text.remove_prefix(static_cast<std::size_t>(real.ptr - text.data()));
  return true;
}

Node read_rows(const std::string& text, const std::string& file, const std::string& path, FaultSink& faults) {
  const auto name = std::make_shared<const std::string>(file);
  constexpr std::string_view blanks = " \t\r", separators = " \t\r,;";
  std::string_view rest = text;
  if (rest.starts_with("\xEF\xBB\xBF")) rest.remove_prefix(3);
  Node rows = Node::list();
  for (int line_number = 1; !rest.empty(); ++line_number) {
    const std::size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    line = line.substr(0, line.find('#'));
    Node row = Node::list();
    row.origin.file = name;
    row.origin.line = line_number;
    row.origin.column = 1;
    bool good = true;
    while (good) {
      const std::size_t first = line.find_first_not_of(row.items.empty() ? blanks : separators);
      if (first == std::string_view::npos) break;
      line.remove_prefix(first);
      Node number;
      good = take_number(line, number) &&
             (line.empty() || separators.find(line.front()) != std::string_view::npos);
      number.origin = row.origin;
      if (good) row.items.push_back(std::move(number));
    }
    const bool header = !good && row.items.empty() && rows.items.empty();
    if (!good && !header) faults.add(row, path, "is no line of numbers", "numbers apart by commas or blanks");
    if (good && !row.items.empty()) rows.items.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

void load_graph_file(Node& graph, const std::string& path, FaultSink& faults) {
  namespace fs = std::filesystem;
  for (const char* key : {"base", "outer"}) {
    Node* part = graph.find(key);
    if (part != nullptr && part->is_object())
      load_graph_file(*part, path.empty() ? key : path + "." + key, faults);
  }
  for (const char* key : {"edges", "rows"}) {
    Node* value = graph.find(key);
    if (value == nullptr || !value->is_text()) continue;
    const std::string where = path.empty() ? key : path + "." + key;
    const bool in_file = value->origin.file && value->origin.line > 0;
    const fs::path folder = in_file ? fs::path(*value->origin.file).parent_path() : fs::path();
    const std::string file = (folder / value->text).string();
    try {
      const bool json = value->text.ends_with(".json");
      Node content =
          json ? read_json_file(file) : read_rows(read_text_file(file, most_bytes), file, where, faults);
      *value = std::move(content);
    } catch (const ConfigError& error) {
      for (ConfigFault fault : error.faults()) {
        if (fault.path.empty()) fault.path = where;
        faults.add(std::move(fault));
      }
      *value = Node::list();
    }
  }
}

}  // namespace convoy
