#include "learning/optimizer.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "core/random.hpp"
#include "learning/fixtures.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

Vector one(double value) {
  return {Layout::flat(1), Precision::float64, std::vector<double>{value}};
}

// Coordinate 0 after each gradient.
std::vector<double> trajectory(const Optimizer& optimizer, double start, const std::vector<double>& gradients,
                               double factor = 1) {
  Vector x = one(start);
  OptimizerState state = optimizer.initial_state(x.shared_layout(), x.precision());
  std::vector<double> result;
  for (const double g : gradients) {
    optimizer.step(x, one(g), state, factor);
    result.push_back(x[0]);
  }
  CHECK(state.step == static_cast<std::int64_t>(gradients.size()));
  return result;
}

}  // namespace

TEST_CASE("sgd moves against the gradient, with L2 decay added to it") {
  // x = 1, g = 0.5, lr = 0.1: 1 - 0.05 = 0.95. With decay 0.2: g = 0.5 + 0.2 = 0.7, x = 0.93.
  const auto plain = make(optimizer_makers(), "sgd", object({{"learning_rate", number(0.1)}}));
  CHECK(trajectory(*plain, 1, {0.5})[0] == doctest::Approx(0.95).epsilon(1e-15));
  CHECK(trajectory(*plain, 1, {0.5}, 0.1)[0] == doctest::Approx(0.995).epsilon(1e-15));
  const auto decaying = make(optimizer_makers(), "sgd",
                             object({{"learning_rate", number(0.1)}, {"weight_decay", number(0.2)}}));
  CHECK(trajectory(*decaying, 1, {0.5})[0] == doctest::Approx(0.93).epsilon(1e-15));
}

TEST_CASE("heavy ball: m = mu m + g, x -= lr m") {
  // lr 0.1, mu 0.9, g = 1, 1, 0: m = 1, 1.9, 1.71; x = 0 -> -0.1 -> -0.29 -> -0.461.
  const auto momentum = make(optimizer_makers(), "momentum",
                             object({{"learning_rate", number(0.1)}, {"momentum", number(0.9)}}));
  const auto x = trajectory(*momentum, 0, {1, 1, 0});
  CHECK(x[0] == doctest::Approx(-0.1).epsilon(1e-14));
  CHECK(x[1] == doctest::Approx(-0.29).epsilon(1e-14));
  CHECK(x[2] == doctest::Approx(-0.461).epsilon(1e-14));
}

TEST_CASE("nesterov in PyTorch's convention: the first step is lr (1 + mu) g") {
  // lr 0.1, mu 0.9, g = 1, 1: m = 1, 1.9; steps 0.1 (1 + 0.9) = 0.19 and 0.1 (1 + 0.9 1.9) = 0.271.
  const auto nesterov = make(optimizer_makers(), "nesterov",
                             object({{"learning_rate", number(0.1)}, {"momentum", number(0.9)}}));
  const auto x = trajectory(*nesterov, 0, {1, 1});
  CHECK(x[0] == doctest::Approx(-0.19).epsilon(1e-14));
  CHECK(x[1] == doctest::Approx(-0.461).epsilon(1e-14));
}

TEST_CASE("momentum 0 is sgd") {
  const auto sgd = make(optimizer_makers(), "sgd", object({{"learning_rate", number(0.3)}}));
  for (const char* kind : {"momentum", "nesterov"}) {
    const auto other =
        make(optimizer_makers(), kind, object({{"learning_rate", number(0.3)}, {"momentum", number(0)}}));
    CHECK(trajectory(*other, 1, {0.5, -2, 0.1}) == trajectory(*sgd, 1, {0.5, -2, 0.1}));
  }
}

TEST_CASE("adamw takes the two steps computed by hand") {
  // lr 0.1, decay 0.1, betas 0.9 and 0.999, epsilon 1e-8, x = 1, g = 0.5 then 0.25.
  // Step 1: x = 0.99; m' = 0.5, v' = 0.25; x = 0.99 - 0.1 0.5 / (0.5 + 1e-8) = 0.890000002.
  // Step 2: x = 0.88110000198; m = 0.9 0.05 + 0.1 0.25 = 0.07, m' = 0.07 / 0.19; v = 0.999 0.00025 + 0.001
  // 0.0625 =
  //         0.00031225, v' = 0.00031225 / 0.001999; x = 0.88110000198 - 0.1 m' / (sqrt(v') + 1e-8).
  const auto adamw = make(optimizer_makers(), "adamw",
                          object({{"learning_rate", number(0.1)},
                                  {"weight_decay", number(0.1)},
                                  {"decay_matrices_only", Node::of(false)}}));
  const auto x = trajectory(*adamw, 1, {0.5, 0.25});
  CHECK(x[0] == doctest::Approx(0.99 - 0.05 / (0.5 + 1e-8)).epsilon(1e-14));
  const double second =
      (0.99 - 0.05 / (0.5 + 1e-8)) * 0.99 - 0.1 * (0.07 / 0.19) / (std::sqrt(0.00031225 / 0.001999) + 1e-8);
  CHECK(x[1] == doctest::Approx(second).epsilon(1e-13));
  CHECK(x[1] == doctest::Approx(0.787882).epsilon(1e-6));
}

