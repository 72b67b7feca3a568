// Processes: coroutines of the simulation.
//
//   Process worker(Channel<int>& work, int rank) {     // a function; state comes in as parameters, never as captures
//     while (true) {
//       const int item = co_await work.receive();
//       co_await delay(Duration::seconds(item));       // takes virtual time
//       co_await report(item);                         // a Task<>: a child coroutine, see core/task.hpp
//     }
//   }
//   ProcessHandle handle = engine.spawn("worker 0", worker(work, 0));
//
// Parameters taken by reference must outlive the process. Frames come from a pool.
#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/completion.hpp"
#include "core/engine.hpp"
#include "core/task.hpp"
#include "core/wait.hpp"

namespace convoy {

/// The return type of a top-level coroutine. Does nothing until it is passed to Engine::spawn.
class Process {
 public:
  struct promise_type;

  Process(Process&& other) noexcept : coroutine_(std::exchange(other.coroutine_, nullptr)) {}
  Process& operator=(Process&& other) noexcept {
    std::swap(coroutine_, other.coroutine_);
    return *this;
  }
  ~Process() {
    if (coroutine_) coroutine_.destroy();
  }

 private:
  friend class Engine;
  explicit Process(std::coroutine_handle<promise_type> coroutine) : coroutine_(coroutine) {}
  std::coroutine_handle<promise_type> coroutine_;
};

namespace detail {

/// What the engine and the handles of a process share; outlives its frame.
class ProcessState final : public HandleState {
 public:
  enum class Status { live, finished, cancelled, failed };

  ProcessState(Engine& engine, std::string name, Activity activity)
      : engine_(&engine), name_(std::move(name)), activity_(activity) {}
  [[nodiscard]] std::string describe() const override { return "the end of " + name_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Status status() const { return status_; }
  [[nodiscard]] bool cancel_requested() const { return cancel_requested_; }
  void started() { started_ = true; }
  /// Called at the end of the coroutine, which is suspended for good.
  void ended(std::exception_ptr failure) { engine_->process_ended(*this, std::move(failure)); }
  void cancel() {
    if (status_ == Status::live) engine_->request_cancel(*this);
  }

 private:
  friend class convoy::Engine;
  Engine* engine_;  ///< valid while live
  std::string name_;
  Activity activity_;
  Status status_ = Status::live;
  bool started_ = false;
  bool cancel_requested_ = false;
  Time spawned_;
  std::coroutine_handle<> coroutine_;
  PromiseBase* promise_ = nullptr;
  ProcessState* previous_ = nullptr;
  ProcessState* next_ = nullptr;
  std::shared_ptr<ProcessState> self_;  ///< while live
};

}  // namespace detail

struct Process::promise_type : detail::PromiseBase {
  struct Start {
    promise_type* promise;
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<>) const noexcept {}
    void await_resume() const noexcept { promise->process->started(); }
  };
  struct End {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<promise_type> coroutine) const noexcept {
      promise_type& promise = coroutine.promise();
      promise.process->ended(std::move(promise.failure));
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] Process get_return_object() {
    return Process(std::coroutine_handle<promise_type>::from_promise(*this));
  }
  [[nodiscard]] Start initial_suspend() noexcept { return Start{this}; }
  [[nodiscard]] End final_suspend() noexcept { return {}; }
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { failure = std::current_exception(); }

  std::exception_ptr failure;
};

/// Observes a process. Awaiting it waits until the process has ended in whatever way; dropping it stops nothing.
class ProcessHandle : public Handle {
 public:
  [[nodiscard]] const std::string& name() const { return own_state().name(); }
  /// Ended by cancellation (its own, its scope's, or the end of the run).
  [[nodiscard]] bool cancelled() const { return own_state().status() == detail::ProcessState::Status::cancelled; }
  /// Asks for its end. Carried out between events: the process does not resume again, its frame is destroyed, and those
  /// who await it resume. Nothing happens if it has ended.
  void cancel() const { own_state().cancel(); }

 private:
  friend class Engine;
  explicit ProcessHandle(std::shared_ptr<detail::ProcessState> state) : Handle(std::move(state)) {}
  [[nodiscard]] detail::ProcessState& own_state() const { return static_cast<detail::ProcessState&>(state()); }
};

namespace detail {

class Delay final : public WaitSource {
 public:
  Delay(Duration duration, EventClass event_class, std::optional<Activity> activity)
      : duration_(duration), event_class_(event_class), activity_(activity) {}
  Delay(const Delay&) = delete;
  Delay& operator=(const Delay&) = delete;
  ~Delay() {
    if (promise_ != nullptr) [[unlikely]] promise_->engine->forget(end_, event_class_, *activity_, coroutine_);
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <SimulationPromise P>
  void await_suspend(std::coroutine_handle<P> coroutine) {
    PromiseBase& promise = coroutine.promise();
    Engine& engine = *promise.engine;
    end_ = engine.now() + duration_;
    if (!activity_) activity_ = promise.activity;
    engine.resume_at(end_, event_class_, *activity_, coroutine);
    promise.suspended(*this);
    coroutine_ = coroutine;
    promise_ = &promise;
  }
  void await_resume() noexcept { std::exchange(promise_, nullptr)->waits_for = nullptr; }
  [[nodiscard]] std::string describe() const override;

 private:
  Duration duration_;
  EventClass event_class_;
  std::optional<Activity> activity_;
  Time end_;
  std::coroutine_handle<> coroutine_;
  PromiseBase* promise_ = nullptr;  ///< set while suspended
};

}  // namespace detail

/// Lets virtual time pass: `co_await delay(Duration::seconds(2))`. A delay of zero lets everything else of this instant
/// that comes before it in the event order go first. Throws std::logic_error for a negative duration. `activity` is the
/// process's own unless stated (a repair process states Activity::repair).
[[nodiscard]] inline detail::Delay delay(Duration duration, EventClass event_class = EventClass::timer,
                                         std::optional<Activity> activity = std::nullopt) {
  return detail::Delay(duration, event_class, activity);
}

}  // namespace convoy
