// Processes: coroutines of the simulation.
//
//   Process worker(Channel<int>& work, int rank) {     // a function; state comes in as parameters, never as
//   captures
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

/// What a process waits for until it has begun.
class StartSource final : public WaitSource {
 public:
  explicit StartSource(Time spawned) : spawned_(spawned) {}
  [[nodiscard]] std::string describe() const override { return "its start"; }
  [[nodiscard]] Time since() const override { return spawned_; }

 private:
  Time spawned_;
};

/// What the engine and the handles of a process share; outlives its frame.
class ProcessState final : public HandleState {
 public:
  enum class Status { live, finished, cancelled, failed };

  ProcessState(Engine& engine, std::string name, Activity activity)
      : engine_(&engine), name_(std::move(name)), activity_(activity), start_(engine.now()) {}
  [[nodiscard]] std::string describe() const override { return "the end of " + name_; }
  [[nodiscard]] const std::string& name() const { return name_; }
  [[nodiscard]] Status status() const { return status_; }
  [[nodiscard]] bool cancel_requested() const { return cancel_requested_; }
  /// An exception escaped the coroutine.
  void failed(std::exception_ptr failure) { failure_ = std::move(failure); }
  /// The coroutine is suspended for good.
  void ended() { engine_->process_ended(*this); }
  void cancel() {
    if (status_ == Status::live) engine_->request_cancel(*this);
  }

 private:
  friend class convoy::Engine;
  Engine* engine_;  ///< valid while live
  std::string name_;
  Activity activity_;
  Status status_ = Status::live;
  bool cancel_requested_ = false;
  StartSource start_;
  std::exception_ptr failure_;
  std::coroutine_handle<> coroutine_;
  PromiseBase* promise_ = nullptr;
  ProcessState* previous_ = nullptr;
  ProcessState* next_ = nullptr;
  std::shared_ptr<ProcessState> self_;  ///< while live
};

}  // namespace detail

struct Process::promise_type : detail::PromiseBase {
  struct End {
    [[nodiscard]] bool await_ready() const noexcept { return false; }
    void await_suspend(std::coroutine_handle<promise_type> coroutine) const noexcept {
      coroutine.promise().process->ended();
    }
    void await_resume() const noexcept {}
  };

  [[nodiscard]] Process get_return_object() {
    return Process(std::coroutine_handle<promise_type>::from_promise(*this));
  }
  [[nodiscard]] std::suspend_always initial_suspend() const noexcept { return {}; }
  [[nodiscard]] End final_suspend() const noexcept { return {}; }
  void return_void() const noexcept {}
  void unhandled_exception() noexcept { process->failed(std::current_exception()); }
};

/// Observes a process. Awaiting it waits until the process has ended in whatever way; dropping it stops
/// nothing.
class ProcessHandle : public Handle {
 public:
  [[nodiscard]] const std::string& name() const { return own_state().name(); }
  /// Ended by cancellation (its own, its scope's, or the end of the run).
  [[nodiscard]] bool cancelled() const {
    return own_state().status() == detail::ProcessState::Status::cancelled;
  }
  /// Asks for its end. Carried out between events: the process does not resume again, its frame is destroyed,
  /// and those who await it resume. Nothing happens if it has ended.
  void cancel() const { own_state().cancel(); }

 private:
  friend class Engine;
  explicit ProcessHandle(std::shared_ptr<detail::ProcessState> state) : Handle(std::move(state)) {}
  [[nodiscard]] detail::ProcessState& own_state() const {
    return static_cast<detail::ProcessState&>(state());
  }
};

namespace detail {

class Delay final : public WaitSource {
 public:
  Delay(Duration duration, EventClass event_class, std::optional<Activity> activity)
      : duration_(duration), resumption_(event_class, activity) {}
  Delay(const Delay&) = delete;
  Delay& operator=(const Delay&) = delete;
  ~Delay() {
    if (promise_ != nullptr) [[unlikely]]
      promise_->engine->forget(end_, resumption_);
  }

  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <SimulationPromise P>
  void await_suspend(std::coroutine_handle<P> coroutine) {
    PromiseBase& promise = coroutine.promise();
    Engine& engine = *promise.engine;
    end_ = engine.now() + duration_;
    resumption_.complete(promise.activity, coroutine);
    engine.resume_at(end_, resumption_);
    promise.waits_for = this;
    promise_ = &promise;
  }
  void await_resume() noexcept { std::exchange(promise_, nullptr)->waits_for = nullptr; }
  [[nodiscard]] std::string describe() const override;
  [[nodiscard]] Time since() const override { return end_ - duration_; }

 private:
  Duration duration_;
  Time end_;
  Resumption resumption_;
  PromiseBase* promise_ = nullptr;  ///< set while suspended
};

}  // namespace detail

/// Lets virtual time pass: `co_await delay(Duration::seconds(2))`. A delay of zero lets everything else of
/// this instant that comes before it in the event order go first. Throws std::logic_error for a negative
/// duration.
[[nodiscard]] inline detail::Delay delay(Duration duration, EventClass event_class = EventClass::timer) {
  return detail::Delay(duration, event_class, std::nullopt);
}
/// The same with an activity other than the process's own: a repair process states Activity::repair.
[[nodiscard]] inline detail::Delay delay(Duration duration, EventClass event_class, Activity activity) {
  return detail::Delay(duration, event_class, activity);
}

}  // namespace convoy
