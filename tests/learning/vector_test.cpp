#include "learning/vector.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <thread>
#include <vector>

#include "core/hash.hpp"
#include "core/random.hpp"

using namespace convoy;

namespace {

Vector random_vector(std::size_t size, Precision precision, std::uint64_t seed) {
  RandomStream stream(seed, "vector test");
  std::vector<double> values;
  for (std::size_t i = 0; i < size; ++i) values.push_back(stream.normal());
  return {Layout::flat(size), precision, values};
}

std::string digest(const Vector& vector) {
  StableHasher hasher;
  vector.hash_into(hasher);
  return hasher.hex();
}

constexpr Precision both[] = {Precision::float32, Precision::float64};

}  // namespace

TEST_CASE("a new vector is zero and a default-made one is empty") {
  const Vector zero(Layout::flat(5), Precision::float64);
  CHECK(zero.size() == 5);
  CHECK(zero.norm() == 0);
  const Vector empty;
  CHECK(empty.empty());
  CHECK(empty.values<float>().empty());
  CHECK(empty.dot(empty) == 0);
  CHECK(empty.finite());
  CHECK_THROWS_AS(static_cast<void>(empty.layout()), std::logic_error);
}

TEST_CASE("a copy shares its buffer until one of the two is written") {
  Vector a(Layout::flat(3), Precision::float32, std::vector<double>{1, 2, 3});
  CHECK(a.unshared());
  Vector b = a;
  CHECK(a.shares_buffer_with(b));
  CHECK(!a.unshared());
  b.set(1, 7);
  CHECK(!a.shares_buffer_with(b));
  CHECK(a.to_doubles() == std::vector<double>{1, 2, 3});
  CHECK(b.to_doubles() == std::vector<double>{1, 7, 3});
  const float* const before = b.values<float>().data();
  b.scale(2);  // the only owner writes in place
  CHECK(b.values<float>().data() == before);
}

TEST_CASE("buffers are aligned to a cache line for every size") {
  for (const std::size_t size : {1U, 2U, 7U, 16U, 1000U, 101770U}) {
    const Vector vector(Layout::flat(size), Precision::float32);
    CHECK(reinterpret_cast<std::uintptr_t>(vector.values<float>().data()) % 64 == 0);
  }
}

TEST_CASE("arithmetic is the formula of each coordinate, in place and out of place") {
  for (const Precision precision : both) {
    for (const bool shared : {false, true}) {
      // x = (1, -2, 4, 0.5), y = (8, 0.25, -1, 2): every result below is exact in float32.
      const auto layout = Layout::flat(4);
      const Vector y(layout, precision, std::vector<double>{8, 0.25, -1, 2});
      const auto fresh = [&] { return Vector(layout, precision, std::vector<double>{1, -2, 4, 0.5}); };
      const auto check = [&](auto operation, const std::vector<double>& expected) {
        Vector x = fresh();
        const Vector keep = shared ? x : Vector();
        operation(x);
        CHECK(x.to_doubles() == expected);
        if (shared) CHECK(keep == fresh());
      };
      check([&](Vector& x) { x.axpy(0.5, y); }, {5, -1.875, 3.5, 1.5});
      check([&](Vector& x) { x.combine(2, -1, y); }, {-6, -4.25, 9, -1});
      check([&](Vector& x) { x.lerp(y, 0.25); }, {2.75, -1.4375, 2.75, 0.875});
      check([&](Vector& x) { x.lerp(y, 0); }, {1, -2, 4, 0.5});
      check([&](Vector& x) { x.lerp(y, 1); }, {8, 0.25, -1, 2});
      check([&](Vector& x) { x.scale(-3); }, {-3, 6, -12, -1.5});
      check([&](Vector& x) { x.assign_zero(); }, {0, 0, 0, 0});
      check([&](Vector& x) { x += y; }, {9, -1.75, 3, 2.5});
      check([&](Vector& x) { x -= y; }, {-7, -2.25, 5, -1.5});
      check([&](Vector& x) { x.assign_range(y, 1, 3); }, {1, 0.25, -1, 0.5});
      check([&](Vector& x) { x = x + y; }, {9, -1.75, 3, 2.5});
      check([&](Vector& x) { x = y - x; }, {7, 2.25, -5, 1.5});
      check([&](Vector& x) { x = 2 * x; }, {2, -4, 8, 1});
      // A vector may be its own operand.
      check([&](Vector& x) { x.axpy(1, x); }, {2, -4, 8, 1});
      check(
          [&](Vector& x) {
            const Vector& same = x;
            x -= same;
          },
          {0, 0, 0, 0});
      check([&](Vector& x) { x.combine(3, -2, x); }, {1, -2, 4, 0.5});
    }
  }
}

