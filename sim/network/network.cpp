#include "network/network.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace convoy {

void NetworkOptions::declare(Options& options) {
  options.add("contention", contention)
      .help(
          "transfers share the links that they cross; false: each takes latency + bytes / slowest link, "
          "whatever else moves");
}

Network::Network(Engine& engine, NetworkGraph graph, NetworkOptions options)
    : engine_(engine), graph_(std::move(graph)), options_(options) {
  constraint_.assign(graph_.arcs(), unconstrained);
  use_.resize(graph_.arcs());
  for (std::size_t i = 0; i < graph_.links(); ++i) {
    const LinkId link{static_cast<std::int32_t>(i)};
    const LinkSpec& spec = graph_.link(link);
    bandwidth_.push_back(spec.bandwidth);
    if (!options_.contention || spec.sharing == Sharing::fat_pipe) continue;
    constraint_[2 * i] = flows_.add_constraint(spec.bandwidth);
    if (spec.sharing == Sharing::full_duplex) constraint_[2 * i + 1] = flows_.add_constraint(spec.bandwidth);
    if (spec.sharing == Sharing::half_duplex) constraint_[2 * i + 1] = constraint_[2 * i];
  }
}

Network::~Network() {
  if (wake_event_) engine_.cancel(*wake_event_);
  if (solve_event_) engine_.cancel(*solve_event_);
}

TransferId Network::start(NodeId from, NodeId to, std::int64_t bytes, Callback delivered,
                          TransferOptions options) {
  if (bytes < 0) throw std::logic_error("a transfer of fewer than no bytes");
  if (!(options.weight > 0) || !std::isfinite(options.weight) || !(options.rate_cap > 0)) {
    throw std::logic_error("a transfer whose weight or rate cap is not positive");
  }
  const std::uint32_t slot = allocate();
  Transfer& transfer = transfers_[slot];
  try {
    graph_.append_route(from, to, transfer.arcs);
  } catch (...) {
    release(slot);
    throw;
  }
  Duration latency = transfer.arcs.empty() ? graph_.node(from).loopback : Duration::zero();
  for (const ArcId arc : transfer.arcs) latency += graph_.link(arc.link()).latency;
  transfer.delivered = std::move(delivered);
  transfer.options = options;
  transfer.bytes = bytes;
  transfer.from = from;
  transfer.to = to;
  transfer.order = next_order_++;
  transfer.phase = bytes == 0 || transfer.arcs.empty() ? Phase::arriving : Phase::latency;
  if (transfer.phase == Phase::latency && latency == Duration::zero()) {
    begin_moving(slot);
  } else {
    date(slot, engine_.now() + latency);
  }
  plan_wake();
  return {slot, transfers_[slot].generation};
}

bool Network::abort(TransferId id) {
  if (!active(id)) return false;
  Transfer& transfer = transfers_[id.slot];
  if (transfer.phase == Phase::moving) {
    const std::int64_t bytes = moved(id.slot);
    for (const ArcId arc : transfer.arcs) end_use(arc, bytes, 0);
    flows_.stop(id.slot, engine_.now());
    solve_later();
  } else {
    undate(id.slot);
  }
  ++totals_.aborted;
  release(id.slot);
  plan_wake();
  return true;
}

std::size_t Network::abort_all(NodeId node) {
  std::vector<std::pair<std::uint64_t, TransferId>> doomed;
  for (std::uint32_t slot = 0; slot < transfers_.size(); ++slot) {
    const Transfer& transfer = transfers_[slot];
    if (transfer.phase == Phase::free || (transfer.from != node && transfer.to != node)) continue;
    doomed.push_back({transfer.order, {slot, transfer.generation}});
  }
  std::sort(doomed.begin(), doomed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [order, id] : doomed) abort(id);
  return doomed.size();
}

bool Network::active(TransferId id) const {
  return find(id) != nullptr;
}

double Network::rate(TransferId id) const {
  const Transfer* transfer = find(id);
  return transfer != nullptr && transfer->phase == Phase::moving ? flows_.rate(id.slot) : 0;
}

void Network::set_bandwidth(LinkId link, double bandwidth) {
  if (!(bandwidth >= 0) || !std::isfinite(bandwidth)) {
    throw std::logic_error("a bandwidth has to be finite and >= 0");
  }
  bandwidth_.at(static_cast<std::size_t>(link.index)) = bandwidth;
  for (const ArcId arc : {forward(link), backward(link)}) {
    const FluidFlows::Constraint constraint = constraint_[static_cast<std::size_t>(arc.index)];
    if (constraint != unconstrained) {
      flows_.set_capacity(constraint, bandwidth);
      continue;
    }
    for (std::uint32_t slot = 0; slot < transfers_.size(); ++slot) {
      const Transfer& transfer = transfers_[slot];
      const std::vector<ArcId>& arcs = transfer.arcs;
      if (transfer.phase != Phase::moving || std::find(arcs.begin(), arcs.end(), arc) == arcs.end()) continue;
      flows_.set_cap(slot, cap_of(transfer));
    }
  }
  solve_later();
}

