// Reading a node into bound fields: what is accepted, and what is said where it is not.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/decimal.hpp"
#include "core/options.hpp"
#include "core/options_words.hpp"

namespace convoy {

namespace detail {

namespace {

/// Whole numbers up to here are exact as doubles.
constexpr double largest_exact_integer = 9007199254740992;

/// Adds a fault whose message already quotes what was found.
void add_quoting_fault(const Node& node, const std::string& path, FaultSink& faults,
                       const std::string& message, std::string allowed, std::string hint) {
  FaultSink one;
  one.add(node, path, message, std::move(allowed), std::move(hint));
  ConfigFault fault = one.faults().front();
  if (node.is_text()) fault.found = in_quotes(node.text);
  faults.add(std::move(fault));
}

/// False after a fault if `value`, in base units, is outside of the bounds.
bool check_range(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                 std::optional<Dimension> dimension, double value) {
  const auto& low = limits.minimum();
  const auto& high = limits.maximum();
  const bool inside = (!low || (limits.open_minimum() ? value > *low : value >= *low)) &&
                      (!high || (limits.open_maximum() ? value < *high : value <= *high));
  if (!inside) {
    const std::string range = range_text(limits, dimension);
    faults.add(node, path, "must be " + range, range);
  }
  return inside;
}

bool reads_as_number(const Node& node) {
  std::size_t used = 0;
  return node.is_text() && Decimal::parse(node.text, used) && used == node.text.size();
}

/// "must be an integer >= 1", with the usual slips as hints.
void add_scalar_fault(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                      const std::string& what, std::string hint = {}) {
  const std::string range = range_text(limits, std::nullopt);
  if (hint.empty() && reads_as_number(node)) hint = fmt::format("write {} without quotes", node.text);
  add_type_fault(node, path, faults, range.empty() ? what : what + " " + range, std::move(hint));
}

void read_scalar(const Node& node, const std::string& path, FaultSink& faults, const Option&, bool& field,
                 Plain) {
  if (node.kind == Node::Kind::boolean) {
    field = node.boolean;
    return;
  }
  std::string hint;
  if (node.is_text() && (node.text == "true" || node.text == "false")) {
    hint = fmt::format("write {} without quotes", node.text);
  } else if (node.kind == Node::Kind::integer && (node.integer == 0 || node.integer == 1)) {
    hint = node.integer == 1 ? "write true" : "write false";
  } else if (node.is_text()) {
    const std::string word = nearest_word(node.text, {"true", "false", "yes", "no", "on", "off"});
    if (!word.empty()) hint = word == "true" || word == "yes" || word == "on" ? "write true" : "write false";
  }
  add_type_fault(node, path, faults, "true or false", std::move(hint));
}

void read_scalar(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                 std::int64_t& field, Plain) {
  std::int64_t value = node.integer;
  if (node.kind == Node::Kind::number) {
    if (std::trunc(node.number) != node.number)
      return add_scalar_fault(node, path, faults, limits, "an integer");
    if (std::abs(node.number) > largest_exact_integer) {
      return add_scalar_fault(node, path, faults, limits, "an integer", "write all of its digits");
    }
    value = static_cast<std::int64_t>(node.number);
  } else if (node.kind != Node::Kind::integer) {
    return add_scalar_fault(node, path, faults, limits, "an integer");
  }
  if (check_range(node, path, faults, limits, std::nullopt, static_cast<double>(value))) field = value;
}

void read_scalar(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                 int& field, Plain how) {
  std::int64_t value = field;
  const std::size_t before = faults.faults().size();
  read_scalar(node, path, faults, limits, value, how);
  if (faults.faults().size() > before) return;
  if (!std::in_range<int>(value)) {
    const int bound = value > 0 ? std::numeric_limits<int>::max() : std::numeric_limits<int>::min();
    const std::string allowed = fmt::format("{} {}", value > 0 ? "<=" : ">=", bound);
    return faults.add(node, path, "must be " + allowed, allowed);
  }
  field = static_cast<int>(value);
}

void read_scalar(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                 double& field, Plain) {
  if (!node.is_number() || !std::isfinite(node.number)) {
    return add_scalar_fault(node, path, faults, limits, "a number");
  }
  if (check_range(node, path, faults, limits, std::nullopt, node.number)) field = node.number;
}

void read_scalar(const Node& node, const std::string& path, FaultSink& faults, const Option&,
                 std::string& field, Plain) {
  if (node.is_text()) {
    field = node.text;
    return;
  }
  std::string hint;
  if (node.kind == Node::Kind::integer) hint = fmt::format("write \"{}\", in quotes", node.integer);
  if (node.kind == Node::Kind::number) hint = fmt::format("write \"{}\", in quotes", node.number);
  add_type_fault(node, path, faults, "a text", std::move(hint));
}

/// `parse` turns the text into a value; a number without a unit gets its likely spelling.
template <class Parse>
void read_with_unit(const Node& node, const std::string& path, FaultSink& faults, const std::string& what,
                    std::string_view examples, const Parse& parse, const auto& likely) {
  if (node.is_number()) {
    const std::string number =
        node.kind == Node::Kind::integer ? fmt::format("{}", node.integer) : fmt::format("{}", node.number);
    return faults.add(node, path, fmt::format("the number {} has no unit, {} is needed", number, what), what,
                      fmt::format("did you mean \"{}\"?", likely(number)));
  }
  if (!node.is_text())
    return faults.add(node, path, "must be " + std::string(examples), std::string(examples));
  try {
    parse(node.text);
  } catch (const QuantityError& error) {
    add_quoting_fault(node, path, faults, error.what(), what, error.hint());
  }
}

void read_scalar(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                 double& field, Dimension dimension) {
  read_with_unit(
      node, path, faults, dimension_name(dimension, true), examples_of(dimension),
      [&](const std::string& text) {
        const double value = parse_quantity(text, dimension);
        if (check_range(node, path, faults, limits, dimension, value)) field = value;
      },
      [&](const std::string& number) { return likely_spelling(number, dimension); });
}

void read_scalar(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                 Duration& field, Plain) {
  read_with_unit(
      node, path, faults, dimension_name(Dimension::time, true), examples_of(Dimension::time),
      [&](const std::string& text) {
        const Duration value = parse_duration(text);
        if (check_range(node, path, faults, limits, Dimension::time, value.to_seconds())) field = value;
      },
      [](const std::string& number) { return likely_spelling(number, Dimension::time); });
}

void read_scalar(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                 Progress& field, Plain) {
  read_with_unit(
      node, path, faults, "an amount of progress", "an amount of progress such as \"4800 local_steps\"",
      [&](const std::string& text) {
        const Progress value = parse_progress(text);
        if (check_range(node, path, faults, limits, std::nullopt, value.amount)) field = value;
      },
      [](const std::string& number) { return number + " local_steps"; });
}

std::string kinds_hint(const std::vector<std::string>& kinds) {
  return kinds.empty() ? std::string()
                       : fmt::format("write {{\"kind\": \"{}\"}}, for instance", kinds.front());
}

}  // namespace

template <class T, class How>
void ScalarCodec<T, How>::describe(Option& option, const T*, [[maybe_unused]] How how) {
  if constexpr (std::same_as<T, bool>) option.type_ = OptionType::flag;
  if constexpr (std::same_as<T, int> || std::same_as<T, std::int64_t>) option.type_ = OptionType::integer;
  if constexpr (std::same_as<T, double>) option.type_ = OptionType::number;
  if constexpr (std::same_as<T, std::string>) option.type_ = OptionType::text;
  if constexpr (std::same_as<T, Progress>) option.type_ = OptionType::progress;
  if constexpr (std::same_as<T, Duration>) {
    option.type_ = OptionType::duration;
    option.dimension_ = Dimension::time;
  }
  if constexpr (std::same_as<How, Dimension>) {
    option.type_ = OptionType::quantity;
    option.dimension_ = how;
  }
}

template <class T, class How>
void ScalarCodec<T, How>::read(const Node& node, const std::string& path, FaultSink& faults,
                               const Option& limits, T& field, How how) {
  read_scalar(node, path, faults, limits, field, how);
}

template <class T, class How>
Node ScalarCodec<T, How>::write(const T& field, [[maybe_unused]] How how) {
  if constexpr (std::same_as<T, double>) {
    if (!std::isfinite(field))
      throw std::logic_error("an option holds no finite number; \"no limit\" is an optional");
  }
  if constexpr (std::same_as<How, Dimension>) {
    return Node::of(format_exact(field, how));
  } else if constexpr (std::same_as<T, Duration> || std::same_as<T, Progress>) {
    return Node::of(format_exact(field));
  } else {
    return Node::of(field);
  }
}

template struct ScalarCodec<bool, Plain>;
template struct ScalarCodec<int, Plain>;
template struct ScalarCodec<std::int64_t, Plain>;
template struct ScalarCodec<double, Plain>;
template struct ScalarCodec<std::string, Plain>;
template struct ScalarCodec<Duration, Plain>;
template struct ScalarCodec<Progress, Plain>;
template struct ScalarCodec<double, Dimension>;

void add_type_fault(const Node& node, const std::string& path, FaultSink& faults, const std::string& what,
                    std::string hint) {
  faults.add(node, path, "must be " + what, what, std::move(hint));
}

std::string bracket_hint(const Node& node) {
  switch (node.kind) {
    case Node::Kind::boolean:
    case Node::Kind::integer:
    case Node::Kind::number:
    case Node::Kind::text:
      return fmt::format("for a list of one write [{}]", node_text(node, 40));
    case Node::Kind::object:
      return "for a list of one put it in [brackets]";
    default:
      return {};
  }
}

std::optional<std::size_t> read_choice(const Node& node, const std::string& path, FaultSink& faults,
                                       const std::vector<std::string>& choices) {
  for (std::size_t i = 0; node.is_text() && i < choices.size(); ++i) {
    if (choices[i] == node.text) return i;
  }
  constexpr std::size_t longest_list = 60;
  const std::string allowed = word_list(choices);
  // A short list is the message; a long one stands behind it.
  const std::string message = allowed.size() <= longest_list ? "must be one of " + allowed
                              : node.is_text() ? in_quotes(node.text) + " is none of the choices"
                                               : fmt::format("must be one of {} words", choices.size());
  faults.add(node, path, message, allowed, node.is_text() ? nearest_hint(node.text, choices) : std::string());
  return std::nullopt;
}

std::optional<std::string> read_kind(const Node& node, const std::string& path, FaultSink& faults,
                                     const std::vector<std::string>& kinds) {
  const Node* kind = &node;
  std::string kind_path = path;
  if (node.is_object()) {
    kind = node.find("kind");
    kind_path = member_path(path, "kind");
    if (kind == nullptr) {
      faults.add(node, kind_path, "is required", "one of " + word_list(kinds), kinds_hint(kinds));
      return std::nullopt;
    }
  } else if (!node.is_text()) {
    add_type_fault(node, path, faults, "an object with a \"kind\"", kinds_hint(kinds));
    return std::nullopt;
  }
  const auto index = read_choice(*kind, kind_path, faults, kinds);
  return index ? std::optional(kinds[*index]) : std::nullopt;
}

void read_variant_options(const Node& node, const std::string& path, Options& options, FaultSink& faults) {
  if (node.is_object()) return read_options(node, path, options, faults, {"kind"});
  Node bare = Node::object();
  bare.origin = node.origin;
  read_options(bare, path, options, faults);
}

bool allowed_key(const Node::Member& member, const std::string& path, FaultSink& faults,
                 const Option& limits) {
  if (limits.type() != OptionType::map || limits.choices().empty()) return true;
  const std::vector<std::string>& keys = limits.choices();
  if (std::find(keys.begin(), keys.end(), member.key) != keys.end()) return true;
  add_unknown_key(member, path, faults, keys);
  return false;
}

}  // namespace detail

/// One object read into one set of options.
class OptionReader {
 public:
  static void read(const Node& node, const std::string& path, Options& options, FaultSink& faults,
                   const std::vector<std::string>& ignored) {
    if (!node.is_object()) return detail::add_type_fault(node, path, faults, "an object");
    const std::size_t before = faults.faults().size();
    add_unknown_keys(node, path, options, faults, ignored);
    for (Option& option : options.options_) {
      const std::string option_path = member_path(path, option.name_);
      const Node* value = node.find(option.name_);
      if (value == nullptr) {
        if (option.required_) faults.add(missing(node, option_path, option));
        continue;
      }
      read_option(*value, option_path, option, faults);
    }
    if (faults.faults().size() > before) return;
    for (const auto& check : options.checks_) check(node, path, faults);
  }

