// From the state at the end of a run to its result.
#include <algorithm>
#include <cmath>

#include "training/run_state.hpp"

namespace convoy {
namespace {

/// Models up to this size are written out in result.json.
constexpr std::size_t written_parameters = 10'000;

StopReason stop_reason_of(EndReason reason) {
  switch (reason) {
    case EndReason::time_limit:
      return StopReason::max_time;
    case EndReason::event_limit:
      return StopReason::max_events;
    case EndReason::deadlock:
      return StopReason::deadlock;
    case EndReason::stalled:
      return StopReason::stalled;
    case EndReason::finished:
      return StopReason::deadlock;  // algorithms never end by themselves
    case EndReason::stopped:
      return StopReason::limit;
  }
  return StopReason::failed;
}

}  // namespace

std::string_view to_string(StopReason reason) {
  switch (reason) {
    case StopReason::target_reached:
      return "target_reached";
    case StopReason::max_time:
      return "max_time";
    case StopReason::max_steps:
      return "max_steps";
    case StopReason::max_samples:
      return "max_samples";
    case StopReason::max_rounds:
      return "max_rounds";
    case StopReason::max_events:
      return "max_events";
    case StopReason::diverged:
      return "diverged";
    case StopReason::deadlock:
      return "deadlock";
    case StopReason::stalled:
      return "stalled";
    case StopReason::limit:
      return "limit";
    case StopReason::failed:
      return "failed";
  }
  return "failed";
}

bool is_finished(StopReason reason) {
  return reason != StopReason::deadlock && reason != StopReason::stalled && reason != StopReason::limit &&
         reason != StopReason::failed;
}

RunResult RunState::collect(std::optional<EndReason> reason, const std::string& failure) {
  RunResult result;
  result.virtual_time = engine.now();
  result.events = engine.events();
  result.ties = engine.ties();
  result.message = stop_message_;
  if (!failure.empty()) {
    result.stop_reason = StopReason::failed;
    result.message = failure;
  } else if (stop_reason_) {
    result.stop_reason = *stop_reason_;
  } else {
    result.stop_reason = stop_reason_of(reason.value_or(EndReason::finished));
  }
  if (result.stop_reason == StopReason::deadlock || result.stop_reason == StopReason::stalled) {
    for (const WaitReport& wait : engine.waiting())
      result.waiting.push_back({wait.process, wait.waits_for, wait.since.to_seconds()});
  }
  result.steps = progress.reported;
  result.rounds = progress.rounds;
  result.samples = samples_of(progress.reported);
  for (const auto& worker : workers) {
    worker->ledger().close(engine.now());
    result.worker_names.push_back(worker->name());
    result.ledger.push_back(worker->ledger().totals());
    result.ledger_total += worker->ledger().totals();
    result.samples_per_second_ideal +=
        static_cast<double>(setup.task->batch_size(worker->index())) / worker->step_time().to_seconds();
  }
  std::int64_t count = 0, sum = 0;
  for (const auto& [versions, times] : staleness_) {
    count += times;
    sum += versions * times;
    result.staleness_max = std::max(result.staleness_max, versions);
  }
  result.staleness_mean = count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  result.staleness_histogram = staleness_;
  result.algorithm_report = setup.algorithm->report();
  result.work = work.rows();
  result.work_total = work.total();
  result.cost_usd = counters().cost_usd;
  result.no_progress_s =
      setup.stop.no_progress.value_or(std::max(first_no_progress_, longest_gap_ * 100)).to_seconds();
  collect_network(result);
  collect_final(result);
  return result;
}

void RunState::collect_network(RunResult& result) const {
  result.bytes = network->totals().bytes;
  result.messages = network->totals().messages;
  const NetworkGraph& graph = network->graph();
  for (std::size_t link = 0; link < graph.links(); ++link) {
    for (const ArcId arc :
         {forward({static_cast<std::int32_t>(link)}), backward({static_cast<std::int32_t>(link)})}) {
      const Network::ArcStatistics use = network->statistics(arc);
      if (use.messages == 0 && use.bytes == 0) continue;
      result.links.push_back({graph.arc_name(arc), use.bytes, use.messages, use.busy.to_seconds()});
    }
  }
  for (const auto& [name, use] : stream_use_) result.streams.push_back({name, use.bytes, use.messages});
  for (const auto& server : servers) {
    const double busy = server->times().busy.to_seconds();
    result.servers.push_back({server->name(), busy, engine.now().to_seconds() - busy, server->times().updates,
                              server->times().longest_queue});
  }
}

void RunState::collect_final(RunResult& result) {
  evaluator.finish(result, result.stop_reason);
  const Deployed deployed = setup.algorithm->deployed();
  StableHasher digest = digest_;
  for (const Vector& member : deployed.members) member.hash_into(digest);
  for (const auto& worker : workers) worker->parameters().hash_into(digest);
  result.digest = digest.hex();
  if (setup.task->has_math() && setup.task->layout()->size <= written_parameters &&
      !deployed.members.empty()) {
    result.final_metrics.parameters = mean(deployed.members).to_doubles();
    for (const auto& worker : workers)
      result.final_metrics.worker_parameters.push_back(worker->parameters().to_doubles());
  }
}

}  // namespace convoy