double Network::bandwidth(LinkId link) const {
  return bandwidth_.at(static_cast<std::size_t>(link.index));
}

PathSummary Network::path(NodeId from, NodeId to) const {
  const std::vector<ArcId>& arcs = route(from, to);
  PathSummary summary{.latency = arcs.empty() ? graph_.node(from).loopback : Duration::zero(),
                      .bandwidth = std::numeric_limits<double>::infinity(),
                      .hops = arcs.size()};
  for (const ArcId arc : arcs) {
    summary.latency += graph_.link(arc.link()).latency;
    summary.bandwidth = std::min(summary.bandwidth, bandwidth(arc.link()));
  }
  return summary;
}

const std::vector<ArcId>& Network::route(NodeId from, NodeId to) const {
  route_.clear();
  graph_.append_route(from, to, route_);
  return route_;
}

Duration Network::uncontended_time(NodeId from, NodeId to, std::int64_t bytes) const {
  const PathSummary way = path(from, to);
  return way.latency + Duration::seconds(static_cast<double>(bytes) / way.bandwidth);
}

void Network::begin_booking(NodeId from, NodeId to) {
  for (const ArcId arc : route(from, to)) begin_use(arc);
}

void Network::end_booking(NodeId from, NodeId to, std::int64_t bytes, std::int64_t messages) {
  const std::vector<ArcId>& arcs = route(from, to);
  for (const ArcId arc : arcs) end_use(arc, bytes, messages);
  count(arcs.empty(), bytes, messages);
}

std::vector<Network::ArcStatistics> Network::statistics() const {
  std::vector<ArcStatistics> all;
  all.reserve(use_.size());
  for (const ArcUse& use : use_) {
    all.push_back(use.done);
    if (use.active > 0) all.back().busy += engine_.now() - use.since;
  }
  for (std::uint32_t slot = 0; slot < transfers_.size(); ++slot) {
    if (transfers_[slot].phase != Phase::moving) continue;
    const std::int64_t bytes = moved(slot);
    for (const ArcId arc : transfers_[slot].arcs) all[static_cast<std::size_t>(arc.index)].bytes += bytes;
  }
  return all;
}

Network::ArcStatistics Network::statistics(ArcId arc) const {
  const ArcUse& use = use_.at(static_cast<std::size_t>(arc.index));
  ArcStatistics result = use.done;
  if (use.active > 0) result.busy += engine_.now() - use.since;
  for (std::uint32_t slot = 0; slot < transfers_.size(); ++slot) {
    const std::vector<ArcId>& arcs = transfers_[slot].arcs;
    if (transfers_[slot].phase != Phase::moving) continue;
    result.bytes += std::count(arcs.begin(), arcs.end(), arc) * moved(slot);
  }
  return result;
}

const Network::Transfer* Network::find(TransferId id) const {
  if (id.slot >= transfers_.size() || transfers_[id.slot].phase == Phase::free) return nullptr;
  return transfers_[id.slot].generation == id.generation ? &transfers_[id.slot] : nullptr;
}

std::uint32_t Network::allocate() {
  ++active_;
  if (free_slots_.empty()) {
    transfers_.emplace_back().generation = 1;
    return static_cast<std::uint32_t>(transfers_.size() - 1);
  }
  const std::uint32_t slot = free_slots_.back();
  free_slots_.pop_back();
  return slot;
}

void Network::release(std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  transfer.phase = Phase::free;
  transfer.arcs.clear();
  transfer.delivered.reset();
  if (++transfer.generation == 0) transfer.generation = 1;
  free_slots_.push_back(slot);
  --active_;
}

void Network::date(std::uint32_t slot, Time time) {
  if (transfers_[slot].options.activity == Activity::work) ++dated_foreground_;
  dates_.set({time, transfers_[slot].order, slot});
}

void Network::undate(std::uint32_t slot) {
  if (!dates_.contains(slot)) return;
  if (transfers_[slot].options.activity == Activity::work) --dated_foreground_;
  dates_.erase(slot);
}

void Network::begin_moving(std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  transfer.phase = Phase::moving;
  scratch_.clear();
  for (const ArcId arc : transfer.arcs) {
    begin_use(arc);
    const FluidFlows::Constraint constraint = constraint_[static_cast<std::size_t>(arc.index)];
    if (constraint != unconstrained) scratch_.push_back(constraint);
  }
  const FluidFlows::Spec spec{.bytes = static_cast<double>(transfer.bytes),
                              .weight = transfer.options.weight,
                              .cap = cap_of(transfer),
                              .order = transfer.order,
                              .background = transfer.options.activity != Activity::work};
  flows_.start(slot, scratch_, spec, engine_.now());
  solve_later();
}

