// Nodes to JSON text. Numbers are the shortest that read back to the same value, on every machine; what JSON
// has no number for (not finite) is null. Integers stay integers and other numbers keep a point or an
// exponent, so that a node survives writing and reading unchanged.
#pragma once

#include <cstddef>
#include <string>

#include "core/node.hpp"

namespace convoy {

/// For people: members in their order, two spaces a level, what fits on a line of `width` stays on it, a
/// final newline.
[[nodiscard]] std::string write_json(const Node& node, std::size_t width = 110);
/// For hashing and comparing: sorted keys, no spaces, no newline.
[[nodiscard]] std::string write_canonical_json(const Node& node);

}  // namespace convoy
