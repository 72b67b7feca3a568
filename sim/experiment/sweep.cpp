#include "experiment/sweep.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "experiment/json_writer.hpp"

namespace convoy {
namespace {

constexpr std::size_t most_points = 100'000;

/// A step as the form with slashes writes it.
std::string escaped(std::string_view name) {
  std::string result;
  for (const char c : name) {
    if (c == '~') {
      result += "~0";
    } else if (c == '/') {
      result += "~1";
    } else {
      result += c;
    }
  }
  return result;
}

std::string written(const Node& value) {
  return value.is_text() ? value.text : write_canonical_json(value);
}

}  // namespace

NodePath Sweep::Axis::path_in(std::size_t block) const {
  if (blocks.empty()) return path;
  std::string text = fmt::format("/algorithms/{}", block);
  for (std::size_t i = 2; i < path.steps().size(); ++i) text += "/" + escaped(path.steps()[i].name);
  return NodePath(text);
}

bool Sweep::Axis::multiplies(std::size_t block) const {
  return blocks.empty() || std::find(blocks.begin(), blocks.end(), block) != blocks.end();
}

Sweep::Sweep(const Node& root, const ExperimentConfig& config) : root_(root) {
  if (config.sweep.is_null()) return;
  FaultSink faults;
  if (config.sweep.is_object()) {
    for (const Node::Member& member : config.sweep.members) add(member, faults);
  } else {
    faults.add(config.sweep, "sweep", "must be an object", "path -> list of values");
  }
  faults.throw_if_any();
  for (std::size_t block = 0; block < config.algorithms.size(); ++block) {
    std::size_t points = config.seeds.size();
    for (const Axis& axis : axes_) {
      if (axis.multiplies(block)) points *= axis.values.size();
      if (points > most_points) {
        faults.add(config.sweep, "sweep",
                   fmt::format("makes more than {} runs of one algorithm", most_points));
        faults.throw_if_any();
      }
    }
  }
}

void Sweep::add(const Node::Member& member, FaultSink& faults) {
  const std::string where = member_path("sweep", member.key);
  Node key = Node::of(member.key);
  key.origin = member.key_origin;
  if (!member.value.is_list() || member.value.items.empty()) {
    faults.add(member.value, where, "must be a list of at least one value", "the values of the axis");
    return;
  }
  try {
    NodePath path(member.key);
    Axis axis{.path = path, .blocks = {}, .values = member.value.items};
    Node copy = root_;
    static_cast<void>(path.select(copy));
    if (path.steps().front().name == "algorithms") {
      if (path.steps().size() < 3) {
        faults.add(key, where, "must name an option of an algorithm", "/algorithms/<label>/<option>");
        return;
      }
      const auto chosen = NodePath("/algorithms/" + escaped(path.steps()[1].name)).select(copy);
      const Node* first = copy.find("algorithms")->items.data();
      for (const Node* node : chosen) axis.blocks.push_back(static_cast<std::size_t>(node - first));
    }
    for (const char* fixed : {"seeds", "sweep", "name"}) {
      if (path.steps().front().name == fixed) faults.add(key, where, fmt::format("{} is no axis", fixed));
    }
    axes_.push_back(std::move(axis));
  } catch (const ConfigError& error) {
    for (const ConfigFault& fault : error.faults())
      faults.add(key, where, fault.message, fault.allowed, fault.hint);
  }
}

std::vector<SweepPoint> Sweep::points_of(std::size_t block) const {
  std::vector<SweepPoint> points = {{.root = root_, .axes = Node::object()}};
  for (const Axis& axis : axes_) {
    if (!axis.multiplies(block)) continue;
    const NodePath path = axis.path_in(block);
    std::vector<SweepPoint> next;
    for (const SweepPoint& point : points) {
      for (const Node& value : axis.values) {
        SweepPoint& made = next.emplace_back(point);
        set_at(made.root, path, value, value.origin);
        made.axes.set(axis.path.text(), value);
      }
    }
    points = std::move(next);
  }
  return points;
}

std::string row_name(const std::string& label, const Node& axes) {
  std::string result = label;
  for (const Node::Member& axis : axes.members) {
    const NodePath path(axis.key);
    result += fmt::format(" {}={}", path.steps().back().name, written(axis.value));
  }
  return result;
}

}  // namespace convoy
