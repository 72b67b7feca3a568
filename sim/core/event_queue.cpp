#include "core/event_queue.hpp"

#include <algorithm>
#include <utility>

namespace convoy::detail {

namespace {

constexpr std::size_t chunks_in_block = 64;
/// With fewer events than this everything that they touch is expected in the caches.
constexpr std::size_t cached_size = 2048;
/// What so many events touch fits the second-level cache.
constexpr std::size_t prefetched_size = 1024;

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
  std::size_t position = near_last_++;
  for (; position > near_first_ && event.before(near_[position - 1]); --position) {
    near_[position] = near_[position - 1];
  }
  near_[position] = event;
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

void EventQueue::prefetch_bucket_after(unsigned level, unsigned index) const {
  unsigned word = index / 64;
  std::uint64_t rest = occupied_[level][word];  // bits up to `index` are clear
  while (rest == 0) {
    if (++word == byte_values / 64) return;
    rest = occupied_[level][word];
  }
  const Bucket& next = buckets_[level * byte_values + 64 * word + static_cast<unsigned>(std::countr_zero(rest))];
  for (const QueuedEvent& event : next.first->events) {
    if (&event == next.end) return;
    event.prefetch();
  }
}

bool EventQueue::refill() {
  if (occupied_levels_ == 0) return false;
  const unsigned level = static_cast<unsigned>(std::countr_zero(occupied_levels_));
  auto& words = occupied_[level];
  unsigned word = 0;
  while (words[word] == 0) ++word;
  const unsigned index = 64 * word + static_cast<unsigned>(std::countr_zero(words[word]));
  words[word] &= words[word] - 1;
  if ((words[0] | words[1] | words[2] | words[3]) == 0) occupied_levels_ &= ~(1u << level);
  if (size_ > cached_size) prefetch_bucket_after(level, index);
  const Bucket bucket = std::exchange(buckets_[level * byte_values + index], Bucket{});

  const std::size_t count = bucket.count();
  if (count <= sorted_size) {
    near_end_ = ((bucket.first->events[0].time >> (8 * level)) + 1) << (8 * level);
    sort_into_near(bucket);
  } else {
    spread(bucket, count);
  }
  return true;
}

void EventQueue::sort_into_near(Bucket bucket) {
  near_first_ = 0;
  near_last_ = 0;
  Chunk* chunk = bucket.first;
  const QueuedEvent* event = chunk->events.data();
  while (true) {
    std::size_t position = near_last_++;
    for (; position > 0 && event->before(near_[position - 1]); --position) near_[position] = near_[position - 1];
    near_[position] = *event;
    event->prefetch();
    ++event;
    if (event == bucket.end) break;
    if (at_chunk_end(event)) {
      Chunk* next = chunk->next;
      give_chunk(chunk);
      chunk = next;
      event = chunk->events.data();
    }
  }
  give_chunk(chunk);
}

void EventQueue::spread(Bucket bucket, std::size_t count) {
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
  const bool fetch = size_ > cached_size && count <= prefetched_size;
  if (earliest == latest && std::has_single_bit(seen_classes)) {
    now_[static_cast<unsigned>(std::countr_zero(seen_classes))] =
        NowList{.bucket = bucket, .front = bucket.first->events.data()};
    now_classes_ = seen_classes;
    return;
  }
  Chunk* last = for_each([&](const QueuedEvent& event) {
    if (fetch) event.prefetch();
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
