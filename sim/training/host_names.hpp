// Names in a cluster of listed hosts, and the faults of those that are repeated or unknown.
#pragma once

#include <fmt/format.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/nearest_word.hpp"
#include "core/node.hpp"

namespace convoy {

/// The fault of something written in a cluster, at a path below it.
[[noreturn]] inline void refuse_cluster(std::string path, std::string message, std::string allowed = {},
                                        std::string hint = {}) {
  ConfigFault fault;
  fault.path = std::move(path);
  fault.message = std::move(message);
  fault.allowed = std::move(allowed);
  fault.hint = std::move(hint);
  throw ConfigError(std::move(fault));
}

/// Names and what they stand for; a second one of a name, or an unknown one, is refused.
template <class Value>
class Names {
 public:
  Names(const char* one, const char* all) : one_(one), all_(all) {}
  void add(const std::string& name, Value value, const std::string& path) {
    if (name.empty()) refuse_cluster(path, "is an empty name");
    if (!values_.emplace(name, value).second)
      refuse_cluster(path, "repeats the name " + in_quotes(name), "names that differ");
  }
  [[nodiscard]] bool has(const std::string& name) const { return values_.contains(name); }
  [[nodiscard]] const Value& at(const std::string& name, const std::string& path) const {
    if (const auto found = values_.find(name); found != values_.end()) return found->second;
    std::vector<std::string> known;
    for (const auto& entry : values_) known.push_back(entry.first);
    refuse_cluster(path, fmt::format("names the unknown {} {}", one_, in_quotes(name)), all_,
                   nearest_hint(name, known));
  }

 private:
  const char *one_, *all_;
  std::map<std::string, Value> values_;
};

}  // namespace convoy
