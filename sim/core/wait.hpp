// What lies between the engine and the things a process can wait for: the promise that every coroutine has,
// the places in the lists of those who wait, and the descriptions of what is waited for.
//
// Every awaitable is a WaitSource and enters itself as its promise's `waits_for` while the coroutine is
// suspended (a Waiter does), so that a report can say who waits for what since when. Texts are made only when
// a report asks.
#pragma once

#include <coroutine>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/engine.hpp"
#include "core/frame_pool.hpp"
#include "core/time.hpp"

namespace convoy {

/// What something is called in reports: a string literal (nothing is copied), a text, or a function that
/// makes the text when it is needed ("all-reduce `average`: 15 of 16 members arrived").
class Description {
 public:
  template <std::size_t n>
  Description(const char (&literal)[n]) : text_(std::string_view(literal, n - 1)) {}  // NOLINT
  template <std::size_t n>
  Description(char (&buffer)[n]) : text_(std::string(buffer)) {}  // NOLINT
  Description(std::string text) : text_(std::move(text)) {}       // NOLINT
  template <class F>
  requires std::is_invocable_r_v<std::string, F&> Description(F make)
      : text_(std::function<std::string()>(std::move(make))) {}  // NOLINT

  [[nodiscard]] std::string text() const;

 private:
  std::variant<std::string_view, std::string, std::function<std::string()>> text_;
};

/// Something a process waits for.
class WaitSource {
 public:
  /// A noun phrase: "a message of worker 3", "barrier: 3 of 4 arrived".
  [[nodiscard]] virtual std::string describe() const = 0;
  /// When the wait began.
  [[nodiscard]] virtual Time since() const = 0;
  /// What is waited for in the end, if this is a task that waits itself; nullptr if it is running.
  [[nodiscard]] virtual const WaitSource* innermost() const { return this; }

 protected:
  WaitSource() = default;
  ~WaitSource() = default;
};

namespace detail {

class ProcessState;
class WaiterList;

/// What every coroutine of the simulation (a Process or a Task) knows. A task inherits it from the coroutine
/// that awaits it. Kept small: with many processes the time goes into fetching frames.
struct PromiseBase {
  Engine* engine = nullptr;
  ProcessState* process = nullptr;
  const WaitSource* waits_for = nullptr;  ///< set while suspended
  Activity activity = Activity::work;

  [[nodiscard]] static void* operator new(std::size_t size) { return allocate_block(size); }
  static void operator delete(void* frame, std::size_t size) noexcept { free_block(frame, size); }
};

template <class P>
concept SimulationPromise = std::is_base_of_v<PromiseBase, P>;

/// A suspended coroutine's place in a list of those who wait for the same thing. Lives in the coroutine's
/// frame; leaves the list, or the engine's list of the ready, when the frame is destroyed.
class Waiter : public WaitSource {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;

  /// What was waited for has come; the waiter is in no list. Makes the coroutine ready.
  virtual void wake() { make_ready(); }
  [[nodiscard]] Time since() const override { return since_; }
  /// Leaves its list, if any.
  void unlink();
  [[nodiscard]] bool linked() const { return list_ != nullptr; }

 protected:
  virtual ~Waiter() {
    unlink();
    if (ready_) promise_->engine->forget_ready(coroutine_);
  }
  /// Called by await_suspend before the waiter enters a list.
  template <SimulationPromise P>
  void suspend(std::coroutine_handle<P> coroutine) {
    coroutine_ = coroutine;
    promise_ = &coroutine.promise();
    promise_->waits_for = this;
    since_ = promise_->engine->now();
  }
  /// For await_suspend when nothing has to be waited for: false to go on at once. True when so much has
  /// happened at this instant that the engine has to be asked, which ends the run as stalled.
  template <SimulationPromise P>
  [[nodiscard]] bool pause(std::coroutine_handle<P> coroutine) {
    if (coroutine.promise().engine->count_step()) [[likely]]
      return false;
    suspend(coroutine);
    make_ready();
    return true;
  }
  void make_ready() {
    ready_ = true;
    promise_->engine->ready(coroutine_, *promise_);
  }
  /// Called by await_resume.
  void resumed() {
    ready_ = false;
    if (promise_ != nullptr) promise_->waits_for = nullptr;
  }

 private:
  friend class WaiterList;
  Waiter* previous_ = nullptr;
  Waiter* next_ = nullptr;
  WaiterList* list_ = nullptr;
  std::coroutine_handle<> coroutine_;
  PromiseBase* promise_ = nullptr;
  Time since_;
  bool ready_ = false;
};

/// Waiters in the order in which they came. Owns none of them; its end leaves them waiting for ever.
class WaiterList {
 public:
  WaiterList() = default;
  WaiterList(const WaiterList&) = delete;
  WaiterList& operator=(const WaiterList&) = delete;
  ~WaiterList() {
    while (first_ != nullptr) first_->unlink();
  }
  [[nodiscard]] bool empty() const { return first_ == nullptr; }
  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] Waiter* first() const { return first_; }
  void push_back(Waiter& waiter);
  /// Wakes those who wait now, first come first.
  void wake_all();

 private:
  friend class Waiter;
  Waiter* first_ = nullptr;
  Waiter* last_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace detail
}  // namespace convoy
