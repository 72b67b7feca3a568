#include "core/job_pool.hpp"

#include <doctest/doctest.h>

#include <atomic>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <vector>

#include "core/random.hpp"

using namespace convoy;

namespace {

Time at(std::int64_t count) {
  return Time::at_nanoseconds(count);
}

/// A pure function with some work in it.
std::uint64_t churn(std::uint64_t x, int rounds = 2000) {
  for (int i = 0; i < rounds; ++i) x = mix64(x);
  return x;
}

/// Waits without sleeping until another thread has set the flag.
void await(const std::atomic<bool>& flag) {
  while (!flag.load()) std::this_thread::yield();
}

}  // namespace

TEST_CASE("results are the same for any number of threads and any window") {
  std::vector<std::uint64_t> expected;
  for (std::uint64_t i = 0; i < 300; ++i) expected.push_back(churn(i));
  for (const int threads : {1, 2, 4}) {
    for (const std::size_t window : {0u, 1u, 100u}) {
      JobPool pool({.threads = threads, .window = window});
      std::vector<std::uint64_t> results(300);
      std::vector<JobHandle> handles;
      for (std::uint64_t i = 0; i < 300; ++i) {
        handles.push_back(
            pool.launch(at(static_cast<std::int64_t>(i)), 0, [&results, i] { results[i] = churn(i); }));
      }
      for (JobHandle& handle : handles) {
        pool.join(handle);
        CHECK(handle.empty());
      }
      CHECK(results == expected);
    }
  }
}

TEST_CASE("with one thread a job is computed at the join, and a dropped one never") {
  JobPool pool(1);
  int done = 0;
  JobHandle first = pool.launch(at(1), 0, [&] { done += 1; });
  JobHandle second = pool.launch(at(2), 0, [&] { done += 10; });
  CHECK(done == 0);
  pool.join(second);
  CHECK(done == 10);
  pool.drop(first);
  CHECK(first.empty());
  CHECK(done == 10);
  {
    const JobHandle abandoned = pool.launch(at(3), 0, [&] { done += 100; });
  }
  CHECK(done == 10);
  CHECK_THROWS_AS(pool.join(first), std::logic_error);
  pool.drop(first);
}

TEST_CASE("an exception of a job is thrown at its join") {
  for (const int threads : {1, 3}) {
    JobPool pool(threads);
    std::vector<JobHandle> handles;
    for (int i = 0; i < 20; ++i) {
      handles.push_back(pool.launch(at(i), 0, [i] {
        if (i % 2 == 1) throw std::runtime_error("job " + std::to_string(i));
      }));
    }
    for (int i = 0; i < 20; ++i) {
      JobHandle& handle = handles[static_cast<std::size_t>(i)];
      if (i % 2 == 1) {
        CHECK_THROWS_WITH_AS(pool.join(handle), ("job " + std::to_string(i)).c_str(), std::runtime_error);
      } else {
        pool.join(handle);
      }
    }
  }
}

TEST_CASE("drop waits for a job that runs, and removes one that does not") {
  JobPool pool(2);
  std::atomic<bool> started = false, open = false, ended = false;
  bool second_ran = false;
  JobHandle running = pool.launch(at(1), 0, [&] {
    started = true;
    await(open);
    ended = churn(1, 200000) != 0;
  });
  await(started);
  JobHandle waiting = pool.launch(at(2), 0, [&] { second_ran = true; });
  pool.drop(waiting);
  open = true;
  pool.drop(running);
  CHECK(ended);
  // The helper is free again; what was removed does not come back.
  JobHandle last = pool.launch(at(3), 0, [] {});
  pool.join(last);
  CHECK_FALSE(second_ran);
}

TEST_CASE("a helper takes the job that is needed first") {
  // The helper is held by a gate while jobs are launched in another order; then it must run them by (needed,
  // run, launch): 10/run 0, 10/run 1, 10/run 1 (later launch), 20.
  JobPool pool({.threads = 2, .window = 10});
  std::atomic<bool> started = false, open = false;
  std::vector<int> order;  // written by the helper alone
  JobHandle gate = pool.launch(at(0), 0, [&] {
    started = true;
    await(open);
  });
  await(started);
  std::vector<JobHandle> handles;
  std::atomic<bool> all = false;
  handles.push_back(pool.launch(at(20), 0, [&] {
    order.push_back(4);
    all = true;
  }));
  handles.push_back(pool.launch(at(10), 1, [&] { order.push_back(2); }));
  handles.push_back(pool.launch(at(10), 1, [&] { order.push_back(3); }));
  handles.push_back(pool.launch(at(10), 0, [&] { order.push_back(1); }));
  open = true;
  await(all);
  for (JobHandle& handle : handles) pool.join(handle);
  pool.join(gate);
  CHECK(order == std::vector<int>{1, 2, 3, 4});
}

TEST_CASE("helpers work at most a window ahead of the joins") {
  // Window 3: of 50 jobs launched at once, no more than 3 are started before the first join; 1 more with each
  // join.
  JobPool pool({.threads = 3, .window = 3});
  std::atomic<int> started = 0;
  std::vector<JobHandle> handles;
  for (int i = 0; i < 50; ++i) handles.push_back(pool.launch(at(i), 0, [&] { ++started; }));
  for (int joined = 0; joined < 50; ++joined) {
    CHECK(started.load() <= joined + 3);
    pool.join(handles[static_cast<std::size_t>(joined)]);
  }
  CHECK(started == 50);
}

TEST_CASE("a thread whose job another one computes lends a hand, and nobody waits for ever") {
  // The helper holds job 0 until job 1 has run; the joiner of job 0 must therefore run job 1.
  JobPool pool(2);
  std::atomic<bool> started = false, first_open = false;
  JobHandle first = pool.launch(at(0), 0, [&] {
    started = true;
    await(first_open);
  });
  await(started);
  JobHandle second = pool.launch(at(1), 0, [&] { first_open = true; });
  pool.join(first);
  pool.join(second);
  CHECK(first_open);
}

TEST_CASE("several runs share one pool") {
  // Three threads, each with its own chain of jobs and drops, and so no helper beyond the fourth thread.
  JobPool pool(4);
  std::vector<std::uint64_t> sums(3, 0);
  std::vector<std::thread> runs;
  for (std::size_t run = 0; run < 3; ++run) {
    runs.emplace_back([&, run] {
      const JobPool::Caller caller(pool);
      for (std::int64_t step = 0; step < 200; ++step) {
        std::vector<std::uint64_t> results(4, 0);
        std::vector<JobHandle> handles;
        for (std::uint64_t k = 0; k < 4; ++k) {
          handles.push_back(
              pool.launch(at(step), run, [&results, k, run] { results[k] = churn(run * 10 + k, 50); }));
        }
        handles.back() = JobHandle();  // dropped by assignment
        for (std::size_t k = 0; k < 3; ++k) pool.join(handles[k]);
        sums[run] += results[0] + results[1] + results[2];
      }
    });
  }
  for (std::thread& run : runs) run.join();
  for (std::uint64_t run = 0; run < 3; ++run) {
    std::uint64_t expected = 0;
    for (std::uint64_t k = 0; k < 3; ++k) expected += churn(run * 10 + k, 50);
    CHECK(sums[run] == 200 * expected);
  }
}

TEST_CASE("a pool without threads is refused") {
  CHECK_THROWS_AS(JobPool(0), std::invalid_argument);
}
