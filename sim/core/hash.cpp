#include "core/hash.hpp"

#include <algorithm>

namespace convoy {

namespace {

static_assert(std::endian::native == std::endian::little, "hashes read words as they lie in memory");

constexpr std::uint64_t c1 = 0x87c37b91114253d5;
constexpr std::uint64_t c2 = 0x4cf5ad432745937f;

std::uint64_t load(const std::byte* bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, bytes, sizeof word);
  return word;
}

std::uint64_t scramble_first(std::uint64_t k) {
  return std::rotl(k * c1, 31) * c2;
}
std::uint64_t scramble_second(std::uint64_t k) {
  return std::rotl(k * c2, 33) * c1;
}

std::uint64_t finish(std::uint64_t h) {
  h = (h ^ (h >> 33)) * 0xff51afd7ed558ccd;
  h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53;
  return h ^ (h >> 33);
}

}  // namespace

void StableHasher::block(const std::byte* bytes) {
  h1_ = (std::rotl(h1_ ^ scramble_first(load(bytes)), 27) + h2_) * 5 + 0x52dce729;
  h2_ = (std::rotl(h2_ ^ scramble_second(load(bytes + 8)), 31) + h1_) * 5 + 0x38495ab5;
}

StableHasher& StableHasher::update(std::span<const std::byte> bytes) {
  const std::size_t waiting = length_ % block_size;
  length_ += bytes.size();
  if (waiting + bytes.size() < block_size) {
    std::copy(bytes.begin(), bytes.end(), tail_.begin() + static_cast<std::ptrdiff_t>(waiting));
    return *this;
  }
  if (waiting != 0) {
    const auto missing = bytes.first(block_size - waiting);
    std::copy(missing.begin(), missing.end(), tail_.begin() + static_cast<std::ptrdiff_t>(waiting));
    block(tail_.data());
    bytes = bytes.subspan(missing.size());
  }
  for (; bytes.size() >= block_size; bytes = bytes.subspan(block_size)) block(bytes.data());
  std::copy(bytes.begin(), bytes.end(), tail_.begin());
  return *this;
}

StableHasher& StableHasher::update(std::string_view text) {
  word(text.size());
  return update(std::as_bytes(std::span(text)));
}

std::array<std::uint64_t, 2> StableHasher::value() const {
  std::uint64_t h1 = h1_;
  std::uint64_t h2 = h2_;
  const std::size_t waiting = length_ % block_size;
  if (waiting != 0) {
    std::array<std::byte, block_size> rest{};
    std::copy_n(tail_.begin(), waiting, rest.begin());
    h1 ^= scramble_first(load(rest.data()));
    h2 ^= scramble_second(load(rest.data() + 8));
  }
  h1 ^= length_;
  h2 ^= length_;
  h1 += h2;
  h2 += h1;
  h1 = finish(h1);
  h2 = finish(h2);
  h1 += h2;
  h2 += h1;
  return {h1, h2};
}

std::string StableHasher::hex() const {
  constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * block_size);
  for (const std::uint64_t word : value()) {
    for (int shift = 0; shift < 64; shift += 8) {
      text += digits[word >> (shift + 4) & 15];
      text += digits[word >> shift & 15];
    }
  }
  return text;
}

std::uint64_t stable_hash(std::string_view text) {
  return StableHasher().update(std::as_bytes(std::span(text))).value()[0];
}

}  // namespace convoy