 private:
  static void add_unknown_keys(const Node& node, const std::string& path, const Options& options,
                               FaultSink& faults, const std::vector<std::string>& ignored) {
    std::vector<std::string> known;
    for (const Option& option : options.options_) known.push_back(option.name_);
    known.insert(known.end(), ignored.begin(), ignored.end());
    for (const Node::Member& member : node.members) {
      if (std::find(known.begin(), known.end(), member.key) == known.end()) {
        detail::add_unknown_key(member, path, faults, known);
      }
    }
  }

  static ConfigFault missing(const Node& node, const std::string& path, const Option& option) {
    return {.path = path,
            .message = "is required",
            .found = {},
            .allowed = option.type_text(),
            .hint = {},
            .file = node.origin.file ? *node.origin.file : std::string(),
            .line = node.origin.line,
            .column = node.origin.column};
  }

  /// Whether a value is written in the further shape of an option rather than in its first.
  static bool in_other_shape(const Node& value, const Option& option) {
    if (option.other_ == nullptr) return false;
    const OptionType type = option.other_->type_;
    return (value.is_list() && type == OptionType::list) ||
           (value.is_object() && (type == OptionType::map || type == OptionType::group));
  }

  static void read_option(const Node& value, const std::string& path, Option& option, FaultSink& faults) {
    if (in_other_shape(value, option)) {
      option.was_set_ = true;
      return read_option(value, path, *option.other_, faults);
    }
    if (value.is_null() && option.required_) {
      return faults.add(value, path, "is required and may not be null", option.type_text());
    }
    if (value.is_null() && !option.nullable_ && option.type_ != OptionType::custom) {
      const std::string standard = option.default_shown();
      return faults.add(value, path, "may not be null", option.type_text(),
                        standard.empty() ? "leave it out for the default"
                                         : fmt::format("leave it out for the default, {}", standard));
    }
    const std::size_t count = value.is_list() ? value.items.size() : value.members.size();
    if ((option.type_ == OptionType::list && value.is_list()) ||
        (option.type_ == OptionType::map && value.is_object())) {
      check_count(value, path, option, faults, count);
    }
    option.was_set_ = true;
    option.set_(value, path, faults, option);
  }

  static void check_count(const Node& value, const std::string& path, const Option& option, FaultSink& faults,
                          std::size_t count) {
    if (count >= option.least_items_ && count <= option.most_items_) return;
    const bool one = option.most_items_ == 1;
    const std::string allowed =
        detail::count_text(option) + (value.is_list() ? " item" : " key") + (one ? "" : "s");
    ConfigFault fault = missing(value, path, option);
    fault.message = fmt::format("must have {}", allowed);
    fault.found = fmt::format("{}", count);
    fault.allowed = allowed;
    faults.add(std::move(fault));
  }
};

bool read_value(const Node& node, const std::string& path, double& field, Dimension dimension,
                FaultSink& faults, const Option& limits) {
  const std::size_t before = faults.faults().size();
  detail::Codec<double, Dimension>::read(node, path, faults, limits, field, dimension);
  return faults.faults().size() == before;
}

void read_options(const Node& node, const std::string& path, Options& options, FaultSink& faults,
                  const std::vector<std::string>& ignored) {
  OptionReader::read(node, path, options, faults, ignored);
}

}  // namespace convoy
