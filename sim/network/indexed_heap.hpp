// A heap whose entries can be moved and taken out, because it knows where each stands.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace convoy {

/// Entries, each with a small number `slot` and an order `before(other)` that is total; the first on top. At
/// most one entry a slot. Where each slot's entry stands is kept in a table by slot, which several heaps may
/// share if a slot is in one of them at most. All operations O(log n).
template <class Entry>
class IndexedHeap {
 public:
  using Places = std::vector<std::uint32_t>;
  static constexpr std::uint32_t nowhere = std::numeric_limits<std::uint32_t>::max();

  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] std::size_t size() const { return heap_.size(); }
  [[nodiscard]] const Entry& top() const { return heap_.front(); }

  /// Enters a slot that is in no heap.
  void insert(const Entry& entry, Places& places) {
    heap_.push_back(entry);
    settle(heap_.size() - 1, entry, places);
  }
  /// Gives a slot of this heap another entry.
  void replace(const Entry& entry, Places& places) { settle(places[entry.slot], entry, places); }
  /// Takes out a slot of this heap.
  void erase(std::uint32_t slot, Places& places) {
    const std::size_t at = places[slot];
    places[slot] = nowhere;
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) settle(at, last, places);
  }

 private:
  static constexpr std::size_t arity = 4;

  void put(std::size_t at, const Entry& entry, Places& places) {
    heap_[at] = entry;
    places[entry.slot] = static_cast<std::uint32_t>(at);
  }
  /// Puts the entry where it belongs, starting from the hole `at`.
  void settle(std::size_t at, const Entry& entry, Places& places) {
    while (at > 0 && entry.before(heap_[(at - 1) / arity])) {
      put(at, heap_[(at - 1) / arity], places);
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
      put(at, heap_[least], places);
      at = least;
    }
    put(at, entry, places);
  }

  std::vector<Entry> heap_;
};

}  // namespace convoy
