// The pending events of an engine, ordered by (time, class, order of insertion).
//
// A monotone radix queue: no event is ever earlier than the last one taken, so an event needs a place only
// among those that share its leading bytes with the present time.
//
//   operation   cost (amortised)
//   push        O(1): one append to a bucket
//   pop         O(1): an event moves at most 8 times (once a byte of its time), 1 to 3 times in practice
//   ties        O(1): events of one instant stay one list, in order of insertion
//   memory      16 bytes an event in chunks of 15, plus 32 KiB of bucket heads
//
// Level k has 256 buckets, one for each value of byte k of a time that agrees with the present time in all
// higher bytes. The next bucket to be due is opened as a whole: a small one is sorted into the `near` run, a
// large one is spread over the levels below. Events of the very present instant wait in one list for each
// class.
//
// After Ahuja, Mehlhorn, Orlin, Tarjan, "Faster algorithms for the shortest path problem", JACM 37 (1990),
// where radix heaps come from, and Tang, Goh, Thng, "Ladder queue", ACM TOMACS 15 (2005), for sorting small
// buckets late.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace convoy::detail {

/// A queued event. `payload` holds the event class in its top 3 bits (0 is first), then 2 bits that belong to
/// the engine, a bit that says whether the event resumes a coroutine, and the address of what the event
/// touches first.
struct QueuedEvent {
  static constexpr std::uint64_t coroutine_bit = std::uint64_t{1} << 58;
  static constexpr std::uint64_t address_mask = coroutine_bit - 1;  // user space has at most 56 bits

  std::uint64_t time;
  std::uint64_t payload;

  [[nodiscard]] unsigned event_class() const { return static_cast<unsigned>(payload >> 61); }
  [[nodiscard]] void* address() const {
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(payload & address_mask));
  }
  /// Where thousands of processes wait, each one's memory has left the caches when its turn comes: fetches a
  /// line, three of a coroutine. Inlined by force: GCC takes a function that only prefetches for one without
  /// effect and leaves out the call.
  [[gnu::always_inline]] void prefetch() const {
    const char* memory = static_cast<const char*>(address());
    __builtin_prefetch(memory, 1);
    if ((payload & coroutine_bit) == 0) return;
    __builtin_prefetch(memory + 64, 1);
    __builtin_prefetch(memory + 128, 1);
  }
  [[nodiscard]] bool before(const QueuedEvent& other) const { return key() < other.key(); }

 private:
  /// Time and class in one number: compared without a branch.
  __extension__ using Key = unsigned __int128;
  [[nodiscard]] Key key() const { return Key{time} << 64 | event_class(); }
};

class EventQueue {
 public:
  static constexpr unsigned classes = 8;
  /// Most events that are sorted at once.
  static constexpr std::size_t sorted_size = 256;

  EventQueue();
  EventQueue(const EventQueue&) = delete;
  EventQueue& operator=(const EventQueue&) = delete;

  /// Time of the last event taken; 0 before the first.
  [[nodiscard]] std::uint64_t time() const { return time_; }
  [[nodiscard]] std::size_t size() const { return size_; }

  /// Adds an event; its time is not before time().
  void push(QueuedEvent event) {
    ++size_;
    if (event.time >= near_end_) {
      place(event);
    } else if (event.time == time_) {
      push_now(event);
    } else {
      push_near(event);
    }
  }

  /// Takes the first event and moves time() to it. False if there is none.
  [[nodiscard]] bool pop(QueuedEvent& event) {
    if (now_classes_ == 0) {
      if (near_first_ == near_last_ && !refill()) return false;
      if (now_classes_ == 0) {
        event = near_[near_first_++];
        near_[near_first_ + prefetch_distance].prefetch();
        time_ = event.time;
        --size_;
        return true;
      }
    }
    pop_now(event);
    --size_;
    return true;
  }

  /// Removes every event for which `dead` holds. Events of equal time and class are asked in their order.
  void remove_if(const std::function<bool(const QueuedEvent&)>& dead);
  void clear();

