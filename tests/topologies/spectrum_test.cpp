// Spectra of communication graphs against their closed forms, to 1e-12.
#include "topologies/spectrum.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <string>
#include <vector>

#include "topologies/adjacency.hpp"
#include "topologies/all.hpp"
#include "topologies/weighted_graph.hpp"

using namespace convoy;

namespace {

constexpr double pi = std::numbers::pi;
constexpr double exact = 1e-12;

struct Built {
  MixingMatrix matrix;
  Spectrum spectrum;
};
Built built(const std::string& kind, int nodes) {
  const std::unique_ptr<GraphBuilder> graph = graph_makers().at(kind)();
  MixingMatrix matrix = graph->build(nodes);
  Spectrum spectrum = graph->spectrum(matrix);
  return {std::move(matrix), std::move(spectrum)};
}

/// The eigenvalues are the expected ones with their multiplicities, and beta, gap and lambda_min follow from
/// them.
void check_real(const Spectrum& got, std::vector<double> expected) {
  std::sort(expected.rbegin(), expected.rend());
  REQUIRE(got.eigenvalues.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(std::abs(got.eigenvalues[i] - expected[i]) < exact);
  }
  double beta = 0;
  for (std::size_t i = 1; i < expected.size(); ++i) beta = std::max(beta, std::abs(expected[i]));
  CHECK(std::abs(got.beta - beta) < exact);
  CHECK(std::abs(got.gap - (1 - beta)) < exact);
  CHECK(std::abs(got.lambda_min - expected.back()) < exact);
}

}  // namespace

TEST_CASE("ring: (1 + 2 cos(2 pi k/n)) / 3") {
  for (const int n : {3, 4, 5, 8, 9, 16, 31, 64}) {
    std::vector<double> expected;
    for (int k = 0; k < n; ++k) expected.push_back((1 + 2 * std::cos(2 * pi * k / n)) / 3);
    check_real(built("ring", n).spectrum, expected);
  }
  // Published to five digits: .33333 (4), .80474 (8), .94925 (16), .98719 (32), .99679 (64); the smallest is
  // -1/3 for even n.
  CHECK(built("ring", 8).spectrum.beta == doctest::Approx(0.80474).epsilon(1e-5));
  CHECK(built("ring", 64).spectrum.beta == doctest::Approx(0.99679).epsilon(1e-5));
  CHECK(std::abs(built("ring", 16).spectrum.lambda_min + 1.0 / 3) < exact);
  CHECK(built("ring", 15).spectrum.lambda_min > -1.0 / 3);
}

TEST_CASE("one node and two nodes average exactly, in any graph") {
  for (const char* kind :
       {"ring", "path", "star", "complete", "torus", "grid", "hypercube", "static_exponential"}) {
    CAPTURE(kind);
    const Spectrum one = built(kind, 1).spectrum;
    CHECK(one.eigenvalues == std::vector<std::complex<double>>{1.0});
    CHECK(one.beta == 0);
    CHECK(one.gap == 1);
    CHECK(one.lambda_min == 1);
    check_real(built(kind, 2).spectrum, {1, 0});
  }
}

TEST_CASE("path: (1 + 2 cos(pi k/n)) / 3, half the spectrum of the ring of twice the size") {
  for (const int n : {2, 3, 4, 7, 16}) {
    std::vector<double> expected;
    for (int k = 0; k < n; ++k) expected.push_back((1 + 2 * std::cos(pi * k / n)) / 3);
    if (n > 2) check_real(built("path", n).spectrum, expected);
  }
  CHECK(std::abs(built("path", 8).spectrum.beta - built("ring", 16).spectrum.beta) < exact);
}

TEST_CASE("complete graph: 1 and zeros") {
  for (const int n : {3, 4, 9, 32}) {
    std::vector<double> expected(static_cast<std::size_t>(n), 0);
    expected[0] = 1;
    check_real(built("complete", n).spectrum, expected);
  }
}

TEST_CASE("star: 1, 1 - 1/n (n-2 times), 0") {
  for (const int n : {3, 4, 9, 32}) {
    std::vector<double> expected(static_cast<std::size_t>(n), 1 - 1.0 / n);
    expected[0] = 1;
    expected[1] = 0;
    check_real(built("star", n).spectrum, expected);
  }
}

TEST_CASE("torus: (1 + 2 cos(2 pi p/a) + 2 cos(2 pi q/b)) / 5") {
  for (const auto& [a, b] : {std::pair{3, 3}, {3, 4}, {4, 4}, {5, 6}, {8, 8}}) {
    std::vector<double> expected;
    for (int p = 0; p < a; ++p) {
      for (int q = 0; q < b; ++q)
        expected.push_back((1 + 2 * std::cos(2 * pi * p / a) + 2 * std::cos(2 * pi * q / b)) / 5);
    }
    check_real(built("torus", a * b).spectrum, expected);  // the default shape of these sizes
  }
  CHECK(built("torus", 64).spectrum.beta == doctest::Approx(0.88284).epsilon(1e-5));
  CHECK(std::abs(built("torus", 64).spectrum.lambda_min + 0.6) < exact);
}

TEST_CASE("grid with max_degree weights: 1 - (4 - 2 cos(pi p/a) - 2 cos(pi q/b)) / 5") {
  for (const auto& [a, b] : {std::pair{3, 3}, {3, 5}, {4, 7}}) {
    Adjacency grid(a * b);
    for (int r = 0; r < a; ++r) {
      for (int c = 0; c < b; ++c) {
        if (r + 1 < a) grid.join(r * b + c, (r + 1) * b + c);
        if (c + 1 < b) grid.join(r * b + c, r * b + c + 1);
      }
    }
    std::vector<double> expected;
    for (int p = 0; p < a; ++p) {
      for (int q = 0; q < b; ++q)
        expected.push_back(1 - (4 - 2 * std::cos(pi * p / a) - 2 * std::cos(pi * q / b)) / 5);
    }
    check_real(dense_spectrum(mixing_matrix("grid", grid, MixingWeights::max_degree)), expected);
  }
}