TEST_CASE("dot, norm and distance are right for every remainder of the sixteen interleaved sums") {
  for (const Precision precision : both) {
    for (std::size_t size = 0; size < 70; ++size) {
      // a_i = i, b_i = 1: dot = n (n - 1) / 2, |a|^2 = (n - 1) n (2 n - 1) / 6, all exact.
      std::vector<double> a;
      for (std::size_t i = 0; i < size; ++i) a.push_back(static_cast<double>(i));
      const auto layout = Layout::flat(size);
      const Vector x(layout, precision, a);
      const Vector ones(layout, precision, std::vector<double>(size, 1));
      const auto n = static_cast<double>(size);
      CHECK(x.dot(ones) == n * (n - 1) / 2);
      CHECK(x.squared_norm() == (n - 1) * n * (2 * n - 1) / 6);
      CHECK(x.distance(2 * x) == x.norm());
    }
  }
}

TEST_CASE("float32 products are summed in float64") {
  // 2^24 + 1 is no float32: a float32 sum of 2^24 and sixteen ones would lose them.
  std::vector<double> values(17, 1);
  values[0] = 4096;
  const Vector x(Layout::flat(17), Precision::float32, values);
  CHECK(x.squared_norm() == 16777216 + 16);
}

TEST_CASE("a mean adds ranks in order and rounds once") {
  const auto layout = Layout::flat(1);
  const auto of = [&](Precision precision, double value) {
    return Vector(layout, precision, std::vector<double>{value});
  };
  // In float64 1e16 + 1 = 1e16 (ties to even), so the order of addition shows: ((1e16 + 1) - 1e16) / 3 = 0
  // but
  // ((1e16 - 1e16) + 1) / 3 = 1/3.
  const Vector big = of(Precision::float64, 1e16);
  const Vector one = of(Precision::float64, 1);
  const Vector minus = of(Precision::float64, -1e16);
  CHECK(mean(std::vector<Vector>{big, one, minus})[0] == 0);
  CHECK(mean(std::vector<Vector>{big, minus, one})[0] == 1.0 / 3);
  // The mean of equal float32 vectors is that vector: the float64 sum is exact for up to 2^29 ranks.
  const Vector third = of(Precision::float32, 1.0 / 3);
  for (const std::size_t n : {1U, 3U, 7U, 10U, 1000U}) CHECK(mean(std::vector<Vector>(n, third)) == third);
}

TEST_CASE("a weighted sum is the sum of its weighted parts, whole or in ranges") {
  for (const Precision precision : both) {
    const std::size_t size = 1300;  // more than two blocks of 512
    std::vector<Vector> parts;
    for (std::uint64_t i = 0; i < 5; ++i) parts.push_back(random_vector(size, precision, i));
    const std::vector<double> weights{0.5, -1, 0.25, 3, 0.125};
    const Vector sum = weighted_sum(weights, parts);
    for (const std::size_t i : {0U, 511U, 512U, 1299U}) {
      double expected = 0;
      for (std::size_t k = 0; k < parts.size(); ++k) expected += weights[k] * parts[k][i];
      CHECK(sum[i] == doctest::Approx(expected).epsilon(1e-6));
    }
    Vector pieces(parts[0].shared_layout(), precision);
    for (const auto& [first, last] : {std::pair{0, 100}, {100, 777}, {777, 1300}}) {
      weighted_sum_range(weights, parts, pieces, static_cast<std::size_t>(first),
                         static_cast<std::size_t>(last));
    }
    CHECK(pieces == sum);
    mean_range(parts, pieces, 0, size);
    CHECK(pieces == mean(parts));
    const Vector sharing = pieces;
    CHECK_THROWS_AS(mean_range(parts, pieces, 0, 1), std::logic_error);
  }
}