 private:
  static constexpr unsigned byte_values = 256;
  static constexpr unsigned levels = 8;
  static constexpr std::size_t chunk_events = 15;
  /// Small buckets in a row are sorted into one run of about this size, or of a share of all events if that
  /// is less: a run that holds most events would make every push an insertion into it.
  static constexpr std::size_t run_size = 128;
  static constexpr std::size_t run_share = 8;
  /// The near run goes back into the levels when late arrivals make it this long.
  static constexpr std::size_t near_capacity = 2 * sorted_size;
  /// So many events before its turn the memory that an event touches is fetched.
  static constexpr std::size_t prefetch_distance = 12;

  /// 256 bytes, aligned to its size: an address within tells where the chunk ends.
  struct alignas(256) Chunk {
    std::array<QueuedEvent, chunk_events> events;
    Chunk* next;
  };
  static_assert(sizeof(Chunk) == 256);

  [[nodiscard]] static bool at_chunk_end(const QueuedEvent* event) {
    return (reinterpret_cast<std::uintptr_t>(event) & 255) == chunk_events * sizeof(QueuedEvent);
  }
  [[nodiscard]] static Chunk* chunk_of(QueuedEvent* event) {
    return reinterpret_cast<Chunk*>(reinterpret_cast<std::uintptr_t>(event) & ~std::uintptr_t{255});
  }

  /// A list of events in order of insertion.
  struct Bucket {
    Chunk* first = nullptr;
    QueuedEvent* end = nullptr;  ///< behind the last event
    std::size_t chunks = 0;

    [[nodiscard]] std::size_t count() const {
      return (chunks - 1) * chunk_events + static_cast<std::size_t>(end - chunk_of(end)->events.data());
    }
  };
  /// A bucket that is being read from its front.
  struct NowList {
    Bucket bucket;
    QueuedEvent* front = nullptr;
  };

  [[nodiscard]] Chunk* take_chunk() {
    if (free_chunks_ == nullptr) add_chunks();
    Chunk* chunk = free_chunks_;
    free_chunks_ = chunk->next;
    chunk->next = nullptr;
    if (free_chunks_ != nullptr) __builtin_prefetch(&free_chunks_->next, 1);
    return chunk;
  }
  void give_chunk(Chunk* chunk) {
    chunk->next = free_chunks_;
    free_chunks_ = chunk;
  }
  void append(Bucket& bucket, QueuedEvent event) {
    if (bucket.end == nullptr || at_chunk_end(bucket.end)) grow(bucket);
    *bucket.end++ = event;
  }
  /// Puts an event later than time() into its bucket.
  void place(QueuedEvent event) {
    const unsigned level = static_cast<unsigned>(std::bit_width(event.time ^ time_) - 1) / 8;
    const unsigned index = static_cast<unsigned>(event.time >> (8 * level)) & 255;
    Bucket& bucket = buckets_[level * byte_values + index];
    if (bucket.end == nullptr) {
      occupied_[level][index / 64] |= std::uint64_t{1} << (index % 64);
      occupied_levels_ |= 1u << level;
    }
    append(bucket, event);
  }
  void push_now(QueuedEvent event);
  void push_near(QueuedEvent event);
  void pop_now(QueuedEvent& event);
  static void prefetch_chunk_after(const NowList& list);
  void add_chunks();
  void grow(Bucket& bucket);
  /// Opens the next bucket: afterwards the near run or the lists of the present instant hold the first event.
  [[nodiscard]] bool refill();
  [[nodiscard]] Bucket take_bucket(unsigned level, unsigned index);
  void append_sorted(const Bucket& bucket);
  void spread(const Bucket& bucket);
  void spill_near();

  std::uint64_t time_ = 0;
  std::uint64_t near_end_ = 1;  ///< events before this instant (but after time_) belong into the near run
  std::size_t size_ = 0;
  unsigned now_classes_ = 0;  ///< bit c: now_[c] is not empty
  unsigned occupied_levels_ = 0;
  std::size_t near_first_ = 0, near_last_ = 0;
  Chunk* free_chunks_ = nullptr;
  /// Sorted; live in [near_first_, near_last_). Stale entries behind are prefetched for nothing.
  std::array<QueuedEvent, near_capacity + prefetch_distance + 1> near_{};
  std::array<NowList, classes> now_;
  std::array<std::array<std::uint64_t, byte_values / 64>, levels> occupied_{};
  std::vector<Bucket> buckets_;
  std::vector<std::unique_ptr<Chunk[]>> blocks_;
};

}  // namespace convoy::detail
