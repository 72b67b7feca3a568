// Matrix factorisation, sparse softmax and the policy: tasks that make their own samples.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "core/random.hpp"
#include "learning/fixtures.hpp"
#include "learning/optimizer.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

Node factorization(std::initializer_list<std::pair<const char*, Node>> options, std::int64_t batch,
                   const char* precision = "float32") {
  return object({{"kind", text("factorization")},
                 {"factorization", object(options)},
                 {"batch_size", integer(batch)},
                 {"precision", text(precision)}});
}

Node sparse(std::initializer_list<std::pair<const char*, Node>> options, std::int64_t batch,
            const char* precision = "float32") {
  return object({{"kind", text("sparse")},
                 {"sparse", object(options)},
                 {"batch_size", integer(batch)},
                 {"precision", text(precision)}});
}

Node policy(std::initializer_list<std::pair<const char*, Node>> options, std::int64_t batch,
            const char* precision = "float32") {
  return object({{"kind", text("policy")},
                 {"policy", object(options)},
                 {"batch_size", integer(batch)},
                 {"precision", text(precision)}});
}

Vector train(const LearningTask& task, int steps, double rate) {
  const auto adamw = make(optimizer_makers(), "adamw",
                          object({{"learning_rate", number(rate)}, {"weight_decay", number(0)}}));
  Vector x = task.initial_parameters();
  OptimizerState state = adamw->initial_state(x.shared_layout(), x.precision());
  Vector g;
  for (int k = 0; k < steps; ++k) {
    task.gradient(x, k % task.workers(), static_cast<std::uint64_t>(k / task.workers()), g);
    adamw->step(x, g, state, 1);
  }
  return x;
}

// Largest difference of a gradient's coordinates from central differences of the loss, over its largest
// coordinate.
double worst_difference(const LearningTask& task) {
  Vector x = task.initial_parameters();
  RandomStream random(1, "synthetic test");
  for (double& value : x.mutable_values<double>()) value += 0.3 * random.normal();
  Vector g;
  task.gradient(x, 0, 3, g);
  Vector unused;
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    constexpr double h = 1e-5;
    const double value = x[i];
    x.set(i, value + h);
    const double above = task.gradient(x, 0, 3, unused).loss;
    x.set(i, value - h);
    const double below = task.gradient(x, 0, 3, unused).loss;
    x.set(i, value);
    largest = std::max(largest, std::abs(g[i]));
    const double difference = std::abs((above - below) / (2 * h) - g[i]);
    if (!(difference <= worst)) worst = difference;
  }
  return worst / largest;
}

}  // namespace

TEST_CASE("gradients of factorization and sparse softmax are the finite differences of their losses") {
  DataStore store;
  const auto ratings = factorization({{"users", integer(7)},
                                      {"items", integer(5)},
                                      {"rank", integer(3)},
                                      {"ratings", integer(200)},
                                      {"l2", number(0.1)}},
                                     9, "float64");
  CHECK(worst_difference(*task_of(ratings, store, 0, 1)) < 1e-7);
  const auto documents = sparse({{"samples", integer(100)},
                                 {"features", integer(30)},
                                 {"classes", integer(4)},
                                 {"nonzeros", integer(6)}},
                                8, "float64");
  CHECK(worst_difference(*task_of(documents, store, 0, 2)) < 1e-7);
}

