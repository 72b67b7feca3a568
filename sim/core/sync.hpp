// Barrier and Resource: meeting points and shared capacity.
//
//   Barrier barrier(4, "round");                  // co_await barrier.arrive(), again and again
//   Resource link(1, "the copy lane");
//   {
//     Lease lease = co_await link.acquire();      // first come first served; given back at the end of the
//     block co_await delay(copy_time);
//   }
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "core/wait.hpp"

namespace convoy {

/// Everyone waits until `members` have arrived, then all go on (the last one at once, the others in order of
/// arrival) and the barrier is as new. A member that is destroyed while it waits has not arrived.
class Barrier {
 public:
  class Arrive;

  /// Throws std::invalid_argument for zero members.
  explicit Barrier(std::size_t members, Description description = "barrier");
  Barrier(const Barrier&) = delete;
  Barrier& operator=(const Barrier&) = delete;

  [[nodiscard]] Arrive arrive();
  [[nodiscard]] std::size_t members() const { return members_; }
  /// Members that wait now.
  [[nodiscard]] std::size_t arrived() const { return waiting_.size(); }
  /// A member, not waiting now, stays away for good. Throws std::logic_error for the last one.
  void leave();

 private:
  std::size_t members_;
  Description description_;
  detail::WaiterList waiting_;
};

class Barrier::Arrive final : public detail::Waiter {
 public:
  explicit Arrive(Barrier& barrier) : barrier_(&barrier) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <detail::SimulationPromise P>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<P> coroutine) {
    if (barrier_->arrived() + 1 >= barrier_->members_) {
      barrier_->waiting_.wake_all();
      return pause(coroutine);
    }
    suspend(coroutine);
    barrier_->waiting_.push_back(*this);
    return true;
  }
  void await_resume() { resumed(); }
  [[nodiscard]] std::string describe() const override;

 private:
  Barrier* barrier_;
};

inline Barrier::Arrive Barrier::arrive() {
  return Arrive(*this);
}

namespace detail {

/// What a resource and its leases share.
class ResourceState {
 public:
  ResourceState(std::int64_t amount, Description name) : capacity(amount), description(std::move(name)) {}
  void serve();
  void give_back(std::int64_t amount) {
    in_use -= amount;
    serve();
  }
  const std::int64_t capacity;
  const Description description;
  std::int64_t in_use = 0;
  WaiterList waiting;
};

}  // namespace detail

/// A share of a resource; gives it back when destroyed. May outlive the resource.
class [[nodiscard]] Lease {
 public:
  Lease() = default;
  Lease(Lease&& other) noexcept
      : resource_(std::move(other.resource_)), amount_(std::exchange(other.amount_, 0)) {}
  Lease& operator=(Lease&& other) noexcept {
    std::swap(resource_, other.resource_);
    std::swap(amount_, other.amount_);
    return *this;
  }
  ~Lease() { release(); }
  void release() {
    if (amount_ != 0) resource_->give_back(std::exchange(amount_, 0));
  }
  [[nodiscard]] std::int64_t amount() const { return amount_; }

 private:
  friend class Resource;
  Lease(std::shared_ptr<detail::ResourceState> resource, std::int64_t amount)
      : resource_(std::move(resource)), amount_(amount) {}
  std::shared_ptr<detail::ResourceState> resource_;
  std::int64_t amount_ = 0;
};

/// Capacity that processes share. Served in order of arrival, without overtaking: a large request at the head
/// holds back small ones behind it.
class Resource {
 public:
  class Acquire;

  /// Throws std::invalid_argument for a capacity below 1.
  explicit Resource(std::int64_t capacity = 1, Description description = "resource");
  Resource(const Resource&) = delete;
  Resource& operator=(const Resource&) = delete;

  /// `co_await` gives the Lease. Throws std::invalid_argument for an amount below 1 or above the capacity.
  [[nodiscard]] Acquire acquire(std::int64_t amount = 1);
  [[nodiscard]] std::int64_t capacity() const { return state_->capacity; }
  [[nodiscard]] std::int64_t in_use() const { return state_->in_use; }
  /// Processes that wait for their share.
  [[nodiscard]] std::size_t queue_length() const { return state_->waiting.size(); }

 private:
  std::shared_ptr<detail::ResourceState> state_;
};

class Resource::Acquire final : public detail::Waiter {
 public:
  Acquire(std::shared_ptr<detail::ResourceState> resource, std::int64_t amount)
      : resource_(std::move(resource)), amount_(amount) {}
  ~Acquire() override;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <detail::SimulationPromise P>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<P> coroutine) {
    if (resource_->waiting.empty() && resource_->in_use + amount_ <= resource_->capacity) {
      grant();
      return pause(coroutine);
    }
    suspend(coroutine);
    resource_->waiting.push_back(*this);
    return true;
  }
  [[nodiscard]] Lease await_resume();
  [[nodiscard]] std::string describe() const override;

 private:
  friend class detail::ResourceState;
  void grant() {
    resource_->in_use += amount_;
    granted_ = true;
  }
  std::shared_ptr<detail::ResourceState> resource_;
  std::int64_t amount_;
  bool granted_ = false;
};

}  // namespace convoy
