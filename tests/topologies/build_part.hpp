// Builders with options set, for the tests of this folder.
#pragma once

#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/options.hpp"
#include "topologies/all.hpp"

namespace convoy::test {

using Settings = std::initializer_list<std::pair<const char*, Node>>;

inline Node whole(std::int64_t value) {
  return Node::of(value);
}
inline Node word(const char* value) {
  return Node::of(std::string(value));
}

/// A builder of that kind; throws ConfigError where its options are refused.
template <class Builder>
std::unique_ptr<Builder> part(const VariantMakers<Builder>& makers, const std::string& kind,
                              const Node& node) {
  std::unique_ptr<Builder> builder = makers.at(kind)();
  Options options;
  builder->declare(options);
  FaultSink faults;
  read_options(node, "", options, faults);
  faults.throw_if_any();
  return builder;
}
template <class Builder>
std::unique_ptr<Builder> part(const VariantMakers<Builder>& makers, const std::string& kind, Settings set) {
  Node node = Node::object();
  for (const auto& [key, value] : set) node.set(key, value);
  return part(makers, kind, node);
}
/// What a builder's options hold now, as a run's config states it.
template <class Builder>
Node stated(Builder& builder) {
  Options options;
  builder.declare(options);
  return options.values();
}
inline std::unique_ptr<GraphBuilder> graph(const std::string& kind, Settings set = {}) {
  return part(graph_makers(), kind, set);
}
inline std::unique_ptr<FabricBuilder> fabric(const std::string& kind, Settings set = {}) {
  return part(fabric_makers(), kind, set);
}

inline std::string fault_of(auto&& action) {
  try {
    action();
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

inline bool contains(const std::string& text, const char* part) {
  return text.find(part) != std::string::npos;
}

}  // namespace convoy::test
