#include "core/frame_pool.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <cstring>
#include <set>
#include <thread>
#include <vector>

using namespace convoy::detail;

namespace {

struct Block {
  void* memory;
  std::size_t size;
};

std::vector<Block> take(std::size_t count, std::size_t salt) {
  std::vector<Block> blocks;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t size = 1 + (i * 97 + salt) % 1500;  // beyond 1024 too
    void* memory = allocate_block(size);
    std::memset(memory, static_cast<int>(i % 251), size);
    blocks.push_back({memory, size});
  }
  return blocks;
}

bool intact(const std::vector<Block>& blocks) {
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    const auto* bytes = static_cast<const unsigned char*>(blocks[i].memory);
    for (std::size_t k = 0; k < blocks[i].size; ++k) {
      if (bytes[k] != i % 251) return false;
    }
  }
  return true;
}

void give(const std::vector<Block>& blocks) {
  for (const Block& block : blocks) free_block(block.memory, block.size);
}

}  // namespace

TEST_CASE("blocks of every size are apart, and are used again after they came back") {
  for (std::size_t round = 0; round < 3; ++round) {
    const std::vector<Block> blocks = take(3000, round);
    CHECK(intact(blocks));
    give(blocks);
  }
  // More than a slab of 2 MiB of one size: 20,000 blocks of 192 bytes.
  std::vector<Block> many;
  std::set<void*> places;
  for (int i = 0; i < 20000; ++i) {
    many.push_back({allocate_block(180), 180});
    places.insert(many.back().memory);
  }
  CHECK(places.size() == 20000);
  give(many);
}

TEST_CASE("blocks may be freed on another thread, after their own thread has ended") {
  std::vector<Block> blocks;
  std::thread maker([&] { blocks = take(2000, 5); });
  maker.join();
  CHECK(intact(blocks));
  std::thread breaker([&] { give(blocks); });
  breaker.join();

  // Two threads that free each other's blocks while they allocate.
  std::vector<Block> left = take(2000, 1), right;
  std::thread other([&] {
    give(left);
    right = take(2000, 2);
  });
  const std::vector<Block> own = take(2000, 3);
  other.join();
  CHECK(intact(own));
  CHECK(intact(right));
  give(own);
  give(right);
}
