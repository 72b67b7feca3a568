// Task<T>: a child coroutine that its parent awaits, for the named parts of a process.
//
//   Task<double> local_step(Worker& w) {
//     co_await delay(w.step_time);
//     co_return w.loss;
//   }
//   const double loss = co_await local_step(w);
#pragma once

#include <coroutine>
#include <exception>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/wait.hpp"

namespace convoy {

template <class T>
class Task;

namespace detail {

struct TaskPromiseBase : PromiseBase {
  /// Goes on with the parent.
  struct End {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    template <class P>
    [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<P> coroutine) const noexcept {
      return coroutine.promise().parent;
    }
    void await_resume() const noexcept {}
  };
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] End final_suspend() const noexcept { return {}; }
  void unhandled_exception() noexcept { failure = std::current_exception(); }

  std::coroutine_handle<> parent;
  std::exception_ptr failure;
};

template <class T>
struct TaskPromise final : TaskPromiseBase {
  [[nodiscard]] Task<T> get_return_object();
  template <class U>
  requires std::is_convertible_v<U&&, T>
  void return_value(U&& result) { value.emplace(std::forward<U>(result)); }
  [[nodiscard]] T take() {
    if (failure) std::rethrow_exception(failure);
    return std::move(*value);
  }
  std::optional<T> value;
};

template <>
struct TaskPromise<void> final : TaskPromiseBase {
  [[nodiscard]] Task<void> get_return_object();
  void return_void() const noexcept {}
  void take() const {
    if (failure) std::rethrow_exception(failure);
  }
};

/// Starts the child within the parent and waits for its end.
template <class T>
class TaskAwaiter final : public WaitSource {
 public:
  explicit TaskAwaiter(std::coroutine_handle<TaskPromise<T>> task) : task_(task) {}
  TaskAwaiter(const TaskAwaiter&) = delete;
  TaskAwaiter& operator=(const TaskAwaiter&) = delete;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <SimulationPromise P>
  [[nodiscard]] std::coroutine_handle<> await_suspend(std::coroutine_handle<P> parent) noexcept {
    parent_ = &parent.promise();
    TaskPromise<T>& promise = task_.promise();
    promise.engine = parent_->engine;
    promise.process = parent_->process;
    promise.activity = parent_->activity;
    promise.parent = parent;
    parent_->waits_for = this;
    return task_;
  }
  T await_resume() {
    parent_->waits_for = nullptr;
    return task_.promise().take();
  }
  [[nodiscard]] const WaitSource* innermost() const override {
    const WaitSource* child = task_.promise().waits_for;
    return child != nullptr ? child->innermost() : nullptr;
  }
  [[nodiscard]] std::string describe() const override { return "a task"; }
  [[nodiscard]] Time since() const override { return {}; }

 private:
  std::coroutine_handle<TaskPromise<T>> task_;
  PromiseBase* parent_ = nullptr;
};

}  // namespace detail

/// Lazy: starts when it is awaited, once; an exception that escapes it is thrown at the parent's co_await. T
/// is void or a movable object type. Destroyed with its parent, wherever it stands.
template <class T = void>
class [[nodiscard]] Task {
 public:
  using promise_type = detail::TaskPromise<T>;

  Task(Task&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Task& operator=(Task&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Task() {
    if (coroutine_) coroutine_.destroy();
  }
  [[nodiscard]] detail::TaskAwaiter<T> operator co_await() const noexcept {
    return detail::TaskAwaiter<T>(coroutine_);
  }

 private:
  friend promise_type;
  explicit Task(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
  std::coroutine_handle<promise_type> coroutine_;
};

namespace detail {

template <class T>
Task<T> TaskPromise<T>::get_return_object() {
  return Task<T>(std::coroutine_handle<TaskPromise<T>>::from_promise(*this));
}
inline Task<void> TaskPromise<void>::get_return_object() {
  return Task<void>(std::coroutine_handle<TaskPromise<void>>::from_promise(*this));
}

}  // namespace detail
}  // namespace convoy
