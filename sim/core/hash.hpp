// Stable hashes: the same bits on every machine, in every build, for ever. Not for hostile input.
//
//   StableHasher hasher;
//   hasher.update("step").update(std::int64_t{7}).update(0.25);
//   std::string digest = hasher.hex();      // 32 hexadecimal digits
#pragma once

#include <array>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

namespace convoy {

/// MurmurHash3 x64 128 (Austin Appleby, SMHasher, 2011, public domain) of a stream of bytes.
/// Copyable; asking for the hash leaves the stream as it is. Little-endian machines only.
class StableHasher {
 public:
  StableHasher() = default;
  explicit StableHasher(std::uint32_t seed) : h1_(seed), h2_(seed) {}

  /// The bytes as they are, without their number.
  StableHasher& update(std::span<const std::byte> bytes);
  /// Any integer, bool or enum as 8 bytes, sign extended: the type does not matter, the value does.
  template <class T>
  requires(std::integral<T> || std::is_enum_v<T>) StableHasher& update(T value) {
    return word(static_cast<std::uint64_t>(value));
  }
  /// The 8 bytes of the value: 0.0 and -0.0 differ.
  StableHasher& update(double value) { return word(std::bit_cast<std::uint64_t>(value)); }
  /// The length as 8 bytes, then the characters: "ab","c" and "a","bc" differ.
  StableHasher& update(std::string_view text);
  StableHasher& update(const char* text) { return update(std::string_view(text)); }

  /// The first and second 64 bits of the hash of everything so far.
  [[nodiscard]] std::array<std::uint64_t, 2> value() const;
  /// The 16 bytes of value() as 32 lower-case hexadecimal digits, first byte first.
  [[nodiscard]] std::string hex() const;

 private:
  static constexpr std::size_t block_size = 16;
  StableHasher& word(std::uint64_t value) {
    std::array<std::byte, 8> bytes;
    std::memcpy(bytes.data(), &value, sizeof value);
    return update(bytes);
  }
  void block(const std::byte* bytes);

  std::uint64_t h1_ = 0, h2_ = 0;
  std::uint64_t length_ = 0;
  std::array<std::byte, block_size>
      tail_{};  ///< the first length_ % 16 bytes wait for the rest of their block
};

/// First 64 bits of the hash of the characters.
[[nodiscard]] std::uint64_t stable_hash(std::string_view text);

}  // namespace convoy
