#include "core/random.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <stdexcept>

#include "core/hash.hpp"

namespace convoy {

namespace {

/// Uniform on (0, 1), ends excluded: the middles of 2^52 equal intervals.
double inside_unit_interval(std::uint64_t bits) {
  return (static_cast<double>(bits >> 12) + 0.5) * 0x1p-52;
}

/// c[0] + c[1] x + ... by Horner's rule.
template <std::size_t n>
double polynomial(const std::array<double, n>& c, double x) {
  double sum = c[n - 1];
  for (std::size_t i = n - 1; i-- > 0;) sum = sum * x + c[i];
  return sum;
}

void check_shape(double shape) {
  if (!(shape > 0) || !std::isfinite(shape))
    throw std::invalid_argument("a gamma shape must be positive and finite");
}

}  // namespace

std::array<std::uint32_t, 4> philox4x32_10(std::array<std::uint32_t, 4> counter,
                                           std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0],
               static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1],
               static_cast<std::uint32_t>(product0)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

RandomStream::RandomStream(std::uint64_t seed, std::string_view purpose, std::uint64_t entity,
                           std::uint64_t index)
    : stream_(mix64(mix64(entity) + index)) {
  const std::uint64_t key = mix64(mix64(seed) ^ stable_hash(purpose));
  key_ = {static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)};
}

void RandomStream::refill() {
  const auto words =
      philox4x32_10({static_cast<std::uint32_t>(next_block_), static_cast<std::uint32_t>(next_block_ >> 32),
                     static_cast<std::uint32_t>(stream_), static_cast<std::uint32_t>(stream_ >> 32)},
                    key_);
  ++next_block_;
  block_ = {std::uint64_t{words[1]} << 32 | words[0], std::uint64_t{words[3]} << 32 | words[2]};
  used_ = 0;
}

std::uint64_t RandomStream::below(std::uint64_t n) {
  if (n == 0) throw std::invalid_argument("a random number below 0");
  __extension__ using Wide = unsigned __int128;
  Wide product = static_cast<Wide>(bits()) * n;
  if (static_cast<std::uint64_t>(product) < n) {
    const std::uint64_t biased = -n % n;  // 2^64 mod n
    while (static_cast<std::uint64_t>(product) < biased) product = static_cast<Wide>(bits()) * n;
  }
  return static_cast<std::uint64_t>(product >> 64);
}

double RandomStream::normal() {
  return normal_quantile(inside_unit_interval(bits()));
}

double RandomStream::exponential() {
  return -portable_log(1 - uniform());
}

double RandomStream::gamma(double shape) {
  check_shape(shape);
  if (shape < 1) return portable_exp(log_gamma_variable(shape));
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = normal();
    const double root = 1 + c * x;
    if (root <= 0) continue;
    const double v = root * root * root;
    const double u = uniform();
    const double squared = x * x;
    if (u < 1 - 0.0331 * squared * squared) return d * v;
    if (portable_log(u) < 0.5 * squared + d * (1 - v + portable_log(v))) return d * v;
  }
}

double RandomStream::log_gamma_variable(double shape) {
  if (shape >= 1) return portable_log(gamma(shape));
  const double larger = portable_log(gamma(shape + 1));
  return larger + portable_log(inside_unit_interval(bits())) / shape;
}

std::vector<double> RandomStream::dirichlet(std::span<const double> alpha) {
  if (alpha.empty()) throw std::invalid_argument("a Dirichlet distribution needs a parameter");
  std::vector<double> shares;
  shares.reserve(alpha.size());
  for (const double shape : alpha) {
    check_shape(shape);
    shares.push_back(log_gamma_variable(shape));
  }
  const double largest = *std::max_element(shares.begin(), shares.end());
  double sum = 0;
  for (double& share : shares) sum += share = portable_exp(share - largest);
  for (double& share : shares) share /= sum;
  return shares;
}

bool RandomStream::bernoulli(double probability) {
  if (!(probability >= 0 && probability <= 1))
    throw std::invalid_argument("a probability must lie in [0, 1]");
  return uniform() < probability;
}

std::uint64_t permuted_index(std::uint64_t key, std::uint64_t size, std::uint64_t i) {
  if (i >= size) throw std::out_of_range("an index beyond the size of its permutation");
  constexpr int rounds = 8;  // even, so that the halves end where they began
  const int width = std::max(2, static_cast<int>(std::bit_width(size - 1)));
  const std::array<int, 2> half = {width / 2, width - width / 2};  // widths of the parts
  const std::uint64_t secret = mix64(key);
  do {
    std::uint64_t left = i >> half[1];
    std::uint64_t right = i & ((std::uint64_t{1} << half[1]) - 1);
    for (int round = 0; round < rounds; ++round) {
      const std::uint64_t mask = (std::uint64_t{1} << half[static_cast<std::size_t>(round % 2)]) - 1;
      const std::uint64_t noise = mix64(secret ^ (right + (static_cast<std::uint64_t>(round + 1) << 40)));
      left = std::exchange(right, (left ^ noise) & mask);
    }
    i = left << half[1] | right;
  } while (i >= size);
  return i;
}

