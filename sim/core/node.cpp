#include "core/node.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace convoy {

Node Node::of(bool value) {
  Node node;
  node.kind = Kind::boolean;
  node.boolean = value;
  return node;
}

Node Node::of(std::int64_t value) {
  Node node;
  node.kind = Kind::integer;
  node.integer = value;
  node.number = static_cast<double>(value);
  return node;
}

Node Node::of(double value) {
  Node node;
  node.kind = Kind::number;
  node.number = value;
  return node;
}

Node Node::of(std::string value) {
  Node node;
  node.kind = Kind::text;
  node.text = std::move(value);
  return node;
}

Node Node::of(const char* value) {
  return of(std::string(value));
}
Node Node::of(std::string_view value) {
  return of(std::string(value));
}

Node Node::list() {
  return list(std::vector<Node>());
}

Node Node::list(std::vector<Node> items) {
  Node node;
  node.kind = Kind::list;
  node.items = std::move(items);
  return node;
}

Node Node::object() {
  Node node;
  node.kind = Kind::object;
  return node;
}

const Node* Node::find(std::string_view key) const {
  if (kind != Kind::object) return nullptr;
  const auto found =
      std::find_if(members.begin(), members.end(), [key](const Member& member) { return member.key == key; });
  return found == members.end() ? nullptr : &found->value;
}

Node* Node::find(std::string_view key) {
  return const_cast<Node*>(std::as_const(*this).find(key));
}

Node& Node::set(std::string key, Node value) {
  if (kind != Kind::object) throw std::logic_error("a member is set in a node that is no object");
  if (Node* present = find(key)) return *present = std::move(value);
  Origin origin_of_key = value.origin;
  members.push_back({std::move(key), std::move(value), std::move(origin_of_key)});
  return members.back().value;
}

std::string Node::describe() const {
  switch (kind) {
    case Kind::null:
      return "null";
    case Kind::boolean:
      return boolean ? "true" : "false";
    case Kind::integer:
      return fmt::format("the number {}", integer);
    case Kind::number:
      return fmt::format("the number {}", number);
    case Kind::text:
      return text.empty() ? "an empty text" : "the text " + in_quotes(text, 60 - 9);
    case Kind::list:
      return items.empty() ? "an empty list" : "a list";
    case Kind::object:
      return members.empty() ? "an empty object" : "an object";
  }
  throw std::logic_error("a node of no kind");
}

bool operator==(const Node& a, const Node& b) {
  if (a.kind != b.kind) return false;
  switch (a.kind) {
    case Node::Kind::null:
      return true;
    case Node::Kind::boolean:
      return a.boolean == b.boolean;
    case Node::Kind::integer:
      return a.integer == b.integer;
    case Node::Kind::number:
      return a.number == b.number;
    case Node::Kind::text:
      return a.text == b.text;
    case Node::Kind::list:
      return a.items == b.items;
    case Node::Kind::object:
      return std::equal(
          a.members.begin(), a.members.end(), b.members.begin(), b.members.end(),
          [](const Node::Member& x, const Node::Member& y) { return x.key == y.key && x.value == y.value; });
  }
  return false;
}

std::string member_path(std::string_view path, std::string_view key) {
  const bool plain = !key.empty() && key.size() <= 60 && std::all_of(key.begin(), key.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  if (!plain) return fmt::format("{}[{}]", path, in_quotes(key, 60));
  return path.empty() ? std::string(key) : fmt::format("{}.{}", path, key);
}

std::string item_path(std::string_view path, std::size_t index) {
  return fmt::format("{}[{}]", path, index);
}

std::string in_quotes(std::string_view text, std::size_t longest) {
  std::string result = "\"";
  const bool cut = text.size() + 2 > longest;
  std::size_t keep = cut ? longest - std::min<std::size_t>(longest, 5) : text.size();
  // Never inside a UTF-8 sequence: its later bytes are 10xxxxxx.
  while (cut && keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xC0U) == 0x80U) --keep;
  for (const char c : text.substr(0, keep)) {
    if (c == '"' || c == '\\') {
      result += '\\';
      result += c;
    } else if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else if (static_cast<unsigned char>(c) < 0x20 || c == 0x7F) {
      result += fmt::format("\\u{:04x}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    } else {
      result += c;
    }
  }
  return result + (cut ? "...\"" : "\"");
}

}  // namespace convoy
