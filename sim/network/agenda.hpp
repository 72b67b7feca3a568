// What is due when, for entries that are rescheduled often: a heap that knows where each slot's entry stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/time.hpp"

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
  [[nodiscard]] const Entry& top() const { return heap_.front(); }

  [[nodiscard]] bool contains(std::uint32_t slot) const {
    return slot < place_.size() && place_[slot] != nowhere;
  }

  /// Enters the slot or moves it to another time.
  void set(Entry entry) {
    if (entry.slot >= place_.size()) place_.resize(entry.slot + 1, nowhere);
    std::size_t at = place_[entry.slot];
    if (at == nowhere) {
      at = heap_.size();
      heap_.push_back(entry);
    }
    settle(at, entry);
  }
  /// Takes the slot out, if it is in.
  void erase(std::uint32_t slot) {
    if (!contains(slot)) return;
    const std::size_t at = place_[slot];
    place_[slot] = nowhere;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) settle(at, last);
  }

 private:
  static constexpr std::size_t nowhere = static_cast<std::size_t>(-1);
  static constexpr std::size_t arity = 4;

  void put(std::size_t at, const Entry& entry) {
    heap_[at] = entry;
    place_[entry.slot] = at;
  }
  /// Puts the entry where it belongs, starting from the hole `at`.
  void settle(std::size_t at, const Entry& entry) {
    while (at > 0 && entry.before(heap_[(at - 1) / arity])) {
      put(at, heap_[(at - 1) / arity]);
      at = (at - 1) / arity;
    }
    while (true) {
      const std::size_t first = at * arity + 1;
      const std::size_t end = first + arity < heap_.size() ? first + arity : heap_.size();
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (heap_[child].before(heap_[least])) least = child;
      }
      if (first >= end || !heap_[least].before(entry)) break;
      put(at, heap_[least]);
      at = least;
    }
    put(at, entry);
  }

  std::vector<Entry> heap_;
  std::vector<std::size_t> place_;
};

}  // namespace convoy
