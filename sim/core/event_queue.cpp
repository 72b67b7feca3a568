#include "core/event_queue.hpp"

#include <algorithm>
#include <numeric>
#include <span>
#include <utility>

namespace convoy::detail {

namespace {

constexpr std::size_t chunks_in_block = 64;
/// Runs of up to this size are sorted by insertion at once.
constexpr std::size_t inserted_size = 16;

/// Stable; quick if no event is far from its place.
void insertion_sort(std::span<QueuedEvent> run) {
  for (std::size_t i = 1; i < run.size(); ++i) {
    const QueuedEvent event = run[i];
    std::size_t position = i;
    for (; position > 0 && event.before(run[position - 1]); --position) run[position] = run[position - 1];
    run[position] = event;
  }
}

/// Stable; brings every event near its place: counts the leading bits in which the times differ.
void distribute(std::span<QueuedEvent> run) {
  constexpr int bits = 6;
  std::uint64_t differing = 0;
  for (const QueuedEvent& event : run) differing |= event.time ^ run[0].time;
  const int shift = std::max(0, static_cast<int>(std::bit_width(differing)) - bits);
  const auto digit = [shift](const QueuedEvent& event) {
    return static_cast<std::size_t>(event.time >> shift) & ((std::size_t{1} << bits) - 1);
  };
  std::array<std::uint16_t, (1 << bits) + 1> start{};
  for (const QueuedEvent& event : run) ++start[digit(event) + 1];
  std::partial_sum(start.begin(), start.end(), start.begin());
  std::array<QueuedEvent, EventQueue::sorted_size> copy;
  std::copy(run.begin(), run.end(), copy.begin());
  for (std::size_t i = 0; i < run.size(); ++i) run[start[digit(copy[i])]++] = copy[i];
}

}  // namespace

EventQueue::EventQueue() : buckets_(levels * byte_values) {}

void EventQueue::add_chunks() {
  blocks_.push_back(std::make_unique<Chunk[]>(chunks_in_block));
  for (std::size_t i = chunks_in_block; i-- > 0;) give_chunk(&blocks_.back()[i]);
}

void EventQueue::grow(Bucket& bucket) {
  Chunk* chunk = take_chunk();
  if (bucket.end == nullptr) {
    bucket.first = chunk;
  } else {
    chunk_of(bucket.end)->next = chunk;
  }
  ++bucket.chunks;
  bucket.end = chunk->events.data();
}

void EventQueue::push_now(QueuedEvent event) {
  NowList& list = now_[event.event_class()];
  const bool was_empty = list.bucket.end == nullptr;
  append(list.bucket, event);
  if (was_empty) {
    list.front = list.bucket.first->events.data();
    now_classes_ |= 1u << event.event_class();
  }
}

void EventQueue::push_near(QueuedEvent event) {
  if (near_last_ == near_capacity) {
    if (near_first_ == 0) {
      spill_near();
      return event.time < near_end_ ? push_near(event) : place(event);
    }
    std::move(near_.begin() + near_first_, near_.begin() + near_last_, near_.begin());
    near_last_ -= near_first_;
    near_first_ = 0;
  }
  QueuedEvent* const first = near_.data() + near_first_;
  QueuedEvent* const last = near_.data() + near_last_;
  QueuedEvent* position = first;  // behind the last event that is not later
  for (auto rest = static_cast<std::size_t>(last - first); rest > 0;) {
    const std::size_t half = (rest + 1) / 2;
    position += event.before(position[half - 1]) ? 0 : half;
    rest -= half;
  }
  if (near_first_ > 0 && position - first < last - position) {
    std::move(first, position, first - 1);
    --position;
    --near_first_;
  } else {
    std::move_backward(position, last, last + 1);
    ++near_last_;
  }
  *position = event;
}

void EventQueue::pop_now(QueuedEvent& event) {
  const unsigned first_class = static_cast<unsigned>(std::countr_zero(now_classes_));
  // Events of this instant in the near run were scheduled before those in the lists.
  if (near_first_ != near_last_ && near_[near_first_].time == time_ &&
      near_[near_first_].event_class() <= first_class) {
    event = near_[near_first_++];
    return;
  }
  NowList& list = now_[first_class];
  event = *list.front++;
  if (list.front == list.bucket.end) {
    give_chunk(list.bucket.first);
    list = NowList{};
    now_classes_ &= ~(1u << first_class);
  } else if (at_chunk_end(list.front)) {
    Chunk* chunk = list.bucket.first;
    list.bucket.first = chunk->next;
    list.front = chunk->next->events.data();
    give_chunk(chunk);
    prefetch_chunk_after(list);
  }
}

void EventQueue::prefetch_chunk_after(const NowList& list) {
  const Chunk* next = list.bucket.first->next;
  if (next == nullptr) return;
  __builtin_prefetch(next->next);
  for (const QueuedEvent& event : next->events) event.prefetch();
}

EventQueue::Bucket EventQueue::take_bucket(unsigned level, unsigned index) {
  auto& words = occupied_[level];
  words[index / 64] &= ~(std::uint64_t{1} << (index % 64));
  if ((words[0] | words[1] | words[2] | words[3]) == 0) occupied_levels_ &= ~(1u << level);
  return std::exchange(buckets_[level * byte_values + index], Bucket{});
}

bool EventQueue::refill() {
  if (occupied_levels_ == 0) return false;
  const unsigned level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
  near_first_ = 0;
  near_last_ = 0;
  const std::size_t most = std::clamp(size_ / run_share, inserted_size, sorted_size);
  const std::size_t wanted = std::min(run_size, most);
  do {
    const auto& words = occupied_[level];
    unsigned word = 0;
    while (words[word] == 0) ++word;
    const unsigned index = 64 * word + static_cast<unsigned>(std::countr_zero(words[word]));
    const Bucket& next = buckets_[level * byte_values + index];
    if (near_last_ + next.count() > most) {
      if (near_last_ == 0) spread(take_bucket(level, index));
      break;
    }
    near_end_ = ((next.first->events[0].time >> (8 * level)) + 1) << (8 * level);
    append_sorted(take_bucket(level, index));
  } while (near_last_ < wanted && (occupied_levels_ >> level & 1) != 0);
  for (std::size_t i = 0; i < std::min(near_last_, prefetch_distance + 1); ++i) near_[i].prefetch();
  return true;
}

void EventQueue::append_sorted(const Bucket& bucket) {
  const std::size_t first = near_last_;
  Chunk* chunk = bucket.first;
  const QueuedEvent* event = chunk->events.data();
  while (true) {
    near_[near_last_++] = *event++;
    if (event == bucket.end) break;
    if (at_chunk_end(event)) {
      Chunk* next = chunk->next;
      give_chunk(chunk);
      chunk = next;
      event = chunk->events.data();
    }
  }
  give_chunk(chunk);
  const std::span<QueuedEvent> run(near_.data() + first, near_last_ - first);
  if (run.size() > inserted_size) distribute(run);
  insertion_sort(run);
}

void EventQueue::spread(const Bucket& bucket) {
  std::uint64_t earliest = bucket.first->events[0].time;
  std::uint64_t latest = earliest;
  unsigned seen_classes = 0;
  const auto for_each = [&bucket](auto&& visit) {
    Chunk* chunk = bucket.first;
    const QueuedEvent* event = chunk->events.data();
    while (true) {
      visit(*event++);
      if (event == bucket.end) return chunk;
      if (at_chunk_end(event)) {
        chunk = chunk->next;
        event = chunk->events.data();
        if (chunk->next != nullptr) {
          for (std::size_t line = 0; line < sizeof(Chunk); line += 64) {
            __builtin_prefetch(reinterpret_cast<const char*>(chunk->next) + line);
          }
        }
      }
    }
  };
  for_each([&](const QueuedEvent& event) {
    earliest = std::min(earliest, event.time);
    latest = std::max(latest, event.time);
    seen_classes |= 1u << event.event_class();
  });
  time_ = earliest;
  near_end_ = earliest + 1;
  if (earliest == latest && std::has_single_bit(seen_classes)) {
    now_[static_cast<unsigned>(std::countr_zero(seen_classes))] =
        NowList{.bucket = bucket, .front = bucket.first->events.data()};
    now_classes_ = seen_classes;
    return;
  }
  Chunk* last = for_each([&](const QueuedEvent& event) {
    if (event.time == earliest) {
      push_now(event);
    } else {
      place(event);
    }
  });
  last->next = free_chunks_;
  free_chunks_ = bucket.first;
}

void EventQueue::spill_near() {
  std::size_t kept = near_first_;
  while (kept < near_last_ && near_[kept].time == time_) ++kept;
  for (std::size_t i = kept; i < near_last_; ++i) place(near_[i]);
  near_last_ = kept;
  near_end_ = time_ + 1;
}

void EventQueue::remove_if(const std::function<bool(const QueuedEvent&)>& dead) {
  std::size_t kept = near_first_;
  for (std::size_t i = near_first_; i < near_last_; ++i) {
    if (dead(near_[i])) {
      --size_;
    } else {
      near_[kept++] = near_[i];
    }
  }
  near_last_ = kept;
  // Rebuilds a list from `front` without its dead events.
  const auto filter = [&](Bucket& bucket, const QueuedEvent* front) {
    if (bucket.end == nullptr) return;
    const Bucket old = std::exchange(bucket, Bucket{});
    Chunk* chunk = old.first;
    const QueuedEvent* event = front;
    while (true) {
      if (dead(*event)) {
        --size_;
      } else {
        append(bucket, *event);
      }
      if (++event == old.end) break;
      if (at_chunk_end(event)) {
        Chunk* next = chunk->next;
        give_chunk(chunk);
        chunk = next;
        event = chunk->events.data();
      }
    }
    give_chunk(chunk);
  };
  for (unsigned c = 0; c < classes; ++c) {
    NowList& list = now_[c];
    filter(list.bucket, list.front);
    list.front = list.bucket.end == nullptr ? nullptr : list.bucket.first->events.data();
    if (list.bucket.end == nullptr) now_classes_ &= ~(1u << c);
  }
  for (unsigned level = 0; level < levels; ++level) {
    std::uint64_t any = 0;
    for (unsigned index = 0; index < byte_values; ++index) {
      Bucket& bucket = buckets_[level * byte_values + index];
      if (bucket.end == nullptr) continue;
      filter(bucket, bucket.first->events.data());
      if (bucket.end == nullptr) occupied_[level][index / 64] &= ~(std::uint64_t{1} << (index % 64));
    }
    for (const std::uint64_t word : occupied_[level]) any |= word;
    if (any == 0) occupied_levels_ &= ~(1u << level);
  }
}

void EventQueue::clear() {
  remove_if([](const QueuedEvent&) { return true; });
}

}  // namespace convoy::detail
