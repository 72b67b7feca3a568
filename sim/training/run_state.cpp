#include "training/run_state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <numeric>

namespace convoy {
namespace {

/// A run without a report for this many times the longest gap so far is stalled (design:
/// StopOptions::no_progress).
constexpr std::int64_t no_progress_factor = 100;

double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace

RunState::RunState(const RunSetup& run_setup, JobPool& job_pool)
    : setup(run_setup),
      pool(job_pool),
      workload(ChargedWorkload::of(run_setup)),
      placement(Placement::of(run_setup, workload, run_setup.algorithm->uses_servers())),
      cluster(*this),
      work(static_cast<int>(placement.workers.size())),
      evaluator(*this) {
  check_messages();
  network = std::make_unique<Network>(engine, placement.graph,
                                      NetworkOptions{.contention = setup.cluster->network.contention});
  collectives = std::make_unique<Collectives>(*network);
  initial_parameters = setup.task->initial_parameters();
  batch_size = static_cast<std::int64_t>(setup.task->batch_size(0));
  staleness_weight = setup.staleness_weight;
  largest_speed = 0;
  for (std::size_t i = 0; i < placement.workers.size(); ++i) {
    const Placement::Host& host = placement.workers[i];
    workers.push_back(std::make_unique<Worker>(cluster, static_cast<int>(i), host.name, host.region,
                                               host.node, host.speed, host.step_time, step_clock(i)));
    largest_speed = std::max(largest_speed, host.speed);
    if (regions.empty() || regions.back().name != host.region)
      regions.push_back({.name = host.region, .workers = {}});
    regions.back().workers.push_back(workers.back().get());
  }
  local_servers.resize(regions.size(), nullptr);
  std::vector<int> everyone(workers.size());
  std::iota(everyone.begin(), everyone.end(), 0);
  groups.emplace_back(0, std::move(everyone));
  first_no_progress_ = first_no_progress();
}

RunState::~RunState() = default;

StepClock RunState::step_clock(std::size_t worker) const {
  const Placement::Host& host = placement.workers[worker];
  std::vector<StepClock::Source> sources;
  for (const auto& variation : setup.cluster->variation) {
    if (!variation->concerns(static_cast<std::int64_t>(worker))) continue;
    std::uint64_t entity = worker;
    if (variation->shared_by() == Variation::SharedBy::host) entity = stable_hash(host.host);
    if (variation->shared_by() == Variation::SharedBy::site) entity = stable_hash(host.region);
    sources.push_back({.variation = variation.get(), .key = {.seed = setup.seed, .entity = entity}});
  }
  return StepClock(sources);
}

void RunState::check_messages() const {
  if (setup.algorithm->uses_servers() && !setup.cluster->servers.update_time &&
      !setup.cluster->servers.memory_bandwidth) {
    throw ConfigError(ConfigFault{
        .path = "cluster.servers.update_time",
        .message = fmt::format("{} places servers, and nothing says how long an update takes",
                               setup.algorithm->kind()),
        .found = {},
        .allowed = "\"update_time\" (\"0 s\" has to be written) or \"memory_bandwidth\" in cluster.servers",
        .hint = "\"servers\": {\"update_time\": \"0 s\"}",
        .file = {}});
  }
}

const EncodingOptions* RunState::encoding(std::string_view stream) const {
  if (setup.messages != nullptr) {
    const auto place = setup.messages->find(std::string(stream));
    if (place != setup.messages->end()) return &place->second;
  }
  const auto own = setup.algorithm->encodings();
  const auto place = own.find(std::string(stream));
  return place == own.end() ? nullptr : place->second;
}

JobHandle RunState::launch(Time needed, std::function<void()> job) {
  return pool.launch(needed, setup.run_number, [this, job = std::move(job)] {
    const auto begin = std::chrono::steady_clock::now();
    job();
    const double seconds = seconds_since(begin);
    const std::lock_guard lock(math_mutex_);
    math_s_ += seconds;
  });
}

void RunState::join(JobHandle& job) {
  pool.join(job);
}

void RunState::math(const std::function<void()>& job) {
  if (!setup.task->has_math()) return job();
  const auto begin = std::chrono::steady_clock::now();
  job();
  const double seconds = seconds_since(begin);
  const std::lock_guard lock(math_mutex_);
  math_s_ += seconds;
}

void RunState::stop(StopReason reason, std::string message) {
  if (!stop_reason_) {
    stop_reason_ = reason;
    stop_message_ = std::move(message);
  }
  engine.stop();
}

void RunState::diverge(const std::string& what) {
  stop(StopReason::diverged, what);
}

void RunState::report_steps(std::int64_t steps) {
  progress.reported += steps;
  digest_event(DigestKind::report, 0, {}, progress.reported);
  longest_gap_ = std::max(longest_gap_, engine.now() - last_report_);
  last_report_ = engine.now();
  engine.note_progress();
  if (!setup.stop.no_progress)
    engine.set_no_progress(std::max(first_no_progress_, longest_gap_ * no_progress_factor));
  evaluator.on_report();
  if (setup.interrupted != nullptr && setup.interrupted->load(std::memory_order_relaxed))
    stop(StopReason::limit, "interrupted");
  if (setup.stop.local_steps && progress.reported >= *setup.stop.local_steps) stop(StopReason::max_steps);
  if (setup.stop.samples && samples_of(progress.reported) >= *setup.stop.samples)
    stop(StopReason::max_samples);
}

void RunState::report_round() {
  ++progress.rounds;
  if (setup.stop.rounds && progress.rounds >= *setup.stop.rounds) stop(StopReason::max_rounds);
}

void RunState::record(std::string_view name, std::string_view unit, double value) {
  recorded_[std::string(name)] = {std::string(unit), value};
}

void RunState::record_staleness(std::int64_t versions) {
  ++staleness_[versions];
}

void RunState::digest_event(DigestKind kind, int entity, std::string_view stream, std::int64_t version) {
  digest_.update(engine.now().count()).update(kind).update(entity).update(stream).update(version);
}

Duration RunState::first_no_progress() const {
  // Before the first report the longest round is unknown: a thousand of the slowest steps, and a hundred
  // transfers of the model between the farthest ends, are beyond any round that makes progress.
  Duration step, transfer;
  for (const auto& worker : workers) {
    step = std::max(step, worker->step_time());
    transfer = std::max(transfer, network->uncontended_time(workers.front()->node(), worker->node(),
                                                            workload.shape.identity_bytes()));
  }
  return step * 1000 + transfer * no_progress_factor * static_cast<std::int64_t>(workers.size() + 1) +
         Duration::seconds(1);
}

double RunState::schedule_factor(const SchedulePlace& place) const {
  if (setup.schedule == nullptr) return 1;
  const std::optional<ScheduleClock> clock = setup.schedule->clock();
  if (!clock) return setup.schedule->factor(0);
  const bool own = clock->counts == ProgressCount::own;
  if (clock->unit == Progress::Unit::rounds) {
    return setup.schedule->factor(static_cast<double>(own ? place.own_rounds : place.shared.rounds));
  }
  std::int64_t steps = place.own_steps;
  if (clock->counts == ProgressCount::dispatched) steps = place.shared.dispatched + place.started_since;
  if (clock->counts == ProgressCount::reported) steps = place.shared.reported;
  const bool samples = clock->unit == Progress::Unit::samples;
  return setup.schedule->factor(static_cast<double>(samples ? samples_of(steps) : steps));
}

Counters RunState::counters() const {
  Counters now;
  now.time_s = engine.now().to_seconds();
  now.steps = static_cast<double>(progress.reported);
  now.rounds = static_cast<double>(progress.rounds);
  now.samples = static_cast<double>(samples_of(progress.reported));
  now.bytes = static_cast<double>(network->totals().bytes);
  std::optional<double> price = placement.price;
  if (setup.cluster->servers.price) {
    price = price.value_or(0) + *setup.cluster->servers.price * static_cast<double>(servers.size());
  }
  if (price) now.cost_usd = *price * now.time_s;
  return now;
}

RunResult RunState::run() {
  const auto begin = std::chrono::steady_clock::now();
  std::optional<EndReason> reason;
  std::string failure;
  try {
    setup.algorithm->start(cluster);
    evaluator.begin();
    RunLimits limits;
    if (setup.stop.time) limits.latest = Time::origin() + *setup.stop.time;
    if (setup.stop.events) limits.max_events = static_cast<std::uint64_t>(*setup.stop.events);
    limits.no_progress = setup.stop.no_progress.value_or(first_no_progress_);
    reason = engine.run(limits);
  } catch (const ConfigError&) {
    throw;
  } catch (const std::exception& error) {
    failure = error.what();
  }
  RunResult result = collect(reason, failure);
  result.wall_s = seconds_since(begin);
  result.math_s = math_s_;
  result.evaluation_s = evaluator.seconds();
  result.threads = pool.threads();
  return result;
}

void check_setup(const RunSetup& setup) {
  JobPool pool(1);
  RunState run(setup, pool);
  setup.algorithm->start(run.cluster);
}

RunResult simulate(const RunSetup& setup, JobPool& pool) {
  RunState run(setup, pool);
  return run.run();
}

}  // namespace convoy
