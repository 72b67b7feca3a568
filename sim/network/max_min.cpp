#include "network/max_min.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace convoy {

MaxMin::Constraint MaxMin::add_constraint(double capacity) {
  constraints_.emplace_back().capacity = capacity;
  return static_cast<Constraint>(constraints_.size() - 1);
}

void MaxMin::set_capacity(Constraint constraint, double capacity) {
  constraints_[constraint].capacity = capacity;
  if (!constraints_[constraint].members.empty()) mark(constraint);
}

void MaxMin::add(Flow flow, std::span<const Constraint> constraints, double weight, double cap,
                 std::uint32_t count) {
  if (flow >= flows_.size()) {
    flows_.resize(flow + 1);
    places_.resize(flow + 1);
  }
  FlowState& state = flows_[flow];
  if (state.present) throw std::logic_error("a flow is added that is there already");
  if (constraints.empty() && !std::isfinite(cap)) throw std::logic_error("nothing bounds the rate of a flow");
  state.uses.clear();
  for (const Constraint constraint : constraints) {
    ConstraintState& owner = constraints_[constraint];
    owner.members.push_back({flow, static_cast<std::uint32_t>(state.uses.size())});
    if (constraints.size() > 1) ++owner.joint_members;
    state.uses.push_back({constraint, static_cast<std::uint32_t>(owner.members.size() - 1)});
  }
  state.weight = weight;
  state.cap = cap;
  state.count = count;
  state.rate = 0;
  state.holder = own_cap;
  state.present = true;
  state.solved = false;
  state.entered = false;
  changed_flows_.push_back(flow);
  enter_later(flow);
}

void MaxMin::remove(Flow flow) {
  FlowState& state = flows_[flow];
  if (!state.present) throw std::logic_error("a flow is removed that is not there");
  for (const Use& use : state.uses) {
    ConstraintState& owner = constraints_[use.constraint];
    if (owner.sorted) withdraw(*owner.sorted, flow);
    if (state.uses.size() > 1) --owner.joint_members;
    const Member last = owner.members.back();
    owner.members[use.place] = last;
    flows_[last.flow].uses[last.use].place = use.place;
    owner.members.pop_back();
    if (owner.members.empty()) {
      owner.sorted.reset();
    } else {
      mark(use.constraint);
    }
  }
  state.present = false;
}

void MaxMin::set_cap(Flow flow, double cap) {
  flows_[flow].cap = cap;
  changed_flows_.push_back(flow);
  enter_later(flow);
}

void MaxMin::set_count(Flow flow, std::uint32_t count) {
  flows_[flow].count = count;
  changed_flows_.push_back(flow);
  enter_later(flow);
}

void MaxMin::mark(Constraint constraint) {
  if (constraints_[constraint].changed) return;
  constraints_[constraint].changed = true;
  changed_constraints_.push_back(constraint);
}

MaxMin::Changes MaxMin::solve() {
  results_.clear();
  result_constraints_.clear();
  ++visit_;
  for (const Flow flow : changed_flows_) {
    const FlowState& state = flows_[flow];
    if (!state.present || state.visit == visit_) continue;
    if (state.uses.size() == 1 && is_sortable(constraints_[state.uses.front().constraint])) {
      mark(state.uses.front().constraint);
      continue;
    }
    reach(flow);
    solve_component();
  }
  for (const Constraint constraint : changed_constraints_) {
    ConstraintState& state = constraints_[constraint];
    state.changed = false;
    if (state.visit == visit_) continue;
    if (is_sortable(state)) {
      state.visit = visit_;
      solve_sorted(constraint);
      continue;
    }
    reach_constraint(constraint);
    solve_component();
  }
  changed_flows_.clear();
  changed_constraints_.clear();
  return {results_, result_constraints_};
}

void MaxMin::reach(Flow flow) {
  FlowState& state = flows_[flow];
  if (state.visit == visit_) return;
  state.visit = visit_;
  state.fixed = false;
  component_flows_.push_back(flow);
  double narrowest = std::numeric_limits<double>::infinity();
  for (const Use& use : state.uses) {
    reach_constraint(use.constraint);
    ConstraintState& constraint = constraints_[use.constraint];
    constraint.load += state.weight * state.count;
    narrowest = std::min(narrowest, constraint.capacity);
  }
  // A cap that the flow could not reach even alone does not count.
  if (state.cap * state.count < narrowest) capped_.push_back(flow);
}

void MaxMin::reach_constraint(Constraint constraint) {
  ConstraintState& state = constraints_[constraint];
  if (state.visit == visit_) return;
  state.visit = visit_;
  state.unfixed = static_cast<std::uint32_t>(state.members.size());
  state.load = 0;
  state.left = state.capacity;
  state.sorted.reset();
  component_constraints_.push_back(constraint);
}

void MaxMin::solve_component() {
  // What is found while the list is walked is walked too: a breadth-first search.
  for (std::size_t i = 0; i < component_constraints_.size(); ++i) {
    for (const Member& member : constraints_[component_constraints_[i]].members) reach(member.flow);
  }
  assign_rates();
  component_flows_.clear();
  component_constraints_.clear();
  capped_.clear();
}

