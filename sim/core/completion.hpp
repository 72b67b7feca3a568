// Handles: observers of something that ends once, such as a transfer, a collective, a computation or a
// process.
//
//   Completion<double> loss("the loss of worker 3");
//   engine.after(cost, EventClass::computation, [loss] { loss.set(0.5); });
//   ...
//   const double value = co_await loss;     // in any number of processes
//
// A handle is cheap to copy and shares one state. Dropping it stops nothing.
#pragma once

#include <coroutine>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/wait.hpp"

namespace convoy {

namespace detail {

/// What all copies of a handle share.
class HandleState {
 public:
  HandleState(const HandleState&) = delete;
  HandleState& operator=(const HandleState&) = delete;
  virtual ~HandleState() = default;
  [[nodiscard]] virtual std::string describe() const = 0;

  [[nodiscard]] bool done() const { return done_; }
  [[nodiscard]] WaiterList& waiters() { return waiters_; }
  void on_done(std::function<void()> callback);
  /// Runs the callbacks in order of registration, then makes the waiters ready in order of arrival.
  void complete();

 protected:
  HandleState() = default;

 private:
  bool done_ = false;
  WaiterList waiters_;
  std::vector<std::function<void()>> callbacks_;
};

class HandleAwaiter : public Waiter {
 public:
  explicit HandleAwaiter(std::shared_ptr<HandleState> state) : state_(std::move(state)) {}
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <SimulationPromise P>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<P> coroutine) {
    if (state_->done()) return pause(coroutine);
    suspend(coroutine);
    state_->waiters().push_back(*this);
    return true;
  }
  void await_resume() { resumed(); }
  [[nodiscard]] std::string describe() const override { return state_->describe(); }

 protected:
  [[nodiscard]] HandleState& state() const { return *state_; }

 private:
  std::shared_ptr<HandleState> state_;
};

}  // namespace detail

/// Observes the end of something. Awaiting it waits for that end; if it is past, it goes on at once.
class Handle {
 public:
  [[nodiscard]] bool done() const { return state_->done(); }
  /// Calls back at the end, before any waiter resumes, in order of registration, on the stack of whoever ends
  /// it. At once if the end is past.
  void on_done(std::function<void()> callback) const { state_->on_done(std::move(callback)); }
  /// What it is called in reports.
  [[nodiscard]] std::string description() const { return state_->describe(); }
  [[nodiscard]] detail::HandleAwaiter operator co_await() const { return detail::HandleAwaiter(state_); }

  /// For combinators: who waits for it.
  [[nodiscard]] detail::HandleState& state() const { return *state_; }

 protected:
  explicit Handle(std::shared_ptr<detail::HandleState> state) : state_(std::move(state)) {}
  [[nodiscard]] const std::shared_ptr<detail::HandleState>& shared_state() const { return state_; }

 private:
  std::shared_ptr<detail::HandleState> state_;
};

namespace detail {

template <class T>
class CompletionState final : public HandleState {
 public:
  explicit CompletionState(Description description) : description_(std::move(description)) {}
  [[nodiscard]] std::string describe() const override { return description_.text(); }
  std::optional<T> value;

 private:
  Description description_;
};

template <class T>
class CompletionAwaiter final : public HandleAwaiter {
 public:
  using HandleAwaiter::HandleAwaiter;
  const T& await_resume() {
    resumed();
    return *static_cast<CompletionState<T>&>(state()).value;
  }
};

struct Nothing {};

}  // namespace detail

/// A handle with a result and the means to end it. `co_await` gives a const T& that lives as long as a copy
/// of the handle does (keep one while you use it); nothing for void.
template <class T = void>
class Completion : public Handle {
  using Value = std::conditional_t<std::is_void_v<T>, detail::Nothing, T>;
  using State = detail::CompletionState<Value>;

 public:
  explicit Completion(Description description)
      : Handle(std::allocate_shared<State>(detail::BlockAllocator<State>(), std::move(description))) {}

  /// Ends it: callbacks run now, waiters resume within the present event. Throws std::logic_error the second
  /// time.
  void set(Value value) const requires(!std::is_void_v<T>) { finish(std::move(value)); }
  void set() const requires std::is_void_v<T> { finish(Value{}); }
  /// The result. Throws std::logic_error before the end.
  [[nodiscard]] const Value& value() const requires(!std::is_void_v<T>) {
    if (!done()) throw std::logic_error("no result yet: " + description());
    return *own_state().value;
  }
  [[nodiscard]] auto operator co_await() const {
    if constexpr (std::is_void_v<T>) {
      return detail::HandleAwaiter(shared_state());
    } else {
      return detail::CompletionAwaiter<T>(shared_state());
    }
  }

 private:
  [[nodiscard]] State& own_state() const { return static_cast<State&>(state()); }
  void finish(Value value) const {
    if (own_state().value.has_value()) throw std::logic_error("ended twice: " + description());
    own_state().value.emplace(std::move(value));
    const std::shared_ptr<detail::HandleState> keep = shared_state();  // a callback may drop this handle
    keep->complete();
  }
};

}  // namespace convoy
