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
// solve() touches only the connected components (flows joined by constraints) that changed since it was last
// called. Complexity with k flows of h constraints each in a component of c constraints: add O(h), remove
// O(h), solve O(k h + c log c), O(k h) if all flows end up equal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace convoy {

class MaxMin {
 public:
  using Constraint = std::uint32_t;
  using Flow = std::uint32_t;  ///< chosen by the caller; small numbers, which index a table

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
  /// Brings all rates up to date. The flows whose rate differs from before (among them each new one), valid
  /// until the next call; deterministic order.
  std::span<const Flow> solve();
  /// As of the last solve(); 0 for a flow added since.
  [[nodiscard]] double rate(Flow flow) const { return flows_[flow].rate; }

 private:
  struct Member {
    Flow flow;
    std::uint32_t use;  ///< which of the flow's uses this is
  };
  struct Use {
    Constraint constraint;
    std::uint32_t place;  ///< in the constraint's members
  };
  struct ConstraintState {
    double capacity = 0;
    std::vector<Member> members;
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
    double rate = 0;
    std::uint64_t visit = 0;
    std::uint32_t count = 1;
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

  void mark(Constraint constraint);
  void reach(Flow flow);
  void reach_constraint(Constraint constraint);
  void solve_component();
  void assign_rates();
  [[nodiscard]] double lone_rate(const FlowState& flow) const;
  /// Fixes what binds first, unless that is a cap; returns a level that no later one is below.
  double fill_lowest_level();
  /// Fixes the rest; no level is below `least`.
  void fill(double least);
  void fix(Flow flow, double rate);
  void fix_members(const ConstraintState& state, double level);

  std::vector<ConstraintState> constraints_;
  std::vector<FlowState> flows_;
  std::vector<Constraint> changed_constraints_;
  std::vector<Flow> changed_flows_;
  std::uint64_t visit_ = 0;
  std::vector<Flow> results_;
  // The component being solved:
  std::vector<Flow> component_flows_;
  std::vector<Constraint> component_constraints_;
  std::vector<Flow> capped_;    ///< flows whose cap may bind
  std::vector<double> before_;  ///< rates of component_flows_ as they were
  std::vector<Candidate> heap_;
  std::size_t unfixed_ = 0;
};

}  // namespace convoy
