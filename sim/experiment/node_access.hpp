// Reading members of result files back: null-tolerant, since what was not measured is null there.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "core/node.hpp"

namespace convoy {

/// The node at "a.b[2].c" below `node`, or nullptr.
[[nodiscard]] const Node* find_path(const Node& node, std::string_view path);
/// A finite number there, or nothing.
[[nodiscard]] std::optional<double> number_at(const Node& node, std::string_view path);
[[nodiscard]] double number_or(const Node& node, std::string_view path, double otherwise);
[[nodiscard]] std::string text_or(const Node& node, std::string_view path, std::string_view otherwise);

/// Null for nothing and for what JSON has no number for.
[[nodiscard]] Node node_of(const std::optional<double>& value);
[[nodiscard]] Node node_of(double value);

}  // namespace convoy
