// JobPool: math on other cores while virtual time stands still.
//
//   JobPool pool({.threads = 4});
//   JobHandle job = pool.launch(engine.now() + cost, run, [&] { compute(snapshot, result); });   // when a
//   step begins pool.join(job); // when it ends
//
// A job is a pure function: it reads immutable snapshots, writes buffers that only it owns, and neither
// launches nor joins jobs. Results are therefore the same for any number of threads.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "core/time.hpp"

namespace convoy {

class JobPool;
namespace detail {
struct Job;
}

/// One launched job; empty by default, after join and after drop. Its end drops the job, so that a job never
/// outlives what it refers to. Must not outlive the pool.
class JobHandle {
 public:
  JobHandle() noexcept;
  JobHandle(JobHandle&& other) noexcept;
  JobHandle& operator=(JobHandle&& other) noexcept;
  ~JobHandle();
  [[nodiscard]] bool empty() const { return job_ == nullptr; }

 private:
  friend class JobPool;
  explicit JobHandle(std::unique_ptr<detail::Job> job);
  std::unique_ptr<detail::Job> job_;
};

struct JobPoolOptions {
  /// Cores in use, those of the threads that join included.
  int threads = 1;
  /// Most jobs that helpers work ahead: started by them and not yet joined. 0: four times `threads`.
  std::size_t window = 0;
};

class JobPool {
 public:
  /// Throws std::invalid_argument for fewer than one thread.
  explicit JobPool(JobPoolOptions options);
  explicit JobPool(int threads) : JobPool(JobPoolOptions{.threads = threads}) {}
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;
  ~JobPool();

  /// Queues a job, in the order (needed, run, launch). With one thread it is computed at the join.
  [[nodiscard]] JobHandle launch(Time needed, std::uint64_t run, std::function<void()> job);
  /// Returns when the job is done, and empties the handle. Computes it here if it has not started; while
  /// another thread computes it, computes other queued jobs. Rethrows what the job threw. Throws
  /// std::logic_error if empty.
  void join(JobHandle& handle);
  /// Makes sure that the job does not run after this: takes it out of the queue or waits for its end. Empties
  /// the handle.
  void drop(JobHandle& handle);
  [[nodiscard]] int threads() const { return options_.threads; }

  /// Counts the thread that owns it among the pool's threads while it lives: a program that runs several
  /// engines at once makes one in each of their threads, and so many helpers rest. Without any, one such
  /// thread is assumed.
  class Caller {
   public:
    explicit Caller(JobPool& pool);
    Caller(const Caller&) = delete;
    Caller& operator=(const Caller&) = delete;
    ~Caller();

   private:
    JobPool& pool_;
  };

 private:
  friend class JobHandle;
  struct Earlier {
    bool operator()(const detail::Job* a, const detail::Job* b) const;
  };
  void help();
  [[nodiscard]] bool may_help() const;
  void compute(std::unique_lock<std::mutex>& lock, detail::Job& job);

  JobPoolOptions options_;
  std::mutex mutex_;
  std::condition_variable work_;      ///< for helpers: a job may be taken, or the end
  std::condition_variable finished_;  ///< for joiners: a job has ended
  std::set<detail::Job*, Earlier> queue_;
  std::uint64_t launched_ = 0;
  std::size_t ahead_ = 0;  ///< started by others than their joiner, not yet joined
  int callers_ = 0;
  int busy_helpers_ = 0;
  bool closing_ = false;
  std::vector<std::thread> helpers_;
};

}  // namespace convoy
