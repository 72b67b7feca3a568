#include "experiment/schema.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <map>

namespace convoy {

namespace {

Node object_of(std::initializer_list<std::pair<const char*, Node>> members) {
  Node result = Node::object();
  for (const auto& member : members) result.set(member.first, member.second);
  return result;
}

Node texts_of(const std::vector<std::string>& words) {
  Node result = Node::list();
  for (const std::string& word : words) result.items.push_back(Node::of(word));
  return result;
}

Node typed(const char* type) {
  return object_of({{"type", Node::of(type)}});
}

/// Whole bounds as integers, so that they read as written: 1, not 1.0.
Node bound_of(double value) {
  constexpr double exact = 9007199254740992;
  if (std::trunc(value) == value && std::abs(value) <= exact)
    return Node::of(static_cast<std::int64_t>(value));
  return Node::of(value);
}

void add_range(const Option& limits, Node& schema) {
  if (limits.minimum()) {
    schema.set(limits.open_minimum() ? "exclusiveMinimum" : "minimum", bound_of(*limits.minimum()));
  }
  if (limits.maximum()) {
    schema.set(limits.open_maximum() ? "exclusiveMaximum" : "maximum", bound_of(*limits.maximum()));
  }
}

/// A number, perhaps a space, and one of the units. No sign where the range forbids negative values.
Node with_unit(const Option& limits, const std::vector<std::string_view>& units) {
  std::string names;
  for (const std::string_view unit : units) names += fmt::format("{}{}", names.empty() ? "" : "|", unit);
  const bool negative = !limits.minimum() || *limits.minimum() < 0;
  Node schema = typed("string");
  schema.set("pattern",
             Node::of(fmt::format("^\\s*[{}]?([0-9]+\\.?[0-9]*|\\.[0-9]+)([eE][-+]?[0-9]+)?\\s*({})\\s*$",
                                  negative ? "-+" : "+", names)));
  return schema;
}

std::string description_of(const Option& option) {
  std::string text = option.help_text();
  const auto add = [&text](const std::string& sentence) { text += (text.empty() ? "" : ". ") + sentence; };
  const Option& innermost = option.element() != nullptr ? *option.element() : option;
  const bool unchecked = innermost.type() == OptionType::quantity ||
                         innermost.type() == OptionType::duration ||
                         innermost.type() == OptionType::progress || option.type() == OptionType::custom;
  if (unchecked) add(option.type_text());
  if (!option.source_text().empty()) add("Source: " + option.source_text());
  return text;
}

class SchemaWriter {
 public:
  Node object_schema(const Options& options, std::size_t depth, const std::string& kind = {}) {
    Node properties = Node::object();
    Node required = Node::list();
    if (!kind.empty()) {
      properties.set("kind", object_of({{"const", Node::of(kind)}}));
      required.items.push_back(Node::of("kind"));
    }
    for (const Option& option : options.all()) {
      properties.set(option.name(), option_schema(option, depth + 1));
      if (option.is_required()) required.items.push_back(Node::of(option.name()));
    }
    Node schema = typed("object");
    schema.set("properties", std::move(properties));
    if (!required.items.empty()) schema.set("required", std::move(required));
    schema.set("additionalProperties", Node::of(false));
    return schema;
  }

  Node take_definitions() { return std::move(definitions_); }

 private:
  // A type may hold a list of its own kind; variants do so through "$defs", groups end here.
  static constexpr std::size_t deepest = 12;

  Node option_schema(const Option& option, std::size_t depth) {
    Node schema = value_schema(option, option, option.name(), depth);
    if (option.accepts_single()) {
      schema = any_of(value_schema(*option.element(), option, option.name(), depth), std::move(schema));
    }
    if (option.other() != nullptr) {
      schema = any_of(std::move(schema), option_schema(*option.other(), depth));
    }
    if (option.accepts_file()) {
      Node path = typed("string");
      path.set("description", Node::of("path of a file that holds it"));
      schema = any_of(std::move(schema), std::move(path));
    }
    if (option.nullable() && !option.is_required()) schema = any_of(std::move(schema), typed("null"));
    annotate(option, schema);
    return schema;
  }

  static Node any_of(Node a, Node b) {
    Node list = Node::list();
    list.items.push_back(std::move(a));
    list.items.push_back(std::move(b));
    Node schema = Node::object();
    schema.set("anyOf", std::move(list));
    return schema;
  }

  static void annotate(const Option& option, Node& schema) {
    const std::string description = description_of(option);
    if (!description.empty()) schema.set("description", Node::of(description));
    if (option.is_required() || option.type() == OptionType::group) return;
    Node standard = option.readable_value();
    if (!standard.is_null()) schema.set("default", std::move(standard));
  }

