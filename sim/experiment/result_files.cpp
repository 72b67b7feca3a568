#include "experiment/result_files.hpp"

#include <fmt/format.h>

#include <cmath>

#include "experiment/node_access.hpp"

namespace convoy {
namespace {

constexpr int schema_version = 1;

/// Exactly rounded, so that 238391000 ns is written 0.238391.
double seconds(std::int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}
Node seconds_node(Duration value) {
  return Node::of(seconds(value.count()));
}

Node object(std::initializer_list<std::pair<const char*, Node>> members) {
  Node result = Node::object();
  for (const auto& member : members) result.set(member.first, member.second);
  return result;
}

Node numbers(const std::vector<double>& values) {
  Node list = Node::list();
  list.items.reserve(values.size());
  for (const double value : values) list.items.push_back(node_of(value));
  return list;
}

Node target_node(const TargetResult& target) {
  const auto at = [&](double value) { return target.reached ? node_of(value) : Node(); };
  const auto maybe = [&](const std::optional<double>& value) {
    return target.reached ? node_of(value) : Node();
  };
  return object({{"metric", Node::of(target.metric)},
                 {"value", Node::of(target.value)},
                 {"reached", Node::of(target.reached)},
                 {"time_s", at(target.at.time_s)},
                 {"steps", at(target.at.steps)},
                 {"samples", at(target.at.samples)},
                 {"bytes", at(target.at.bytes)},
                 {"energy_j", maybe(target.at.energy_j)},
                 {"cost_usd", maybe(target.at.cost_usd)},
                 {"first_time_s", node_of(target.first_time_s)},
                 {"near_plateau", Node::of(target.near_plateau)}});
}

Node final_node(const FinalMetrics& metrics) {
  Node result = object({{"train_loss", node_of(metrics.train_loss)},
                        {"validation_loss", node_of(metrics.validation_loss)},
                        {"validation_accuracy", node_of(metrics.validation_accuracy)},
                        {"test_loss", node_of(metrics.test_loss)},
                        {"test_accuracy", node_of(metrics.test_accuracy)}});
  for (const auto& [name, value] : metrics.extra) result.set(name, node_of(value));
  if (!metrics.parameters.empty()) {
    result.set("parameters", numbers(metrics.parameters));
    Node workers = Node::list();
    for (const auto& parameters : metrics.worker_parameters) workers.items.push_back(numbers(parameters));
    result.set("worker_parameters", std::move(workers));
  }
  return result;
}

Node network_node(const RunResult& run) {
  Node links = Node::list();
  for (const LinkUse& link : run.links) {
    links.items.push_back(object({{"name", Node::of(link.name)},
                                  {"bytes", Node::of(link.bytes)},
                                  {"messages", Node::of(link.messages)},
                                  {"busy_s", node_of(link.busy_s)}}));
  }
  Node streams = Node::list();
  for (const StreamUse& stream : run.streams) {
    streams.items.push_back(object({{"stream", Node::of(stream.stream)},
                                    {"bytes", Node::of(stream.bytes)},
                                    {"messages", Node::of(stream.messages)}}));
  }
  return object({{"bytes", Node::of(run.bytes)},
                 {"messages", Node::of(run.messages)},
                 {"streams", std::move(streams)},
                 {"links", std::move(links)}});
}

void set_totals(Node& node, const Ledger::Totals& totals) {
  node.set("compute_s", seconds_node(totals.compute));
  node.set("communication_s", seconds_node(totals.communication));
  node.set("wait_s", seconds_node(totals.wait));
  node.set("down_s", seconds_node(totals.down));
}

/// Who a row of `ledger` and `work` is about.
Node worker_node(const RunResult& run, std::size_t index) {
  Node node = object({{"worker", Node::of(index)}});
  if (index < run.worker_names.size()) node.set("name", Node::of(run.worker_names[index]));
  return node;
}

Node ledger_node(const RunResult& run) {
  Node workers = Node::list();
  for (std::size_t i = 0; i < run.ledger.size(); ++i) {
    Node row = worker_node(run, i);
    set_totals(row, run.ledger[i]);
    workers.items.push_back(std::move(row));
  }
  Node total = Node::object();
  set_totals(total, run.ledger_total);
  return object({{"workers", std::move(workers)}, {"total", std::move(total)}});
}

/// Steps under their own names, their device time under "seconds".
void set_work(Node& node, const WorkAccount::Row& work) {
  Node discarded = Node::object(), discarded_s = Node::object();
  for (const auto& [reason, amount] : work.discarded) {
    discarded.set(reason, Node::of(amount.steps));
    discarded_s.set(reason, seconds_node(amount.time));
  }
  node.set("computed", Node::of(work.computed.steps));
  node.set("merged", Node::of(work.merged.steps));
  node.set("in_flight_at_end", Node::of(work.in_flight_at_end.steps));
  node.set("discarded", std::move(discarded));
  node.set("seconds", object({{"computed", seconds_node(work.computed.time)},
                              {"merged", seconds_node(work.merged.time)},
                              {"in_flight_at_end", seconds_node(work.in_flight_at_end.time)},
                              {"discarded", std::move(discarded_s)}}));
}

Node work_node(const RunResult& run) {
  Node workers = Node::list();
  for (std::size_t i = 0; i < run.work.size(); ++i) {
    Node row = worker_node(run, i);
    set_work(row, run.work[i]);
    workers.items.push_back(std::move(row));
  }
  Node total = Node::object();
  set_work(total, run.work_total);
  return object({{"workers", std::move(workers)}, {"total", std::move(total)}});
}

Node staleness_node(const RunResult& run) {
  Node histogram = Node::list();
  for (const auto& [versions, count] : run.staleness_histogram) {
    histogram.items.push_back(Node::list({Node::of(versions), Node::of(count)}));
  }
  return object({{"mean", node_of(run.staleness_mean)},
                 {"max", Node::of(run.staleness_max)},
                 {"histogram", std::move(histogram)}});
}

Node servers_node(const RunResult& run) {
  Node servers = Node::list();
  for (const ServerUse& server : run.servers) {
    servers.items.push_back(object({{"server", Node::of(server.server)},
                                    {"busy_s", node_of(server.busy_s)},
                                    {"idle_s", node_of(server.idle_s)},
                                    {"updates", Node::of(server.updates)},
                                    {"longest_queue", Node::of(server.longest_queue)}}));
  }
  return servers;
}

Node waiting_node(const RunResult& run) {
  Node waiting = Node::list();
  for (const WaitLine& line : run.waiting) {
    waiting.items.push_back(object({{"process", Node::of(line.process)},
                                    {"waits_for", Node::of(line.waits_for)},
                                    {"since_s", node_of(line.since_s)}}));
  }
  return waiting;
}

Node task_node(const LearningTask* task) {
  if (task == nullptr) return {};
  return object(
      {{"description", Node::of(task->describe())}, {"parameters", Node::of(task->layout()->size)}});
}

Node performance_node(const RunResult& run) {
  return object({{"wall_s", node_of(run.wall_s)},
                 {"math_s", node_of(run.math_s)},
                 {"evaluation_s", node_of(run.evaluation_s)},
                 {"events", Node::of(run.events)},
                 {"ties", Node::of(run.ties)},
                 {"threads", Node::of(run.threads)}});
}

}  // namespace

Node result_node(const PlanPoint& point, const RunResult& run, const LearningTask* task) {
  Node targets = Node::list();
  for (const TargetResult& target : run.targets) targets.items.push_back(target_node(target));
  Node report = Node::object();
  for (const ReportEntry& entry : run.algorithm_report) report.set(entry.name, entry.value);
  Node units = Node::object();
  for (std::size_t i = 0; i < run.extra_columns.size(); ++i) {
    units.set(run.extra_columns[i],
              Node::of(i < run.extra_units.size() ? run.extra_units[i] : std::string()));
  }
  return object({{"schema_version", Node::of(schema_version)},
                 {"run_id", Node::of(point.run_id)},
                 {"identity", point.identity.node()},
                 {"experiment", Node::of(point.config->name)},
                 {"algorithm", Node::of(point.algorithm)},
                 {"label", Node::of(point.label)},
                 {"seed", Node::of(point.seed)},
                 {"axes", point.axes},
                 {"task", task_node(task)},
                 {"stop_reason", Node::of(to_string(run.stop_reason))},
                 {"message", run.message.empty() ? Node() : Node::of(run.message)},
                 {"waiting", waiting_node(run)},
                 {"virtual_time_s", Node::of(seconds(run.virtual_time.count()))},
                 {"steps", Node::of(run.steps)},
                 {"rounds", Node::of(run.rounds)},
                 {"samples", Node::of(run.samples)},
                 {"targets", std::move(targets)},
                 {"final", final_node(run.final_metrics)},
                 {"network", network_node(run)},
                 {"ledger", ledger_node(run)},
                 {"staleness", staleness_node(run)},
                 {"algorithm_report", std::move(report)},
                 {"work", work_node(run)},
                 {"servers", servers_node(run)},
                 {"units", std::move(units)},
                 {"cost_usd", node_of(run.cost_usd)},
                 {"samples_per_second_ideal", node_of(run.samples_per_second_ideal)},
                 {"no_progress_s", node_of(run.no_progress_s)},
                 {"digest", Node::of(run.digest)},
                 {"performance", performance_node(run)}});
}

std::string csv_field(std::string_view text) {
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string result = "\"";
  for (const char c : text) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

std::string csv_field(const std::optional<double>& number) {
  if (!number || !std::isfinite(*number)) return {};
  // Whole numbers in full: a step is 98304, not 9.8304e+04.
  constexpr double exact_integers = 9007199254740992.0;  // 2^53
  if (*number == std::floor(*number) && std::abs(*number) < exact_integers) {
    return fmt::format("{}", static_cast<std::int64_t>(*number));
  }
  return fmt::format("{}", *number);
}

std::string metrics_csv(const RunResult& run) {
  std::string text =
      "time_s,step,round,samples,tokens,epoch,train_loss,validation_loss,validation_accuracy,gradient_norm,"
      "consensus_distance,bytes_sent,staleness_mean,energy_j,cost_usd";
  for (const std::string& name : run.extra_columns) text += "," + csv_field(name);
  text += '\n';
  for (const MetricsRow& row : run.metrics) {
    const std::optional<double> fields[] = {row.at.time_s,
                                            row.at.steps,
                                            row.at.rounds,
                                            row.at.samples,
                                            row.tokens,
                                            row.epoch,
                                            row.train_loss,
                                            row.validation_loss,
                                            row.validation_accuracy,
                                            row.gradient_norm,
                                            row.consensus_distance,
                                            row.at.bytes,
                                            row.staleness_mean,
                                            row.at.energy_j,
                                            row.at.cost_usd};
    for (std::size_t i = 0; i < std::size(fields); ++i) {
      if (i > 0) text += ',';
      text += csv_field(fields[i]);
    }
    for (std::size_t i = 0; i < run.extra_columns.size(); ++i) {
      text += ',';
      if (i < row.extra.size()) text += csv_field(std::optional<double>(row.extra[i]));
    }
    text += '\n';
  }
  return text;
}

}  // namespace convoy
