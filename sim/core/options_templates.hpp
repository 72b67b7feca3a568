// How each type of field is read, written and described: the template half of core/options.hpp.
//
// Codec<T, How> has three functions; `How` says what the type alone does not (a dimension, words, makers):
//   describe(option, field, how)                  fills in type, choices, element, group; `field` may be
//   nullptr read(node, path, faults, limits, field, how)  node -> field, faults collected; `limits` carries
//   the bounds write(field, how)                             field -> node that `read` takes back to the same
//   value
#pragma once

#include <concepts>
#include <stdexcept>
#include <typeinfo>
#include <utility>

#include "core/options.hpp"

namespace convoy::detail {

/// The type says all.
struct Plain {};
template <class Enum>
using Words = std::vector<std::pair<std::string, Enum>>;

/// "must be a list": `what` is the type with its article.
void add_type_fault(const Node& node, const std::string& path, FaultSink& faults, const std::string& what,
                    std::string hint = {});
/// The hint for a bare item where a list is needed.
std::string bracket_hint(const Node& node);
/// Reads one of `choices`; returns its index or nothing after a fault.
std::optional<std::size_t> read_choice(const Node& node, const std::string& path, FaultSink& faults,
                                       const std::vector<std::string>& choices);
/// The kind of a variant written as a text or an object with "kind"; returns nothing after a fault.
std::optional<std::string> read_kind(const Node& node, const std::string& path, FaultSink& faults,
                                     const std::vector<std::string>& kinds);
/// Options of an object whose "kind" has been read; a bare text has none.
void read_variant_options(const Node& node, const std::string& path, Options& options, FaultSink& faults);
/// False after a fault if `key` is none of the keys that `limits` allows.
bool allowed_key(const Node::Member& member, const std::string& path, FaultSink& faults,
                 const Option& limits);

/// A default instance together with the options bound to it.
template <class T>
struct Prototype {
  T value{};
  Options options;
  static std::shared_ptr<const Options> make() {
    auto prototype = std::make_shared<Prototype>();
    prototype->value.declare(prototype->options);
    return {prototype, &prototype->options};
  }
};

/// The types that need no template; their codecs are compiled once, in options_reader.cpp.
template <class T, class How>
concept Scalar = (std::same_as<How, Plain> &&
                  (std::same_as<T, bool> || std::same_as<T, int> || std::same_as<T, std::int64_t> ||
                   std::same_as<T, double> || std::same_as<T, std::string> || std::same_as<T, Duration> ||
                   std::same_as<T, Progress>)) ||
                 (std::same_as<How, Dimension> && std::same_as<T, double>);

template <class T, class How>
struct ScalarCodec {
  static void describe(Option& option, const T* field, How how);
  static void read(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                   T& field, How how);
  static Node write(const T& field, How how);
};

template <class T, class How>
requires Scalar<T, How>
struct Codec<T, How> : ScalarCodec<T, How> {
};

template <class Enum>
requires std::is_enum_v<Enum>
struct Codec<Enum, Words<Enum>> {
  static std::vector<std::string> names(const Words<Enum>& words) {
    std::vector<std::string> result;
    for (const auto& word : words) result.push_back(word.first);
    return result;
  }
  static void describe(Option& option, const Enum*, const Words<Enum>& words) {
    option.type_ = OptionType::choice;
    option.choices_ = names(words);
  }
  static void read(const Node& node, const std::string& path, FaultSink& faults, const Option&, Enum& field,
                   const Words<Enum>& words) {
    if (const auto index = read_choice(node, path, faults, names(words))) field = words[*index].second;
  }
  static Node write(const Enum& field, const Words<Enum>& words) {
    for (const auto& word : words) {
      if (word.second == field) return Node::of(word.first);
    }
    throw std::logic_error("an option holds a value that none of its words names");
  }
};

template <Declares T>
struct Codec<T, Plain> {
  static void describe(Option& option, T* field, Plain) {
    option.type_ = OptionType::group;
    option.group_ = [field]() -> std::shared_ptr<const Options> {
      if (field == nullptr) return Prototype<T>::make();
      auto options = std::make_shared<Options>();
      field->declare(*options);
      return options;
    };
  }
  static void read(const Node& node, const std::string& path, FaultSink& faults, const Option&, T& field,
                   Plain) {
    Options options;
    field.declare(options);
    read_options(node, path, options, faults);
  }
  static Node write(T& field, Plain) {
    Options options;
    field.declare(options);
    return options.values();
  }
};

template <class Base>
struct Codec<std::unique_ptr<Base>, VariantMakers<Base>> {
  static std::vector<std::string> kinds(const VariantMakers<Base>& makers) {
    std::vector<std::string> result;
    for (const auto& maker : makers) result.push_back(maker.first);
    return result;
  }
  static std::shared_ptr<const Options> options_of(const std::function<std::unique_ptr<Base>()>& make) {
    struct Instance {
      std::unique_ptr<Base> part;
      Options options;
    };
    auto instance = std::make_shared<Instance>();
    instance->part = make();
    instance->part->declare(instance->options);
    return {instance, &instance->options};
  }
  static void describe(Option& option, const std::unique_ptr<Base>*, const VariantMakers<Base>& makers) {
    option.type_ = OptionType::variant;
    option.nullable_ = true;
    option.choices_ = kinds(makers);
    option.family_ = typeid(Base).name();
    for (const std::string& kind : option.choices_) option.family_ += " " + kind;
    option.variants_ = [makers] {
      std::vector<std::pair<std::string, std::shared_ptr<const Options>>> result;
      for (const auto& maker : makers) result.emplace_back(maker.first, options_of(maker.second));
      return result;
    };
  }
  static void read(const Node& node, const std::string& path, FaultSink& faults, const Option&,
                   std::unique_ptr<Base>& field, const VariantMakers<Base>& makers) {
    if (node.is_null()) return field.reset();
    const auto kind = read_kind(node, path, faults, kinds(makers));
    if (!kind) return;
    field = makers.at(*kind)();
    Options options;
    field->declare(options);
    read_variant_options(node, path, options, faults);
  }
  static Node write(const std::unique_ptr<Base>& field, const VariantMakers<Base>&) {
    if (field == nullptr) return Node();
    Options options;
    field->declare(options);
    Node result = Node::object();
    result.set("kind", Node::of(std::string(field->kind())));
    for (Node::Member& member : options.values().members) result.set(member.key, std::move(member.value));
    return result;
  }
};

template <class T, class How>
struct Codec<std::optional<T>, How> {
  static void describe(Option& option, const std::optional<T>*, const How& how) {
    Codec<T, How>::describe(option, nullptr, how);
    option.nullable_ = true;
  }
  static void read(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                   std::optional<T>& field, const How& how) {
    if (node.is_null()) return field.reset();
    if (!field) field.emplace();
    Codec<T, How>::read(node, path, faults, limits, *field, how);
  }
  static Node write(std::optional<T>& field, const How& how) {
    return field ? Codec<T, How>::write(*field, how) : Node();
  }
};

template <class T, class How>
struct Codec<std::vector<T>, How> {
  static void describe(Option& option, const std::vector<T>*, const How& how) {
    option.type_ = OptionType::list;
    option.element_ = std::make_shared<Option>();
    Codec<T, How>::describe(*option.element_, nullptr, how);
  }
  static void read(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                   std::vector<T>& field, const How& how) {
    if (!node.is_list()) {
      if (!limits.single_too_) return add_type_fault(node, path, faults, "a list", bracket_hint(node));
      field.clear();
      return append(node, path, faults, limits, field, how);
    }
    field.clear();
    for (std::size_t i = 0; i < node.items.size(); ++i) {
      append(node.items[i], item_path(path, i), faults, limits, field, how);
    }
  }
  static Node write(std::vector<T>& field, const How& how) {
    Node result = Node::list();
    for (std::size_t i = 0; i < field.size(); ++i) {
      if constexpr (std::is_same_v<T, bool>) {
        result.items.push_back(Node::of(static_cast<bool>(field[i])));
      } else {
        result.items.push_back(Codec<T, How>::write(field[i], how));
      }
    }
    return result;
  }

