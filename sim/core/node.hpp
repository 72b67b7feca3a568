// A parsed configuration value that remembers where it stood. Free of JSON: `experiment` makes it from JSON,
// `Options` reads it, and resolved configurations are written back through it.
#pragma once

#include <concepts>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy {

/// Where a node stood. `file` is shared by all nodes of one file.
struct Origin {
  std::shared_ptr<const std::string> file;
  int line = 0;
  int column = 0;
};

/// A tree of null, boolean, integer, number, text, list and object (members in the order written).
struct Node {
  enum class Kind { null, boolean, integer, number, text, list, object };
  struct Member;

  Kind kind = Kind::null;
  bool boolean = false;
  std::int64_t integer = 0;  ///< valid for integer
  double number = 0;         ///< valid for integer and number
  std::string text;          ///< valid for text
  std::vector<Node> items;
  std::vector<Member> members;
  Origin origin;

  Node() = default;
  [[nodiscard]] static Node of(bool value);
  [[nodiscard]] static Node of(std::int64_t value);
  [[nodiscard]] static Node of(double value);
  [[nodiscard]] static Node of(std::string value);
  [[nodiscard]] static Node of(const char* value);
  [[nodiscard]] static Node of(std::string_view value);
  /// Throws std::logic_error beyond 64 bits with sign.
  template <std::integral T>
  [[nodiscard]] static Node of(T value);
  [[nodiscard]] static Node list();
  [[nodiscard]] static Node list(std::vector<Node> items);
  [[nodiscard]] static Node object();

  [[nodiscard]] bool is_null() const { return kind == Kind::null; }
  [[nodiscard]] bool is_text() const { return kind == Kind::text; }
  [[nodiscard]] bool is_number() const { return kind == Kind::integer || kind == Kind::number; }
  [[nodiscard]] bool is_list() const { return kind == Kind::list; }
  [[nodiscard]] bool is_object() const { return kind == Kind::object; }
  /// The member of that name or nullptr; also nullptr if this is no object.
  [[nodiscard]] const Node* find(std::string_view key) const;
  [[nodiscard]] Node* find(std::string_view key);
  /// Sets or replaces a member of an object.
  Node& set(std::string key, Node value);
  /// "an object", "the number 3", "the text \"abc\"": for error messages, shortened to 60 characters.
  [[nodiscard]] std::string describe() const;
};

struct Node::Member {
  std::string key;
  Node value;
  Origin key_origin;
};

template <std::integral T>
Node Node::of(T value) {
  if (!std::in_range<std::int64_t>(value)) throw std::logic_error("an integer of a Node is beyond 64 bits");
  return of(static_cast<std::int64_t>(value));
}

/// One step of an exact structural comparison; origins do not count, the order of members does.
[[nodiscard]] bool operator==(const Node& a, const Node& b);

/// "cluster" + "links" -> "cluster.links"; a key that is no plain word stands in brackets: links["a b"].
[[nodiscard]] std::string member_path(std::string_view path, std::string_view key);
/// "cluster.links" + 3 -> "cluster.links[3]".
[[nodiscard]] std::string item_path(std::string_view path, std::size_t index);
/// The text in double quotes with control characters escaped, shortened to `longest` bytes with "...".
[[nodiscard]] std::string in_quotes(std::string_view text, std::size_t longest = 60);

}  // namespace convoy
