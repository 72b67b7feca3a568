#include "core/options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace convoy {

void FaultSink::add(const Node& node, std::string path, std::string message, std::string allowed,
                    std::string hint) {
  add({.path = std::move(path),
       .message = std::move(message),
       .found = node.describe(),
       .allowed = std::move(allowed),
       .hint = std::move(hint),
       .file = node.origin.file ? *node.origin.file : std::string(),
       .line = node.origin.line,
       .column = node.origin.column});
}

void FaultSink::throw_if_any() const {
  if (faults_.empty()) return;
  std::vector<ConfigFault> sorted = faults_;
  std::vector<std::string> files;
  for (const ConfigFault& fault : sorted) {
    if (std::find(files.begin(), files.end(), fault.file) == files.end()) files.push_back(fault.file);
  }
  std::stable_sort(sorted.begin(), sorted.end(), [&](const ConfigFault& a, const ConfigFault& b) {
    const auto file_a = std::find(files.begin(), files.end(), a.file);
    const auto file_b = std::find(files.begin(), files.end(), b.file);
    return std::tie(file_a, a.line, a.column) < std::tie(file_b, b.line, b.column);
  });
  throw ConfigError(std::move(sorted));
}

Node Option::value() const {
  const auto nothing = [](const Node& node) {
    return node.is_null() || (node.is_list() && node.items.empty()) ||
           (node.is_object() && node.members.empty());
  };
  Node first = get_ ? get_() : Node();
  if (other_ == nullptr || !nothing(first)) return first;
  Node second = other_->value();
  return nothing(second) ? first : second;
}

std::optional<std::pair<double, double>> Option::tuning_range() const {
  if (!tune_low_ || !tune_high_) return std::nullopt;
  return std::pair(*tune_low_, *tune_high_);
}

std::vector<std::pair<std::string, std::shared_ptr<const Options>>> Option::variants() const {
  if (!variants_) return {};
  return variants_();
}

Option& Options::declared(const std::string& name) {
  for (Option& option : options_) {
    if (option.name_ == name) return option;
  }
  throw std::logic_error("option " + name + " has no first shape");
}

Option& Options::append(std::string name, OptionType type) {
  if (find(name) != nullptr) throw std::logic_error("option " + name + " is declared twice");
  Option& option = options_.emplace_back();
  option.name_ = std::move(name);
  option.type_ = type;
  return option;
}

Option& Options::add(std::string name, bool& field) {
  return bind(std::move(name), field, detail::Plain{});
}
Option& Options::add(std::string name, std::int64_t& field) {
  return bind(std::move(name), field, detail::Plain{});
}
Option& Options::add(std::string name, int& field) {
  return bind(std::move(name), field, detail::Plain{});
}
Option& Options::add(std::string name, double& field) {
  return bind(std::move(name), field, detail::Plain{});
}
Option& Options::add(std::string name, std::string& field) {
  return bind(std::move(name), field, detail::Plain{});
}
Option& Options::add(std::string name, Duration& field) {
  return bind(std::move(name), field, detail::Plain{});
}
Option& Options::add(std::string name, Progress& field) {
  return bind(std::move(name), field, detail::Plain{});
}
Option& Options::add(std::string name, double& field, Dimension dimension) {
  return bind(std::move(name), field, dimension);
}
Option& Options::add(std::string name, std::optional<double>& field, Dimension dimension) {
  return bind(std::move(name), field, dimension);
}
Option& Options::add(std::string name, std::vector<double>& field, Dimension dimension) {
  return bind(std::move(name), field, dimension);
}
Option& Options::add(std::string name, std::map<std::string, double>& field, Dimension dimension) {
  return bind(std::move(name), field, dimension);
}

Option& Options::custom(std::string name, std::string type_text,
                        std::function<void(const Node&, const std::string& path, FaultSink&)> set,
                        std::function<Node()> get) {
  Option& option = append(std::move(name), OptionType::custom);
  option.custom_type_ = std::move(type_text);
  option.set_ = [set = std::move(set)](const Node& node, const std::string& path, FaultSink& faults,
                                       const Option&) { set(node, path, faults); };
  option.get_ = std::move(get);
  return option;
}

const Option* Options::find(std::string_view name) const {
  const auto found = std::find_if(options_.begin(), options_.end(),
                                  [name](const Option& option) { return option.name() == name; });
  return found == options_.end() ? nullptr : &*found;
}

Node Options::values() const {
  Node result = Node::object();
  for (const Option& option : options_) {
    Node value = option.value();
    // What a custom option shows as null it has no text for; every other null is an optional that is unset.
    if (value.is_null() && option.type() == OptionType::custom) continue;
    result.set(option.name(), std::move(value));
  }
  return result;
}

}  // namespace convoy
