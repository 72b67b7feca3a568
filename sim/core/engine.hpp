// A discrete-event engine: a clock, the pending events, and the processes that they resume.
//
//   Engine engine;
//   engine.after(Duration::seconds(1), EventClass::timer, [&] { engine.stop(); });
//   engine.spawn("worker 0", worker(channel));          // see core/process.hpp
//   EndReason reason = engine.run({.latest = Time::at_seconds(60)});
//
// Events run in the total order (time, class, order of scheduling). A coroutine that an event makes ready
// resumes inside that event, after the event's callback, first come first; never nested in the code that made
// it ready. Ends of processes, cancellations and stop() are carried out between events.
//
// An engine runs once. Several engines may live in one process, each used by one thread at a time.
#pragma once

#include <coroutine>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/callback.hpp"
#include "core/event_queue.hpp"
#include "core/time.hpp"

namespace convoy {

class Process;
class ProcessHandle;
namespace detail {
class ProcessState;
struct PromiseBase;
}  // namespace detail

/// Order of events at one instant.
enum class EventClass : std::uint8_t {
  fault,        ///< something breaks or is repaired
  delivery,     ///< a communication ends
  computation,  ///< a computation ends
  timer,        ///< a delay ends, a process starts
  evaluation,   ///< the model is looked at
};

/// Whether a pending event keeps the run alive.
enum class Activity : std::uint8_t {
  work,     ///< the run goes on while such an event is pending
  ambient,  ///< evaluation, faults, background traffic: never hides a deadlock
  repair,   ///< ambient, but processes may be waiting for it: while it is pending there is hope
};

/// Names a scheduled event. A cheap value; never mistaken for a later event.
class EventId {
 public:
  EventId() = default;
  bool operator==(const EventId&) const = default;

 private:
  friend class Engine;
  explicit EventId(std::uint64_t value) : value_(value) {}
  std::uint64_t value_ = 0;  ///< generation (32 bits) and index of the slot (32); 0 names no event
};

/// When a run has to end if nothing else ends it.
struct RunLimits {
  /// Events at this very instant still run; the clock ends there.
  Time latest = Time::latest();
  /// At most so many events run.
  std::uint64_t max_events = UINT64_MAX;
  /// Longest time without Engine::note_progress(); none: not guarded.
  std::optional<Duration> no_progress = std::nullopt;
  /// Most events and resumptions at one instant, beyond the events that were pending when the instant began.
  std::uint64_t max_at_one_instant = 1'000'000;
};

/// Why a run ended.
enum class EndReason : std::uint8_t {
  finished,     ///< no work is left and every work process has ended
  stopped,      ///< stop() was called
  time_limit,   ///< the next event lies beyond RunLimits::latest
  event_limit,  ///< RunLimits::max_events have run
  deadlock,     ///< processes wait, but no work event and no repair is pending
  stalled,      ///< too much at one instant, or no progress for too long
};
[[nodiscard]] std::string_view to_string(EndReason reason);

/// A process that waits: for what, since when.
struct WaitReport {
  std::string process;
  std::string waits_for;
  Time since;
};

/// Thrown by Engine::run for an exception that escaped a process, which is nested in it
/// (std::rethrow_if_nested). what() is "process NAME: " and the text of that exception.
class ProcessError : public std::runtime_error {
 public:
  ProcessError(std::string process, const std::string& text)
      : std::runtime_error("process " + process + ": " + text), process_(std::move(process)) {}
  [[nodiscard]] const std::string& process() const { return process_; }

 private:
  std::string process_;
};

namespace detail {

/// What the queue knows of an event: class (3 bits), activity (2), coroutine or callback (1) and the address
/// of the coroutine's frame or of the callback's slot (58).
struct Payload {
  static constexpr unsigned class_shift = 61, activity_shift = 59;
  static_assert(sizeof(void*) == 8);