 private:
  static void append(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                     std::vector<T>& field, const How& how) {
    T item{};
    Codec<T, How>::read(node, path, faults, limits, item, how);
    field.push_back(std::move(item));
  }
};

template <class T, class How>
struct Codec<std::map<std::string, T>, How> {
  static void describe(Option& option, const std::map<std::string, T>*, const How& how) {
    option.type_ = OptionType::map;
    option.element_ = std::make_shared<Option>();
    Codec<T, How>::describe(*option.element_, nullptr, how);
  }
  static void read(const Node& node, const std::string& path, FaultSink& faults, const Option& limits,
                   std::map<std::string, T>& field, const How& how) {
    if (!node.is_object()) return add_type_fault(node, path, faults, "an object");
    field.clear();
    for (const Node::Member& member : node.members) {
      if (!allowed_key(member, path, faults, limits)) continue;
      Codec<T, How>::read(member.value, member_path(path, member.key), faults, limits, field[member.key],
                          how);
    }
  }
  static Node write(std::map<std::string, T>& field, const How& how) {
    Node result = Node::object();
    for (auto& entry : field) result.set(entry.first, Codec<T, How>::write(entry.second, how));
    return result;
  }
};

}  // namespace convoy::detail

namespace convoy {

template <class T>
bool read_value(const Node& node, const std::string& path, T& field, FaultSink& faults,
                const Option& limits) {
  const std::size_t before = faults.faults().size();
  detail::Codec<T, detail::Plain>::read(node, path, faults, limits, field, detail::Plain{});
  return faults.faults().size() == before;
}

template <class T, class How>
Option& Options::bind(std::string name, T& field, How how) {
  Option& option = append(std::move(name), OptionType::custom);
  bind_to(option, field, std::move(how));
  return option;
}

template <class T, class How>
void Options::bind_to(Option& option, T& field, How how) {
  using Codec = detail::Codec<T, How>;
  Codec::describe(option, &field, how);
  option.set_ = [&field, how](const Node& node, const std::string& path, FaultSink& faults,
                              const Option& limits) { Codec::read(node, path, faults, limits, field, how); };
  option.get_ = [&field, how] { return Codec::write(field, how); };
}

template <class T>
Option& Options::also(const std::string& name, T& field) {
  Option& first = declared(name);
  first.other_ = std::make_shared<Option>();
  first.other_->name_ = name;
  bind_to(*first.other_, field, detail::Plain{});
  return *first.other_;
}

template <class Enum>
requires std::is_enum_v<Enum> Option& Options::add(std::string name, Enum& field,
                                                   std::vector<std::pair<std::string, Enum>> words) {
  return bind(std::move(name), field, std::move(words));
}

template <class Enum>
requires std::is_enum_v<Enum> Option& Options::add(std::string name, std::optional<Enum>& field,
                                                   std::vector<std::pair<std::string, Enum>> words) {
  return bind(std::move(name), field, std::move(words));
}

template <class Enum>
requires std::is_enum_v<Enum> Option& Options::add(std::string name, std::vector<Enum>& field,
                                                   std::vector<std::pair<std::string, Enum>> words) {
  return bind(std::move(name), field, std::move(words));
}

template <class T>
Option& Options::add(std::string name, std::optional<T>& field) {
  return bind(std::move(name), field, detail::Plain{});
}

template <class T>
Option& Options::add(std::string name, std::vector<T>& field) {
  return bind(std::move(name), field, detail::Plain{});
}

template <class T>
Option& Options::add(std::string name, std::map<std::string, T>& field) {
  return bind(std::move(name), field, detail::Plain{});
}

template <Declares T>
Option& Options::add(std::string name, T& field) {
  return bind(std::move(name), field, detail::Plain{});
}

template <class Base>
Option& Options::add(std::string name, std::unique_ptr<Base>& field, const VariantMakers<Base>& makers) {
  return bind(std::move(name), field, makers);
}

template <class Base>
Option& Options::add(std::string name, std::vector<std::unique_ptr<Base>>& field,
                     const VariantMakers<Base>& makers) {
  return bind(std::move(name), field, makers);
}

}  // namespace convoy
