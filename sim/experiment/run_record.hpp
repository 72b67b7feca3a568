// One run as tables and comparisons see it: a planned point joined with its result.json.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/node.hpp"
#include "experiment/plan.hpp"

namespace convoy {

/// One rung of the target ladder in one run.
struct Crossing {
  double value = 0;
  bool reached = false;
  double time_s = 0, steps = 0, samples = 0, bytes = 0;  ///< interpolated at the crossing
  std::optional<double> cost_usd;
  bool near_plateau = false;
};

struct RunRecord {
  std::string run_id, label, algorithm;
  std::string row;  ///< the label, with the values of its sweep axes: what tables group by
  std::int64_t seed = 0;
  Node axes = Node::object();
  std::string stop_reason, message;
  double virtual_time_s = 0, steps = 0, samples = 0, bytes = 0;
  double compute_s = 0, communication_s = 0, wait_s = 0, down_s = 0;
  double samples_per_second_ideal = 0;
  std::optional<double> cost_usd;
  std::vector<Crossing> targets;
  Node result;  ///< result.json, without the parameter vectors
};

/// `result` is what result.json holds.
[[nodiscard]] RunRecord make_record(const PlanPoint& point, Node result);

}  // namespace convoy
