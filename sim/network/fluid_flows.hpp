// Bytes that move at max-min fair rates: when each flow ends.
//
//   FluidFlows flows;
//   flows.start(0, {&link, 1}, {.bytes = 1e9, .order = 0}, now);
//   flows.solve(now);
//   Time end = *flows.next();                   // unless something changes before
//   flows.collect_finished(end, finished);      // {0}
//
// A constraint that one flow alone uses is no more than a cap. A flow that shares nothing moves at its cap
// and never hears of the others. Flows that share something and are equal to the solver (the same shared
// constraints, weight, cap and kind) form a group: all have the same rate at all times, so the group keeps
// one clock, the bytes that each of its flows has been served, and a flow ends when that clock has advanced
// by its bytes (as virtual time does in fair queueing: Parekh, Gallager, IEEE/ACM Trans. Networking 1993). A
// thousand senders into one port are one group: a change costs O(log flows), not O(flows).
//
// Cost of a flow that comes or goes: O(hops + log flows of its group), plus at solve() O(hops) for each group
// in its connected component (see max_min.hpp). Bytes are settled when the rate of a group changes, not at
// every event.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/time.hpp"
#include "network/agenda.hpp"
#include "network/max_min.hpp"

namespace convoy {

class FluidFlows {
 public:
  using Constraint = MaxMin::Constraint;
  using Flow = std::uint32_t;  ///< chosen by the caller; small numbers, which index a table

  struct Spec {
    double bytes = 0;         ///< > 0
    double weight = 1;        ///< > 0
    double cap = 0;           ///< B/s; finite where there is no constraint
    std::uint64_t order = 0;  ///< unique; order among flows that end together
    bool background = false;  ///< not counted by moving_foreground()
  };

  /// Capacity in B/s, >= 0.
  Constraint add_constraint(double capacity);
  void set_capacity(Constraint constraint, double capacity);

  /// Adds a flow; it moves from the next solve() on, or at once if it shares nothing.
  void start(Flow flow, std::span<const Constraint> constraints, const Spec& spec, Time now);
  /// Takes the flow away before its end.
  void stop(Flow flow, Time now);
  void set_cap(Flow flow, double cap);

  /// Whether rates are out of date.
  [[nodiscard]] bool changed() const { return !regroup_.empty() || shares_.changed(); }
  void solve(Time now);

  /// When the next flow ends, as rates are.
  [[nodiscard]] std::optional<Time> next() const;
  /// Takes away the flows that have ended by `now` and appends them to `finished`, in their order.
  void collect_finished(Time now, std::vector<Flow>& finished);

  [[nodiscard]] double rate(Flow flow) const;
  /// Bytes that have not moved yet, >= 0.
  [[nodiscard]] double remaining(Flow flow, Time now) const;
  /// Flows with a positive rate that are no background.
  [[nodiscard]] std::size_t moving_foreground() const { return moving_foreground_; }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  struct FlowState {
    std::vector<Constraint> uses;
    Spec spec;
    double left = 0;  ///< in no group: bytes to move at `since`
    double rate = 0;  ///< in no group: B/s from `since` on
    Time since;
    double target = 0;           ///< in a group: its clock when the flow ends
    std::uint32_t group = none;  ///< none: shares nothing, or waits for solve()
    std::uint32_t epoch = 0;     ///< tells its entry in the group from those of earlier stays
    bool present = false;
    bool regroup = false;  ///< is in regroup_
  };
  struct ConstraintState {
    double capacity = 0;
    std::uint32_t uses = 0;
    std::uint32_t user =
        0;  ///< exclusive or of the flows, once a use: the flow itself where there is one use
  };
  struct Key {
    std::vector<Constraint> shared;  ///< ascending
    double weight = 1, cap = 0;
    bool background = false;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const noexcept;
  };
  struct Entry {
    double target = 0;
    std::uint64_t order = 0;
    Flow flow = 0;
    std::uint32_t epoch = 0;
    /// Orders a heap with the first to end on top.
    bool operator<(const Entry& other) const {
      return target != other.target ? target > other.target : order > other.order;
    }
  };
  struct Group {
    Key key;
    std::vector<Entry> heap;  ///< with entries of flows that have left
    std::uint32_t count = 0;
    double rate = 0;    ///< B/s of each flow, from `since` on
    double served = 0;  ///< B that each flow has been served at `since`
    Time since;
    [[nodiscard]] double served_at(Time now) const { return served + rate * (now - since).to_seconds(); }
  };

  void use(Flow flow);
  void unuse(Flow flow);
  void request_regroup(Flow flow);
  void place(Flow flow, Time now);
  void move_alone(Flow flow, double rate, Time now);
  void join(Flow flow, Time now);
  void leave(Flow flow, Time now);
  [[nodiscard]] std::uint32_t group_of_key(Time now);
  void resize(std::uint32_t group, std::uint32_t count);
  void set_rate(std::uint32_t group, double rate, Time now);
  void rebase(Group& group, Time now);
  void date(std::uint32_t group, Time now);
  [[nodiscard]] bool is_current(const Entry& entry, std::uint32_t group) const;
  [[nodiscard]] static std::size_t foreground(const Group& group) {
    return group.rate > 0 && !group.key.background ? group.count : 0;
  }

  std::vector<FlowState> flows_;
  std::vector<ConstraintState> constraints_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> free_groups_;
  std::unordered_map<Key, std::uint32_t, KeyHash> group_of_;  // looked up only, never walked
  std::vector<Flow> regroup_;
  MaxMin shares_;      // its flows are the groups
  Agenda flow_ends_;   // of flows that share nothing
  Agenda group_ends_;  // of the first flow of each group
  Key key_;            // of the flow being placed
  std::size_t moving_foreground_ = 0;
};

}  // namespace convoy