  /// The schema of a value without annotations; an item takes its bounds from its list.
  Node value_schema(const Option& option, const Option& limits, const std::string& name, std::size_t depth) {
    switch (option.type()) {
      case OptionType::flag:
        return typed("boolean");
      case OptionType::integer:
      case OptionType::number: {
        Node schema = typed(option.type() == OptionType::integer ? "integer" : "number");
        add_range(limits, schema);
        return schema;
      }
      case OptionType::text:
        return typed("string");
      case OptionType::choice:
        return object_of({{"enum", texts_of(option.choices())}});
      case OptionType::quantity:
      case OptionType::duration:
        return with_unit(limits, unit_names(*option.dimension()));
      case OptionType::progress:
        return with_unit(limits, {"local_steps", "samples", "rounds"});
      case OptionType::list:
        return list_schema(option, limits, name, depth);
      case OptionType::map:
        return map_schema(option, limits, name, depth);
      case OptionType::group:
        return depth < deepest ? object_schema(*option.group(), depth) : typed("object");
      case OptionType::variant:
        return variant_schema(option, name, depth);
      case OptionType::custom:
        return option.own_schema().is_object() ? option.own_schema() : Node::object();
    }
    return Node::object();
  }

  Node list_schema(const Option& option, const Option& limits, const std::string& name, std::size_t depth) {
    Node schema = typed("array");
    schema.set("items", value_schema(*option.element(), limits, name, depth));
    if (option.least_items() > 0) schema.set("minItems", Node::of(option.least_items()));
    if (option.most_items() != std::numeric_limits<std::size_t>::max()) {
      schema.set("maxItems", Node::of(option.most_items()));
    }
    return schema;
  }

  Node map_schema(const Option& option, const Option& limits, const std::string& name, std::size_t depth) {
    Node value = value_schema(*option.element(), limits, name, depth);
    Node schema = typed("object");
    schema.set("additionalProperties", std::move(value));
    if (!option.choices().empty())
      schema.set("propertyNames", object_of({{"enum", texts_of(option.choices())}}));
    if (option.least_items() > 0) schema.set("minProperties", Node::of(option.least_items()));
    if (option.most_items() != std::numeric_limits<std::size_t>::max()) {
      schema.set("maxProperties", Node::of(option.most_items()));
    }
    return schema;
  }

  Node variant_schema(const Option& option, const std::string& name, std::size_t depth) {
    auto known = names_.find(option.family());
    if (known == names_.end()) {
      std::string unique = name;
      for (int i = 2; definitions_.find(unique) != nullptr; ++i) unique = fmt::format("{}_{}", name, i);
      known = names_.emplace(option.family(), unique).first;
      // Stands there before its content is known, which may refer to it.
      definitions_.set(unique, Node::object());
      Node content = kinds_schema(option, depth);
      definitions_.set(unique, std::move(content));
    }
    return object_of({{"$ref", Node::of("#/$defs/" + known->second)}});
  }

  /// A bare word for each kind that requires nothing, and an object for each kind.
  Node kinds_schema(const Option& option, std::size_t depth) {
    std::vector<std::string> words;
    Node objects = Node::list();
    for (const auto& [kind, options] : option.variants()) {
      Node object = object_schema(*options, depth, kind);
      if (object.find("required")->items.size() == 1) words.push_back(kind);
      objects.items.push_back(std::move(object));
    }
    Node alternatives = Node::list();
    if (!words.empty()) alternatives.items.push_back(object_of({{"enum", texts_of(words)}}));
    for (Node& object : objects.items) alternatives.items.push_back(std::move(object));
    return object_of({{"oneOf", std::move(alternatives)}});
  }

  Node definitions_ = Node::object();
  std::map<std::string, std::string> names_;  // family -> name of its definition
};

}  // namespace

Node json_schema(const Options& options, const std::string& title, const std::string& description) {
  SchemaWriter writer;
  Node content = writer.object_schema(options, 0);
  Node schema = Node::object();
  schema.set("$schema", Node::of("https://json-schema.org/draft/2020-12/schema"));
  if (!title.empty()) schema.set("title", Node::of(title));
  if (!description.empty()) schema.set("description", Node::of(description));
  for (Node::Member& member : content.members) schema.set(member.key, std::move(member.value));
  Node definitions = writer.take_definitions();
  if (!definitions.members.empty()) schema.set("$defs", std::move(definitions));
  return schema;
}

}  // namespace convoy