TEST_CASE("hypercube: 1 - 2j/(d+1), C(d, j) times") {
  for (int d = 1; d <= 6; ++d) {
    std::vector<double> expected;
    double binomial = 1;
    for (int j = 0; j <= d; ++j) {
      expected.insert(expected.end(), static_cast<std::size_t>(std::lround(binomial)), 1 - 2.0 * j / (d + 1));
      binomial = binomial * (d - j) / (j + 1);
    }
    check_real(built("hypercube", 1 << d).spectrum, expected);
  }
  // (d-1)/(d+1): .5 (8 nodes), .6 (16), .66667 (32), .71429 (64).
  CHECK(std::abs(built("hypercube", 64).spectrum.beta - 5.0 / 7) < exact);
}

TEST_CASE(
    "static exponential: the discrete Fourier transform of its row; beta = 1 - 2/(t+1) for even n, smaller "
    "for odd") {
  for (const int n : {3, 4, 6, 7, 8, 9, 12, 16, 33}) {
    CAPTURE(n);
    const int t = static_cast<int>(std::ceil(std::log2(n)));
    const Spectrum got = built("static_exponential", n).spectrum;
    double beta = 0;
    std::vector<bool> taken(got.eigenvalues.size(), false);
    for (int k = 0; k < n; ++k) {
      std::complex<double> value = 1;
      for (int offset = 1; offset < n; offset *= 2) value += std::polar(1.0, 2 * pi * k * offset / n);
      value /= t + 1;
      if (k > 0) beta = std::max(beta, std::abs(value));
      bool found = false;
      for (std::size_t i = 0; i < taken.size() && !found; ++i) {
        found = !taken[i] && std::abs(got.eigenvalues[i] - value) < exact;
        if (found) taken[i] = true;
      }
      CHECK(found);
    }
    CHECK(std::abs(got.beta - beta) < exact);
    if (n % 2 == 0) CHECK(std::abs(got.beta - (1 - 2.0 / (t + 1))) < exact);
    if (n % 2 == 1) CHECK(got.beta < 1 - 2.0 / (t + 1));
  }
  CHECK(built("static_exponential", 7).spectrum.beta == doctest::Approx(0.3536).epsilon(1e-4));
  CHECK(built("static_exponential", 9).spectrum.beta == doctest::Approx(0.4418).epsilon(1e-4));
}

TEST_CASE("lazy(theta) maps each eigenvalue to 1 - theta + theta lambda") {
  Adjacency ring(10);
  for (int i = 0; i < 10; ++i) ring.join(i, (i + 1) % 10);
  std::vector<double> expected;
  for (int k = 0; k < 10; ++k) expected.push_back(0.5 + 0.5 * (1 + 2 * std::cos(2 * pi * k / 10)) / 3);
  const Spectrum lazy = dense_spectrum(mixing_matrix("ring", ring, MixingWeights::metropolis, 0.5));
  check_real(lazy, expected);
  CHECK(lazy.lambda_min > 0);
}

TEST_CASE("an eigenvector shrinks by its eigenvalue in every round of pure gossip") {
  // Ring of n, x_i = cos(2 pi k i/n): after t rounds X = lambda_k^t X (decentralized, G1).
  constexpr int n = 12, k = 2, rounds = 20;
  const MixingMatrix w = built("ring", n).matrix;
  std::vector<double> x(n);
  for (int i = 0; i < n; ++i) x[static_cast<std::size_t>(i)] = std::cos(2 * pi * k * i / n);
  const std::vector<double> start = x;
  for (int t = 0; t < rounds; ++t) {
    std::vector<double> next(n, 0);
    for (int i = 0; i < n; ++i) {
      for (const MixingMatrix::Entry& entry : w.row(i))
        next[static_cast<std::size_t>(i)] += entry.weight * x[static_cast<std::size_t>(entry.node)];
    }
    x = next;
  }
  const double factor = std::pow((1 + 2 * std::cos(2 * pi * k / n)) / 3, rounds);
  for (std::size_t i = 0; i < n; ++i) CHECK(std::abs(x[i] - factor * start[i]) < exact);
}

TEST_CASE("push-sum reaches the true mean on a graph where plain mixing does not") {
  // z = x / w for a column stochastic P: z -> mean(x), and the weights w keep their sum n (decentralized,
  // G6).
  Adjacency chords(6);
  for (int i = 0; i < 6; ++i) chords.add(i, (i + 1) % 6);
  chords.add(0, 3);
  chords.add(1, 4);
  const MixingMatrix p = mixing_matrix("chords", chords, MixingWeights::push_sum);
  std::vector<double> x{0, 1, 2, 3, 4, 5}, w(6, 1);
  const auto push = [&](const std::vector<double>& values) {
    std::vector<double> next(6, 0);
    for (int i = 0; i < 6; ++i) {
      for (const MixingMatrix::Entry& entry : p.row(i))
        next[static_cast<std::size_t>(i)] += entry.weight * values[static_cast<std::size_t>(entry.node)];
    }
    return next;
  };
  for (int t = 0; t < 200; ++t) x = push(x), w = push(w);
  double least = x[0], most = x[0], sum = 0;
  for (std::size_t i = 0; i < 6; ++i) {
    CHECK(std::abs(x[i] / w[i] - 2.5) < 1e-12);
    least = std::min(least, x[i]), most = std::max(most, x[i]), sum += w[i];
  }
  CHECK(std::abs(sum - 6) < 1e-12);
  CHECK(most - least > 0.5);
}
