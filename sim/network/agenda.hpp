// What is due when, for entries that are rescheduled often.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/time.hpp"
#include "network/indexed_heap.hpp"

namespace convoy {

/// At most one entry a slot, ordered by (time, order). All operations O(log n); slots are small numbers.
class Agenda {
 public:
  struct Entry {
    Time time;
    std::uint64_t order = 0;  ///< breaks ties; unique
    std::uint32_t slot = 0;
    [[nodiscard]] bool before(const Entry& other) const {
      return time != other.time ? time < other.time : order < other.order;
    }
  };

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] const Entry& top() const { return heap_.top(); }

  [[nodiscard]] bool contains(std::uint32_t slot) const {
    return slot < places_.size() && places_[slot] != Heap::nowhere;
  }

  /// Enters the slot or moves it to another time.
  void set(const Entry& entry) {
    if (entry.slot >= places_.size()) places_.resize(entry.slot + 1, Heap::nowhere);
    if (contains(entry.slot)) {
      heap_.replace(entry, places_);
    } else {
      heap_.insert(entry, places_);
    }
  }
  /// Takes the slot out, if it is in.
  void erase(std::uint32_t slot) {
    if (contains(slot)) heap_.erase(slot, places_);
  }

 private:
  using Heap = IndexedHeap<Entry>;
  Heap heap_;
  Heap::Places places_;
};

}  // namespace convoy
