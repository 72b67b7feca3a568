#include "experiment/json_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <vector>

namespace convoy {

namespace {

/// In quotes and escaped; bytes that are no UTF-8 become U+FFFD.
std::string text_of(const std::string& text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string number_of(double value) {
  if (!std::isfinite(value)) return "null";
  std::string text = fmt::format("{}", value);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return text;
}

bool is_container(const Node& node) {
  return node.is_list() || node.is_object();
}

std::string scalar_of(const Node& node) {
  switch (node.kind) {
    case Node::Kind::boolean:
      return node.boolean ? "true" : "false";
    case Node::Kind::integer:
      return fmt::format("{}", node.integer);
    case Node::Kind::number:
      return number_of(node.number);
    case Node::Kind::text:
      return text_of(node.text);
    default:
      return "null";
  }
}

void append_canonical(const Node& node, std::string& text) {
  if (node.is_list()) {
    text += '[';
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      if (i > 0) text += ',';
      append_canonical(node.items[i], text);
    }
    text += ']';
  } else if (node.is_object()) {
    std::vector<const Node::Member*> sorted;
    for (const Node::Member& member : node.members) sorted.push_back(&member);
    std::stable_sort(sorted.begin(), sorted.end(),
                     [](const Node::Member* a, const Node::Member* b) { return a->key < b->key; });
    text += '{';
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i > 0) text += ',';
      text += text_of(sorted[i]->key) + ':';
      append_canonical(sorted[i]->value, text);
    }
    text += '}';
  } else {
    text += scalar_of(node);
  }
}

class PrettyWriter {
 public:
  explicit PrettyWriter(std::size_t width) : width_(width) {}

  std::string write(const Node& node) {
    append(node, 0, 0);
    return std::move(text_) + '\n';
  }

 private:
  /// One line of at most `room` bytes, or false. Containers in containers in containers get lines of their
  /// own.
  static bool append_line(const Node& node, std::size_t room, int levels, std::string& line) {
    if (!is_container(node)) {
      line += scalar_of(node);
      return line.size() <= room;
    }
    if (levels == 0 && !(node.items.empty() && node.members.empty())) return false;
    line += node.is_list() ? '[' : '{';
    bool first = true;
    for (const Node& item : node.items) {
      if (!std::exchange(first, false)) line += ", ";
      if (!append_line(item, room, levels - 1, line)) return false;
    }
    for (const Node::Member& member : node.members) {
      if (!std::exchange(first, false)) line += ", ";
      line += text_of(member.key) + ": ";
      if (!append_line(member.value, room, levels - 1, line)) return false;
    }
    line += node.is_list() ? ']' : '}';
    return line.size() <= room;
  }

  /// `used` columns of the present line are taken, by the indentation and the key.
  void append(const Node& node, std::size_t depth, std::size_t used) {
    constexpr std::size_t comma = 1;
    constexpr int levels_on_a_line = 2;
    std::string line;
    const std::size_t room = width_ > used + comma ? width_ - used - comma : 0;
    // The outermost object always has a line for each member.
    const bool outermost = depth == 0 && node.is_object() && !node.members.empty();
    if (!is_container(node) || (!outermost && append_line(node, room, levels_on_a_line, line))) {
      text_ += is_container(node) ? line : scalar_of(node);
    } else if (node.is_object()) {
      append_object(node, depth);
    } else if (std::none_of(node.items.begin(), node.items.end(), is_container)) {
      append_filled(node, depth);
    } else {
      append_list(node, depth);
    }
  }

  void append_object(const Node& node, std::size_t depth) {
    text_ += '{';
    for (const Node::Member& member : node.members) {
      if (&member != &node.members.front()) text_ += ',';
      new_line(depth + 1);
      const std::string key = text_of(member.key) + ": ";
      text_ += key;
      append(member.value, depth + 1, 2 * (depth + 1) + key.size());
    }
    new_line(depth);
    text_ += '}';
  }

  void append_list(const Node& node, std::size_t depth) {
    text_ += '[';
    for (const Node& item : node.items) {
      if (&item != &node.items.front()) text_ += ',';
      new_line(depth + 1);
      append(item, depth + 1, 2 * (depth + 1));
    }
    new_line(depth);
    text_ += ']';
  }

  /// A long list of scalars: as many on each line as fit.
  void append_filled(const Node& node, std::size_t depth) {
    text_ += '[';
    std::size_t column = width_;
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      const std::string item = scalar_of(node.items[i]) + (i + 1 < node.items.size() ? "," : "");
      if (column + 1 + item.size() > width_) {
        new_line(depth + 1);
        column = 2 * (depth + 1) + item.size();
      } else {
        text_ += ' ';
        column += 1 + item.size();
      }
      text_ += item;
    }
    new_line(depth);
    text_ += ']';
  }

  void new_line(std::size_t depth) { text_.append(1, '\n').append(2 * depth, ' '); }

  std::size_t width_;
  std::string text_;
};

}  // namespace

std::string write_json(const Node& node, std::size_t width) {
  return PrettyWriter(width).write(node);
}

std::string write_canonical_json(const Node& node) {
  std::string text;
  append_canonical(node, text);
  return text;
}

}  // namespace convoy
