// Weighted max-min fair rates, kept up to date as flows come and go.
//
// Rates x of flows f with weights w and caps b on constraints of capacity C: sum of x_f over the flows of a
// constraint <= C, x_f <= b_f, and no flow can have more without one of a smaller x/w having less.
// Progressive filling finds them: all levels x/w rise together until a constraint is full or a cap is
// reached; what that binds is fixed, the rest goes on rising (Bertsekas & Gallager, Data Networks, 6.5.2).
//
//   MaxMin shares;
//   const auto link = shares.add_constraint(1e9);
//   shares.add(0, {&link, 1}, 1, infinity);      // flow 0
//   for (MaxMin::Flow flow : shares.solve()) ... // flows whose rate changed
//
// The solution says of each flow what holds it, its own cap or a constraint, and of each constraint its
// level: a flow that a constraint holds moves at weight x level. solve() reports the flows that are held by
// something else than before and the levels that changed, so a new level costs the caller nothing per flow.
//
// solve() touches only the connected components (flows joined by constraints) that changed since it was last
// called. Complexity with k flows of h constraints each in a component of c constraints: add O(h), remove
// O(h), solve O(k h + c log c), O(k h) if all flows end up equal. A component of many flows and one
// constraint (senders of unequal caps into one port) is kept sorted: a flow that comes or goes costs it O(log
// k), plus O(log k) for each flow that its cap stops or begins to hold.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "network/indexed_heap.hpp"

namespace convoy {

class MaxMin {
 public:
  using Constraint = std::uint32_t;
  using Flow = std::uint32_t;  ///< chosen by the caller; small numbers, which index a table
  static constexpr Constraint own_cap = static_cast<Constraint>(-1);

  /// What a call of solve() has changed, in a deterministic order.
  struct Changes {
    std::span<const Flow> flows;              ///< new, held by something else, or held by a cap that changed
    std::span<const Constraint> constraints;  ///< whose level is another
  };

  /// Capacity >= 0.
  Constraint add_constraint(double capacity);
  void set_capacity(Constraint constraint, double capacity);
  [[nodiscard]] double capacity(Constraint constraint) const { return constraints_[constraint].capacity; }

  /// Adds a flow; a constraint named k times is used k-fold. A flow with nothing to bind it needs a finite
  /// cap. It may stand for `count` > 0 equal flows, each with this weight, cap and rate.
  void add(Flow flow, std::span<const Constraint> constraints, double weight, double cap,
           std::uint32_t count = 1);
  /// Takes the flow away; its number may be used again.
  void remove(Flow flow);
  void set_cap(Flow flow, double cap);
  void set_count(Flow flow, std::uint32_t count);

  /// Whether solve() has anything to do.
  [[nodiscard]] bool changed() const { return !changed_constraints_.empty() || !changed_flows_.empty(); }
  /// Brings all rates up to date. What it returns is valid until the next call.
  Changes solve();
  /// As of the last solve(); 0 for a flow added since.
  [[nodiscard]] double rate(Flow flow) const {
    const FlowState& state = flows_[flow];
    return state.holder == own_cap ? state.rate : state.weight * constraints_[state.holder].share;
  }
  /// The constraint that holds the flow, or own_cap.
  [[nodiscard]] Constraint holder(Flow flow) const { return flows_[flow].holder; }
  /// Rate per weight of the flows that this constraint holds.
  [[nodiscard]] double share(Constraint constraint) const { return constraints_[constraint].share; }

