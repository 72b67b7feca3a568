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
// thousand equal senders into one port are one group: a change costs O(log flows), not O(flows).
//
// Groups that the same constraint holds move at its level times their weights. They share the constraint's
// clock, which counts the bytes per weight that it has served, and lie in its heap by what it shows when
// their first flow ends. A new level is a new speed of that one clock; nothing else is dated again. A group
// that its own cap holds stands outside with a date of its own.
//
// Cost of a flow that comes or goes: O(hops + log flows of its group), plus what MaxMin needs to solve its
// connected component, plus O(log groups) for each group that something else holds from then on.
#pragma once

#include <algorithm>
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
  [[nodiscard]] std::size_t moving_foreground() const { return static_cast<std::size_t>(moving_foreground_); }

 private:
  static constexpr std::uint32_t none = static_cast<std::uint32_t>(-1);
  /// Something that advances at a rate which changes at times.
  struct Clock {
    double value = 0;  ///< at `since`
    double rate = 0;   ///< per second, from `since` on
    Time since;
    [[nodiscard]] double at(Time now) const { return value + rate * (now - since).to_seconds(); }
    void set_rate(double new_rate, Time now) {
      value = at(now);
      since = now;
      rate = new_rate;
    }
    /// When it shows `target`; rate > 0. Not before `now`.
    [[nodiscard]] Time shows(double target, Time now) const {
      return std::max(now, since + Duration::seconds(std::max(0.0, target - value) / rate));
    }
  };
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
  /// What the clock of a constraint shows when the first flow of a group ends.
  struct Turn {
    double target = 0;
    std::uint64_t order = 0;  ///< of that flow
    std::uint32_t group = 0;
    std::uint64_t stamp = 0;  ///< of the group when this was the truth
    /// Orders a heap with the first to end on top.
    bool operator<(const Turn& other) const {
      return target != other.target ? target > other.target : order > other.order;
    }
  };
  struct ConstraintState {
    double capacity = 0;
    std::uint32_t uses = 0;
    std::uint32_t user =
        0;        ///< exclusive or of the flows, once a use: the flow itself where there is one use
    Clock clock;  ///< bytes per weight served to the groups that it holds
    std::vector<Turn> turns;        ///< a heap of them, with entries that are out of date
    std::size_t held = 0;           ///< groups that it holds
    std::ptrdiff_t foreground = 0;  ///< their flows that are no background
  };
  struct Key {
    std::vector<Constraint> shared;  ///< ascending
    double weight = 1, cap = 0;
    bool background = false;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;  // not noexcept, so that the table keeps hashes
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
    Constraint holder = MaxMin::own_cap;
    Clock own;            ///< B that each flow has been served; where a constraint holds it, up to own.since
    double attached = 0;  ///< what the holder's clock showed at own.since
    std::uint64_t stamp = 0;  ///< tells its turn from those before
  };

  void use(Flow flow);
  void unuse(Flow flow);
  void request_regroup(Flow flow);
  void place(Flow flow, Time now);
  void move_alone(Flow flow, double rate, Time now);
  void join(Flow flow, Time now);
  void leave(Flow flow, Time now);
  [[nodiscard]] std::uint32_t group_of_key(Time now);
  void resize(std::uint32_t group, std::uint32_t count, Time now);
  [[nodiscard]] double rate_of(const Group& group) const;
  [[nodiscard]] double served(const Group& group, Time now) const;
  /// Puts the group under what holds it now, at its new rate.
  void hold(std::uint32_t group, Time now);
  void let_go(std::uint32_t group, Time now);
  /// Starts the clocks that the group goes by anew where they could not tell `left` bytes exactly enough.
  void keep_precise(std::uint32_t group, double left, Time now);
  void rebase(std::uint32_t group, Time now);
  void rebase_clock(Constraint constraint, Time now);
  /// Enters the end of the group's first flow where it belongs, the agenda or the turns of its holder.
  void date(std::uint32_t group, Time now);
  void date_turns(Constraint constraint, Time now);
  void set_clock_rate(Constraint constraint, Time now);
  void finish_due(std::uint32_t group, Time now, std::vector<Flow>& finished);
  [[nodiscard]] bool is_current(const Entry& entry, std::uint32_t group) const;
  void count_foreground(const Group& group, std::ptrdiff_t flows);

  std::vector<FlowState> flows_;
  std::vector<ConstraintState> constraints_;
  std::vector<Group> groups_;
  std::vector<std::uint32_t> free_groups_;
  std::unordered_map<Key, std::uint32_t, KeyHash> group_of_;  // looked up only, never walked
  std::vector<Flow> regroup_;
  MaxMin shares_;      // its flows are the groups
  Agenda flow_ends_;   // of flows that share nothing
  Agenda group_ends_;  // of the first flow of each group that its cap holds
  Agenda turn_ends_;   // of the first turn of each constraint
  std::uint64_t next_stamp_ = 0;
  Key key_;  // of the flow being placed
  std::ptrdiff_t moving_foreground_ = 0;
};

}  // namespace convoy
