#include "core/frame_pool.hpp"

#include <array>
#include <new>

namespace convoy::detail {

namespace {

#if defined(__SANITIZE_ADDRESS__)
constexpr bool pooled = false;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
constexpr bool pooled = false;
#else
constexpr bool pooled = true;
#endif
#else
constexpr bool pooled = true;
#endif

constexpr std::size_t granule = 64;
constexpr std::size_t largest = 1024;
constexpr std::size_t most_blocks = 512;

struct FreeBlock {
  FreeBlock* next;
};

struct FreeList {
  FreeBlock* first;
  std::size_t size;
};

/// The free lists of a thread. Trivial, so that a frame freed while the thread ends still finds `ended`.
struct Lists {
  std::array<FreeList, largest / granule> of_size;
  bool in_use;
  bool ended;
};

thread_local constinit Lists lists{};

/// Gives the blocks back when the thread ends.
struct Janitor {
  ~Janitor() {
    lists.ended = true;
    for (FreeList& list : lists.of_size) {
      while (list.first != nullptr) {
        FreeBlock* block = list.first;
        list.first = block->next;
        ::operator delete(block);
      }
      list.size = 0;
    }
  }
};

void register_janitor() {
  thread_local Janitor janitor;
  static_cast<void>(janitor);
  lists.in_use = true;
}

}  // namespace

void* allocate_block(std::size_t size) {
  if (!pooled || size > largest) return ::operator new(size);
  const std::size_t index = (size - 1) / granule;
  FreeList& list = lists.of_size[index];
  if (list.first == nullptr) return ::operator new((index + 1) * granule);
  FreeBlock* block = list.first;
  list.first = block->next;
  --list.size;
  return block;
}

void free_block(void* block, std::size_t size) noexcept {
  if (!pooled || size > largest) return ::operator delete(block);
  if (!lists.in_use) register_janitor();
  FreeList& list = lists.of_size[(size - 1) / granule];
  if (list.size == most_blocks || lists.ended) return ::operator delete(block);
  list.first = ::new (block) FreeBlock{list.first};
  ++list.size;
}

}  // namespace convoy::detail