void Network::end_moving(std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  for (const ArcId arc : transfer.arcs) end_use(arc, transfer.bytes, 0);
  transfer.phase = Phase::arriving;
}

void Network::deliver(std::uint32_t slot) {
  Transfer& transfer = transfers_[slot];
  for (const ArcId arc : transfer.arcs) {
    use_[static_cast<std::size_t>(arc.index)].done.messages += transfer.options.messages;
  }
  count(transfer.arcs.empty(), transfer.bytes, transfer.options.messages);
  Callback delivered = std::move(transfer.delivered);
  release(slot);
  if (delivered) delivered();
}

double Network::cap_of(const Transfer& transfer) const {
  double cap = transfer.options.rate_cap;
  for (const ArcId arc : transfer.arcs) {
    if (constraint_[static_cast<std::size_t>(arc.index)] == unconstrained)
      cap = std::min(cap, bandwidth(arc.link()));
  }
  return cap;
}

std::int64_t Network::moved(std::uint32_t slot) const {
  const std::int64_t bytes = transfers_[slot].bytes;
  const double moved = static_cast<double>(bytes) - flows_.remaining(slot, engine_.now());
  return std::clamp(static_cast<std::int64_t>(moved), std::int64_t{0}, bytes);
}

void Network::count(bool loopback, std::int64_t bytes, std::int64_t messages) {
  (loopback ? totals_.loopback_bytes : totals_.bytes) += bytes;
  (loopback ? totals_.loopback_messages : totals_.messages) += messages;
}

void Network::begin_use(ArcId arc) {
  ArcUse& use = use_[static_cast<std::size_t>(arc.index)];
  if (use.active++ == 0) use.since = engine_.now();
}

void Network::end_use(ArcId arc, std::int64_t bytes, std::int64_t messages) {
  ArcUse& use = use_[static_cast<std::size_t>(arc.index)];
  use.done.bytes += bytes;
  use.done.messages += messages;
  if (--use.active == 0) use.done.busy += engine_.now() - use.since;
}

void Network::solve_later() {
  if (solve_event_ || !flows_.changed() || engine_.closed()) return;
  // The last class of an instant: everything that comes and goes in it is solved together.
  solve_event_ = engine_.at(engine_.now(), EventClass::evaluation, [this] {
    solve_event_.reset();
    flows_.solve(engine_.now());
    plan_wake();
  });
}

void Network::wake() {
  wake_event_.reset();
  waking_ = true;
  finished_.clear();
  flows_.collect_finished(engine_.now(), finished_);
  arrived_.clear();
  for (const std::uint32_t slot : finished_) {
    end_moving(slot);
    arrived_.push_back({transfers_[slot].order, {slot, transfers_[slot].generation}});
  }
  // In the order of their start. What callbacks start in this event is due in a later one, even at this
  // instant.
  const std::uint64_t started_later = next_order_;
  std::size_t next = 0;
  while (true) {
    const bool dated =
        !dates_.empty() && dates_.top().time <= engine_.now() && dates_.top().order < started_later;
    if (next < arrived_.size() && !(dated && dates_.top().order < arrived_[next].first)) {
      const TransferId id = arrived_[next++].second;
      if (active(id)) deliver(id.slot);  // unless a callback has aborted it
    } else if (dated) {
      const std::uint32_t slot = dates_.top().slot;
      undate(slot);
      if (transfers_[slot].phase == Phase::latency) {
        begin_moving(slot);
      } else {
        deliver(slot);
      }
    } else {
      break;
    }
  }
  waking_ = false;
  solve_later();
  plan_wake();
}

void Network::plan_wake() {
  if (waking_ || engine_.closed()) return;
  const std::optional<Time> end = flows_.next();
  if (dates_.empty() && !end) {
    if (wake_event_) engine_.cancel(*std::exchange(wake_event_, std::nullopt));
    return;
  }
  const Time due = dates_.empty() ? *end : end ? std::min(*end, dates_.top().time) : dates_.top().time;
  const Activity activity =
      dated_foreground_ + flows_.moving_foreground() > 0 ? Activity::work : Activity::ambient;
  if (wake_event_ && wake_time_ == due && wake_activity_ == activity) return;
  if (wake_event_) engine_.cancel(*wake_event_);
  wake_time_ = due;
  wake_activity_ = activity;
  wake_event_ = engine_.at(
      due, EventClass::delivery, [this] { wake(); }, activity);
}

}  // namespace convoy