  [[nodiscard]] static std::uint64_t make(EventClass event_class, Activity activity, const void* address) {
    return static_cast<std::uint64_t>(event_class) << class_shift |
           static_cast<std::uint64_t>(activity) << activity_shift | reinterpret_cast<std::uintptr_t>(address);
  }
  [[nodiscard]] static std::size_t activity(std::uint64_t payload) { return payload >> activity_shift & 3; }
};

/// A coroutine's place among the events, in one word: class, activity and frame.
class Resumption {
 public:
  /// Without a stated activity the coroutine's own is filled in.
  Resumption(EventClass event_class, std::optional<Activity> activity)
      : payload_(Payload::make(event_class, Activity::work, nullptr) |
                 (activity ? static_cast<std::uint64_t>(*activity) : unstated) << Payload::activity_shift) {}
  void complete(Activity own, std::coroutine_handle<> coroutine) {
    if (Payload::activity(payload_) == unstated) {
      payload_ ^= (unstated ^ static_cast<std::uint64_t>(own)) << Payload::activity_shift;
    }
    payload_ |= QueuedEvent::coroutine_bit | reinterpret_cast<std::uintptr_t>(coroutine.address());
  }
  [[nodiscard]] std::size_t activity() const { return Payload::activity(payload_); }
  [[nodiscard]] std::uint64_t payload() const { return payload_; }

 private:
  static constexpr std::uint64_t unstated = 3;
  std::uint64_t payload_;
};

}  // namespace detail

class Engine {
 public:
  Engine();
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;
  /// Cancels what still lives.
  ~Engine();

  [[nodiscard]] Time now() const { return now_; }

  /// Schedules a callback. Throws std::logic_error for a time before now() and after the run. Called from a
  /// destructor while processes are being cancelled it schedules nothing, and run() throws std::logic_error.
  EventId at(Time time, EventClass event_class, Callback callback, Activity activity = Activity::work);
  EventId after(Duration duration, EventClass event_class, Callback callback,
                Activity activity = Activity::work) {
    return at(now_ + duration, event_class, std::move(callback), activity);
  }
  /// Takes an event back and destroys its callback. False if it has run, is running or was cancelled.
  bool cancel(EventId id);
  [[nodiscard]] bool pending(EventId id) const;

  /// Starts a process as an event (class timer) at this instant, never nested in the caller. The delays of an
  /// ambient process are ambient events, and nobody waits for its end to call the run finished.
  ProcessHandle spawn(std::string name, Process process, Activity activity = Activity::work);

  /// Runs events until one of the reasons holds, then cancels every process and event. An exception that
  /// escapes a callback or a process ends the run likewise and is thrown here (from a process: as
  /// ProcessError). Only once.
  EndReason run(const RunLimits& limits = {});
  /// Asks for the end of the run; the present event, with all that it makes ready, is completed first.
  void stop();
  /// Something that counts as progress (a step) was reported: resets the guard RunLimits::no_progress.
  void note_progress() {
    last_progress_ = now_;
    if (limits_.no_progress) set_horizon();
  }
  /// Replaces RunLimits::no_progress, counted from the last progress.
  void set_no_progress(std::optional<Duration> limit);
  /// The run has ended: nothing can be scheduled any more.
  [[nodiscard]] bool closed() const { return phase_ == Phase::closed; }

  /// Events run so far.
  [[nodiscard]] std::uint64_t events() const { return events_; }
  /// Consecutive events of equal time and class so far: those whose order rested on the order of scheduling.
  [[nodiscard]] std::uint64_t ties() const { return ties_; }
  /// Events scheduled and neither run nor cancelled.
  [[nodiscard]] std::size_t pending_events() const { return queue_.size() - dead_; }
  /// Processes that have not ended.
  [[nodiscard]] std::size_t live_processes() const { return live_processes_; }
  /// Who waits for what since when, in the order of spawning, ambient processes left out. After a deadlock or
  /// a stall: as it was then.
  [[nodiscard]] std::vector<WaitReport> waiting() const;

  // For awaitables, not for models.