 private:
  struct Member {
    Flow flow;
    std::uint32_t use;  ///< which of the flow's uses this is
  };
  struct Use {
    Constraint constraint;
    std::uint32_t place;  ///< in the constraint's members
  };
  struct Level {
    double key = 0;  ///< what the cap allows per weight; negative of it where the most comes first
    Flow slot = 0;
    [[nodiscard]] bool before(const Level& other) const {
      return key != other.key ? key < other.key : slot < other.slot;
    }
  };
  using LevelHeap = IndexedHeap<Level>;
  /// The flows of a constraint that is a component of its own, split where its level stands: no cap in
  /// `capped` allows more, none in `open` less.
  struct Sorted {
    LevelHeap capped;           ///< by what their caps allow per weight, most first
    LevelHeap open;             ///< the same, least first
    double level = -1;          ///< as last solved; infinite where all are capped
    double capped_rate = 0;     ///< B/s of all flows in `capped`
    double open_load = 0;       ///< weights of all flows not capped, times counts
    std::size_t uncapped = 0;   ///< flows not in `capped`; those without a finite cap are in no heap
    std::size_t updates = 0;    ///< of the two sums since they were last added up
    std::vector<Flow> pending;  ///< to be entered, or entered again, at solve()
    std::vector<Flow> moved;    ///< by the present solve()
  };
  struct ConstraintState {
    double capacity = 0;
    double share = 0;
    std::vector<Member> members;
    std::size_t joint_members = 0;  ///< of flows with several uses
    std::unique_ptr<Sorted> sorted;
    std::uint64_t visit = 0;
    bool changed = false;
    // While its component is solved:
    std::uint32_t unfixed = 0;  ///< uses by flows that are not fixed yet
    double load = 0;            ///< their weights, times counts
    double left = 0;            ///< capacity not given to fixed flows
    /// The level at which the constraint would be full.
    [[nodiscard]] double level() const { return left > 0 && load > 0 ? left / load : 0; }
  };
  struct FlowState {
    std::vector<Use> uses;
    double weight = 1;
    double cap = 0;
    double rate = 0;  ///< where its cap holds it
    Constraint holder = own_cap;
    // As entered in the sums of a sorted constraint:
    double entered_rate = 0, entered_load = 0, entered_level = 0;
    std::uint64_t visit = 0;
    std::uint32_t count = 1;
    bool entered = false;
    bool entered_capped = false;
    bool present = false;
    bool solved = false;  ///< has had a rate
    bool fixed = false;
  };
  struct Candidate {
    double level;
    Constraint constraint;
    /// Orders a heap with the lowest level, then the lowest constraint, on top.
    bool operator<(const Candidate& other) const {
      return level != other.level ? level > other.level : constraint > other.constraint;
    }
  };

  static constexpr std::size_t sort_from = 64;   ///< members from which on they are kept sorted
  static constexpr std::size_t sort_until = 16;  ///< members down to which they stay so

  void mark(Constraint constraint);
  void reach(Flow flow);
  void reach_constraint(Constraint constraint);
  void solve_component();
  void assign_rates();
  void hold_alone(Flow flow);
  /// Fixes what binds first, unless that is a cap; returns a level that no later one is below.
  double fill_lowest_level();
  /// Fixes the rest; no level is below `least`.
  void fill(double least);
  void fix(Flow flow, Constraint holder, double rate);
  void fix_members(Constraint constraint, double level);
  void set_share(Constraint constraint, double share);
  void report(Flow flow, Constraint holder_before, double rate_before);

  /// Whether the constraint's flows are kept sorted, or shall be from now on.
  [[nodiscard]] bool is_sortable(const ConstraintState& state) const;
  /// Puts the flow on the list of its sorted constraint, if it has one.
  void enter_later(Flow flow);
  void solve_sorted(Constraint constraint);
  void enter(Sorted& sorted, Flow flow, bool capped);
  void withdraw(Sorted& sorted, Flow flow);
  void add_up(Sorted& sorted, const ConstraintState& state);

  std::vector<ConstraintState> constraints_;
  std::vector<FlowState> flows_;
  LevelHeap::Places places_;  // of flows in the heaps of their sorted constraint
  std::vector<Constraint> changed_constraints_;
  std::vector<Flow> changed_flows_;
  std::uint64_t visit_ = 0;
  std::vector<Flow> results_;
  std::vector<Constraint> result_constraints_;
  // The component being solved:
  std::vector<Flow> component_flows_;
  std::vector<Constraint> component_constraints_;
  std::vector<Flow> capped_;  ///< flows whose cap may bind
  struct Before {
    Constraint holder;
    double rate;
  };
  std::vector<Before> before_;  ///< of component_flows_
  std::vector<Candidate> heap_;
  std::size_t unfixed_ = 0;
};

}  // namespace convoy
