#include "learning/quadratic.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include "learning/fixtures.hpp"
#include "learning/optimizer.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

// Four workers, g_i(x) = a_i x - b_i, start at 1.
Node problem() {
  return object({{"kind", text("quadratic")},
                 {"curvature", numbers({1, 0.8, 1.2, 0.9})},
                 {"linear", numbers({0.1, -0.2, 0.3, 0})},
                 {"initial", number(1)}});
}

std::shared_ptr<const LearningTask> quadratic(const Node& node, int workers, std::uint64_t seed = 0) {
  DataStore store;
  return task_of(node, store, seed, workers);
}

Vector gradient_at(const LearningTask& task, const Vector& x, int worker, std::uint64_t step = 0) {
  Vector g;
  task.gradient(x, worker, step, g);
  return g;
}

}  // namespace

TEST_CASE("gradients and losses are those of the formula, bit for bit") {
  const auto task = quadratic(problem(), 4);
  CHECK(task->precision() == Precision::float64);
  const Vector x = task->initial_parameters();
  CHECK(x.to_doubles() == std::vector<double>{1});
  CHECK(gradient_at(*task, x, 0)[0] == 1.0 - 0.1);
  CHECK(gradient_at(*task, x, 1)[0] == 0.8 + 0.2);
  Vector g;
  CHECK(task->gradient(x, 2, 5, g).loss == 0.5 * 1.2 - 0.3);
  CHECK(task->gradient(x, 2, 5, g).samples == 1);
}

TEST_CASE("golden values of sync SGD, local SGD and DiLoCo on four quadratics") {
  // x_0 = 1, learning rate 0.1. Sync SGD: ten steps along the mean gradient.
  const auto task = quadratic(problem(), 4);
  const auto sgd = make(optimizer_makers(), "sgd", object({{"learning_rate", number(0.1)}}));
  OptimizerState none;
  Vector sync = task->initial_parameters();
  for (int t = 0; t < 10; ++t) {
    std::vector<Vector> gradients;
    for (int w = 0; w < 4; ++w) gradients.push_back(gradient_at(*task, sync, w));
    sgd->step(sync, mean(gradients), none, 1);
  }
  CHECK(sync[0] == doctest::Approx(0.3913840802337452).epsilon(1e-13));

  // Local SGD: five rounds of four local steps, then the mean. DiLoCo: the outer optimizer is Nesterov 0.7 /
  // 0.9 on start - mean.
  const auto outer = make(optimizer_makers(), "nesterov",
                          object({{"learning_rate", number(0.7)}, {"momentum", number(0.9)}}));
  Vector local = task->initial_parameters();
  Vector diloco = local;
  OptimizerState outer_state = outer->initial_state(local.shared_layout(), local.precision());
  const auto round = [&](const Vector& start) {
    std::vector<Vector> ends;
    for (int w = 0; w < 4; ++w) {
      Vector x = start;
      for (int h = 0; h < 4; ++h) sgd->step(x, gradient_at(*task, x, w), none, 1);
      ends.push_back(x);
    }
    return mean(ends);
  };
  for (int r = 0; r < 5; ++r) {
    local = round(local);
    outer->step(diloco, diloco - round(diloco), outer_state, 1);
  }
  CHECK(local[0] == doctest::Approx(0.1707735761010381).epsilon(1e-12));
  CHECK(diloco[0] == doctest::Approx(-0.3515398960659918).epsilon(1e-12));
}

TEST_CASE("evaluate gives the mean loss over workers and the distance to its minimum") {
  // Minimum of the mean: sum b / sum a = 0.2 / 3.9. Mean loss at x: (3.9 x^2 / 2 - 0.2 x) / 4.
  const auto task = quadratic(problem(), 4);
  const Evaluation at_start = task->evaluate(task->initial_parameters(), Split::test);
  CHECK(at_start.loss == doctest::Approx((3.9 / 2 - 0.2) / 4).epsilon(1e-14));
  CHECK(!at_start.accuracy);
  CHECK(at_start.extra.size() == 1);
  CHECK(at_start.extra[0].first == "distance_to_optimum");
  CHECK(at_start.extra[0].second == doctest::Approx(1 - 0.2 / 3.9).epsilon(1e-14));
}

