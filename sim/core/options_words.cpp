#include "core/options_words.hpp"

#include <fmt/format.h>

#include <limits>

namespace convoy {

namespace detail {

namespace {

std::string bound_text(double bound, std::optional<Dimension> dimension) {
  // Zero is zero in every unit.
  if (!dimension || bound == 0) return fmt::format("{}", bound);
  return format_readable(bound, *dimension);
}

struct Noun {
  std::string one, many;
};

/// What a type is called, with its range: "integer >= 1" and "integers >= 1".
Noun noun_of(const Option& option, const Option& limits) {
  const auto with_range = [&](std::string one, std::string many,
                              std::optional<Dimension> dimension = std::nullopt) {
    const std::string range = range_text(limits, dimension);
    return range.empty() ? Noun{one, many} : Noun{one + " " + range, many + " " + range};
  };
  switch (option.type()) {
    case OptionType::flag:
      return {"true or false", "true or false"};
    case OptionType::integer:
      return with_range("integer", "integers");
    case OptionType::number:
      return with_range("number", "numbers");
    case OptionType::text:
      return {"text", "texts"};
    case OptionType::choice:
    case OptionType::variant: {
      const std::string words = "one of " + word_list(option.choices());
      return {words, words};
    }
    case OptionType::quantity:
      return with_range(dimension_name(*option.dimension()), dimension_plural(*option.dimension()),
                        option.dimension());
    case OptionType::duration:
      return with_range("time", "times", Dimension::time);
    case OptionType::progress:
      return with_range("local_steps, samples or rounds", "local_steps, samples or rounds");
    case OptionType::group:
      return {"object", "objects"};
    case OptionType::custom:
      return {"value", "values"};
    case OptionType::list:
    case OptionType::map:
      break;
  }
  const Noun element =
      option.element() == nullptr ? Noun{"value", "values"} : noun_of(*option.element(), limits);
  if (option.type() == OptionType::map) return {"object of " + element.many, "objects of " + element.many};
  return {"list of " + element.many, "lists of " + element.many};
}

std::string example_of(const Option& option) {
  switch (option.type()) {
    case OptionType::duration:
      return ", e.g. \"2 h\"";
    case OptionType::progress:
      return ", e.g. \"4800 local_steps\"";
    case OptionType::quantity: {
      const std::string examples(examples_of(*option.dimension()));
      const std::size_t first = examples.find('"');
      return ", e.g. " + examples.substr(first, examples.find('"', first + 1) + 1 - first);
    }
    default:
      return {};
  }
}

void append_text(const Node& node, std::size_t longest, std::string& text) {
  if (text.size() > longest) return;
  switch (node.kind) {
    case Node::Kind::null:
      text += "null";
      break;
    case Node::Kind::boolean:
      text += node.boolean ? "true" : "false";
      break;
    case Node::Kind::integer:
      text += fmt::format("{}", node.integer);
      break;
    case Node::Kind::number:
      text += fmt::format("{}", node.number);
      break;
    case Node::Kind::text:
      text += in_quotes(node.text);
      break;
    case Node::Kind::list:
      text += '[';
      for (const Node& item : node.items) {
        if (&item != &node.items.front()) text += ", ";
        append_text(item, longest, text);
      }
      text += ']';
      break;
    case Node::Kind::object:
      text += '{';
      for (const Node::Member& member : node.members) {
        if (&member != &node.members.front()) text += ", ";
        text += in_quotes(member.key) + ": ";
        append_text(member.value, longest, text);
      }
      text += '}';
      break;
  }
}

/// Values in base units as people write them: "7200 s" becomes "2 h".
Node readable(const Node& node, const Option& option) {
  if (option.element() != nullptr) {
    Node result = node;
    for (Node& item : result.items) item = readable(item, *option.element());
    for (Node::Member& member : result.members) member.value = readable(member.value, *option.element());
    return result;
  }
  if (!node.is_text() || !option.dimension()) return node;
  return Node::of(format_readable(parse_quantity(node.text, *option.dimension()), *option.dimension()));
}

}  // namespace

std::string range_text(const Option& limits, std::optional<Dimension> dimension) {
  const auto& low = limits.minimum();
  const auto& high = limits.maximum();
  if (low && high && !limits.open_minimum() && !limits.open_maximum()) {
    if (*low == *high) return bound_text(*low, dimension);
    return fmt::format("between {} and {}", bound_text(*low, dimension), bound_text(*high, dimension));
  }
  std::string result;
  if (low) result += fmt::format("{} {}", limits.open_minimum() ? ">" : ">=", bound_text(*low, dimension));
  if (low && high) result += " and ";
  if (high) result += fmt::format("{} {}", limits.open_maximum() ? "<" : "<=", bound_text(*high, dimension));
  return result;
}

std::string count_text(const Option& option) {
  const std::size_t least = option.least_items();
  const std::size_t most = option.most_items();
  if (least == most) return fmt::format("{}", least);
  if (most == std::numeric_limits<std::size_t>::max()) {
    if (least == 1) return "one or more";
    return least > 0 ? fmt::format("at least {}", least) : std::string();
  }
  return least > 0 ? fmt::format("{} to {}", least, most) : fmt::format("at most {}", most);
}

std::string word_list(const std::vector<std::string>& words, std::size_t most) {
  std::string result;
  for (std::size_t i = 0; i < words.size() && i < most; ++i) result += (i == 0 ? "" : ", ") + words[i];
  return words.size() > most ? result + ", ..." : result;
}

std::string node_text(const Node& node, std::size_t longest) {
  std::string text;
  append_text(node, longest, text);
  if (text.size() <= longest) return text;
  std::size_t keep = longest - 3;
  while (keep > 0 && (static_cast<unsigned char>(text[keep]) & 0xC0U) == 0x80U) --keep;
  return text.substr(0, keep) + "...";
}

void add_unknown_key(const Node::Member& member, const std::string& path, FaultSink& faults,
                     const std::vector<std::string>& known) {
  const Origin& at = member.key_origin;
  faults.add({.path = member_path(path, member.key),
              .message = "unknown key",
              .found = member_path({}, member.key),
              .allowed = known.empty() ? "no keys" : word_list(known),
              .hint = nearest_hint(member.key, known),
              .file = at.file ? *at.file : std::string(),
              .line = at.line,
              .column = at.column});
}

}  // namespace detail

std::string Option::type_text() const {
  std::string result;
  if (type_ == OptionType::custom) {
    result = custom_type_;
  } else if (type_ == OptionType::list || type_ == OptionType::map) {
    const std::string count = detail::count_text(*this);
    const detail::Noun noun = detail::noun_of(*this, *this);
    const std::string kind = type_ == OptionType::list ? "list of " : "object of ";
    result = count.empty() ? noun.one : kind + count + " " + noun.one.substr(kind.size());
    if (single_too_) result = detail::noun_of(*element_, *this).one + ", or " + result;
    if (!keys_.empty()) result += " with keys among " + detail::word_list(keys_);
  } else {
    result = detail::noun_of(*this, *this).one + detail::example_of(*this);
  }
  if (other_ != nullptr) result += ", or " + other_->type_text();
  return file_too_ ? result + ", or the path of a file" : result;
}

std::string Option::default_shown() const {
  if (required_) return "required";
  if (!default_text_.empty()) return default_text_;
  if (type_ == OptionType::group && !nullable_) return {};
  const Node node = value();
  if (node.is_null()) return type_ == OptionType::custom ? std::string() : "unset";
  if (type_ == OptionType::group) return {};
  if (type_ == OptionType::choice) return node.text;
  if (type_ == OptionType::variant) return node.find("kind")->text;
  return detail::node_text(detail::readable(node, *this), 40);
}

Node Option::readable_value() const {
  return detail::readable(value(), *this);
}

}  // namespace convoy
