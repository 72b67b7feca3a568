// Declarations of options, once, for parsing, range checks, `sim describe`, the JSON schema and the docs.
//
// A part binds its fields in `declare`; the field's present value is the default:
//
//   struct HalosOptions {
//     std::int64_t local_steps = 8;
//     double global_weight = 0.25;
//     void declare(Options& o) {
//       o.add("local_steps", local_steps).at_least(1).help("local steps H of the fastest
//       worker").source("arXiv 2506.04531"); o.add("global_weight", global_weight).between(0, 1).help("weight
//       alpha of the global model at a merge");
//     }
//   };
//
// Reading (`read_options(node, path, options, faults)`) collects a fault for every unknown key (with the
// nearest name), missing required key, wrong type, wrong unit and value out of range; it never throws for
// what the user wrote. Bounds are in base units; those of durations in seconds, those of a progress in its
// own unit. The bounds of a list hold for each of its items.
#pragma once

#include <concepts>
#include <cstdint>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "core/node.hpp"
#include "core/time.hpp"
#include "core/units.hpp"

namespace convoy {

class Options;

/// What a reader hands to a custom option: collects faults with the node's position.
class FaultSink {
 public:
  /// Adds a fault at `node` (its origin and text are taken from it).
  void add(const Node& node, std::string path, std::string message, std::string allowed = {},
           std::string hint = {});
  void add(ConfigFault fault) { faults_.push_back(std::move(fault)); }
  [[nodiscard]] bool empty() const { return faults_.empty(); }
  [[nodiscard]] const std::vector<ConfigFault>& faults() const { return faults_; }
  /// Throws ConfigError if any fault was added, in the order in which they stand in their files.
  void throw_if_any() const;

 private:
  std::vector<ConfigFault> faults_;
};

/// The type of an option as users see it. `map` is an object with free keys and values of one type.
enum class OptionType {
  flag,
  integer,
  number,
  text,
  choice,
  quantity,
  duration,
  progress,
  list,
  map,
  group,
  variant,
  custom
};

namespace detail {
template <class T, class How>
struct Codec;
template <class T, class How>
struct ScalarCodec;
}  // namespace detail

/// One declared option. Made by Options::add; the setters return *this for chaining.
class Option {
 public:
  Option& help(std::string text) { return help_ = std::move(text), *this; }
  /// Paper or document that the default and meaning come from.
  Option& source(std::string text) { return source_ = std::move(text), *this; }
  Option& required() { return required_ = true, *this; }
  Option& at_least(double bound) { return minimum_ = bound, *this; }
  Option& at_most(double bound) { return maximum_ = bound, *this; }
  Option& more_than(double bound) { return minimum_ = bound, open_minimum_ = true, *this; }
  Option& less_than(double bound) { return maximum_ = bound, open_maximum_ = true, *this; }
  Option& between(double low, double high) { return at_least(low).at_most(high); }
  /// Lists: allowed number of items.
  Option& items(std::size_t least, std::size_t most = std::numeric_limits<std::size_t>::max()) {
    return least_items_ = least, most_items_ = most, *this;
  }
  /// Lists: a bare item stands for a list of one.
  Option& or_single() { return single_too_ = true, *this; }
  /// Maps: the only keys allowed; others are faults with the nearest key. Without it every key is allowed.
  Option& keys(std::vector<std::string> allowed) { return keys_ = std::move(allowed), *this; }
  /// The value may also be the path of a file that holds it (resolved before reading; here for describe and
  /// schema).
  Option& or_file() { return file_too_ = true, *this; }
  /// Custom options: their JSON Schema, which no type says.
  Option& schema(Node text) { return schema_ = std::move(text), *this; }
  /// Declares the option tunable on a log scale between two values (fair tuning).
  Option& tunable(double low, double high) { return tune_low_ = low, tune_high_ = high, *this; }
  /// The default as shown by describe, where the bound value does not say it ("one per worker").
  Option& default_text(std::string text) { return default_text_ = std::move(text), *this; }

  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] OptionType type() const { return type_; }
  /// "integer >= 1", "duration, e.g. \"2 h\"", "one of sgd, adamw".
  [[nodiscard]] std::string type_text() const;
  [[nodiscard]] const std::string& help_text() const { return help_; }
  [[nodiscard]] const std::string& source_text() const { return source_; }
  [[nodiscard]] bool is_required() const { return required_; }
  [[nodiscard]] const std::optional<double>& minimum() const { return minimum_; }
  [[nodiscard]] const std::optional<double>& maximum() const { return maximum_; }
  [[nodiscard]] bool open_minimum() const { return open_minimum_; }
  [[nodiscard]] bool open_maximum() const { return open_maximum_; }
  [[nodiscard]] std::optional<Dimension> dimension() const { return dimension_; }
  /// The words of a choice, the kinds of a variant, the allowed keys of a map (empty: any).
  [[nodiscard]] const std::vector<std::string>& choices() const {
    return type_ == OptionType::map ? keys_ : choices_;
  }
  [[nodiscard]] std::size_t least_items() const { return least_items_; }
  [[nodiscard]] std::size_t most_items() const { return most_items_; }
  /// Whether null is accepted and means unset.
  [[nodiscard]] bool nullable() const { return nullable_; }
  [[nodiscard]] bool accepts_single() const { return single_too_; }
  [[nodiscard]] bool accepts_file() const { return file_too_; }
  [[nodiscard]] const Node& own_schema() const { return schema_; }
  /// Variants: names the family (equal for equal bases and kinds), so that a schema can share its definition.
  [[nodiscard]] const std::string& family() const { return family_; }
  /// The default as people read it: default_text() if given, else the bound value ("8", "\"2 h\"",
  /// "required").
  [[nodiscard]] std::string default_shown() const;
  [[nodiscard]] std::optional<std::pair<double, double>> tuning_range() const;
  /// The value the bound field holds now, as a node (a null node if unset); that of the other shape where the
  /// first holds none.
  [[nodiscard]] Node value() const;
  /// The further shape that Options::also declared; nullptr without one.
  [[nodiscard]] const Option* other() const { return other_.get(); }
  /// value() with quantities as people write them: "2 h" for "7200 s".
  [[nodiscard]] Node readable_value() const;
  [[nodiscard]] bool was_set() const { return was_set_; }
  /// Element of a list or map; options of a group; nullptr otherwise.
  [[nodiscard]] const Option* element() const { return element_.get(); }
  [[nodiscard]] std::shared_ptr<const Options> group() const { return group_ ? group_() : nullptr; }
  /// Variants: kinds and, for each, the options of a default instance.
  [[nodiscard]] std::vector<std::pair<std::string, std::shared_ptr<const Options>>> variants() const;

