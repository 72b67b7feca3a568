#include "network/collective_schedule.hpp"

#include <algorithm>
#include <cmath>

namespace convoy::detail {

namespace {
constexpr int most_chunks = 256;
}

std::int64_t Schedule::steps() const {
  if (members_ < 2) return 0;
  switch (kind_) {
    case CollectiveKind::all_reduce:
      return 2 * std::int64_t{members_ - 1};
    case CollectiveKind::reduce_scatter:
    case CollectiveKind::all_gather:
      return members_ - 1;
    case CollectiveKind::broadcast:
      return std::int64_t{members_ - 2} + chunks_;
  }
  return 0;
}

std::int64_t Schedule::messages(int rank) const {
  if (members_ < 2) return 0;
  if (kind_ != CollectiveKind::broadcast) return steps();
  return distance_from_root(rank) == members_ - 1 ? 0 : chunks_;
}

std::int64_t Schedule::message_bytes(int rank, std::int64_t k) const {
  if (kind_ == CollectiveKind::broadcast) return chunk_bytes(k, chunks_);
  // Reduce-scatter: rank i first sends chunk i, then what it has just received, chunk i - k at step k; it
  // ends with the whole of chunk i + 1, which it sends first in the all-gather that makes an all-reduce of
  // it.
  const std::int64_t half = members_ - 1;
  return chunk_bytes(wrapped(k < half ? rank - k : rank + 1 - (k - half)), members_);
}

std::int64_t Schedule::edge_bytes(int rank) const {
  if (messages(rank) == 0) return 0;
  if (kind_ == CollectiveKind::broadcast) return bytes_;
  // Every chunk but the one that the rank ends up with; in the second half every chunk but the one received
  // last.
  const std::int64_t first = bytes_ - chunk_bytes(wrapped(rank + 1), members_);
  return kind_ == CollectiveKind::all_reduce ? first + bytes_ - chunk_bytes(wrapped(rank + 2), members_)
                                             : first;
}

std::int64_t Schedule::needed(int rank, std::int64_t k) const {
  if (kind_ != CollectiveKind::broadcast) return k;
  return distance_from_root(rank) == 0 ? 0 : k + 1;
}

double Schedule::formula_bytes() const {
  if (members_ < 2) return 0;
  const auto n = static_cast<double>(members_), s = static_cast<double>(bytes_);
  if (kind_ == CollectiveKind::broadcast) return static_cast<double>(steps()) * s / chunks_;
  return static_cast<double>(steps()) * s / n;
}

double Schedule::fill_bytes() const {
  if (kind_ != CollectiveKind::broadcast || members_ < 2) return 0;
  return static_cast<double>(members_ - 2) * static_cast<double>(bytes_) / chunks_;
}

std::int64_t Schedule::chunk_bytes(std::int64_t chunk, std::int64_t chunks) const {
  return bytes_ / chunks + (chunk < bytes_ % chunks ? 1 : 0);
}

Schedule schedule_of(const CollectiveSpec& spec, const RingSummary& ring) {
  const int n = static_cast<int>(spec.members.size());
  int chunks = 1;
  if (spec.chunks) {
    chunks = *spec.chunks;
  } else if (spec.kind == CollectiveKind::broadcast && n > 2) {
    // d/dm of (n-2+m)(a + S/(m B)) = 0; without latency more chunks are always better.
    const double best =
        std::sqrt((n - 2) * static_cast<double>(spec.bytes) / ring.bandwidth / ring.latency.to_seconds());
    chunks = best < most_chunks ? std::max(1, static_cast<int>(std::lround(best))) : most_chunks;
  }
  return Schedule(spec.kind, n, spec.bytes, spec.root, chunks);
}

}  // namespace convoy::detail
