// Who sends which chunk when in the ring algorithms: the arithmetic that formula, fluid and steps share.
#pragma once

#include <cstdint>

#include "network/collective.hpp"

namespace convoy::detail {

/// The messages of one collective.
class Schedule {
 public:
  /// `chunks` is m of a broadcast, not used otherwise.
  Schedule(CollectiveKind kind, int members, std::int64_t bytes, int root, int chunks)
      : kind_(kind), members_(members), bytes_(bytes), root_(root), chunks_(chunks) {}

  /// Steps of the critical path: the factor of the latency in the closed form.
  [[nodiscard]] std::int64_t steps() const;
  /// Messages that a rank sends to its successor.
  [[nodiscard]] std::int64_t messages(int rank) const;
  /// Bytes of the k-th of them.
  [[nodiscard]] std::int64_t message_bytes(int rank, std::int64_t k) const;
  /// Bytes of all of them.
  [[nodiscard]] std::int64_t edge_bytes(int rank) const;
  /// Messages that a rank must have received before it sends its k-th.
  [[nodiscard]] std::int64_t needed(int rank, std::int64_t k) const;
  /// S times this, over B, is the bandwidth term of the closed form: exact as a quotient of integers.
  [[nodiscard]] double formula_bytes() const;
  /// The part of formula_bytes in which an edge waits for its first chunk (broadcast; 0 otherwise).
  [[nodiscard]] double fill_bytes() const;

 private:
  [[nodiscard]] std::int64_t chunk_bytes(std::int64_t chunk, std::int64_t chunks) const;
  [[nodiscard]] int distance_from_root(int rank) const { return (rank - root_ + members_) % members_; }
  [[nodiscard]] std::int64_t wrapped(std::int64_t chunk) const {
    return (chunk % members_ + members_) % members_;
  }

  CollectiveKind kind_;
  int members_;
  std::int64_t bytes_;
  int root_, chunks_;
};

/// The schedule of a spec; the optimal number of chunks is computed from the ring.
[[nodiscard]] Schedule schedule_of(const CollectiveSpec& spec, const RingSummary& ring);

}  // namespace convoy::detail
