// The part of JSON Schema 2020-12 that our schemas use, as a judge for tests that is independent of the
// options reader.
#pragma once

#include <regex.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <string_view>

#include "core/node.hpp"

namespace convoy {

class SchemaValidator {
 public:
  explicit SchemaValidator(Node schema) : root_(std::move(schema)) {}

  /// Throws std::logic_error for a keyword that it does not know.
  bool accepts(const Node& value) { return accepts(root_, value); }

 private:
  bool accepts(const Node& schema, const Node& value) {
    if (!schema.is_object()) throw std::logic_error("a schema is an object");
    return std::all_of(schema.members.begin(), schema.members.end(), [&](const Node::Member& keyword) {
      return satisfies(keyword.key, keyword.value, schema, value);
    });
  }

  bool satisfies(std::string_view keyword, const Node& rule, const Node& schema, const Node& value) {
    const double number = value.number;
    const auto size =
        static_cast<std::int64_t>(value.is_object() ? value.members.size() : value.items.size());
    if (keyword == "$schema" || keyword == "title" || keyword == "description" || keyword == "default" ||
        keyword == "$defs" || keyword == "additionalProperties") {
      return true;  // additionalProperties is judged with properties
    }
    if (keyword == "type") return has_type(rule.text, value);
    if (keyword == "const") return rule == value;
    if (keyword == "enum") return std::find(rule.items.begin(), rule.items.end(), value) != rule.items.end();
    if (keyword == "minimum") return !value.is_number() || number >= rule.number;
    if (keyword == "exclusiveMinimum") return !value.is_number() || number > rule.number;
    if (keyword == "maximum") return !value.is_number() || number <= rule.number;
    if (keyword == "exclusiveMaximum") return !value.is_number() || number < rule.number;
    if (keyword == "pattern") return !value.is_text() || matches_pattern(rule.text, value.text);
    if (keyword == "minItems") return !value.is_list() || size >= rule.integer;
    if (keyword == "maxItems") return !value.is_list() || size <= rule.integer;
    if (keyword == "minProperties") return !value.is_object() || size >= rule.integer;
    if (keyword == "maxProperties") return !value.is_object() || size <= rule.integer;
    if (keyword == "items") {
      return std::all_of(value.items.begin(), value.items.end(),
                         [&](const Node& i) { return accepts(rule, i); });
    }
    if (keyword == "required") {
      return !value.is_object() || std::all_of(rule.items.begin(), rule.items.end(), [&](const Node& key) {
        return value.find(key.text) != nullptr;
      });
    }
    if (keyword == "properties") return accepts_members(rule, schema.find("additionalProperties"), value);
    if (keyword == "propertyNames") {
      return std::all_of(value.members.begin(), value.members.end(),
                         [&](const Node::Member& m) { return accepts(rule, Node::of(m.key)); });
    }
    if (keyword == "anyOf") return matches(rule, value) >= 1;
    if (keyword == "oneOf") return matches(rule, value) == 1;
    if (keyword == "$ref") return accepts(*root_.find("$defs")->find(rule.text.substr(8)), value);
    throw std::logic_error("unknown keyword of JSON Schema: " + std::string(keyword));
  }

  std::int64_t matches(const Node& schemas, const Node& value) {
    return std::count_if(schemas.items.begin(), schemas.items.end(),
                         [&](const Node& schema) { return accepts(schema, value); });
  }

  bool accepts_members(const Node& properties, const Node* additional, const Node& value) {
    for (const Node::Member& member : value.members) {
      if (const Node* schema = properties.find(member.key)) {
        if (!accepts(*schema, member.value)) return false;
      } else if (additional != nullptr && additional->kind == Node::Kind::boolean && !additional->boolean) {
        return false;
      }
    }
    return true;
  }

  static bool has_type(std::string_view type, const Node& value) {
    if (type == "null") return value.is_null();
    if (type == "boolean") return value.kind == Node::Kind::boolean;
    if (type == "string") return value.is_text();
    if (type == "array") return value.is_list();
    if (type == "object") return value.is_object();
    if (type == "number") return value.is_number();
    if (type == "integer") return value.is_number() && std::trunc(value.number) == value.number;
    throw std::logic_error("unknown type of JSON Schema: " + std::string(type));
  }

  /// POSIX extended expressions: what our patterns use means the same there as in ECMAScript.
  bool matches_pattern(const std::string& pattern, const std::string& text) {
    std::unique_ptr<Pattern>& compiled = patterns_[pattern];
    if (compiled == nullptr) compiled = std::make_unique<Pattern>(pattern);
    return compiled->matches(text);
  }

  class Pattern {
   public:
    explicit Pattern(const std::string& text) {
      if (::regcomp(&compiled_, text.c_str(), REG_EXTENDED | REG_NOSUB) != 0) {
        throw std::logic_error("no regular expression: " + text);
      }
    }
    ~Pattern() { ::regfree(&compiled_); }
    Pattern(const Pattern&) = delete;
    Pattern& operator=(const Pattern&) = delete;
    [[nodiscard]] bool matches(const std::string& text) const {
      return text.find('\0') == std::string::npos && ::regexec(&compiled_, text.c_str(), 0, nullptr, 0) == 0;
    }

   private:
    ::regex_t compiled_{};
  };

  Node root_;
  std::map<std::string, std::unique_ptr<Pattern>> patterns_;
};

}  // namespace convoy
