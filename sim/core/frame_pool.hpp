// Memory of coroutine frames and completions: blocks of few sizes, taken and given back all the time, or
// 100,000 at once.
#pragma once

#include <cstddef>

namespace convoy::detail {

/// A block of at least `size` bytes at a multiple of 64. Blocks of up to 1 KiB lie side by side in slabs of 2
/// MiB of their size (huge pages from the second slab on), so that a simulation of many small processes stays
/// in the caches. A thread keeps slabs of its own, among them at most one empty slab a size, and in front of
/// them free lists of at most 64 blocks a size; both end with the thread and its last block. Larger blocks,
/// and everything under AddressSanitizer, come from operator new. A block may be freed on another thread.
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
