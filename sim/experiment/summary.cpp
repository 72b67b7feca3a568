#include "experiment/summary.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>

#include "experiment/build_info.hpp"
#include "experiment/node_access.hpp"
#include "experiment/result_files.hpp"

namespace convoy {
namespace {

constexpr int schema_version = 1;

Node node_or_null(const Node& node, std::string_view path) {
  const Node* place = find_path(node, path);
  return place == nullptr ? Node() : *place;
}

Node estimate_node(const std::optional<Estimate>& estimate) {
  if (!estimate) return {};
  Node result = Node::object();
  result.set("mean", node_of(estimate->mean));
  result.set("low", node_of(estimate->low));
  result.set("high", node_of(estimate->high));
  result.set("count", Node::of(estimate->count));
  return result;
}

Node speedup_node(const Speedup& speedup) {
  Node result = estimate_node(speedup.ratio);
  if (!result.is_object()) {
    result = Node::object();
    for (const char* key : {"mean", "low", "high"}) result.set(key, Node());
    result.set("count", Node::of(0));
  }
  result.set("more_than", node_of(speedup.more_than));
  result.set("less_than", node_of(speedup.less_than));
  result.set("verdict", Node::of(to_string(speedup.verdict)));
  return result;
}

Node entry_node(const RungEntry& entry, const Comparison& comparison) {
  const AlgorithmRow& row = comparison.rows[entry.row];
  Node result = Node::object();
  result.set("label", Node::of(row.label));
  result.set("axes", row.axes);
  result.set("reached", Node::of(entry.reached));
  result.set("seeds", Node::of(entry.seeds));
  result.set("time_s", estimate_node(entry.time_s));
  result.set("speedup", entry.is_reference ? Node() : speedup_node(entry.speedup));
  result.set("ideal_s", node_of(entry.ideal_s));
  result.set("given_s", entry.reached == entry.seeds ? Node() : node_of(entry.given_s));
  result.set("steps", node_of(entry.steps));
  result.set("bytes", node_of(entry.bytes));
  result.set("cost_usd", node_of(entry.cost_usd));
  result.set("near_plateau", Node::of(entry.near_plateau));
  return result;
}

Node entries_node(const std::vector<RungEntry>& entries, const Comparison& comparison) {
  Node list = Node::list();
  for (const RungEntry& entry : entries) list.items.push_back(entry_node(entry, comparison));
  return list;
}

Node headline_node(const Comparison& comparison) {
  if (comparison.headline.empty()) return {};
  Node algorithms = Node::list();
  for (const Headline& headline : comparison.headline) {
    const AlgorithmRow& row = comparison.rows[headline.row];
    Node entry = Node::object();
    entry.set("label", Node::of(row.label));
    entry.set("axes", row.axes);
    Node speedup = estimate_node(headline.speedup);
    if (speedup.is_object()) speedup.set("verdict", Node::of(to_string(headline.verdict)));
    entry.set("speedup", std::move(speedup));
    entry.set("cells", Node::of(headline.cells));
    entry.set("of", Node::of(headline.of));
    algorithms.items.push_back(std::move(entry));
  }
  Node result = Node::object();
  result.set("reference", Node::of(comparison.reference));
  result.set(
      "statistic",
      Node::of("mean of log speed-ups over the ladder in each seed, then over seeds; 95 % t interval"));
  result.set("algorithms", std::move(algorithms));
  return result;
}

Node run_row(const RunRecord& run) {
  Node row = Node::object();
  row.set("run_id", Node::of(run.run_id));
  row.set("label", Node::of(run.label));
  row.set("algorithm", Node::of(run.algorithm));
  row.set("seed", Node::of(run.seed));
  row.set("axes", run.axes);
  for (const char* key : {"stop_reason", "message", "virtual_time_s", "steps", "rounds", "samples"}) {
    row.set(key, node_or_null(run.result, key));
  }
  row.set("bytes", node_or_null(run.result, "network.bytes"));
  row.set("messages", node_or_null(run.result, "network.messages"));
  row.set("cost_usd", node_of(run.cost_usd));
  row.set("staleness_mean", node_or_null(run.result, "staleness.mean"));
  row.set("staleness_max", node_or_null(run.result, "staleness.max"));
  row.set("targets", node_or_null(run.result, "targets"));
  row.set("final", node_or_null(run.result, "final"));
  row.set("ledger", node_or_null(run.result, "ledger.total"));
  row.set("work", node_or_null(run.result, "work.total"));
  row.set("algorithm_report", node_or_null(run.result, "algorithm_report"));
  row.set("samples_per_second_ideal", node_of(run.samples_per_second_ideal));
  row.set("digest", node_or_null(run.result, "digest"));
  row.set("wall_s", node_or_null(run.result, "performance.wall_s"));
  return row;
}

Node ideal_row(double time_s, const Race& race) {
  Node row = Node::object();
  row.set("run_id", Node());
  row.set("label", Node::of("ideal"));
  row.set("algorithm", Node::of("ideal"));
  row.set("seed", Node());
  row.set("axes", Node::object());
  row.set("stop_reason", Node());
  row.set("message", Node::of("no communication, no wait, nominal speeds: computed, not run"));
  row.set("virtual_time_s", Node::of(time_s));
  row.set("steps", node_of(race.steps));
  row.set("samples", node_of(race.samples));
  row.set("targets", Node::list());
  return row;
}

Node cluster_node(const ClusterOptions& cluster) {
  const PhysicalNetwork machines = cluster.physical();
  const NetworkGraph& graph = machines.graph;
  Node names = Node::list(), workers = Node::list(), matrix = Node::list();
  std::map<NodeId, std::size_t> site_at;  // by the switch of the site
  for (const PhysicalNetwork::Site& site : machines.sites) {
    site_at.emplace(site.attach, site_at.size());
    names.items.push_back(Node::of(site.name));
  }
  for (const PhysicalNetwork::Device& device : machines.devices) {
    Node worker = Node::object();
    worker.set("name", Node::of(device.name));
    worker.set("region", Node::of(device.site));
    worker.set("host", Node::of(device.host));
    worker.set("speed", Node::of(device.speed));
    if (!device.model.empty()) worker.set("device", Node::of(device.model));
    workers.items.push_back(std::move(worker));
  }
  const std::size_t sites = machines.sites.size();
  std::vector<std::vector<Node>> cells(sites, std::vector<Node>(sites));
  for (std::size_t i = 0; i < sites; ++i) cells[i][i] = Node::of(machines.sites[i].host_link.bandwidth);
  for (std::size_t i = 0; i < graph.links(); ++i) {
    const LinkId link{static_cast<std::int32_t>(i)};
    const auto a = site_at.find(graph.tail(forward(link))), b = site_at.find(graph.head(forward(link)));
    if (a == site_at.end() || b == site_at.end()) continue;
    cells[a->second][b->second] = cells[b->second][a->second] = Node::of(graph.link(link).bandwidth);
  }
  for (auto& row : cells) matrix.items.push_back(Node::list(std::move(row)));
  Node result = Node::object();
  result.set("name", cluster.name.empty() ? Node() : Node::of(cluster.name));
  result.set("workers", std::move(workers));
  result.set("regions", std::move(names));
  result.set("bandwidth", std::move(matrix));
  return result;
}

Node target_node(const ExperimentConfig& config) {
  if (!config.target) return {};
  Node values = Node::list();
  for (const double value : config.target->values()) values.items.push_back(Node::of(value));
  Node result = Node::object();
  result.set("metric", Node::of(config.target->metric));
  result.set("values", std::move(values));
  result.set("direction", Node::of(config.target->rising() ? "at_least" : "at_most"));
  return result;
}

std::string counted(std::size_t count, std::string_view what) {
  return fmt::format("{} {}{}", count, what, count == 1 ? "" : "s");
}

std::string task_text(const ExperimentConfig& config, const std::vector<RunRecord>& records) {
  for (const RunRecord& run : records) {
    std::string told = text_or(run.result, "task.description", "");
    if (!told.empty()) return told;
  }
  switch (config.task.kind) {
    case TaskKind::classification:
    case TaskKind::language:
      break;
    case TaskKind::factorization:
      return "ratings";
    case TaskKind::sparse:
      return "sparse documents";
    case TaskKind::policy:
      return "a policy";
    case TaskKind::quadratic:
      return "a quadratic";
    case TaskKind::resource_allocation:
      return "a demand shared out";
    case TaskKind::clock_only:
      return "nothing is learned";
  }
  return fmt::format("{} on {}", config.task.data ? name_of(*config.task.data) : "data",
                     config.task.model ? config.task.model->kind() : "a model");
}

/// The cells of one row of summary.csv, by column.
void flatten(const Node& node, const std::string& prefix,
             std::vector<std::pair<std::string, std::string>>& cells) {
  switch (node.kind) {
    case Node::Kind::object:
      for (const Node::Member& member : node.members) {
        flatten(member.value, prefix.empty() ? member.key : prefix + "." + member.key, cells);
      }
      return;
    case Node::Kind::list:
      return;  // no cell of a table
    case Node::Kind::null:
      cells.emplace_back(prefix, "");
      return;
    case Node::Kind::boolean:
      cells.emplace_back(prefix, node.boolean ? "true" : "false");
      return;
    case Node::Kind::integer:
      cells.emplace_back(prefix, fmt::format("{}", node.integer));
      return;
    case Node::Kind::number:
      cells.emplace_back(prefix, csv_field(std::optional<double>(node.number)));
      return;
    case Node::Kind::text:
      cells.emplace_back(prefix, csv_field(std::string_view(node.text)));
      return;
  }
}

std::vector<std::pair<std::string, std::string>> cells_of(const Node& row) {
  std::vector<std::pair<std::string, std::string>> cells;
  for (const Node::Member& member : row.members) {
    if (member.key != "targets") {
      flatten(member.value, member.key, cells);
      continue;
    }
    for (const Node& target : member.value.items) {
      cells.emplace_back(fmt::format("time_to_{}_s", number_or(target, "value", 0)),
                         csv_field(number_at(target, "time_s")));
    }
  }
  return cells;
}

}  // namespace

Race race_of(const ExperimentConfig& config) {
  Race race;
  if (config.target) {
    race.targets = config.target->values();
    race.rising = config.target->rising();
  }
  if (config.stop.local_steps) race.steps = static_cast<double>(*config.stop.local_steps);
  if (config.stop.samples) race.samples = static_cast<double>(*config.stop.samples);
  race.fixed_time = !config.target && !config.stop.local_steps && !config.stop.samples && !config.stop.rounds;
  return race;
}

std::string describe_experiment(const ExperimentConfig& config, const std::vector<RunRecord>& records) {
  const PhysicalNetwork machines = config.cluster.physical();
  std::string text = counted(machines.devices.size(), "worker");
  if (machines.sites.size() > 1) text += " in " + counted(machines.sites.size(), "region");
  text += "; " + task_text(config, records);
  if (config.workload.stand_in) {
    text += fmt::format("; at the cost of {}", *config.workload.stand_in);
  } else if (config.workload.parameters) {
    text += fmt::format("; at the cost of a model of {} parameters", *config.workload.parameters);
  }
  return text;
}

std::string describe_target(const ExperimentConfig& config) {
  if (!config.target) return {};
  return fmt::format("{} {} {}", config.target->metric,
                     config.target->rising() ? ">=" : "<=", fmt::join(config.target->values(), ", "));
}

Node experiment_node(const Plan& plan, const std::vector<RunRecord>& records) {
  const ExperimentConfig& config = *plan.experiment;
  Node points = Node::list();
  for (const PlanPoint& point : plan.points) {
    Node entry = Node::object();
    entry.set("run_id", Node::of(point.run_id));
    entry.set("label", Node::of(point.label));
    entry.set("algorithm", Node::of(point.algorithm));
    entry.set("seed", Node::of(point.seed));
    entry.set("axes", point.axes);
    points.items.push_back(std::move(entry));
  }
  Node result = Node::object();
  result.set("schema_version", Node::of(schema_version));
  result.set("name", Node::of(config.name));
  result.set("version", Node::of(convoy_version()));
  result.set("build", build_node());
  result.set("description", Node::of(describe_experiment(config, records)));
  result.set("target", target_node(config));
  result.set("cluster", cluster_node(config.cluster));
  result.set("points", std::move(points));
  result.set("config", plan.resolved);
  return result;
}

Node summary_node(const std::vector<RunRecord>& records, const Comparison& comparison, const Race& race) {
  Node rows = Node::list();
  for (const RunRecord& run : records) rows.items.push_back(run_row(run));
  if (comparison.ideal_s) rows.items.push_back(ideal_row(*comparison.ideal_s, race));
  Node rungs = Node::list();
  for (const Rung& rung : comparison.rungs) {
    Node entry = Node::object();
    entry.set("target", Node::of(rung.value));
    entry.set("reference", Node::of(comparison.reference));
    entry.set("algorithms", entries_node(rung.entries, comparison));
    rungs.items.push_back(std::move(entry));
  }
  Node result = Node::object();
  result.set("schema_version", Node::of(schema_version));
  result.set("rows", std::move(rows));
  result.set("comparison", std::move(rungs));
  if (!comparison.fixed_work.empty()) {
    Node fixed = Node::object();
    fixed.set("reference", Node::of(comparison.reference));
    fixed.set("time", Node::of(comparison.per_step ? "a step" : "the whole work"));
    fixed.set("ideal_s", node_of(comparison.ideal_s));
    fixed.set("algorithms", entries_node(comparison.fixed_work, comparison));
    result.set("fixed_work", std::move(fixed));
  }
  result.set("headline", headline_node(comparison));
  return result;
}

std::string summary_csv(const Node& summary) {
  std::vector<std::string> columns;
  std::vector<std::map<std::string, std::string>> rows;
  for (const Node& row : summary.find("rows")->items) {
    auto& cells = rows.emplace_back();
    for (auto& [column, text] : cells_of(row)) {
      if (std::find(columns.begin(), columns.end(), column) == columns.end()) columns.push_back(column);
      cells[column] = std::move(text);
    }
  }
  std::string text;
  for (const std::string& column : columns)
    text += (text.empty() ? "" : ",") + csv_field(std::string_view(column));
  text += '\n';
  for (const auto& cells : rows) {
    bool first = true;
    for (const std::string& column : columns) {
      if (!first) text += ',';
      first = false;
      if (const auto cell = cells.find(column); cell != cells.end()) text += cell->second;
    }
    text += '\n';
  }
  return text;
}

}  // namespace convoy
