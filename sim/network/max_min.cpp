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
  if (flow >= flows_.size()) flows_.resize(flow + 1);
  FlowState& state = flows_[flow];
  if (state.present) throw std::logic_error("a flow is added that is there already");
  if (constraints.empty() && !std::isfinite(cap)) throw std::logic_error("nothing bounds the rate of a flow");
  state.uses.clear();
  for (const Constraint constraint : constraints) {
    std::vector<Member>& members = constraints_[constraint].members;
    members.push_back({flow, static_cast<std::uint32_t>(state.uses.size())});
    state.uses.push_back({constraint, static_cast<std::uint32_t>(members.size() - 1)});
  }
  state.weight = weight;
  state.cap = cap;
  state.count = count;
  state.rate = 0;
  state.present = true;
  state.solved = false;
  changed_flows_.push_back(flow);
}

void MaxMin::remove(Flow flow) {
  FlowState& state = flows_[flow];
  if (!state.present) throw std::logic_error("a flow is removed that is not there");
  for (const Use& use : state.uses) {
    std::vector<Member>& members = constraints_[use.constraint].members;
    const Member last = members.back();
    members[use.place] = last;
    flows_[last.flow].uses[last.use].place = use.place;
    members.pop_back();
    if (!members.empty()) mark(use.constraint);
  }
  state.present = false;
}

void MaxMin::set_cap(Flow flow, double cap) {
  flows_[flow].cap = cap;
  changed_flows_.push_back(flow);
}

void MaxMin::set_count(Flow flow, std::uint32_t count) {
  flows_[flow].count = count;
  changed_flows_.push_back(flow);
}

void MaxMin::mark(Constraint constraint) {
  if (constraints_[constraint].changed) return;
  constraints_[constraint].changed = true;
  changed_constraints_.push_back(constraint);
}

std::span<const MaxMin::Flow> MaxMin::solve() {
  results_.clear();
  ++visit_;
  for (const Flow flow : changed_flows_) {
    if (!flows_[flow].present || flows_[flow].visit == visit_) continue;
    reach(flow);
    solve_component();
  }
  for (const Constraint constraint : changed_constraints_) {
    constraints_[constraint].changed = false;
    if (constraints_[constraint].visit == visit_) continue;
    reach_constraint(constraint);
    solve_component();
  }
  changed_flows_.clear();
  changed_constraints_.clear();
  return results_;
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
  const auto report = [this](Flow flow, double rate, double before) {
    FlowState& state = flows_[flow];
    if (rate != before || !state.solved) results_.push_back(flow);
    state.solved = true;
  };
  if (component_flows_.size() == 1) {
    FlowState& state = flows_[component_flows_.front()];
    const double before = state.rate;
    state.rate = lone_rate(state);
    report(component_flows_.front(), state.rate, before);
    return;
  }
  before_.clear();
  for (const Flow flow : component_flows_) before_.push_back(flows_[flow].rate);
  unfixed_ = component_flows_.size();
  const double lowest = fill_lowest_level();
  if (unfixed_ > 0) fill(lowest);
  for (std::size_t i = 0; i < component_flows_.size(); ++i) {
    report(component_flows_[i], flows_[component_flows_[i]].rate, before_[i]);
  }
}

double MaxMin::lone_rate(const FlowState& flow) const {
  double rate = flow.cap;
  for (const Use& use : flow.uses) {
    const ConstraintState& state = constraints_[use.constraint];
    rate = std::min(rate, state.capacity / (static_cast<double>(state.members.size()) * flow.count));
  }
  return rate;
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
  for (const Candidate& candidate : heap_) fix_members(constraints_[candidate.constraint], lowest);
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
      fix(capped_[next_capped], flows_[capped_[next_capped]].cap);
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
      fix_members(state, candidate.level);
      heap_.pop_back();
    }
  }
}

void MaxMin::fix(Flow flow, double rate) {
  FlowState& state = flows_[flow];
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

void MaxMin::fix_members(const ConstraintState& state, double level) {
  for (const Member& member : state.members) {
    if (!flows_[member.flow].fixed) fix(member.flow, flows_[member.flow].weight * level);
  }
}

}  // namespace convoy
