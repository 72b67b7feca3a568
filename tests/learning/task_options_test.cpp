#include "learning/task_options.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <string>
#include <vector>

#include "learning/fixtures.hpp"

using namespace convoy;
using namespace convoy::test;

namespace {

std::string faults_of(const Node& node) {
  TaskOptions options;
  try {
    read(options, node);
  } catch (const ConfigError& error) {
    return error.what();
  }
  return "no fault";
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a task is a classification unless it says otherwise, and in the precision of its kind") {
  DataStore store({shipped_data()});
  const auto task = task_of(
      object({{"data", text("digits")}, {"model", text("softmax_regression")}, {"batch_size", integer(4)}}),
      store, 0, 2);
  CHECK(task->precision() == Precision::float32);
  CHECK(task->batch_size(1) == 4);
  CHECK(task->layout()->layers[0].name == "dense1.weight");
  CHECK(task->layout()->layers[0].matrix);
  CHECK(!task->layout()->layers[1].matrix);
  const auto quadratic =
      task_of(object({{"kind", text("quadratic")}, {"curvature", number(1)}}), store, 0, 2);
  CHECK(quadratic->precision() == Precision::float64);
}

TEST_CASE("a clock needs no math") {
  DataStore store;
  const auto clock =
      task_of(object({{"kind", text("clock_only")}, {"batch_size", integer(64)}}), store, 0, 3);
  CHECK(!clock->has_math());
  CHECK(clock->workers() == 3);
  Vector x = clock->initial_parameters();
  CHECK(x.empty());
  Vector g;
  CHECK(clock->gradient(x, 0, 0, g).samples == 64);
  CHECK(x.axpy(1, g).norm() == 0);
  CHECK(mean(std::vector<Vector>{x, g}).empty());
  CHECK(!clock->evaluate(x, Split::test).accuracy);
}

TEST_CASE("options of another kind and missing ones are faults, all reported at once") {
  const std::string missing = faults_of(Node::object());
  CHECK(contains(missing, "task.data"));
  CHECK(contains(missing, "task.model"));
  CHECK(contains(missing, "task.batch_size"));
  CHECK(contains(faults_of(object({{"kind", text("clock_only")}, {"data", text("digits")}})),
                 "no option data"));
  CHECK(contains(
      faults_of(object({{"kind", text("quadratic")}, {"curvature", number(1)}, {"model", text("mlp")}})),
      "no option model"));
  CHECK(contains(faults_of(object({{"kind", text("quadratic")}})), "task.curvature"));
  const Node idx_without_path =
      object({{"data", text("idx")}, {"model", text("mlp")}, {"batch_size", integer(1)}});
  CHECK(contains(faults_of(idx_without_path), "task.path"));
  CHECK(contains(
      faults_of(object({{"data", text("digit")}, {"model", text("mlp")}, {"batch_size", integer(1)}})),
      "digits"));
  CHECK(contains(
      faults_of(object({{"data", text("digits")}, {"model", text("mlp")}, {"batch_size", integer(0)}})),
      "batch_size"));
}

TEST_CASE("resolved options are read back to the same task") {
  DataStore store({shipped_data()});
  const Node nodes[] = {
      object({{"data", text("digits")},
              {"model", object({{"kind", text("mlp")}, {"hidden", list({integer(8), integer(4)})}})},
              {"partition", object({{"kind", text("dirichlet")},
                                    {"convention", text("noniid_bench")},
                                    {"alpha", number(2)}})},
              {"batch_size", integer(4)}}),
      object({{"kind", text("quadratic")},
              {"curvature", numbers({1, 2})},
              {"minimum", list({numbers({1, 2}), numbers({3, 4})})},
              {"noise", number(0.5)},
              {"initial", numbers({5, 6})}}),
      object({{"kind", text("clock_only")}}),
  };
  for (const Node& node : nodes) {
    TaskOptions first;
    read(first, node);
    Options declared;
    first.declare(declared);
    const Node resolved = declared.values();
    TaskOptions second;
    read(second, resolved);
    Options again;
    second.declare(again);
    CHECK(again.values() == resolved);
    const auto a = make_task(first, store, 3, 2, false);
    const auto b = make_task(second, store, 3, 2, false);
    CHECK(a->describe() == b->describe());
    Vector ga;
    Vector gb;
    a->gradient(a->initial_parameters(), 1, 2, ga);
    b->gradient(b->initial_parameters(), 1, 2, gb);
    CHECK(ga == gb);
  }
}

TEST_CASE("a global batch is shared out equally, or by the sizes given") {
  DataStore store({shipped_data()});
  Node node = object(
      {{"data", text("digits")}, {"model", text("softmax_regression")}, {"global_batch", integer(10)}});
  const auto equal = task_of(node, store, 0, 4);
  CHECK(equal->batch_size(0) == 3);
  CHECK(equal->batch_size(1) == 3);
  CHECK(equal->batch_size(2) == 2);
  CHECK(equal->batch_size(3) == 2);
  CHECK_THROWS_AS(static_cast<void>(task_of(node, store, 0, 11)), ConfigError);
  node.set("batch_split", text("by_speed"));
  TaskOptions options;
  read(options, node);
  const std::vector<std::size_t> sizes{7, 3};
  const auto by_speed = make_task(options, store, 0, 2, false, sizes);
  CHECK(by_speed->batch_size(0) == 7);
  Vector g;
  CHECK(by_speed->gradient(by_speed->initial_parameters(), 1, 0, g).samples == 3);
  node.set("batch_size", integer(5));
  CHECK(contains(faults_of(node), "not both"));
}

TEST_CASE("shares in proportion add up and leave nobody without") {
  using Sizes = std::vector<std::size_t>;
  CHECK(split_in_proportion(10, std::vector<double>{1, 1}) == Sizes{5, 5});
  // Exact parts 6.67 and 3.33: the larger remainder gets the one left.
  CHECK(split_in_proportion(10, std::vector<double>{2, 1}) == Sizes{7, 3});
  // Exact parts 0.099, 4.95, 4.95: the first gets one, the others share nine, the tie goes to the lower
  // index.
  CHECK(split_in_proportion(10, std::vector<double>{0.02, 1, 1}) == Sizes{1, 5, 4});
  for (std::size_t total = 5; total < 200; ++total) {
    const Sizes shares = split_in_proportion(total, std::vector<double>{0.01, 3, 1e-3, 0.7, 40});
    CHECK(std::accumulate(shares.begin(), shares.end(), std::size_t{0}) == total);
    for (const std::size_t share : shares) CHECK(share >= 1);
  }
}