 private:
  friend class Options;
  friend class OptionReader;
  template <class T, class How>
  friend struct detail::Codec;
  template <class T, class How>
  friend struct detail::ScalarCodec;
  /// The last argument carries the bounds, which an item takes from its list.
  using Setter = std::function<void(const Node&, const std::string& path, FaultSink&, const Option&)>;
  std::string name_, help_, source_, default_text_, custom_type_, family_;
  OptionType type_ = OptionType::custom;
  bool required_ = false, was_set_ = false, open_minimum_ = false, open_maximum_ = false;
  bool nullable_ = false, single_too_ = false, file_too_ = false;
  std::optional<double> minimum_, maximum_;
  std::optional<double> tune_low_, tune_high_;
  std::size_t least_items_ = 0, most_items_ = std::numeric_limits<std::size_t>::max();
  std::optional<Dimension> dimension_;
  std::vector<std::string> choices_, keys_;
  Node schema_;
  std::shared_ptr<Option> element_, other_;
  std::function<std::shared_ptr<const Options>()> group_;
  std::function<std::vector<std::pair<std::string, std::shared_ptr<const Options>>>()> variants_;
  Setter set_;
  std::function<Node()> get_;
};

/// A type with named options of its own.
template <class T>
concept Declares = requires(T& t, Options& o) {
  t.declare(o);
};

/// A family of parts chosen by {"kind": "..."}: name -> maker of a default instance (which `declare`s its
/// options). Base must have virtual void declare(Options&) and virtual std::string_view kind() const.
template <class Base>
using VariantMakers = std::map<std::string, std::function<std::unique_ptr<Base>()>>;

