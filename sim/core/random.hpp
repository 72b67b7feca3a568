// Random numbers from named, counter-based streams.
//
//   RandomStream noise(seed, "compute noise", worker);
//   double factor = 1 + 0.1 * noise.normal();
//
// A stream depends on (seed, purpose, entity, index) alone: the numbers of worker 7 stay the same whatever
// other workers, algorithms or logs exist, and in whatever order streams are made or used. All results are
// the same bits on every machine: distributions use + - * / and sqrt (correctly rounded by IEEE 754) and the
// functions of this file.
#pragma once

#include <array>
#include <cstdint>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace convoy {

/// One block of Philox4x32 with 10 rounds: 128 random bits of a 128-bit counter and a 64-bit key.
/// Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC'11.
[[nodiscard]] std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                                         std::array<std::uint32_t, 2> key);

/// A stream of random numbers. Copyable: a copy goes on from the same place.
class RandomStream {
 public:
  /// Philox4x32-10 with key mix(seed, hash of purpose) and counter (block number, mix(entity, index)), 64
  /// bits each.
  RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t entity = 0,
               std::uint64_t index = 0);

  /// 64 random bits.
  [[nodiscard]] std::uint64_t bits() {
    if (used_ == 2) refill();
    return block_[used_++];
  }
  /// Uniform on [0, 1), a multiple of 2^-53.
  [[nodiscard]] double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  /// Uniform on {0, ..., n-1}, without bias. Throws std::invalid_argument for n = 0.
  /// Lemire, "Fast random integer generation in an interval", ACM TOMACS 29 (2019).
  [[nodiscard]] std::uint64_t below(std::uint64_t n);
  /// Standard normal: the inverse distribution function at one uniform number, so that each call takes 64
  /// bits. Wichura, algorithm AS 241 (PPND16), Applied Statistics 37 (1988); relative error about 1e-16.
  [[nodiscard]] double normal();
  /// Exponential with mean 1.
  [[nodiscard]] double exponential();
  /// Gamma with the given shape and scale 1. Throws std::invalid_argument unless shape is positive and
  /// finite. Marsaglia, Tsang, "A simple method for generating gamma variables", ACM TOMS 26 (2000); below
  /// shape 1 with their gamma(shape + 1) * uniform^(1 / shape).
  [[nodiscard]] double gamma(double shape);
  /// A point of the simplex, Dirichlet(alpha): normalised gamma variables, in logarithms so that tiny shapes
  /// do not underflow. Throws std::invalid_argument if alpha is empty or an entry is not positive and finite.
  [[nodiscard]] std::vector<double> dirichlet(std::span<const double> alpha);
  /// True with the given probability. Throws std::invalid_argument outside [0, 1].
  [[nodiscard]] bool bernoulli(double probability);
  /// Fisher-Yates: every order is equally likely.
  template <std::random_access_iterator It>
  void shuffle(It first, It last) {
    for (auto n = last - first; n > 1; --n) {
      const auto pick = static_cast<decltype(n)>(below(static_cast<std::uint64_t>(n)));
      std::iter_swap(first + (n - 1), first + pick);
    }
  }

 private:
  void refill();
  [[nodiscard]] double log_gamma_variable(double shape);

  std::array<std::uint32_t, 2> key_;
  std::uint64_t stream_;
  std::uint64_t next_block_ = 0;
  std::array<std::uint64_t, 2> block_{};
  unsigned used_ = 2;
};

/// Image of i under a permutation of {0, ..., size-1} chosen by the key, without a table: a Feistel network
/// on the next power of two, applied until the image is below size (Black, Rogaway, "Ciphers with arbitrary
/// finite domains", CT-RSA 2002). Throws std::out_of_range unless i < size.
[[nodiscard]] std::uint64_t permuted_index(std::uint64_t key, std::uint64_t size, std::uint64_t i);

/// A bijection of 64-bit words in which every bit of the input moves every bit of the output: the finaliser
/// of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
[[nodiscard]] constexpr std::uint64_t mix64(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

/// Natural logarithm, relative error below 4 ulp: the series of atanh. Unlike std::log, whose last bit
/// belongs to the C library, the same bits on every machine. -inf at 0, NaN below.
[[nodiscard]] double portable_log(double x);
/// Exponential function, relative error below 4 ulp, on the same terms as portable_log.
[[nodiscard]] double portable_exp(double x);
/// Inverse of the standard normal distribution function on (0, 1): AS 241. Throws std::domain_error outside.
[[nodiscard]] double normal_quantile(double probability);

}  // namespace convoy
