#include "experiment/run_record.hpp"

#include <utility>

#include "experiment/node_access.hpp"

namespace convoy {
namespace {

bool flag_at(const Node& node, std::string_view key) {
  const Node* place = node.find(key);
  return place != nullptr && place->kind == Node::Kind::boolean && place->boolean;
}

Crossing crossing_of(const Node& target) {
  return {.value = number_or(target, "value", 0),
          .reached = flag_at(target, "reached"),
          .time_s = number_or(target, "time_s", 0),
          .steps = number_or(target, "steps", 0),
          .samples = number_or(target, "samples", 0),
          .bytes = number_or(target, "bytes", 0),
          .cost_usd = number_at(target, "cost_usd"),
          .near_plateau = flag_at(target, "near_plateau")};
}

}  // namespace

RunRecord make_record(const PlanPoint& point, Node result) {
  RunRecord record;
  record.run_id = point.run_id;
  record.label = point.label;
  record.algorithm = point.algorithm;
  record.row = point.row;
  record.seed = point.seed;
  record.axes = point.axes;
  record.stop_reason = text_or(result, "stop_reason", "failed");
  record.message = text_or(result, "message", "");
  record.virtual_time_s = number_or(result, "virtual_time_s", 0);
  record.steps = number_or(result, "steps", 0);
  record.samples = number_or(result, "samples", 0);
  record.bytes = number_or(result, "network.bytes", 0);
  record.compute_s = number_or(result, "ledger.total.compute_s", 0);
  record.communication_s = number_or(result, "ledger.total.communication_s", 0);
  record.wait_s = number_or(result, "ledger.total.wait_s", 0);
  record.down_s = number_or(result, "ledger.total.down_s", 0);
  record.samples_per_second_ideal = number_or(result, "samples_per_second_ideal", 0);
  record.cost_usd = number_at(result, "cost_usd");
  if (const Node* targets = result.find("targets"); targets != nullptr) {
    for (const Node& target : targets->items) record.targets.push_back(crossing_of(target));
  }
  if (Node* final_metrics = result.find("final"); final_metrics != nullptr) {
    std::erase_if(final_metrics->members, [](const Node::Member& member) {
      return member.key == "parameters" || member.key == "worker_parameters";
    });
  }
  record.result = std::move(result);
  return record;
}

}  // namespace convoy
