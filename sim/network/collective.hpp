// Collective operations among an ordered list of members, made of transfers over a Network.
//
//   Collectives collectives(network);
//   collectives.start({.kind = CollectiveKind::all_reduce, .members = ring, .bytes = bytes}, [&] { ... });
//
// Members form a ring in the order given: member i sends to member i + 1. Vectors are cut into n chunks of
// whole bytes that differ by at most one. With n members, S bytes, largest ring latency a and slowest ring
// link B (Thakur, Rabenseifner, Gropp 2005; Patarasuk, Yuan 2009):
//   all_reduce                 2(n-1) a + 2(n-1)/n S/B       S: the vector of each member
//   reduce_scatter, all_gather  (n-1) a +  (n-1)/n S/B       S: the whole (concatenated) vector
//   broadcast                  (n-2+m)(a + S/(m B))          pipelined chain from the root in m chunks
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "core/engine.hpp"
#include "core/time.hpp"
#include "network/network.hpp"

namespace convoy {

enum class CollectiveKind { all_reduce, reduce_scatter, all_gather, broadcast };

/// How much of a collective is simulated.
enum class Fidelity {
  automatic,  ///< formula where the network has no contention, else fluid
  formula,    ///< the closed form above; takes no bandwidth from others, its bytes are still counted on the
              ///< links
  fluid,      ///< one flow a ring edge carrying all bytes of the edge, plus the chain of latencies; exact if
              ///< links are equal
  steps,      ///< every message; a member's step k starts when its step k-1 is both sent and received
};

struct CollectiveSpec {
  CollectiveKind kind = CollectiveKind::all_reduce;
  std::vector<NodeId> members{};  ///< in ring order; several members may stand on one node
  std::int64_t bytes = 0;         ///< S
  Fidelity fidelity = Fidelity::automatic;
  int root = 0;                 ///< broadcast: rank of the source
  std::optional<int> chunks{};  ///< broadcast: m; unset: the optimum sqrt((n-2) S / (a B)), from 1 to 256
  TransferOptions transfer{};   ///< weight and cap of each flow
};

struct CollectiveId {
  std::uint64_t number = 0;  ///< 0 names none
  constexpr bool operator==(const CollectiveId&) const = default;
};

/// B/s of the slowest route between neighbours of the ring (infinite within one node), and the largest
/// latency, now.
struct RingSummary {
  double bandwidth = 0;
  Duration latency{};
};
[[nodiscard]] RingSummary ring_summary(const Network& network, std::span<const NodeId> ring);

/// The closed form above on the network as it is now; zero for one member.
[[nodiscard]] Duration formula_time(const Network& network, const CollectiveSpec& spec);

/// What rank `sender` sends to its successor in the whole collective, at any fidelity. Bytes summed over
/// ranks: all_reduce 2(n-1) S; reduce_scatter, all_gather and broadcast (n-1) S.
struct EdgeLoad {
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
};
[[nodiscard]] EdgeLoad edge_load(const Network& network, const CollectiveSpec& spec, int sender);

/// Runs collectives over one network. Lives until the run has ended, and not longer than the network. A
/// transfer that ends by Network::abort_all leaves its collective open until that is aborted.
class Collectives {
 public:
  explicit Collectives(Network& network);
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  ~Collectives();

  /// Opens a collective that no member has reached yet; `done` is called once in an event of class delivery,
  /// never from within this object's functions. Throws std::logic_error for no members, negative bytes or a
  /// root that is none of them.
  CollectiveId open(CollectiveSpec spec, Callback done);
  /// Member `rank` has arrived. Bytes move when the last has (fidelity `steps`: each message when its two
  /// ends have).
  void arrive(CollectiveId id, int rank);
  /// Opens it with every member arrived.
  CollectiveId start(CollectiveSpec spec, Callback done);
  /// Ends it now, without done; false if it had ended.
  bool abort(CollectiveId id);
  [[nodiscard]] bool active(CollectiveId id) const;
  [[nodiscard]] Network& network() const { return network_; }

 private:
  class Operation;
  class Formula;
  class Fluid;
  class Steps;
  void finish(std::uint64_t number);

  Network& network_;
  std::unordered_map<std::uint64_t, std::unique_ptr<Operation>> open_;  // looked up only, never walked
  std::uint64_t next_ = 1;
};

}  // namespace convoy