TEST_CASE("factorization recovers the ratings down to their noise") {
  // 20,000 ratings of 100 x 80 entries of rank 4: far more than the 4 x 180 unknown numbers, so that the
  // error on ratings not seen comes close to the noise, 0.1, from the deviation of the ratings, 1.005.
  DataStore store;
  const auto node = factorization({{"users", integer(100)},
                                   {"items", integer(80)},
                                   {"rank", integer(4)},
                                   {"ratings", integer(20'000)},
                                   {"noise", number(0.1)}},
                                  64);
  const auto task = task_of(node, store, 0, 4);
  const auto rmse = [&task](const Vector& x) { return task->evaluate(x, Split::test).extra.at(0).second; };
  CHECK(std::abs(rmse(task->initial_parameters()) - 1.0) < 0.15);
  const double after = rmse(train(*task, 3000, 0.01));
  CHECK(after > 0.09);
  CHECK(after < 0.13);
  CHECK(task->layout()->size == 100 * 4 + 80 * 4 + 100 + 80 + 1);
}

TEST_CASE("ratings shared out by user give each worker users of its own") {
  // A gradient touches the factors of the batch's users only: those of two workers overlap in at most the
  // user on the border of their parts.
  DataStore store;
  const auto node = factorization(
      {{"users", integer(40)}, {"items", integer(10)}, {"ratings", integer(4000)}, {"share", text("users")}},
      400);
  const auto task = task_of(node, store, 0, 4);
  const Vector x = task->initial_parameters();
  std::vector<int> seen(40, 0);
  for (int w = 0; w < 4; ++w) {
    Vector g;
    std::vector<bool> mine(40, false);
    for (std::uint64_t step = 0; step < 4; ++step) {
      task->gradient(x, w, step, g);
      for (std::size_t u = 0; u < 40; ++u) mine[u] = mine[u] || g.layer<float>(0)[u * 8] != 0;
    }
    for (std::size_t u = 0; u < 40; ++u) seen[u] += mine[u] ? 1 : 0;
  }
  CHECK(std::count(seen.begin(), seen.end(), 0) == 0);
  CHECK(std::count_if(seen.begin(), seen.end(), [](int count) { return count > 1; }) <= 3);
}

TEST_CASE("sparse softmax learns classes from their own words") {
  DataStore store;
  const auto node =
      sparse({{"samples", integer(4000)}, {"features", integer(2000)}, {"classes", integer(20)}}, 32);
  const auto task = task_of(node, store, 0, 2);
  const Vector zero = task->initial_parameters();
  CHECK(std::abs(task->evaluate(zero, Split::test).loss - std::log(20.0)) < 1e-5);
  const Evaluation after = task->evaluate(train(*task, 600, 0.02), Split::test);
  CHECK(*after.accuracy > 0.9);
  CHECK(after.loss < 1);
}

TEST_CASE("right answers are what they are called") {
  using Digits = std::vector<std::size_t>;
  CHECK(right_answer(Goal::copy, {2, 0, 1}, 3) == Digits{2, 0, 1});
  CHECK(right_answer(Goal::reverse, {2, 0, 1}, 3) == Digits{1, 0, 2});
  CHECK(right_answer(Goal::sort, {2, 0, 1}, 3) == Digits{0, 1, 2});
  CHECK(right_answer(Goal::sum, {2, 2, 1}, 3) == Digits{2});
}

TEST_CASE("the policy's gradient is that of the expected reward, unless the baseline shrinks it") {
  // Along the direction u of the mean gradient, d E[1 - reward] / du by central differences of mean losses
  // over many batches. Rewards are 0 or 1 with mean near 1/16, so that a mean over n draws deviates by 0.24 /
  // sqrt(n): 2,000 batches of 16 prompts with 8 answers give 0.0005, or 0.0007 for a difference of two; that
  // of losses is 0.02. The same draws on both sides make it less. The mean over a group of 8, the answer's
  // own included, shrinks the gradient by 1 - 1/8.
  DataStore store;
  struct Case {
    const char* baseline;
    double factor;
  };
  for (const Case& c : {Case{"none", 1}, Case{"leave_one_out", 1}, Case{"group_mean", 1 - 1.0 / 8}}) {
    const auto task = task_of(policy({{"goal", text("reverse")},
                                      {"base", integer(4)},
                                      {"length", integer(2)},
                                      {"hidden", integer(6)},
                                      {"baseline", text(c.baseline)}},
                                     16, "float64"),
                              store, 0, 1, true);
    const Vector x = task->initial_parameters();
    constexpr std::uint64_t batches = 2000;
    Vector sum(task->layout(), Precision::float64);
    Vector g;
    for (std::uint64_t k = 0; k < batches; ++k) {
      task->gradient(x, 0, k, g);
      sum += g;
    }
    sum.scale(1.0 / batches);
    const Vector direction = (1 / sum.norm()) * sum;
    const auto loss_at = [&](double distance) {
      Vector y = x;
      y.axpy(distance, direction);
      double loss = 0;
      for (std::uint64_t k = 0; k < batches; ++k) loss += task->gradient(y, 0, k, g).loss / batches;
      return loss;
    };
    constexpr double h = 0.3;
    const double slope = (loss_at(h) - loss_at(-h)) / (2 * h);
    CAPTURE(c.baseline);
    CHECK(slope > 0.03);
    CHECK(std::abs(sum.norm() / slope / c.factor - 1) < 0.06);
  }
}

TEST_CASE("the policy learns to reverse and, with an entropy that keeps it trying, to sort") {
  // 3^4 = 81 prompts: 8 for the test, 6 for validation. All or nothing: chance earns 3^-4. Without the
  // entropy, sorting stays where an answer that is nearly right earns nothing and no other is drawn.
  DataStore store;
  for (const char* goal : {"reverse", "sort"}) {
    const Node node = policy(
        {{"goal", text(goal)}, {"base", integer(3)}, {"length", integer(4)}, {"entropy", number(0.1)}}, 32);
    const auto task = task_of(node, store, 0, 2);
    CHECK(task->worker_samples(0) + task->worker_samples(1) == 67);
    CHECK(task->evaluate(task->initial_parameters(), Split::validation).loss > 0.9);
    const Vector x = train(*task, 1500, 0.003);
    Vector g;
    CHECK(task->gradient(x, 0, 10'000, g).loss < 0.05);
    CHECK(*task->evaluate(x, Split::test).accuracy > 0.8);
  }
}

TEST_CASE("entropy alone drives the policy to the uniform distribution") {
  // A weight of the entropy far above any reward leaves probabilities of 1 / base: the loss is 1 - 1 / base.
  DataStore store;
  const auto task = task_of(
      policy({{"goal", text("sum")}, {"base", integer(5)}, {"length", integer(3)}, {"entropy", number(50)}},
             32),
      store, 0, 1);
  CHECK(std::abs(task->evaluate(train(*task, 300, 0.01), Split::test).loss - 0.8) < 0.01);
}

TEST_CASE("synthetic tasks refuse what they cannot make") {
  DataStore store;
  CHECK_THROWS_AS(
      static_cast<void>(task_of(policy({{"base", integer(256)}, {"length", integer(20)}}, 1), store, 0, 1)),
      ConfigError);
  CHECK_THROWS_AS(
      static_cast<void>(task_of(policy({{"base", integer(2)}, {"length", integer(2)}}, 1), store, 0, 9)),
      ConfigError);
  CHECK_THROWS_AS(static_cast<void>(task_of(factorization({{"ratings", integer(5)}}, 1), store, 0, 2)),
                  ConfigError);
  Node stray = sparse({}, 4);
  stray.set("policy", Node::object());
  CHECK_THROWS_AS(static_cast<void>(task_of(stray, store, 0, 1)), ConfigError);
  Node no_batch = object({{"kind", text("sparse")}});
  CHECK_THROWS_AS(static_cast<void>(task_of(no_batch, store, 0, 1)), ConfigError);
}