  /// Resumes a suspended coroutine inside the present event. Ignored once the run is ending.
  void ready(std::coroutine_handle<> coroutine, detail::PromiseBase& promise);
  /// The coroutine is being destroyed: takes back ready().
  void forget_ready(std::coroutine_handle<> coroutine);
  /// Resumes a suspended coroutine as an event.
  void resume_at(Time time, detail::Resumption resumption) {
    if (time < now_ || phase_ > Phase::running) [[unlikely]]
      refuse(time);
    ++pending_[resumption.activity()];
    queue_.push({static_cast<std::uint64_t>(time.count()), resumption.payload()});
  }
  /// The coroutine is being destroyed: takes back resume_at().
  void forget(Time time, detail::Resumption resumption);
  /// Counts a coroutine that need not wait. False if it has to be made ready all the same: the instant is
  /// stalled.
  [[nodiscard]] bool count_step() { return ++steps_ <= max_steps_; }

 private:
  friend class ProcessHandle;
  friend class detail::ProcessState;
  enum class Phase : std::uint8_t { idle, running, cancelling, closing, closed };
  struct Slot;
  struct Ready {
    std::coroutine_handle<> coroutine;
    detail::PromiseBase* promise;
  };
  struct EventHash {
    std::size_t operator()(const detail::QueuedEvent& event) const noexcept;
  };
  struct EventEqual {
    bool operator()(const detail::QueuedEvent& a, const detail::QueuedEvent& b) const noexcept {
      return a.time == b.time && a.payload == b.payload;
    }
  };

  [[nodiscard]] Slot& slot(std::uint32_t index) const;
  void free_slot(Slot& freed);
  void add_slots();
  [[nodiscard]] bool is_dead(const detail::QueuedEvent& event);
  void bury();
  [[noreturn]] void refuse(Time time) const;
  void set_horizon();

  [[nodiscard]] EndReason loop();
  [[nodiscard]] EndReason end_at_horizon();
  [[nodiscard]] std::optional<EndReason> settle();
  void drain();
  void run_callback(Slot& running);
  void free_ended();
  void carry_out_cancellations();
  void request_cancel(detail::ProcessState& process);
  void destroy(detail::ProcessState& process);
  void unlink(detail::ProcessState& process);
  void process_ended(detail::ProcessState& process);
  void close();
  [[nodiscard]] std::vector<WaitReport> collect_waiting() const;

  detail::EventQueue queue_;
  Time now_;
  Phase phase_ = Phase::idle;
  bool attention_ = false;  ///< something has to be settled before the next event
  bool stop_requested_ = false;
  bool stalled_ = false;
  std::uint64_t events_ = 0, ties_ = 0;
  std::uint64_t steps_ = 0, max_steps_ = UINT64_MAX;  ///< events and resumptions at this instant
  std::size_t pending_[3] = {0, 0, 0};                ///< events not dead, for each Activity
  std::size_t dead_ = 0;                              ///< cancelled events still in the queue
  Time last_progress_;
  Time horizon_ =
      Time::latest();  ///< no event after it runs: the limit, or the end of patience without progress
  RunLimits limits_;

  std::vector<std::unique_ptr<Slot[]>> slots_;
  Slot* free_slots_ = nullptr;
  std::vector<Ready> ready_;
  /// Cancelled resumptions still in the queue, and how many of each: always the first of the equal ones.
  std::unordered_map<detail::QueuedEvent, std::uint32_t, EventHash, EventEqual> forgotten_;

  detail::ProcessState* first_process_ = nullptr;
  detail::ProcessState* last_process_ = nullptr;
  std::size_t live_processes_ = 0, live_work_ = 0;
  std::vector<std::shared_ptr<detail::ProcessState>> ended_;      ///< frames to be destroyed
  std::vector<std::shared_ptr<detail::ProcessState>> cancels_;    ///< requested
  std::vector<std::shared_ptr<detail::ProcessState>> cancelled_;  ///< carried out just now
  std::exception_ptr failure_;
  bool scheduled_in_cancellation_ = false;
  std::vector<WaitReport> final_waiting_;
};

}  // namespace convoy