TEST_CASE("decay that is not decoupled goes through the gradient") {
  // Adam with L2: the first step has m' / sqrt(v') = sign(g + decay x): x = 1 - 0.1 1 (up to epsilon),
  // whatever decay.
  const auto adam = make(optimizer_makers(), "adamw",
                         object({{"learning_rate", number(0.1)},
                                 {"weight_decay", number(0.1)},
                                 {"decay_matrices_only", Node::of(false)},
                                 {"decoupled", Node::of(false)}}));
  CHECK(trajectory(*adam, 1, {0.5})[0] == doctest::Approx(0.9).epsilon(1e-7));
}

TEST_CASE("adamw decays matrices only, unless told otherwise") {
  auto layout = std::make_shared<Layout>();
  layout->add_matrix("weight", 1, 2).add_vector("bias", 2).add_matrix("other", 2, 1);
  const std::shared_ptr<const Layout> shared = layout;
  for (const bool matrices_only : {true, false}) {
    const auto adamw = make(optimizer_makers(), "adamw",
                            object({{"learning_rate", number(0.5)},
                                    {"weight_decay", number(0.5)},
                                    {"decay_matrices_only", Node::of(matrices_only)}}));
    Vector x(shared, Precision::float64, std::vector<double>(6, 1));
    OptimizerState state = adamw->initial_state(shared, Precision::float64);
    adamw->step(x, Vector(shared, Precision::float64), state, 1);
    // Zero gradient: only the decay acts, 1 - 0.5 0.5 = 0.75.
    const double bias = matrices_only ? 1 : 0.75;
    CHECK(x.to_doubles() == std::vector<double>{0.75, 0.75, bias, bias, 0.75, 0.75});
  }
}

TEST_CASE("a step on shared buffers leaves the committed vectors alone and gives the same bits") {
  RandomStream stream(3, "optimizer test");
  const auto draw = [&stream](std::size_t size, Precision precision) {
    std::vector<double> values;
    for (std::size_t i = 0; i < size; ++i) values.push_back(stream.normal());
    return Vector(Layout::flat(size), precision, values);
  };
  for (const char* kind : {"sgd", "momentum", "nesterov", "adamw"}) {
    for (const Precision precision : {Precision::float32, Precision::float64}) {
      const auto optimizer = make(optimizer_makers(), kind,
                                  object({{"learning_rate", number(0.01)}, {"weight_decay", number(0.1)}}));
      Vector in_place = draw(1003, precision);
      const Vector start = in_place;
      Vector committed = in_place;
      OptimizerState state = optimizer->initial_state(in_place.shared_layout(), precision);
      OptimizerState committed_state = state;
      for (int k = 0; k < 5; ++k) {
        const Vector gradient = draw(1003, precision);
        Vector next = committed;  // shared with `committed`
        OptimizerState next_state = committed_state;
        optimizer->step(in_place, gradient, state, 1);
        optimizer->step(next, gradient, next_state, 1);
        CHECK(next == in_place);
        Vector abandoned = committed;
        OptimizerState abandoned_state = committed_state;
        optimizer->step(abandoned, gradient, abandoned_state, 0.5);
        CHECK(committed_state.step == k);
        committed = std::move(next);
        committed_state = std::move(next_state);
      }
      CHECK(start != in_place);
      for (std::size_t i = 0; i < state.slots.size(); ++i) CHECK(state.slots[i] == committed_state.slots[i]);
      CHECK(static_cast<int>(state.slots.size()) == optimizer->slots());
    }
  }
}

TEST_CASE("slots of a new state share one buffer of zeros") {
  const auto adamw = make(optimizer_makers(), "adamw");
  const OptimizerState state = adamw->initial_state(Layout::flat(10), Precision::float32);
  CHECK(state.slots[0].shares_buffer_with(state.slots[1]));
}

TEST_CASE("an empty model may be stepped") {
  for (const char* kind : {"sgd", "momentum", "nesterov", "adamw"}) {
    const auto optimizer = make(optimizer_makers(), kind, object({{"learning_rate", number(0.1)}}));
    Vector x(Layout::flat(0), Precision::float32);
    OptimizerState state = optimizer->initial_state(x.shared_layout(), x.precision());
    optimizer->step(x, x, state, 1);
    CHECK(state.step == 1);
  }
}

TEST_CASE("state or gradient of another model is a logic error") {
  const auto adamw = make(optimizer_makers(), "adamw");
  Vector x = one(1);
  OptimizerState none;
  CHECK_THROWS_AS(adamw->step(x, one(1), none, 1), std::logic_error);
  OptimizerState state = adamw->initial_state(x.shared_layout(), x.precision());
  CHECK_THROWS_AS(adamw->step(x, Vector(Layout::flat(2), Precision::float64), state, 1), std::logic_error);
}

TEST_CASE("a learning rate is asked for where no source gives one") {
  CHECK_THROWS_AS(static_cast<void>(make(optimizer_makers(), "sgd")), ConfigError);
  CHECK(make(optimizer_makers(), "adamw")->base_learning_rate() == 1e-3);
  CHECK_THROWS_AS(static_cast<void>(make(optimizer_makers(), "adamw", object({{"beta1", number(1)}}))),
                  ConfigError);
}
