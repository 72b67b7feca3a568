// Transfers over the links of a NetworkGraph in virtual time: fluid flows with weighted max-min fairness.
//
//   Network network(engine, std::move(graph), {});
//   network.start(a, b, 281'706'496, [&] { /* the last byte has arrived */ });
//
// A transfer first takes the latency of its route, then its bytes move at the rate that max-min sharing gives
// it (Bertsekas & Gallager, Data Networks, 6.5.2: progressive filling). When flows come or go, only the
// connected component of links and flows that they touch is solved again, once an instant; the others keep
// their rates and their dates. With `contention` off a transfer takes latency + bytes / slowest link of its
// route, whatever else moves.
//
// Cost of a transfer: O(hops + log transfers), plus O(hops) at its begin and end for each group of equal
// flows in its connected component (see fluid_flows.hpp); memory O(transfers x hops + links).
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <utility>
#include <vector>

#include "core/callback.hpp"
#include "core/engine.hpp"
#include "core/options.hpp"
#include "core/time.hpp"
#include "network/agenda.hpp"
#include "network/fluid_flows.hpp"
#include "network/graph.hpp"

namespace convoy {

struct NetworkOptions {
  bool contention = true;  ///< off: every transfer has its route for itself
  void declare(Options& options);
};

/// Names a transfer; stays safe to use after its end.
struct TransferId {
  std::uint32_t slot = 0;
  std::uint32_t generation = 0;  ///< 0 names no transfer
  constexpr bool operator==(const TransferId&) const = default;
};

struct TransferOptions {
  double weight = 1;  ///< share relative to other flows (k parallel streams: k)
  double rate_cap =
      std::numeric_limits<double>::infinity();  ///< B/s never exceeded (TCP window, cap of a VM)
  std::int64_t messages = 1;                    ///< how many messages it stands for in statistics
  Activity activity = Activity::work;           ///< ambient: background traffic, hides no deadlock
};

class Network {
 public:
  /// What passed over one direction of a link up to now.
  struct ArcStatistics {
    std::int64_t bytes =
        0;  ///< delivered, plus what unfinished and aborted transfers moved (rounded down each)
    std::int64_t messages = 0;  ///< delivered
    Duration busy{};            ///< union of the intervals in which some transfer had bytes to move over it
  };
  struct Totals {
    std::int64_t bytes = 0, messages = 0;                    ///< delivered between nodes, each message once
    std::int64_t loopback_bytes = 0, loopback_messages = 0;  ///< delivered from a node to itself
    std::int64_t aborted = 0;                                ///< transfers
  };

  Network(Engine& engine, NetworkGraph graph, NetworkOptions options = {});
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  /// Sends `bytes` >= 0 from `from` to `to`; `delivered` is called once, never before start returns, in an
  /// event of class delivery. No bytes take the latency alone. Transfers that end at one instant are
  /// delivered in the order they were started. Throws ConfigError without a route, std::logic_error for
  /// negative bytes, weight or cap <= 0.
  TransferId start(NodeId from, NodeId to, std::int64_t bytes, Callback delivered,
                   TransferOptions options = {});
  /// Ends a transfer now, undelivered. False if it had ended. Allowed after the run.
  bool abort(TransferId id);
  /// Aborts every transfer from or to a node (its death); returns their number.
  std::size_t abort_all(NodeId node);
  [[nodiscard]] bool active(TransferId id) const;
  /// Bytes per second as last solved; 0 during the latency, while stalled on a link without bandwidth, and
  /// after the end.
  [[nodiscard]] double rate(TransferId id) const;
  [[nodiscard]] std::size_t active_transfers() const { return active_; }

  /// Changes the bandwidth of a link (of each direction where full duplex) from now on; 0 stalls what crosses
  /// it. Routes stay as they are.
  void set_bandwidth(LinkId link, double bandwidth);
  [[nodiscard]] double bandwidth(LinkId link) const;

