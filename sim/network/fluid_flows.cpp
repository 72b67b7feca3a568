#include "network/fluid_flows.hpp"

#include <algorithm>
#include <bit>
#include <stdexcept>
#include <utility>

namespace convoy {

std::size_t FluidFlows::KeyHash::operator()(const Key& key) const {
  std::uint64_t hash = std::bit_cast<std::uint64_t>(key.cap) * 0x9e3779b97f4a7c15U;
  const auto mix = [&](std::uint64_t value) { hash = (hash ^ (hash >> 29) ^ value) * 0xbf58476d1ce4e5b9U; };
  mix(std::bit_cast<std::uint64_t>(key.weight));
  for (const Constraint constraint : key.shared) mix(constraint + std::uint64_t{1});
  return static_cast<std::size_t>(hash ^ (hash >> 32) ^ (key.background ? 1 : 0));
}

FluidFlows::Constraint FluidFlows::add_constraint(double capacity) {
  constraints_.emplace_back().capacity = capacity;
  return shares_.add_constraint(capacity);
}

void FluidFlows::set_capacity(Constraint constraint, double capacity) {
  ConstraintState& state = constraints_[constraint];
  state.capacity = capacity;
  shares_.set_capacity(constraint, capacity);
  if (state.uses == 1) request_regroup(state.user);
}

void FluidFlows::start(Flow flow, std::span<const Constraint> constraints, const Spec& spec, Time now) {
  if (flow >= flows_.size()) flows_.resize(flow + 1);
  FlowState& state = flows_[flow];
  if (state.present) throw std::logic_error("a flow is started that is there already");
  state.uses.assign(constraints.begin(), constraints.end());
  state.spec = spec;
  state.left = spec.bytes;
  state.present = true;
  const bool in_date = !changed();
  use(flow);
  const bool shares_nothing = std::all_of(state.uses.begin(), state.uses.end(),
                                          [&](Constraint c) { return constraints_[c].uses == 1; });
  state.rate = 0;
  state.since = now;
  if (in_date && shares_nothing) {
    place(flow, now);
  } else {
    request_regroup(flow);
  }
}

void FluidFlows::stop(Flow flow, Time now) {
  leave(flow, now);
  unuse(flow);
}

void FluidFlows::set_cap(Flow flow, double cap) {
  flows_[flow].spec.cap = cap;
  request_regroup(flow);
}

void FluidFlows::solve(Time now) {
  for (const Flow flow : regroup_) {
    flows_[flow].regroup = false;
    if (!flows_[flow].present) continue;
    leave(flow, now);
    place(flow, now);
  }
  regroup_.clear();
  const MaxMin::Changes changes = shares_.solve();
  for (const Constraint constraint : changes.constraints) set_clock_rate(constraint, now);
  for (const MaxMin::Flow group : changes.flows) hold(group, now);
}

std::optional<Time> FluidFlows::next() const {
  std::optional<Time> first;
  for (const Agenda* agenda : {&flow_ends_, &group_ends_, &turn_ends_}) {
    if (!agenda->empty() && (!first || agenda->top().time < *first)) first = agenda->top().time;
  }
  return first;
}

void FluidFlows::collect_finished(Time now, std::vector<Flow>& finished) {
  const auto begin = static_cast<std::ptrdiff_t>(finished.size());
  while (!flow_ends_.empty() && flow_ends_.top().time <= now) {
    const Flow flow = flow_ends_.top().slot;
    finished.push_back(flow);
    leave(flow, now);
    unuse(flow);
  }
  while (!group_ends_.empty() && group_ends_.top().time <= now) {
    finish_due(group_ends_.top().slot, now, finished);
  }
  while (!turn_ends_.empty() && turn_ends_.top().time <= now) {
    finish_due(constraints_[turn_ends_.top().slot].turns.front().group, now, finished);
  }
  std::sort(finished.begin() + begin, finished.end(),
            [&](Flow a, Flow b) { return flows_[a].spec.order < flows_[b].spec.order; });
}

void FluidFlows::finish_due(std::uint32_t index, Time now, std::vector<Flow>& finished) {
  Group& group = groups_[index];
  const double done = served(group, now);
  // The first flow of the group ends because its date has come, others with it if they have been served as
  // much.
  std::uint32_t left = group.count;
  for (bool first = true; left > 0 && (first || group.heap.front().target <= done);) {
    const Entry entry = group.heap.front();
    std::pop_heap(group.heap.begin(), group.heap.end());
    group.heap.pop_back();
    if (!is_current(entry, index)) continue;
    first = false;
    --left;
    finished.push_back(entry.flow);
    FlowState& state = flows_[entry.flow];
    state.group = none;
    ++state.epoch;
    unuse(entry.flow);
  }
  resize(index, left, now);
  if (left > 0) date(index, now);
}

double FluidFlows::rate(Flow flow) const {
  return flows_[flow].group == none ? flows_[flow].rate : rate_of(groups_[flows_[flow].group]);
}

double FluidFlows::remaining(Flow flow, Time now) const {
  const FlowState& state = flows_[flow];
  const double left = state.group == none ? state.left - state.rate * (now - state.since).to_seconds()
                                          : state.target - served(groups_[state.group], now);
  return std::max(0.0, left);
}

void FluidFlows::use(Flow flow) {
  for (const Constraint c : flows_[flow].uses) {
    ConstraintState& state = constraints_[c];
    if (state.uses == 1) {
      // So far a cap of its only user; a constraint from now on, unless it has been one all along.
      const std::uint32_t group = flows_[state.user].group;
      const bool shared = group != none && std::binary_search(groups_[group].key.shared.begin(),
                                                              groups_[group].key.shared.end(), c);
      if (!shared && state.user != flow) request_regroup(state.user);
    }
    ++state.uses;
    state.user ^= flow;
  }
}

void FluidFlows::unuse(Flow flow) {
  for (const Constraint c : flows_[flow].uses) {
    --constraints_[c].uses;
    constraints_[c].user ^= flow;
  }
  flows_[flow].present = false;
}

void FluidFlows::request_regroup(Flow flow) {
  if (std::exchange(flows_[flow].regroup, true)) return;
  regroup_.push_back(flow);
}

void FluidFlows::place(Flow flow, Time now) {
  const FlowState& state = flows_[flow];
  key_.shared.clear();
  key_.weight = state.spec.weight;
  key_.cap = state.spec.cap;
  key_.background = state.spec.background;
  for (const Constraint c : state.uses) {
    if (constraints_[c].uses == 1) {
      key_.cap = std::min(key_.cap, constraints_[c].capacity);
    } else {
      key_.shared.push_back(c);
    }
  }
  if (key_.shared.empty()) return move_alone(flow, key_.cap, now);
  std::sort(key_.shared.begin(), key_.shared.end());
  join(flow, now);
}

void FluidFlows::move_alone(Flow flow, double rate, Time now) {
  FlowState& state = flows_[flow];
  state.rate = rate;
  state.since = now;
  if (!(rate > 0)) return;
  flow_ends_.set({now + Duration::seconds(state.left / rate), state.spec.order, flow});
  if (!state.spec.background) ++moving_foreground_;
}

void FluidFlows::join(Flow flow, Time now) {
  FlowState& state = flows_[flow];
  const std::uint32_t index = group_of_key(now);
  Group& group = groups_[index];
  keep_precise(index, state.left, now);
  state.target = served(group, now) + state.left;
  state.group = index;
  const bool ends_first = group.heap.empty() || group.heap.front().target > state.target;
  group.heap.push_back({state.target, state.spec.order, flow, state.epoch});
  std::push_heap(group.heap.begin(), group.heap.end());
  resize(index, group.count + 1, now);
  if (ends_first) date(index, now);
}

void FluidFlows::leave(Flow flow, Time now) {
  FlowState& state = flows_[flow];
  state.left = remaining(flow, now);
  state.since = now;
  const double rate = std::exchange(state.rate, 0);
  if (state.group == none) {
    flow_ends_.erase(flow);
    if (rate > 0 && !state.spec.background) --moving_foreground_;
    return;
  }
  const std::uint32_t index = std::exchange(state.group, none);
  const Entry& first = groups_[index].heap.front();
  const bool was_first = first.flow == flow;
  ++state.epoch;
  resize(index, groups_[index].count - 1, now);
  if (was_first && groups_[index].count > 0) date(index, now);
}

std::uint32_t FluidFlows::group_of_key(Time now) {
  if (const auto found = group_of_.find(key_); found != group_of_.end()) return found->second;
  if (free_groups_.empty()) {
    free_groups_.push_back(static_cast<std::uint32_t>(groups_.size()));
    groups_.emplace_back();
  }
  const std::uint32_t index = free_groups_.back();
  free_groups_.pop_back();
  Group& group = groups_[index];
  group.key = key_;
  group.own = Clock{.value = 0, .rate = 0, .since = now};
  group.holder = MaxMin::own_cap;
  group_of_.emplace(key_, index);
  return index;
}

void FluidFlows::resize(std::uint32_t index, std::uint32_t count, Time now) {
  Group& group = groups_[index];
  const std::uint32_t before = group.count;
  if (count > 0) {
    count_foreground(group, -static_cast<std::ptrdiff_t>(before));
    group.count = count;
    count_foreground(group, static_cast<std::ptrdiff_t>(count));
    if (before > 0) return shares_.set_count(index, count);
    return shares_.add(index, group.key.shared, group.key.weight, group.key.cap, count);
  }
  let_go(index, now);
  group.count = 0;
  shares_.remove(index);
  group.heap.clear();
  group_of_.erase(group.key);
  free_groups_.push_back(index);
}

}  // namespace convoy