/// The options of one instance. Order of declaration is the order shown.
class Options {
 public:
  Option& add(std::string name, bool& field);
  Option& add(std::string name, std::int64_t& field);
  Option& add(std::string name, int& field);
  Option& add(std::string name, double& field);
  Option& add(std::string name, std::string& field);
  Option& add(std::string name, Duration& field);
  Option& add(std::string name, Progress& field);
  /// A physical quantity in base units (bandwidth in B/s, data in B, ...). Written with a unit.
  Option& add(std::string name, double& field, Dimension dimension);
  /// One of a fixed list of words.
  template <class Enum>
  requires std::is_enum_v<Enum> Option& add(std::string name, Enum& field,
                                            std::vector<std::pair<std::string, Enum>> words);
  /// Unset (std::nullopt) unless written; also accepts an explicit null.
  template <class T>
  Option& add(std::string name, std::optional<T>& field);
  Option& add(std::string name, std::optional<double>& field, Dimension dimension);
  template <class Enum>
  requires std::is_enum_v<Enum> Option& add(std::string name, std::optional<Enum>& field,
                                            std::vector<std::pair<std::string, Enum>> words);
  /// A list of any of these types.
  template <class T>
  Option& add(std::string name, std::vector<T>& field);
  Option& add(std::string name, std::vector<double>& field, Dimension dimension);
  template <class Enum>
  requires std::is_enum_v<Enum> Option& add(std::string name, std::vector<Enum>& field,
                                            std::vector<std::pair<std::string, Enum>> words);
  /// An object with free keys, each holding one of these types; see Option::keys.
  template <class T>
  Option& add(std::string name, std::map<std::string, T>& field);
  Option& add(std::string name, std::map<std::string, double>& field, Dimension dimension);
  /// A nested object.
  template <Declares T>
  Option& add(std::string name, T& field);
  /// A further shape of the option of that name, bound to a field of its own: read where the JSON value is a
  /// list or an object and this type is written so. The first shape is another kind of value.
  template <class T>
  Option& also(const std::string& name, T& field);
  /// An object with "kind"; a bare string "adamw" is short for {"kind": "adamw"}. `field` may be empty
  /// (unset).
  template <class Base>
  Option& add(std::string name, std::unique_ptr<Base>& field, const VariantMakers<Base>& makers);
  template <class Base>
  Option& add(std::string name, std::vector<std::unique_ptr<Base>>& field, const VariantMakers<Base>& makers);
  /// Reads with `set`, shows with `get` (null: nothing to show): for short forms that no type above covers.
  Option& custom(std::string name, std::string type_text,
                 std::function<void(const Node&, const std::string& path, FaultSink&)> set,
                 std::function<Node()> get);

  [[nodiscard]] const std::deque<Option>& all() const { return options_; }
  [[nodiscard]] const Option* find(std::string_view name) const;
  /// Cross-option rules, run after reading without faults; each adds its own faults.
  void check(std::function<void(const Node& whole, const std::string& path, FaultSink&)> rule) {
    checks_.push_back(std::move(rule));
  }
  /// The present values as an object node, defaults included, in base units. The same options read it back to
  /// the same values.
  [[nodiscard]] Node values() const;

 private:
  friend class OptionReader;
  template <class T, class How>
  Option& bind(std::string name, T& field, How how);
  Option& append(std::string name, OptionType type);
  template <class T, class How>
  static void bind_to(Option& option, T& field, How how);
  [[nodiscard]] Option& declared(const std::string& name);
  std::deque<Option> options_;
  std::vector<std::function<void(const Node&, const std::string&, FaultSink&)>> checks_;
};

/// Reads an object into the bound fields. Keys in `ignored` are left to others. Faults are collected, never
/// thrown.
void read_options(const Node& node, const std::string& path, Options& options, FaultSink& faults,
                  const std::vector<std::string>& ignored = {});
template <Declares T>
void read_options(const Node& node, const std::string& path, T& target, FaultSink& faults) {
  Options options;
  target.declare(options);
  read_options(node, path, options, faults);
}

/// Reads one value as an option of that type would, with the same words in its faults: for custom options.
/// `limits` carries bounds: Option().more_than(0). Returns false after a fault.
template <class T>
bool read_value(const Node& node, const std::string& path, T& field, FaultSink& faults,
                const Option& limits = Option());
bool read_value(const Node& node, const std::string& path, double& field, Dimension dimension,
                FaultSink& faults, const Option& limits = Option());

/// The options as an aligned table of at most `width` columns: name, type with range, default, help [source].
/// Groups are indented; the kinds of a variant are named, not expanded.
[[nodiscard]] std::string describe_options(const Options& options, std::size_t width = 110);

}  // namespace convoy

#include "core/options_templates.hpp"
