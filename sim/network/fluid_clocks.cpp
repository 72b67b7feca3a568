// The clocks of groups and constraints, and when they show the end of a flow.
#include <algorithm>
#include <utility>

#include "network/fluid_flows.hpp"

namespace convoy {

namespace {
constexpr Duration longest_base = Duration::nanoseconds(1'000'000'000'000);

/// Whether a clock that shows `value` cannot tell `left` more to 1e-9.
bool is_blurred(double value, double left) {
  return value * 0x1p-53 > 1e-9 * left;
}
}  // namespace

double FluidFlows::rate_of(const Group& group) const {
  return group.holder == MaxMin::own_cap ? group.own.rate
                                         : group.key.weight * constraints_[group.holder].clock.rate;
}

double FluidFlows::served(const Group& group, Time now) const {
  if (group.holder == MaxMin::own_cap) return group.own.at(now);
  return group.own.value + group.key.weight * (constraints_[group.holder].clock.at(now) - group.attached);
}

void FluidFlows::count_foreground(const Group& group, std::ptrdiff_t flows) {
  if (group.key.background) return;
  if (group.holder != MaxMin::own_cap) constraints_[group.holder].foreground += flows;
  if (rate_of(group) > 0) moving_foreground_ += flows;
}

void FluidFlows::hold(std::uint32_t index, Time now) {
  let_go(index, now);
  Group& group = groups_[index];
  const Constraint holder = shares_.holder(index);
  if (holder == MaxMin::own_cap) {
    group.own.rate = shares_.rate(index);
  } else {
    ConstraintState& state = constraints_[holder];
    if (state.held++ == 0) {
      state.turns.clear();
      state.clock.value = 0;
      state.clock.since = now;
    }
    group.holder = holder;
    group.attached = state.clock.at(now);
  }
  count_foreground(group, static_cast<std::ptrdiff_t>(group.count));
  date(index, now);
}

void FluidFlows::let_go(std::uint32_t index, Time now) {
  Group& group = groups_[index];
  count_foreground(group, -static_cast<std::ptrdiff_t>(group.count));
  group.own.value = served(group, now);
  group.own.since = now;
  group.own.rate = 0;
  const Constraint holder = std::exchange(group.holder, MaxMin::own_cap);
  group.stamp = ++next_stamp_;
  if (holder == MaxMin::own_cap) return group_ends_.erase(index);
  --constraints_[holder].held;
  date_turns(holder, now);
}

void FluidFlows::set_clock_rate(Constraint constraint, Time now) {
  ConstraintState& state = constraints_[constraint];
  const double rate = shares_.share(constraint);
  if (state.clock.rate > 0) moving_foreground_ -= state.foreground;
  state.clock.set_rate(rate, now);
  if (rate > 0) moving_foreground_ += state.foreground;
  date_turns(constraint, now);
}

void FluidFlows::date(std::uint32_t index, Time now) {
  Group& group = groups_[index];
  while (!is_current(group.heap.front(), index)) {
    std::pop_heap(group.heap.begin(), group.heap.end());
    group.heap.pop_back();
  }
  const Entry& first = group.heap.front();
  if (group.holder == MaxMin::own_cap) {
    if (!(group.own.rate > 0)) return group_ends_.erase(index);
    return group_ends_.set({group.own.shows(first.target, now), first.order, index});
  }
  ConstraintState& state = constraints_[group.holder];
  group.stamp = ++next_stamp_;
  const double left = (first.target - group.own.value) / group.key.weight;
  state.turns.push_back({group.attached + left, first.order, index, group.stamp});
  std::push_heap(state.turns.begin(), state.turns.end());
  if (state.turns.size() > 2 * state.held + 16) {
    std::erase_if(state.turns, [&](const Turn& turn) { return groups_[turn.group].stamp != turn.stamp; });
    std::make_heap(state.turns.begin(), state.turns.end());
  }
  date_turns(group.holder, now);
}

void FluidFlows::date_turns(Constraint constraint, Time now) {
  ConstraintState& state = constraints_[constraint];
  while (!state.turns.empty() && groups_[state.turns.front().group].stamp != state.turns.front().stamp) {
    std::pop_heap(state.turns.begin(), state.turns.end());
    state.turns.pop_back();
  }
  if (state.turns.empty() || !(state.clock.rate > 0)) return turn_ends_.erase(constraint);
  const Turn& first = state.turns.front();
  turn_ends_.set({state.clock.shows(first.target, now), first.order, constraint});
}

void FluidFlows::keep_precise(std::uint32_t index, double left, Time now) {
  Group& group = groups_[index];
  const Constraint holder = group.holder;
  const auto is_old = [&](const Clock& clock) { return now - clock.since > longest_base; };
  if (holder == MaxMin::own_cap) {
    if (is_blurred(group.own.at(now), left) || is_old(group.own)) rebase(index, now);
    return;
  }
  ConstraintState& state = constraints_[holder];
  if (is_blurred(group.key.weight * state.clock.at(now), left) || is_old(state.clock)) {
    rebase_clock(holder, now);
  }
  if (is_blurred(served(group, now), left)) rebase(index, now);
}

void FluidFlows::rebase(std::uint32_t index, Time now) {
  Group& group = groups_[index];
  const double done = served(group, now);
  for (Entry& entry : group.heap) {
    FlowState& state = flows_[entry.flow];
    if (state.epoch == entry.epoch) state.target -= done;
    entry.target -= done;
  }
  group.own.value = 0;
  group.own.since = now;
  if (group.holder != MaxMin::own_cap) group.attached = constraints_[group.holder].clock.at(now);
}

void FluidFlows::rebase_clock(Constraint constraint, Time now) {
  ConstraintState& state = constraints_[constraint];
  const double value = state.clock.at(now);
  std::erase_if(state.turns, [&](const Turn& turn) { return groups_[turn.group].stamp != turn.stamp; });
  for (Turn& turn : state.turns) {
    turn.target -= value;
    groups_[turn.group].attached -= value;
  }
  std::make_heap(state.turns.begin(), state.turns.end());
  state.clock.value = 0;
  state.clock.since = now;
}

bool FluidFlows::is_current(const Entry& entry, std::uint32_t group) const {
  return flows_[entry.flow].group == group && flows_[entry.flow].epoch == entry.epoch;
}

}  // namespace convoy
