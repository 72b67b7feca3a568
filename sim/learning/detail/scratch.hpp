// Memory for intermediate results, kept from call to call by its thread. Holds nothing between calls that
// matters.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace convoy::detail {

/// Slots with one user in the whole program; networks number theirs from 1, far below. Slot 0 holds features:
/// networks leave it to their caller.
enum SharedSlot : std::size_t {
  features_slot = 0,
  rows_slot = 128,
  labels_slot,
  packed_left_slot,
  packed_right_slot,
};

/// Grows on demand, never shrinks; each slot is one array aligned to a cache line. Values are unspecified.
class Scratch {
 public:
  /// The calling thread's own. A slot stays valid until it is asked for again.
  [[nodiscard]] static Scratch& of_this_thread() {
    thread_local Scratch scratch;
    return scratch;
  }

  template <class T>
  [[nodiscard]] T* get(std::size_t slot, std::size_t count) {
    return reinterpret_cast<T*>(bytes(slot, count * sizeof(T)));
  }

 private:
  struct Slot {
    std::vector<std::byte> memory;
    std::size_t capacity = 0;
    std::byte* aligned = nullptr;
  };

  [[nodiscard]] std::byte* bytes(std::size_t index, std::size_t count) {
    constexpr std::size_t alignment = 64;
    if (index >= slots_.size()) slots_.resize(index + 1);
    Slot& slot = slots_[index];
    if (slot.aligned == nullptr || count > slot.capacity) {
      slot.memory = std::vector<std::byte>(count + alignment);
      std::size_t space = slot.memory.size();
      void* start = slot.memory.data();
      std::align(alignment, count, start, space);
      slot.aligned = static_cast<std::byte*>(start);
      slot.capacity = count;
    }
    return slot.aligned;
  }

  std::vector<Slot> slots_;
};

}  // namespace convoy::detail
