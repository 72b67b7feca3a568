// The words that error messages and `sim describe` share: ranges, lists of names, values. Internal to
// core/options.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/options.hpp"

namespace convoy::detail {

/// ">= 1", "between 0 and 1", "> 0 and < 1", with units "> 0 B/s"; empty without bounds.
std::string range_text(const Option& limits, std::optional<Dimension> dimension);
/// "3", "one or more", "at least 2", "at most 4", "2 to 4"; empty without bounds.
std::string count_text(const Option& option);
/// "sgd, momentum, adamw"; long lists are cut after `most` with "...".
std::string word_list(const std::vector<std::string>& words, std::size_t most = 30);
/// A node in JSON's notation on one line, shortened to `longest` bytes.
std::string node_text(const Node& node, std::size_t longest);
/// Fault at the key of a member that nobody reads.
void add_unknown_key(const Node::Member& member, const std::string& path, FaultSink& faults,
                     const std::vector<std::string>& known);

}  // namespace convoy::detail
