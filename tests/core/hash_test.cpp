#include "core/hash.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

using namespace convoy;

namespace {

std::span<const std::byte> bytes_of(const std::string& text) {
  return std::as_bytes(std::span(text));
}

}  // namespace

TEST_CASE("the hash is MurmurHash3 x64 128") {
  // SMHasher's own check: the hash, seed 0, of the 256 hashes of {}, {0}, {0, 1}, ..., {0, ..., 254} under
  // the seeds 256, 255, ..., 1 begins with the 32 bits 0x6384BA69.
  StableHasher whole;
  std::vector<std::byte> key;
  for (std::uint32_t i = 0; i < 256; ++i) {
    const std::array<std::uint64_t, 2> hash =
        StableHasher(256 - i).update(std::span<const std::byte>(key)).value();
    whole.update(std::as_bytes(std::span(hash)));
    key.push_back(static_cast<std::byte>(i));
  }
  CHECK(static_cast<std::uint32_t>(whole.value()[0]) == 0x6384BA69);
  CHECK(StableHasher().hex() == "00000000000000000000000000000000");
  CHECK(StableHasher().update(bytes_of("hello")).hex() == "029bbd41b3a7d8cb191dae486a901e5b");
}

TEST_CASE("the hash depends on the bytes alone, not on how they were cut") {
  std::string text;
  for (int i = 0; i < 1000; ++i) text += static_cast<char>(i * 37 % 251);
  const std::string whole = StableHasher().update(bytes_of(text)).hex();
  for (const std::size_t piece : {1u, 3u, 15u, 16u, 17u, 100u}) {
    StableHasher hasher;
    for (std::size_t i = 0; i < text.size(); i += piece)
      hasher.update(bytes_of(text).subspan(i, std::min(piece, text.size() - i)));
    CHECK(hasher.hex() == whole);
  }
}

TEST_CASE("typed values are told apart by value, not by type") {
  const auto hash = [](auto... values) {
    StableHasher hasher;
    (hasher.update(values), ...);
    return hasher.hex();
  };
  CHECK(hash(7) == hash(std::int64_t{7}));
  CHECK(hash(7u) == hash(std::uint8_t{7}));
  CHECK(hash(-1) == hash(std::int64_t{-1}));
  CHECK(hash(true) == hash(1));
  CHECK(hash(1.0) != hash(1));
  CHECK(hash(0.0) != hash(-0.0));
  CHECK(hash("ab", "c") != hash("a", "bc"));
  CHECK(hash(std::string("ab")) == hash("ab"));
  CHECK(hash(1, 2) != hash(2, 1));
}

TEST_CASE("a hasher can be asked on the way and copied") {
  StableHasher hasher;
  hasher.update(1);
  const std::string first = hasher.hex();
  CHECK(hasher.hex() == first);
  StableHasher copy = hasher;
  hasher.update(2);
  CHECK(copy.hex() == first);
  copy.update(2);
  CHECK(copy.hex() == hasher.hex());
}

TEST_CASE("names hash to well spread numbers") {
  // 10,000 names: no two equal, and each of 64 bits set in 4700 to 5300 of them (mean 5000, deviation 50).
  std::array<int, 64> set{};
  std::vector<std::uint64_t> hashes;
  for (int i = 0; i < 10000; ++i) {
    const std::uint64_t hash = stable_hash("worker " + std::to_string(i));
    hashes.push_back(hash);
    for (std::size_t bit = 0; bit < 64; ++bit) set[bit] += static_cast<int>(hash >> bit & 1);
  }
  std::sort(hashes.begin(), hashes.end());
  CHECK(std::adjacent_find(hashes.begin(), hashes.end()) == hashes.end());
  for (const int count : set) CHECK((count > 4700 && count < 5300));
}
