// Components of one constraint and many flows, kept sorted by what each flow's cap allows.
#include <algorithm>
#include <cmath>
#include <limits>

#include "network/max_min.hpp"

namespace convoy {

bool MaxMin::is_sortable(const ConstraintState& state) const {
  return state.joint_members == 0 && state.members.size() >= (state.sorted ? sort_until : sort_from);
}

void MaxMin::enter_later(Flow flow) {
  const FlowState& state = flows_[flow];
  if (state.uses.size() != 1) return;
  const ConstraintState& owner = constraints_[state.uses.front().constraint];
  if (owner.sorted) owner.sorted->pending.push_back(flow);
}

void MaxMin::enter(Sorted& sorted, Flow flow, bool capped) {
  FlowState& state = flows_[flow];
  state.entered = true;
  state.entered_capped = capped;
  state.entered_level = state.cap / state.weight;
  state.entered_load = state.weight * state.count;
  state.entered_rate = state.cap * state.count;
  if (capped) {
    sorted.capped_rate += state.entered_rate;
    sorted.capped.insert({-state.entered_level, flow}, places_);
  } else {
    sorted.open_load += state.entered_load;
    ++sorted.uncapped;
    if (std::isfinite(state.entered_level)) sorted.open.insert({state.entered_level, flow}, places_);
  }
  ++sorted.updates;
}

void MaxMin::withdraw(Sorted& sorted, Flow flow) {
  FlowState& state = flows_[flow];
  if (!state.entered) return;
  state.entered = false;
  if (state.entered_capped) {
    sorted.capped.erase(flow, places_);
    sorted.capped_rate = sorted.capped.empty() ? 0 : sorted.capped_rate - state.entered_rate;
  } else {
    if (std::isfinite(state.entered_level)) sorted.open.erase(flow, places_);
    --sorted.uncapped;
    sorted.open_load = sorted.uncapped == 0 ? 0 : sorted.open_load - state.entered_load;
  }
  ++sorted.updates;
}

void MaxMin::add_up(Sorted& sorted, const ConstraintState& owner) {
  sorted.updates = 0;
  sorted.capped_rate = sorted.open_load = 0;
  for (const Member& member : owner.members) {
    const FlowState& state = flows_[member.flow];
    if (!state.entered) continue;
    if (state.entered_capped) {
      sorted.capped_rate += state.entered_rate;
    } else {
      sorted.open_load += state.entered_load;
    }
  }
}

void MaxMin::solve_sorted(Constraint constraint) {
  ConstraintState& owner = constraints_[constraint];
  if (!owner.sorted) {
    owner.sorted = std::make_unique<Sorted>();
    for (const Member& member : owner.members) {
      flows_[member.flow].entered = false;
      owner.sorted->pending.push_back(member.flow);
    }
  }
  Sorted& sorted = *owner.sorted;
  for (const Flow flow : sorted.pending) {
    const FlowState& state = flows_[flow];
    if (!state.present || state.uses.size() != 1 || state.uses.front().constraint != constraint) continue;
    withdraw(sorted, flow);
    const double cap_level = state.cap / state.weight;
    enter(sorted, flow, std::isfinite(cap_level) && cap_level <= sorted.level);
    sorted.moved.push_back(flow);
  }
  sorted.pending.clear();
  // Sums that are changed by adding and subtracting lose an ulp at a time; a fresh sum every so often costs
  // no more than the changes did.
  if (sorted.updates > 4 * owner.members.size()) add_up(sorted, owner);

  const auto level = [&] {
    const double left = owner.capacity - sorted.capped_rate;
    if (sorted.uncapped == 0) return left >= 0 ? std::numeric_limits<double>::infinity() : 0.0;
    return left > 0 ? left / sorted.open_load : 0.0;
  };
  const auto shift = [&](Flow flow, bool capped) {
    withdraw(sorted, flow);
    enter(sorted, flow, capped);
    sorted.moved.push_back(flow);
  };
  double share = level();
  // Where a cap above the level holds a flow, the flow is let go; where one below it does not, it does from
  // now on. Never both: letting go raises the level, but to less than the cap of that flow, and no open
  // flow's cap was lower.
  bool let_go = false;
  while (!sorted.capped.empty() && -sorted.capped.top().key > share) {
    shift(sorted.capped.top().slot, false);
    share = level();
    let_go = true;
  }
  while (!let_go && !sorted.open.empty() && sorted.open.top().key <= share) {
    shift(sorted.open.top().slot, true);
    share = level();
  }
  sorted.level = share;
  if (sorted.uncapped > 0) set_share(constraint, share);
  for (const Flow flow : sorted.moved) {
    FlowState& state = flows_[flow];
    const Constraint holder_before = state.holder;
    const double rate_before = state.rate;
    state.holder = state.entered_capped ? own_cap : constraint;
    state.rate = state.cap;
    report(flow, holder_before, rate_before);
  }
  sorted.moved.clear();
}

}  // namespace convoy