TEST_CASE("minimum and linear describe the same problem") {
  // a (x - m) = a x - b with b = a m; losses differ by a m^2 / 2.
  const auto by_minimum = quadratic(
      object({{"kind", text("quadratic")}, {"curvature", numbers({2, 4})}, {"minimum", numbers({1, -0.5})}}),
      2);
  const auto by_linear = quadratic(
      object({{"kind", text("quadratic")}, {"curvature", numbers({2, 4})}, {"linear", numbers({2, -2})}}), 2);
  const Vector x(by_minimum->layout(), Precision::float64, std::vector<double>{0.75});
  for (int w = 0; w < 2; ++w) CHECK(gradient_at(*by_minimum, x, w)[0] == gradient_at(*by_linear, x, w)[0]);
  // Minimum of the mean: (2 1 + 4 (-0.5)) / 6 = 0.
  CHECK(by_minimum->evaluate(x, Split::validation).extra[0].second == 0.75);
}

TEST_CASE("numbers may be given for all, a worker, or a worker and coordinate") {
  const auto task = quadratic(object({{"kind", text("quadratic")},
                                      {"curvature", number(2)},
                                      {"minimum", list({numbers({1, 2, 3}), numbers({-1, -2, -3})})},
                                      {"initial", numbers({0, 0, 1})}}),
                              2);
  CHECK(task->layout()->size == 3);
  const Vector x = task->initial_parameters();
  CHECK(gradient_at(*task, x, 0).to_doubles() == std::vector<double>{-2, -4, -4});
  CHECK(gradient_at(*task, x, 1).to_doubles() == std::vector<double>{2, 4, 8});
  const auto wide = quadratic(
      object({{"kind", text("quadratic")}, {"curvature", number(1)}, {"dimension", integer(50)}}), 3);
  CHECK(wide->initial_parameters().to_doubles() == std::vector<double>(50, 1));
}

TEST_CASE("noise has the stated deviation and belongs to seed, worker and step alone") {
  const Node node = object({{"kind", text("quadratic")},
                            {"curvature", number(0)},
                            {"noise", number(0.5)},
                            {"dimension", integer(20000)}});
  const auto task = quadratic(node, 2, 11);
  const Vector x = task->initial_parameters();
  const Vector g = gradient_at(*task, x, 1, 7);
  // Mean of 20,000 draws: deviation 0.5 / sqrt(20000) = 0.0035. Mean square: 0.25 with relative deviation
  // 0.01.
  double sum = 0;
  for (const double value : g.to_doubles()) sum += value;
  CHECK(std::abs(sum / 20000) < 4 * 0.0035);
  CHECK(g.squared_norm() / 20000 == doctest::Approx(0.25).epsilon(0.04));
  CHECK(gradient_at(*task, x, 1, 7) == g);
  CHECK(gradient_at(*quadratic(node, 9, 11), x, 1, 7) == g);  // more workers change nothing
  CHECK(gradient_at(*task, x, 0, 7) != g);
  CHECK(gradient_at(*task, x, 1, 8) != g);
  CHECK(gradient_at(*quadratic(node, 2, 12), x, 1, 7) != g);
  // Without curvature there is no minimum.
  CHECK(task->evaluate(x, Split::test).extra.empty());
}

TEST_CASE("lists that do not fit workers or coordinates are faults of the config") {
  const auto refused = [](const Node& node, int workers) {
    CHECK_THROWS_AS(static_cast<void>(quadratic(node, workers)), ConfigError);
  };
  refused(problem(), 3);
  refused(object({{"kind", text("quadratic")}}), 1);
  refused(object({{"kind", text("quadratic")},
                  {"curvature", number(1)},
                  {"linear", number(1)},
                  {"minimum", number(1)}}),
          1);
  refused(object({{"kind", text("quadratic")}, {"curvature", list({numbers({1, 2}), numbers({1, 2, 3})})}}),
          2);
  refused(object({{"kind", text("quadratic")}, {"curvature", list({numbers({1, 2}), number(3)})}}), 2);
  refused(object({{"kind", text("quadratic")}, {"curvature", list({})}}), 1);
  refused(object({{"kind", text("quadratic")}, {"curvature", text("steep")}}), 1);
  refused(object({{"kind", text("quadratic")},
                  {"curvature", number(1)},
                  {"initial", numbers({1, 2})},
                  {"dimension", integer(3)}}),
          1);
  refused(object({{"kind", text("quadratic")}, {"curvature", number(1)}, {"noise", number(-1)}}), 1);
}