void MaxMin::assign_rates() {
  if (component_flows_.empty()) return;
  before_.clear();
  for (const Flow flow : component_flows_) before_.push_back({flows_[flow].holder, flows_[flow].rate});
  if (component_flows_.size() == 1) {
    hold_alone(component_flows_.front());
  } else {
    unfixed_ = component_flows_.size();
    const double lowest = fill_lowest_level();
    if (unfixed_ > 0) fill(lowest);
  }
  for (std::size_t i = 0; i < component_flows_.size(); ++i) {
    report(component_flows_[i], before_[i].holder, before_[i].rate);
  }
}

void MaxMin::report(Flow flow, Constraint holder_before, double rate_before) {
  FlowState& state = flows_[flow];
  const bool same = state.holder == holder_before && (state.holder != own_cap || state.rate == rate_before);
  if (!same || !state.solved) results_.push_back(flow);
  state.solved = true;
}

void MaxMin::set_share(Constraint constraint, double share) {
  ConstraintState& state = constraints_[constraint];
  if (state.share == share) return;
  state.share = share;
  result_constraints_.push_back(constraint);
}

void MaxMin::hold_alone(Flow flow) {
  FlowState& state = flows_[flow];
  Constraint holder = own_cap;
  double least = state.cap / state.weight;
  for (const Use& use : state.uses) {
    const double level = constraints_[use.constraint].level();
    if (level < least) least = level, holder = use.constraint;
  }
  state.holder = holder;
  state.rate = state.cap;
  if (holder != own_cap) set_share(holder, least);
}

double MaxMin::fill_lowest_level() {
  double lowest = std::numeric_limits<double>::infinity();
  for (const Constraint constraint : component_constraints_) {
    lowest = std::min(lowest, constraints_[constraint].level());
  }
  for (const Flow flow : capped_) {
    if (flows_[flow].cap <= flows_[flow].weight * lowest) return 0;  // a cap binds first
  }
  // Constraints that start at this level stay at it while others at it are fixed, so their levels are not
  // looked at again.
  heap_.clear();
  for (const Constraint constraint : component_constraints_) {
    if (constraints_[constraint].level() == lowest) heap_.push_back({lowest, constraint});
  }
  for (const Candidate& candidate : heap_) fix_members(candidate.constraint, lowest);
  return lowest;
}

void MaxMin::fill(double least) {
  const auto cap_level = [this](Flow flow) { return flows_[flow].cap / flows_[flow].weight; };
  std::sort(capped_.begin(), capped_.end(), [&](Flow a, Flow b) {
    return cap_level(a) != cap_level(b) ? cap_level(a) < cap_level(b) : a < b;
  });
  heap_.clear();
  for (const Constraint constraint : component_constraints_) {
    const ConstraintState& state = constraints_[constraint];
    if (state.unfixed > 0) heap_.push_back({std::max(state.level(), least), constraint});
  }
  std::make_heap(heap_.begin(), heap_.end());
  std::size_t next_capped = 0;
  // Levels only rise; where rounding lowers one, the one recorded holds, so that no flow is left with
  // nothing.
  while (unfixed_ > 0) {
    while (next_capped < capped_.size() && flows_[capped_[next_capped]].fixed) ++next_capped;
    const double lowest = heap_.empty() ? std::numeric_limits<double>::infinity() : heap_.front().level;
    if (next_capped < capped_.size() && cap_level(capped_[next_capped]) <= lowest) {
      fix(capped_[next_capped], own_cap, flows_[capped_[next_capped]].cap);
      continue;
    }
    if (heap_.empty()) throw std::logic_error("a flow is left without a bound");
    std::pop_heap(heap_.begin(), heap_.end());
    Candidate& candidate = heap_.back();
    const ConstraintState& state = constraints_[candidate.constraint];
    if (state.unfixed == 0) {
      heap_.pop_back();
    } else if (state.level() > candidate.level) {
      candidate.level = state.level();
      std::push_heap(heap_.begin(), heap_.end());
    } else {
      fix_members(candidate.constraint, candidate.level);
      heap_.pop_back();
    }
  }
}

void MaxMin::fix(Flow flow, Constraint holder, double rate) {
  FlowState& state = flows_[flow];
  state.holder = holder;
  state.rate = rate;
  state.fixed = true;
  --unfixed_;
  for (const Use& use : state.uses) {
    ConstraintState& constraint = constraints_[use.constraint];
    constraint.left -= rate * state.count;
    constraint.load -= state.weight * state.count;
    --constraint.unfixed;
  }
}

void MaxMin::fix_members(Constraint constraint, double level) {
  const ConstraintState& state = constraints_[constraint];
  if (state.unfixed == 0) return;
  set_share(constraint, level);
  for (const Member& member : state.members) {
    if (!flows_[member.flow].fixed) fix(member.flow, constraint, flows_[member.flow].weight * level);
  }
}

}  // namespace convoy
