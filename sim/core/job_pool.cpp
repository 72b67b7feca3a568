#include "core/job_pool.hpp"

#include <algorithm>
#include <exception>
#include <stdexcept>
#include <tuple>
#include <utility>

namespace convoy {

namespace detail {

struct Job {
  enum class State { queued, running, done };
  JobPool* pool;
  Time needed;
  std::uint64_t run;
  std::uint64_t sequence;
  std::function<void()> work;
  State state = State::queued;
  bool ahead = false;  ///< started by another thread than its joiner
  std::exception_ptr failure;
};

}  // namespace detail

using detail::Job;

// --- Handles
// ----------------------------------------------------------------------------------------------------

JobHandle::JobHandle() noexcept = default;
JobHandle::JobHandle(std::unique_ptr<Job> job) : job_(std::move(job)) {}
JobHandle::JobHandle(JobHandle&& other) noexcept = default;
JobHandle& JobHandle::operator=(JobHandle&& other) noexcept {
  if (this != &other) {
    if (job_ != nullptr) job_->pool->drop(*this);
    job_ = std::move(other.job_);
  }
  return *this;
}
JobHandle::~JobHandle() {
  if (job_ != nullptr) job_->pool->drop(*this);
}

// --- The pool
// ---------------------------------------------------------------------------------------------------

bool JobPool::Earlier::operator()(const Job* a, const Job* b) const {
  return std::tie(a->needed, a->run, a->sequence) < std::tie(b->needed, b->run, b->sequence);
}

JobPool::JobPool(JobPoolOptions options) : options_(options) {
  if (options_.threads < 1) throw std::invalid_argument("a job pool needs a thread");
  if (options_.window == 0) options_.window = 4 * static_cast<std::size_t>(options_.threads);
  for (int i = 1; i < options_.threads; ++i) helpers_.emplace_back([this] { help(); });
}

JobPool::~JobPool() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_all();
  for (std::thread& helper : helpers_) helper.join();
}

JobHandle JobPool::launch(Time needed, std::uint64_t run, std::function<void()> job) {
  auto launched = std::make_unique<Job>();
  launched->pool = this;
  launched->needed = needed;
  launched->run = run;
  launched->work = std::move(job);
  if (!helpers_.empty()) {
    const std::lock_guard lock(mutex_);
    launched->sequence = launched_++;
    queue_.insert(launched.get());
    if (may_help()) work_.notify_one();
  }
  return JobHandle(std::move(launched));
}

void JobPool::compute(std::unique_lock<std::mutex>& lock, Job& job) {
  queue_.erase(&job);
  job.state = Job::State::running;
  lock.unlock();
  try {
    job.work();
  } catch (...) {
    job.failure = std::current_exception();
  }
  lock.lock();
  job.state = Job::State::done;
  finished_.notify_all();
}

void JobPool::join(JobHandle& handle) {
  if (handle.empty()) throw std::logic_error("a job is joined twice");
  const std::unique_ptr<Job> job = std::move(handle.job_);
  if (helpers_.empty()) return job->work();
  std::unique_lock lock(mutex_);
  if (job->state == Job::State::queued) {
    compute(lock, *job);
  }
  while (job->state != Job::State::done) {
    if (queue_.empty() || ahead_ >= options_.window) {
      finished_.wait(lock);
    } else {
      Job& other = **queue_.begin();
      other.ahead = true;
      ++ahead_;
      compute(lock, other);
    }
  }
  if (job->ahead) {
    --ahead_;
    if (may_help()) work_.notify_one();
  }
  lock.unlock();
  if (job->failure) std::rethrow_exception(job->failure);
}

void JobPool::drop(JobHandle& handle) {
  const std::unique_ptr<Job> job = std::move(handle.job_);
  if (job == nullptr || helpers_.empty()) return;
  std::unique_lock lock(mutex_);
  if (job->state == Job::State::queued) {
    queue_.erase(job.get());
    return;
  }
  finished_.wait(lock, [&] { return job->state == Job::State::done; });
  if (job->ahead) {
    --ahead_;
    if (may_help()) work_.notify_one();
  }
}

bool JobPool::may_help() const {
  return !queue_.empty() && ahead_ < options_.window &&
         busy_helpers_ < options_.threads - std::max(1, callers_);
}

void JobPool::help() {
  std::unique_lock lock(mutex_);
  while (true) {
    work_.wait(lock, [this] { return closing_ || may_help(); });
    if (closing_) return;
    Job& job = **queue_.begin();
    job.ahead = true;
    ++ahead_;
    ++busy_helpers_;
    if (may_help()) work_.notify_one();
    compute(lock, job);
    --busy_helpers_;
  }
}

JobPool::Caller::Caller(JobPool& pool) : pool_(pool) {
  const std::lock_guard lock(pool_.mutex_);
  ++pool_.callers_;
}

JobPool::Caller::~Caller() {
  const std::lock_guard lock(pool_.mutex_);
  --pool_.callers_;
  if (pool_.may_help()) pool_.work_.notify_one();
}

}  // namespace convoy
