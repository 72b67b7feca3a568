// Flows by level, the lowest or the highest first, for flows that come and go out of turn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace convoy {

/// A heap of (level, flow), ties by flow number. Where each flow stands is kept in `places`, a table by flow
/// number that several heaps may share if a flow is in one of them at most. Insert and erase O(log n).
class LevelHeap {
 public:
  struct Entry {
    double level = 0;
    std::uint32_t flow = 0;
  };
  using Places = std::vector<std::uint32_t>;

  explicit LevelHeap(bool highest_first) : highest_first_(highest_first) {}
  [[nodiscard]] bool empty() const { return heap_.empty(); }
  [[nodiscard]] const Entry& top() const { return heap_.front(); }

  void insert(Entry entry, Places& places) {
    heap_.push_back(entry);
    settle(heap_.size() - 1, entry, places);
  }
  /// Takes out a flow that is in.
  void erase(std::uint32_t flow, Places& places) {
    const std::size_t at = places[flow];
    const Entry last = heap_.back();
    heap_.pop_back();
    if (at < heap_.size()) settle(at, last, places);
  }

 private:
  static constexpr std::size_t arity = 4;
  [[nodiscard]] bool before(const Entry& a, const Entry& b) const {
    if (a.level != b.level) return highest_first_ ? a.level > b.level : a.level < b.level;
    return a.flow < b.flow;
  }
  void put(std::size_t at, const Entry& entry, Places& places) {
    heap_[at] = entry;
    places[entry.flow] = static_cast<std::uint32_t>(at);
  }
  /// Puts the entry where it belongs, starting from the hole `at`.
  void settle(std::size_t at, const Entry& entry, Places& places) {
    while (at > 0 && before(entry, heap_[(at - 1) / arity])) {
      put(at, heap_[(at - 1) / arity], places);
      at = (at - 1) / arity;
    }
    while (true) {
      const std::size_t first = at * arity + 1;
      const std::size_t end = first + arity < heap_.size() ? first + arity : heap_.size();
      std::size_t least = first;
      for (std::size_t child = first + 1; child < end; ++child) {
        if (before(heap_[child], heap_[least])) least = child;
      }
      if (first >= end || !before(heap_[least], entry)) break;
      put(at, heap_[least], places);
      at = least;
    }
    put(at, entry, places);
  }

  std::vector<Entry> heap_;
  bool highest_first_;
};

}  // namespace convoy
