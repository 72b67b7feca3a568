#include "experiment/run_identity.hpp"

#include <algorithm>
#include <array>
#include <fstream>
#include <vector>

#include "core/error.hpp"

namespace convoy {
namespace {

constexpr std::size_t chunk = 1 << 18;
constexpr std::size_t id_digits = 16;

[[noreturn]] void refuse(const std::filesystem::path& file, const std::string& why) {
  ConfigFault fault;
  fault.message = why;
  fault.file = file.string();
  throw ConfigError(std::move(fault));
}

}  // namespace

std::string RunIdentity::run_id() const {
  StableHasher hasher;
  hasher.update("convoy run")
      .update(config)
      .update(data)
      .update(plugin)
      .update(results_version)
      .update(instruction_set);
  return hasher.hex().substr(0, id_digits);
}

Node RunIdentity::node() const {
  Node result = Node::object();
  result.set("config", Node::of(config));
  result.set("data", data.empty() ? Node() : Node::of(data));
  result.set("plugin", plugin.empty() ? Node() : Node::of(plugin));
  result.set("results_version", Node::of(results_version));
  result.set("instruction_set", Node::of(instruction_set));
  return result;
}

void hash_canonical(const Node& node, StableHasher& hasher) {
  hasher.update(node.kind);
  switch (node.kind) {
    case Node::Kind::null:
      return;
    case Node::Kind::boolean:
      hasher.update(node.boolean);
      return;
    case Node::Kind::integer:
      hasher.update(node.integer);
      return;
    case Node::Kind::number:
      hasher.update(node.number);
      return;
    case Node::Kind::text:
      hasher.update(node.text);
      return;
    case Node::Kind::list:
      hasher.update(node.items.size());
      for (const Node& item : node.items) hash_canonical(item, hasher);
      return;
    case Node::Kind::object: {
      std::vector<const Node::Member*> members;
      for (const Node::Member& member : node.members) {
        if (!member.value.is_null()) members.push_back(&member);
      }
      std::sort(members.begin(), members.end(), [](const auto* a, const auto* b) { return a->key < b->key; });
      hasher.update(members.size());
      for (const Node::Member* member : members) {
        hasher.update(member->key);
        hash_canonical(member->value, hasher);
      }
      return;
    }
  }
}

std::string FileHashes::of(const std::filesystem::path& file) {
  std::error_code size_error, time_error;
  const auto size = std::filesystem::file_size(file, size_error);
  const auto changed = std::filesystem::last_write_time(file, time_error);
  if (size_error || time_error)
    refuse(file, "cannot be read: " + (size_error ? size_error : time_error).message());
  const Key key(file.string(), size, changed);
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(key); found != known_.end()) return found->second;
  }
  std::ifstream stream(file, std::ios::binary);
  if (!stream) refuse(file, "cannot be opened");
  StableHasher hasher;
  std::vector<char> buffer(chunk);
  while (stream) {
    stream.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
    hasher.update(std::as_bytes(std::span(buffer.data(), static_cast<std::size_t>(stream.gcount()))));
  }
  if (stream.bad()) refuse(file, "cannot be read");
  std::string digest = hasher.hex();
  const std::lock_guard lock(mutex_);
  return known_.emplace(key, std::move(digest)).first->second;
}

}  // namespace convoy
