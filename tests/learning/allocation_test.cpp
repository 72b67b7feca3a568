// Counts every allocation of the process by standing before the C library's malloc.
#include <doctest/doctest.h>

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string>

#include "learning/fixtures.hpp"
#include "learning/optimizer.hpp"

#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)

namespace {
std::atomic<std::size_t> allocations{0};
}  // namespace

extern "C" {
void* __libc_malloc(std::size_t size);                           // NOLINT
void* __libc_memalign(std::size_t alignment, std::size_t size);  // NOLINT

void* malloc(std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_malloc(size);
}
void* aligned_alloc(std::size_t alignment, std::size_t size) {
  allocations.fetch_add(1, std::memory_order_relaxed);
  return __libc_memalign(alignment, size);
}
}

using namespace convoy;
using namespace convoy::test;

namespace {

// Steps of the simulator's kind: a gradient into a pooled vector, then the optimizer.
std::size_t allocations_of_a_step(const LearningTask& task) {
  const auto sgd = make(optimizer_makers(), "sgd", object({{"learning_rate", number(1e-3)}}));
  Vector x = task.initial_parameters();
  OptimizerState state = sgd->initial_state(x.shared_layout(), x.precision());
  Vector gradient;
  std::uint64_t step = 0;
  const auto advance = [&] {
    task.gradient(x, 0, step++, gradient);
    sgd->step(x, gradient, state, 1);
  };
  advance();
  const std::size_t before = allocations;
  for (int i = 0; i < 3; ++i) advance();
  return allocations - before;
}

}  // namespace

TEST_CASE("the counter sees an allocation") {
  const std::size_t before = allocations;
  const std::unique_ptr<std::string> text = std::make_unique<std::string>(100, 'x');
  CHECK(allocations >= before + 2);
  CHECK(text->size() == 100);
}

TEST_CASE("no step after the first allocates") {
  DataStore store({shipped_data()});
  for (const char* model : {"softmax_regression", "mlp", "resnet"}) {
    for (const int batch : {1, 32, 400}) {
      CAPTURE(model);
      CAPTURE(batch);
      const auto task =
          task_of(object({{"data", text("digits")}, {"model", text(model)}, {"batch_size", integer(batch)}}),
                  store, 0, 2);
      CHECK(allocations_of_a_step(*task) == 0);
    }
  }
}

TEST_CASE("no step of a model of text after the first allocates") {
  DataStore store({shipped_data()});
  for (const char* model : {"char_gpt", "char_lstm"}) {
    const Node options = object({{"kind", text(model)}, {"width", integer(32)}, {"context", integer(20)}});
    const auto task = task_of(object({{"kind", text("language")},
                                      {"data", text("kjv")},
                                      {"model", options},
                                      {"batch_size", integer(5)}}),
                              store, 0, 2);
    CHECK(allocations_of_a_step(*task) == 0);
  }
}

TEST_CASE("no step of a task that makes its own samples after the first allocates") {
  DataStore store;
  for (const char* kind : {"factorization", "sparse", "policy"}) {
    CAPTURE(kind);
    const auto task = task_of(object({{"kind", text(kind)}, {"batch_size", integer(20)}}), store, 0, 2);
    CHECK(allocations_of_a_step(*task) == 0);
  }
}

#endif
