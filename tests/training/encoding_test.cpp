// Encodings, outer optimizers and staleness weights: what they do to values and to bytes.
#include "training/encoding.hpp"

#include <doctest/doctest.h>

#include <cmath>

#include "training/outer_optimizer.hpp"
#include "training/staleness_weight.hpp"

namespace convoy {
namespace {

Vector vector_of(std::vector<double> values) {
  return Vector(Layout::flat(values.size()), Precision::float64, values);
}

WireShape shape() {
  return {.tensor_elements = {1000, 24}, .bytes_per_element = 4};
}

std::unique_ptr<Compressor> make(const std::string& kind, double density = 0) {
  std::unique_ptr<Compressor> compressor = compressor_makers().at(kind)();
  Options options;
  compressor->declare(options);
  if (density > 0) {
    FaultSink faults;
    Node node = Node::object();
    node.set("density", Node::of(density));
    read_options(node, "compressor", options, faults);
    REQUIRE(faults.empty());
  }
  return compressor;
}

TEST_CASE("bytes are those of the encoding on the charged tensors") {
  CHECK(make("identity")->wire_bytes(shape()) == 4 * 1024);
  CHECK(make("bf16")->wire_bytes(shape()) == 2 * 1024);
  // top-k of 1 %: ceil(10.24) = 11 values of 4 B and 11 indices of 4 B.
  CHECK(make("top_k", 0.01)->wire_bytes(shape()) == 11 * 8);
}

TEST_CASE("bf16 rounds to the nearest of 8 significant bits, ties to even") {
  const auto bf16 = make("bf16");
  // Between 1 and 2 the spacing is 2^-7: 1 + 2^-8 lies halfway and goes to the even 1; 1 + 3 x 2^-8 goes up
  // to 1 + 2^-6.
  const Vector decoded =
      bf16->decoded(vector_of({1, 1 + 0x1p-8, 1 + 3 * 0x1p-8, 1 + 0x1p-8 + 0x1p-20, -3.0e38, 0}));
  CHECK(decoded[0] == 1);
  CHECK(decoded[1] == 1);
  CHECK(decoded[2] == 1 + 0x1p-6);
  CHECK(decoded[3] == 1 + 0x1p-7);
  CHECK(std::isfinite(decoded[4]));
  CHECK(decoded[5] == 0);
}

TEST_CASE("top-k keeps the largest magnitudes, earlier ones among equals") {
  const Vector decoded = make("top_k", 0.5)->decoded(vector_of({1, -5, 3, -3, 0.5, 3}));
  CHECK(decoded.to_doubles() == std::vector<double>{0, -5, 3, -3, 0, 0});
}

TEST_CASE("error feedback loses nothing: what was sent and the residual add up to what was given") {
  EncodingOptions options;
  options.compressor = make("top_k", 0.25);
  options.error_feedback = true;
  Encoder encoder(&options);
  std::vector<double> given(4, 0), sent(4, 0);
  for (int round = 0; round < 20; ++round) {
    const std::vector<double> x = {1.0 + round, -2.0, 0.5 * round, 0.25};
    const Vector decoded = encoder.encode(vector_of(x));
    for (std::size_t i = 0; i < 4; ++i) {
      given[i] += x[i];
      sent[i] += decoded[i];
    }
  }
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(sent[i] + encoder.residual()[i] == doctest::Approx(given[i]).epsilon(1e-14));
}

TEST_CASE("delayed Nesterov gives the golden displacement") {
  // Pushes (.3, -.1, .25, .05, .4, .1, -.2, .15) from 1 with learning rate .7, beta .9, N = 4: 0.61325; with
  // c = 0.1: 0.655775.
  const std::vector<double> pushes = {.3, -.1, .25, .05, .4, .1, -.2, .15};
  for (const auto& [c, golden] : std::vector<std::pair<double, double>>{{0, 0.61325}, {0.1, 0.655775}}) {
    OuterOptimizer optimizer({.kind = OuterOptimizerOptions::Kind::delayed_nesterov,
                              .learning_rate = 0.7,
                              .momentum = 0.9,
                              .period = 4,
                              .momentum_activation = c});
    Vector theta = vector_of({1});
    for (const double push : pushes) optimizer.step(theta, vector_of({push}));
    CHECK(std::abs(theta[0] - golden) < 1e-12);
  }
}

TEST_CASE("delayed Nesterov under a constant push moves by eta / (1 - beta) a push in the long run") {
  // Learning rate eta N with eta 0.2, beta 0.9, N 16: slope 2.0 (HALoS local server).
  OuterOptimizer optimizer({.kind = OuterOptimizerOptions::Kind::delayed_nesterov,
                            .learning_rate = 3.2,
                            .momentum = 0.9,
                            .period = 16});
  Vector theta = vector_of({0});
  for (int push = 0; push < 16 * 400; ++push) optimizer.step(theta, vector_of({1}));
  const double before = theta[0];
  for (int push = 0; push < 16; ++push) optimizer.step(theta, vector_of({1}));
  CHECK((before - theta[0]) / 16 == doctest::Approx(2.0).epsilon(1e-9));
}

TEST_CASE("Nesterov's first step moves lr (1 + mu) g, heavy ball's lr g") {
  Vector nesterov = vector_of({0}), heavy = vector_of({0});
  OuterOptimizer({.kind = OuterOptimizerOptions::Kind::nesterov, .learning_rate = 0.5, .momentum = 0.9})
      .step(nesterov, vector_of({2}));
  OuterOptimizer({.kind = OuterOptimizerOptions::Kind::heavy_ball, .learning_rate = 0.5, .momentum = 0.9})
      .step(heavy, vector_of({2}));
  CHECK(nesterov[0] == doctest::Approx(-0.5 * 1.9 * 2));
  CHECK(heavy[0] == doctest::Approx(-0.5 * 2));
}

TEST_CASE("staleness weights: none, (1 + s)^-a, 1 / max(1, s)") {
  StalenessWeight weight;
  CHECK(weight(7) == 1);
  weight.kind = StalenessWeight::Kind::polynomial;
  CHECK(weight(0) == 1);
  CHECK(weight(3) == doctest::Approx(0.5));  // exponent 1/2
  weight.kind = StalenessWeight::Kind::inverse;
  CHECK(weight(0) == 1);
  CHECK(weight(1) == 1);
  CHECK(weight(4) == 0.25);
}

}  // namespace
}  // namespace convoy
