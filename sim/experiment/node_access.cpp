#include "experiment/node_access.hpp"

#include <charconv>
#include <cmath>

namespace convoy {

namespace {

/// Takes the first step of `path` off: "a.b[1]" -> "a", "[1].b" -> "[1]".
std::string_view take_step(std::string_view& path) {
  if (path.starts_with('.')) path.remove_prefix(1);
  std::size_t end = path.starts_with('[') ? path.find(']') : path.find_first_of(".[");
  if (end != std::string_view::npos && path.starts_with('[')) ++end;
  const std::string_view step = path.substr(0, end);
  path = end == std::string_view::npos ? std::string_view() : path.substr(end);
  return step;
}

const Node* child(const Node& node, std::string_view step) {
  if (!step.starts_with('[')) return node.find(step);
  std::size_t index = 0;
  const auto read = std::from_chars(step.data() + 1, step.data() + step.size(), index);
  const bool closed = read.ec == std::errc() && read.ptr + 1 == step.data() + step.size() && *read.ptr == ']';
  return node.is_list() && closed && index < node.items.size() ? &node.items[index] : nullptr;
}

}  // namespace

const Node* find_path(const Node& node, std::string_view path) {
  const Node* place = &node;
  while (place != nullptr && !path.empty()) place = child(*place, take_step(path));
  return place;
}

std::optional<double> number_at(const Node& node, std::string_view path) {
  const Node* place = find_path(node, path);
  if (place == nullptr || !place->is_number() || !std::isfinite(place->number)) return std::nullopt;
  return place->number;
}

double number_or(const Node& node, std::string_view path, double otherwise) {
  return number_at(node, path).value_or(otherwise);
}

std::string text_or(const Node& node, std::string_view path, std::string_view otherwise) {
  const Node* place = find_path(node, path);
  return place != nullptr && place->is_text() ? place->text : std::string(otherwise);
}

Node node_of(const std::optional<double>& value) {
  return value ? node_of(*value) : Node();
}

Node node_of(double value) {
  return std::isfinite(value) ? Node::of(value) : Node();
}

}  // namespace convoy