  /// NetworkGraph::path with the bandwidths of now.
  [[nodiscard]] PathSummary path(NodeId from, NodeId to) const;
  /// Latency + bytes / slowest link of the route; the loopback time within a node.
  [[nodiscard]] Duration uncontended_time(NodeId from, NodeId to, std::int64_t bytes) const;

  /// Books what a closed form moved without flows: the arcs of the route count as busy from begin to end.
  void begin_booking(NodeId from, NodeId to);
  void end_booking(NodeId from, NodeId to, std::int64_t bytes, std::int64_t messages);

  /// All arcs, by number; O(arcs + active transfers).
  [[nodiscard]] std::vector<ArcStatistics> statistics() const;
  /// One arc; O(active transfers).
  [[nodiscard]] ArcStatistics statistics(ArcId arc) const;
  [[nodiscard]] const Totals& totals() const { return totals_; }
  [[nodiscard]] const NetworkGraph& graph() const { return graph_; }
  [[nodiscard]] const NetworkOptions& options() const { return options_; }
  [[nodiscard]] Engine& engine() const { return engine_; }

 private:
  enum class Phase : std::uint8_t {
    free,      ///< no transfer
    latency,   ///< its bytes begin to move at its date
    moving,    ///< its bytes move; flows_ knows its end
    arriving,  ///< all its bytes have moved, or it has none or stays within a node; it ends at its date
  };
  struct Transfer {
    Callback delivered;
    std::vector<ArcId> arcs;
    TransferOptions options;
    std::int64_t bytes = 0;
    std::uint64_t order = 0;
    NodeId from, to;
    std::uint32_t generation = 0;
    Phase phase = Phase::free;
  };
  struct ArcUse {
    ArcStatistics done;  ///< of ended transfers and ended busy intervals
    std::uint32_t active = 0;
    Time since;  ///< when active became positive
  };
  static constexpr FluidFlows::Constraint unconstrained = static_cast<FluidFlows::Constraint>(-1);

  [[nodiscard]] const Transfer* find(TransferId id) const;
  /// Valid until the next call.
  [[nodiscard]] const std::vector<ArcId>& route(NodeId from, NodeId to) const;
  std::uint32_t allocate();
  void release(std::uint32_t slot);
  void date(std::uint32_t slot, Time time);
  void undate(std::uint32_t slot);
  void begin_moving(std::uint32_t slot);
  void end_moving(std::uint32_t slot);
  void deliver(std::uint32_t slot);
  [[nodiscard]] double cap_of(const Transfer& transfer) const;
  [[nodiscard]] std::int64_t moved(std::uint32_t slot) const;
  void begin_use(ArcId arc);
  void end_use(ArcId arc, std::int64_t bytes, std::int64_t messages);
  void count(bool loopback, std::int64_t bytes, std::int64_t messages);
  void solve_later();
  void wake();
  void plan_wake();

  Engine& engine_;
  NetworkGraph graph_;
  NetworkOptions options_;
  std::vector<double> bandwidth_;                   // by link
  std::vector<FluidFlows::Constraint> constraint_;  // by arc
  std::vector<ArcUse> use_;                         // by arc
  std::vector<Transfer> transfers_;                 // by slot, which is also the number of its flow in flows_
  std::vector<std::uint32_t> free_slots_;
  FluidFlows flows_;
  Agenda dates_;                                               // of transfers whose bytes do not move
  std::size_t dated_foreground_ = 0;                           // of them, those that are no background
  std::vector<std::uint32_t> finished_;                        // scratch
  std::vector<std::pair<std::uint64_t, TransferId>> arrived_;  // what the present event has to deliver
  std::vector<FluidFlows::Constraint> scratch_;
  mutable std::vector<ArcId> route_;  // scratch
  std::uint64_t next_order_ = 0;
  std::size_t active_ = 0;
  Totals totals_;
  std::optional<EventId> wake_event_, solve_event_;
  Time wake_time_;
  Activity wake_activity_ = Activity::work;
  bool waking_ = false;
};

}  // namespace convoy