TEST_CASE("layers are views at their offsets") {
  auto layout = std::make_shared<Layout>();
  layout->add_matrix("weight", 2, 3).add_vector("bias", 2);
  CHECK(layout->size == 8);
  Vector x(std::shared_ptr<const Layout>(layout), Precision::float64,
           std::vector<double>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(x.layer<double>(1).front() == 6);
  x.mutable_layer<double>(0)[4] = -1;
  CHECK(x[4] == -1);
  CHECK(x.layout().layers[0].matrix);
  CHECK(!x.layout().layers[1].matrix);
  CHECK_THROWS(static_cast<void>(x.layer<double>(2)));
}

TEST_CASE("finite finds infinities and NaN at any place") {
  for (const Precision precision : both) {
    for (const std::size_t at : {0U, 15U, 16U, 99U}) {
      for (const double bad :
           {std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
            std::numeric_limits<double>::quiet_NaN()}) {
        Vector x(Layout::flat(100), precision);
        CHECK(x.finite());
        x.set(at, bad);
        CHECK(!x.finite());
      }
    }
  }
}

TEST_CASE("the hash follows the bits") {
  const Vector x = random_vector(100, Precision::float32, 1);
  Vector y = x;
  y.set(3, x[3]);  // a buffer of its own with the same bits
  CHECK(!x.shares_buffer_with(y));
  CHECK(digest(x) == digest(y));
  CHECK(x == y);
  y.set(99, 2);
  CHECK(digest(x) != digest(y));
  CHECK(digest(Vector(Layout::flat(4), Precision::float32)) !=
        digest(Vector(Layout::flat(2), Precision::float64)));
}

TEST_CASE("mixing sizes, precisions or scalars is a logic error") {
  Vector a(Layout::flat(3), Precision::float32);
  const Vector longer(Layout::flat(4), Precision::float32);
  const Vector wider(Layout::flat(3), Precision::float64);
  CHECK_THROWS_AS(a.axpy(1, longer), std::logic_error);
  CHECK_THROWS_AS(a -= wider, std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(a.values<double>()), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(a.dot(longer)), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(a[3]), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(mean(std::vector<Vector>{})), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(mean(std::vector<Vector>{a, wider})), std::logic_error);
  CHECK_THROWS_AS(static_cast<void>(weighted_sum(std::vector<double>{1}, std::vector<Vector>{a, a})),
                  std::logic_error);
}

TEST_CASE("overwrite uses an unshared buffer again and never touches a shared one") {
  const auto layout = Layout::flat(10);
  Vector x(layout, Precision::float32);
  const float* const first = x.values<float>().data();
  CHECK(x.overwrite<float>(layout).data() == first);
  const Vector keep = x;
  CHECK(x.overwrite<float>(layout).data() != first);
  CHECK(keep.norm() == 0);
  CHECK(x.overwrite<double>(Layout::flat(3)).size() == 3);
  CHECK(x.precision() == Precision::float64);
}

TEST_CASE("snapshots keep their values while the owner goes on writing and other threads drop them") {
  // Version k of the owner's vector is k in every coordinate; readers check that a snapshot is one version.
  constexpr int versions = 2000;
  constexpr std::size_t size = 64;
  Vector owner(Layout::flat(size), Precision::float64);
  std::vector<std::vector<Vector>> handed(3);
  std::atomic<int> published{0};
  std::atomic<int> torn{0};
  for (auto& list : handed) list.resize(versions);
  std::vector<std::thread> readers;
  for (auto& list : handed) {
    readers.emplace_back([&list, &published, &torn] {
      for (int k = 0; k < versions; ++k) {
        while (published.load(std::memory_order_acquire) <= k) std::this_thread::yield();
        const Vector snapshot = std::move(list[static_cast<std::size_t>(k)]);
        for (const double value : snapshot.values<double>()) torn += value != k ? 1 : 0;
      }
    });
  }
  for (int k = 0; k < versions; ++k) {
    for (auto& list : handed) list[static_cast<std::size_t>(k)] = owner;
    published.store(k + 1, std::memory_order_release);
    for (double& value : owner.mutable_values<double>()) value = k + 1;
  }
  for (std::thread& reader : readers) reader.join();
  CHECK(torn == 0);
  CHECK(owner.unshared());
}
