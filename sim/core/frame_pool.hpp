// Memory of coroutine frames and completions: short-lived blocks of few sizes, taken and given back all the time.
#pragma once

#include <cstddef>

namespace convoy::detail {

/// A block of at least `size` bytes, aligned for any fundamental type. Blocks of up to 1 KiB come from free lists of
/// the calling thread, at most 512 blocks for each multiple of 64 bytes (4.4 MiB a thread in all); the rest, and
/// everything under AddressSanitizer, comes from operator new. A block may be freed on another thread.
[[nodiscard]] void* allocate_block(std::size_t size);
/// `size` as it was passed to allocate_block.
void free_block(void* block, std::size_t size) noexcept;

/// For std::allocate_shared of completions.
template <class T>
struct BlockAllocator {
  using value_type = T;
  BlockAllocator() = default;
  template <class U>
  BlockAllocator(const BlockAllocator<U>&) {}  // NOLINT(google-explicit-constructor): allocators rebind
  [[nodiscard]] T* allocate(std::size_t count) { return static_cast<T*>(allocate_block(count * sizeof(T))); }
  void deallocate(T* block, std::size_t count) noexcept { free_block(block, count * sizeof(T)); }
  bool operator==(const BlockAllocator&) const = default;
};

}  // namespace convoy::detail
