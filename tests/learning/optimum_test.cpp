#include "learning/optimum.hpp"

#include <doctest/doctest.h>

#include <Eigen/Dense>
#include <cmath>
#include <vector>

#include "learning/fixtures.hpp"
#include "learning/optimizer.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

/// Each worker's whole part of the breast cancer data as one mini-batch, in float64.
std::shared_ptr<const LearningTask> full_batches(const Node& model, DataStore& store, int workers,
                                                 const char* data = "breast_cancer") {
  const Node node = object(
      {{"data", text(data)}, {"model", model}, {"batch_size", integer(1)}, {"precision", text("float64")}});
  const auto probe = task_of(node, store, 0, workers, true);
  std::vector<std::size_t> sizes;
  for (int w = 0; w < workers; ++w) sizes.push_back(probe->worker_samples(w));
  TaskOptions options;
  read(options, node);
  return make_task(options, store, 0, workers, true, sizes);
}

Node regression(const char* kind, double l2) {
  return object({{"kind", text(kind)}, {"l2", number(l2)}});
}

/// Training samples as rows, with a column of ones behind the features; labels.
struct Samples2 {
  Eigen::MatrixXd x;
  Eigen::VectorXd y;

  explicit Samples2(DataStore& store) {
    const auto data = store.load(DataKind::breast_cancer);
    const auto n = static_cast<Eigen::Index>(data->training.count);
    const auto d = static_cast<Eigen::Index>(data->features);
    x = Eigen::MatrixXd::Ones(n, d + 1);
    y.resize(n);
    for (Eigen::Index i = 0; i < n; ++i) {
      for (Eigen::Index j = 0; j < d; ++j)
        x(i, j) = static_cast<double>(data->training.numbers[static_cast<std::size_t>(i * d + j)]);
      y(i) = data->training.labels[static_cast<std::size_t>(i)];
    }
  }
  /// l2 for each weight, 0 for the bias.
  [[nodiscard]] Eigen::MatrixXd penalty(double l2) const {
    Eigen::VectorXd diagonal = Eigen::VectorXd::Constant(x.cols(), l2);
    diagonal(x.cols() - 1) = 0;
    return diagonal.asDiagonal();
  }
};

double distance(const Vector& a, const Eigen::VectorXd& b) {
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double difference = std::abs(a[i] - b(static_cast<Eigen::Index>(i)));
    if (!(difference <= worst)) worst = difference;
  }
  return worst;
}

}  // namespace

TEST_CASE("the optimum of linear regression solves the normal equations") {
  // (X^T X / n + l2) w = X^T y / n, by a factorisation that knows nothing of gradients; however the samples
  // are shared out over workers.
  DataStore store({shipped_data()});
  const Samples2 data(store);
  const double n = static_cast<double>(data.x.rows());
  const Eigen::VectorXd exact =
      (data.x.transpose() * data.x / n + data.penalty(0.1)).ldlt().solve(data.x.transpose() * data.y / n);
  for (const int workers : {1, 3}) {
    const Optimum found = find_optimum(*full_batches(regression("linear_regression", 0.1), store, workers));
    CHECK(found.gradient_norm <= 1e-12);
    CHECK(distance(found.parameters, exact) < 1e-9);
  }
}

TEST_CASE("the optimum of logistic regression is where Newton's method with the exact Hessian ends") {
  // H = X^T diag(p (1 - p)) X / n + l2, g = X^T (p - y) / n + l2 w.
  DataStore store({shipped_data()});
  const Samples2 data(store);
  const double n = static_cast<double>(data.x.rows());
  const Eigen::MatrixXd penalty = data.penalty(0.01);
  Eigen::VectorXd w = Eigen::VectorXd::Zero(data.x.cols());
  for (int step = 0; step < 30; ++step) {
    const Eigen::VectorXd p = (1 + (-(data.x * w).array()).exp()).inverse();
    const Eigen::VectorXd g = data.x.transpose() * (p - data.y) / n + penalty * w;
    const Eigen::VectorXd curvature = p.array() * (1 - p.array());
    const Eigen::MatrixXd hessian = data.x.transpose() * curvature.asDiagonal() * data.x / n + penalty;
    w -= hessian.ldlt().solve(g);
  }
  const Optimum found = find_optimum(*full_batches(regression("logistic_regression", 0.01), store, 2));
  CHECK(found.gradient_norm <= 1e-12);
  CHECK(found.steps < 20);
  CHECK(distance(found.parameters, w) < 1e-9);
}

TEST_CASE("gradient descent takes logistic regression to its exact optimum to 1e-8") {
  // On standardised features the curvature is at most the largest eigenvalue of X^T X / (4 n) + l2 < 4, and
  // along the weights at least l2: 20,000 steps of 1/4 leave exp(-0.25 0.01 20,000) = exp(-50) of the start.
  DataStore store({shipped_data()});
  const auto task = full_batches(regression("logistic_regression", 0.01), store, 1);
  const Optimum optimum = find_optimum(*task);
  const auto sgd = make(optimizer_makers(), "sgd", object({{"learning_rate", number(0.25)}}));
  Vector x = task->initial_parameters();
  OptimizerState state = sgd->initial_state(x.shared_layout(), x.precision());
  Vector g;
  for (int k = 0; k < 20'000; ++k) {
    task->gradient(x, 0, 0, g);
    sgd->step(x, g, state, 1);
  }
  CHECK(x.distance(optimum.parameters) < 1e-8);
  CHECK(task->gradient(x, 0, 0, g).loss - optimum.loss < 1e-12);
}

TEST_CASE("softmax regression with a penalty has an optimum that no direction improves") {
  DataStore store({shipped_data()});
  const auto task = full_batches(regression("softmax_regression", 0.05), store, 2, "digits");
  const Optimum optimum = find_optimum(*task, 1e-10);
  CHECK(optimum.gradient_norm <= 1e-10);
  CHECK(optimum.loss < std::log(10.0));
}

TEST_CASE("what has no minimum, or is too coarse, is refused") {
  DataStore store({shipped_data()});
  // Two classes that a line separates: the loss falls for ever.
  CHECK_THROWS_AS(static_cast<void>(
                      find_optimum(*full_batches(regression("logistic_regression", 0), store, 1), 1e-12, 15)),
                  ConfigError);
  const Node single = object(
      {{"data", text("breast_cancer")}, {"model", text("logistic_regression")}, {"batch_size", integer(4)}});
  CHECK_THROWS_AS(static_cast<void>(find_optimum(*task_of(single, store, 0, 1))), std::logic_error);
}

TEST_CASE("regressions name the data that they do not fit, and linear regression has no accuracy") {
  DataStore store({shipped_data()});
  const auto on_digits = [&store](const char* kind) {
    return task_of(object({{"data", text("digits")}, {"model", text(kind)}, {"batch_size", integer(4)}}),
                   store, 0, 1);
  };
  CHECK_THROWS_AS(static_cast<void>(on_digits("logistic_regression")), ConfigError);
  const auto task = on_digits("linear_regression");
  CHECK(!task->evaluate(task->initial_parameters(), Split::test).accuracy);
}