namespace {

// ln 2 = high + low; high has 33 significant bits, so that its product with an exponent is exact.
constexpr double ln2_high = 0x1.62e42fefp-1;
constexpr double ln2_low = 0x1.473de6af278edp-34;

}  // namespace

double portable_log(double x) {
  if (std::isnan(x) || x < 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == 0) return -std::numeric_limits<double>::infinity();
  if (std::isinf(x)) return x;
  int exponent = 0;
  double mantissa = std::frexp(x, &exponent);  // exact
  if (mantissa < 0.70710678118654752) {
    mantissa *= 2;
    --exponent;
  }
  // log m = 2 atanh s = 2 s (1 + z/3 + z^2/5 + ...), s = (m - 1) / (m + 1), z = s^2 < 0.0295: z^11/23 <
  // 2^-60.
  static constexpr std::array<double, 10> series = {1.0 / 3,  1.0 / 5,  1.0 / 7,  1.0 / 9,  1.0 / 11,
                                                    1.0 / 13, 1.0 / 15, 1.0 / 17, 1.0 / 19, 1.0 / 21};
  const double s = (mantissa - 1) / (mantissa + 1);
  const double z = s * s;
  const double rest = 2 * s * (z * polynomial(series, z));
  return exponent * ln2_high + (exponent * ln2_low + rest + 2 * s);
}

double portable_exp(double x) {
  if (std::isnan(x)) return x;
  if (x > 710) return std::numeric_limits<double>::infinity();
  if (x < -746) return 0;
  const double exponent = std::floor(x * 0x1.71547652b82fep+0 + 0.5);
  const double r = (x - exponent * ln2_high) - exponent * ln2_low;  // at most 0.35 in size: r^14/14! < 2^-57
  static constexpr std::array<double, 14> series = {1.0,
                                                    1.0,
                                                    1.0 / 2,
                                                    1.0 / 6,
                                                    1.0 / 24,
                                                    1.0 / 120,
                                                    1.0 / 720,
                                                    1.0 / 5040,
                                                    1.0 / 40320,
                                                    1.0 / 362880,
                                                    1.0 / 3628800,
                                                    1.0 / 39916800,
                                                    1.0 / 479001600,
                                                    1.0 / 6227020800};
  return std::ldexp(polynomial(series, r), static_cast<int>(exponent));
}

double normal_quantile(double probability) {
  if (!(probability > 0 && probability < 1)) throw std::domain_error("a probability must lie in (0, 1)");
  // Coefficients of AS 241: a/b near the middle, c/d in the tails, e/f far out.
  static constexpr std::array<double, 8> a = {
      3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
      4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3};
  static constexpr std::array<double, 8> b = {1.0,
                                              4.2313330701600911252e1,
                                              6.8718700749205790830e2,
                                              5.3941960214247511077e3,
                                              2.1213794301586595867e4,
                                              3.9307895800092710610e4,
                                              2.8729085735721942674e4,
                                              5.2264952788528545610e3};
  static constexpr std::array<double, 8> c = {1.42343711074968357734e0,  4.63033784615654529590e0,
                                              5.76949722146069140550e0,  3.64784832476320460504e0,
                                              1.27045825245236838258e0,  2.41780725177450611770e-1,
                                              2.27238449892691845833e-2, 7.74545014278341407640e-4};
  static constexpr std::array<double, 8> d = {1.0,
                                              2.05319162663775882187e0,
                                              1.67638483018380384940e0,
                                              6.89767334985100004550e-1,
                                              1.48103976427480074590e-1,
                                              1.51986665636164571966e-2,
                                              5.47593808499534494600e-4,
                                              1.05075007164441684324e-9};
  static constexpr std::array<double, 8> e = {6.65790464350110377720e0,  5.46378491116411436990e0,
                                              1.78482653991729133580e0,  2.96560571828504891230e-1,
                                              2.65321895265761230930e-2, 1.24266094738807843860e-3,
                                              2.71155556874348757815e-5, 2.01033439929228813265e-7};
  static constexpr std::array<double, 8> f = {1.0,
                                              5.99832206555887937690e-1,
                                              1.36929880922735805310e-1,
                                              1.48753612908506148525e-2,
                                              7.86869131145613259100e-4,
                                              1.84631831751005468180e-5,
                                              1.42151175831644588870e-7,
                                              2.04426310338993978564e-15};
  const double q = probability - 0.5;
  if (std::abs(q) <= 0.425) {
    const double r = 0.180625 - q * q;
    return q * polynomial(a, r) / polynomial(b, r);
  }
  const double r = std::sqrt(-portable_log(q < 0 ? probability : 1 - probability));
  const double size =
      r <= 5 ? polynomial(c, r - 1.6) / polynomial(d, r - 1.6) : polynomial(e, r - 5) / polynomial(f, r - 5);
  return q < 0 ? -size : size;
}

}  // namespace convoy
