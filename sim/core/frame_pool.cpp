#include "core/frame_pool.hpp"

#include <array>
#include <cstdint>
#include <mutex>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

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
constexpr std::size_t sizes = largest / granule;
constexpr std::size_t slab_bytes = std::size_t{2} << 20;
constexpr std::size_t most_cached = 64;

struct FreeBlock {
  FreeBlock* next;
};

class Heap;

/// Head of a slab, which is aligned to its size: a block finds it by its address.
struct alignas(granule) Slab {
  Heap* heap;
  std::size_t size_index;
  std::size_t used;
  FreeBlock* free;
  char* untouched;  ///< behind the last block ever handed out
  Slab* previous;   ///< among the slabs of this size with room
  Slab* next;
};

/// The slabs of one thread. Lives until the thread has ended and every block has come back.
class Heap {
 public:
  void* allocate(std::size_t size_index) {
    const std::lock_guard lock(mutex_);
    if (with_room_[size_index] == nullptr) add_slab(size_index);
    Slab& slab = *with_room_[size_index];
    void* block = slab.free;
    if (block != nullptr) {
      slab.free = slab.free->next;
    } else {
      block = slab.untouched;
      slab.untouched += stride(size_index);
    }
    ++slab.used;
    ++references_;
    if (full(slab)) unlink(slab);
    return block;
  }

  static void free(void* block) noexcept {
    auto* slab = reinterpret_cast<Slab*>(reinterpret_cast<std::uintptr_t>(block) & ~(slab_bytes - 1));
    Heap* heap = slab->heap;
    bool last = false;
    {
      const std::lock_guard lock(heap->mutex_);
      if (heap->full(*slab)) heap->link(*slab);
      slab->free = ::new (block) FreeBlock{slab->free};
      --slab->used;
      last = --heap->references_ == 0;
      if (slab->used == 0 && (slab->next != nullptr || slab->previous != nullptr)) heap->remove(*slab);
    }
    if (last) delete heap;
  }

  /// The thread ends.
  static void release(Heap* heap) noexcept {
    bool last = false;
    {
      const std::lock_guard lock(heap->mutex_);
      last = --heap->references_ == 0;
    }
    if (last) delete heap;
  }

 private:
  ~Heap() {
    for (Slab* slab : with_room_) {
      while (slab != nullptr) {
        Slab* next = slab->next;
        ::operator delete (slab, std::align_val_t{slab_bytes});
        slab = next;
      }
    }
  }

  static std::size_t stride(std::size_t size_index) { return (size_index + 1) * granule; }
  static bool full(const Slab& slab) {
    return slab.free == nullptr &&
           slab.untouched + stride(slab.size_index) > reinterpret_cast<const char*>(&slab) + slab_bytes;
  }
  void add_slab(std::size_t size_index) {
    void* memory = ::operator new (slab_bytes, std::align_val_t{slab_bytes});
#if defined(__linux__)
    if (slabs_[size_index] != 0)
      madvise(memory, slab_bytes, MADV_HUGEPAGE);  // a hint: failure changes nothing
#endif
    ++slabs_[size_index];
    link(*::new (memory) Slab{.heap = this,
                              .size_index = size_index,
                              .used = 0,
                              .free = nullptr,
                              .untouched = static_cast<char*>(memory) + sizeof(Slab),
                              .previous = nullptr,
                              .next = nullptr});
  }
  void remove(Slab& slab) {
    --slabs_[slab.size_index];
    unlink(slab);
    ::operator delete (&slab, std::align_val_t{slab_bytes});
  }
  void link(Slab& slab) {
    Slab*& first = with_room_[slab.size_index];
    slab.next = first;
    if (first != nullptr) first->previous = &slab;
    first = &slab;
  }
  void unlink(Slab& slab) {
    (slab.previous != nullptr ? slab.previous->next : with_room_[slab.size_index]) = slab.next;
    if (slab.next != nullptr) slab.next->previous = slab.previous;
    slab.previous = nullptr;
    slab.next = nullptr;
  }

  std::mutex mutex_;
  std::size_t references_ = 1;  ///< the thread and its blocks
  std::array<Slab*, sizes> with_room_{};
  std::array<std::size_t, sizes> slabs_{};
};

struct Cache {
  FreeBlock* first;
  std::size_t size;
};

/// What a thread has at hand. Trivial, so that a block freed after the thread's destructors still finds
/// `ended`.
struct ThreadBlocks {
  std::array<Cache, sizes> caches;
  Heap* heap;
  bool ended;
};

thread_local constinit ThreadBlocks blocks{};

/// Gives everything back when the thread ends.
struct Janitor {
  Janitor() { blocks.heap = new Heap; }
  Janitor(const Janitor&) = delete;
  Janitor& operator=(const Janitor&) = delete;
  ~Janitor() {
    blocks.ended = true;
    for (Cache& cache : blocks.caches) {
      while (cache.first != nullptr) {
        FreeBlock* block = cache.first;
        cache.first = block->next;
        Heap::free(block);
      }
      cache.size = 0;
    }
    Heap::release(blocks.heap);
  }
};

void* allocate_from_heap(std::size_t size_index) {
  if (blocks.ended) {  // a heap for one block
    Heap* heap = new Heap;
    void* block = heap->allocate(size_index);
    Heap::release(heap);
    return block;
  }
  thread_local const Janitor janitor;
  return blocks.heap->allocate(size_index);
}

}  // namespace

void* allocate_block(std::size_t size) {
  if (!pooled || size > largest) return ::operator new(size);
  const std::size_t index = (size - 1) / granule;
  Cache& cache = blocks.caches[index];
  if (cache.first == nullptr) return allocate_from_heap(index);
  FreeBlock* block = cache.first;
  cache.first = block->next;
  --cache.size;
  return block;
}

void free_block(void* block, std::size_t size) noexcept {
  if (!pooled || size > largest) return ::operator delete(block);
  Cache& cache = blocks.caches[(size - 1) / granule];
  if (cache.size == most_cached || blocks.heap == nullptr || blocks.ended) return Heap::free(block);
  cache.first = ::new (block) FreeBlock{cache.first};
  ++cache.size;
}

}  // namespace convoy::detail
