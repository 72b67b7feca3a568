#include "core/engine.hpp"

#include <algorithm>
#include <utility>

#include "core/process.hpp"
#include "core/random.hpp"

namespace convoy {

using detail::Payload;
using detail::QueuedEvent;

namespace {

constexpr std::size_t slots_in_block = 256;
/// Fewer dead events than this are left in the queue until their turn.
constexpr std::size_t tolerated_dead = 256;

}  // namespace

std::string_view to_string(EndReason reason) {
  switch (reason) {
    case EndReason::finished:
      return "finished";
    case EndReason::stopped:
      return "stopped";
    case EndReason::time_limit:
      return "time_limit";
    case EndReason::event_limit:
      return "event_limit";
    case EndReason::deadlock:
      return "deadlock";
    case EndReason::stalled:
      return "stalled";
  }
  return "unknown";
}

/// Where the callback of an event lives, one cache line at a fixed address. A cancelled event keeps its slot
/// while the queue knows it.
struct alignas(64) Engine::Slot {
  Callback callback;  ///< empty: cancelled
  Slot* next_free = nullptr;
  std::uint32_t generation = 1;  ///< tells the events of this slot apart
  std::uint32_t index : 30 = 0;
  std::uint32_t activity : 2 = 0;
};

Engine::Engine() = default;

Engine::~Engine() {
  if (phase_ != Phase::closed) close();
}

// --- Events
// -----------------------------------------------------------------------------------------------------

EventId Engine::at(Time time, EventClass event_class, Callback callback, Activity activity) {
  if (phase_ == Phase::cancelling || phase_ == Phase::closing) {
    scheduled_in_cancellation_ = true;
    return {};
  }
  if (time < now_ || phase_ == Phase::closed) refuse(time);
  if (!callback) throw std::logic_error("an event without a callback");
  if (free_slots_ == nullptr) add_slots();
  Slot& chosen = *std::exchange(free_slots_, free_slots_->next_free);
  chosen.callback = std::move(callback);
  chosen.activity = static_cast<std::uint32_t>(activity) & 3;
  ++pending_[chosen.activity];
  queue_.push({static_cast<std::uint64_t>(time.count()), Payload::make(event_class, activity, &chosen)});
  return EventId(static_cast<std::uint64_t>(chosen.generation) << 32 | chosen.index);
}

void Engine::refuse(Time time) const {
  if (phase_ > Phase::running) throw std::logic_error("an event is scheduled after the end of the run");
  throw std::logic_error("an event is scheduled at " + std::to_string(time.count()) +
                         " ns, before the present " + std::to_string(now_.count()) + " ns");
}

Engine::Slot& Engine::slot(std::uint32_t index) const {
  return slots_[index / slots_in_block][index % slots_in_block];
}

bool Engine::pending(EventId id) const {
  const auto index = static_cast<std::uint32_t>(id.value_);
  return id.value_ != 0 && index < slots_.size() * slots_in_block &&
         slot(index).generation == id.value_ >> 32 && phase_ < Phase::closing;
}

bool Engine::cancel(EventId id) {
  if (!pending(id)) return false;
  Slot& cancelled = slot(static_cast<std::uint32_t>(id.value_));
  --pending_[cancelled.activity];
  ++dead_;
  ++cancelled.generation;
  const Callback callback = std::move(cancelled.callback);  // destroyed when everything is in order again
  bury();
  return true;
}

void Engine::add_slots() {
  const std::size_t first = slots_.size() * slots_in_block;
  if (first + slots_in_block > std::size_t{1} << 30) throw std::length_error("too many pending events");
  slots_.push_back(std::make_unique<Slot[]>(slots_in_block));
  for (std::size_t i = slots_in_block; i-- > 0;) {
    Slot& added = slots_.back()[i];
    added.index = static_cast<std::uint32_t>(first + i) & ((1u << 30) - 1);
    free_slot(added);
  }
}

void Engine::free_slot(Slot& freed) {
  // A slot whose generations are used up is not used again: an old EventId never names a new event.
  if (freed.generation == UINT32_MAX) return;
  freed.next_free = std::exchange(free_slots_, &freed);
}

bool Engine::is_dead(const QueuedEvent& event) {
  if ((event.payload & QueuedEvent::coroutine_bit) == 0) {
    Slot& named = *static_cast<Slot*>(event.address());
    if (named.callback) return false;
    free_slot(named);
  } else {
    // Of equal resumptions the first ones are the dead: a coroutine waits once at a time.
    const auto found = forgotten_.find(event);
    if (found == forgotten_.end()) return false;
    if (--found->second == 0) forgotten_.erase(found);
  }
  --dead_;
  return true;
}

void Engine::bury() {
  if (dead_ <= tolerated_dead || 2 * dead_ <= queue_.size()) return;
  queue_.remove_if([this](const QueuedEvent& event) { return is_dead(event); });
}

void Engine::forget(Time time, detail::Resumption resumption) {
  if (phase_ >= Phase::closing) return;
  --pending_[resumption.activity()];
  ++dead_;
  ++forgotten_[{static_cast<std::uint64_t>(time.count()), resumption.payload()}];
  bury();
}

std::size_t Engine::EventHash::operator()(const QueuedEvent& event) const noexcept {
  return mix64(event.time ^ mix64(event.payload));
}

// --- The run
// ----------------------------------------------------------------------------------------------------

EndReason Engine::run(const RunLimits& limits) {
  if (phase_ != Phase::idle) throw std::logic_error("an engine runs once");
  phase_ = Phase::running;
  limits_ = limits;
  max_steps_ = limits.max_at_one_instant + queue_.size();
  set_horizon();
  EndReason reason = EndReason::finished;
  try {
    reason = loop();
    if (reason == EndReason::deadlock || reason == EndReason::stalled) final_waiting_ = collect_waiting();
  } catch (...) {
    failure_ = std::current_exception();
  }
  close();
  if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
  if (scheduled_in_cancellation_)
    throw std::logic_error("a destructor scheduled an event during a cancellation");
  return reason;
}

EndReason Engine::loop() {
  unsigned last_class = detail::EventQueue::classes;  // of the last event at this instant
  constexpr auto work = static_cast<std::size_t>(Activity::work);
  constexpr auto repair = static_cast<std::size_t>(Activity::repair);
  while (true) {
    if (attention_) {
      if (const std::optional<EndReason> reason = settle()) return *reason;
    }
    if (pending_[work] == 0) [[unlikely]] {
      if (live_work_ == 0) return EndReason::finished;
      if (pending_[repair] == 0) return EndReason::deadlock;
    }
    if (events_ >= limits_.max_events) return EndReason::event_limit;
    QueuedEvent event;
    if (!queue_.pop(event)) throw std::logic_error("the queue has lost an event");
    if (dead_ != 0 && is_dead(event)) [[unlikely]]
      continue;

    const Time time = Time::at_nanoseconds(static_cast<std::int64_t>(event.time));
    if (time > horizon_) return end_at_horizon();
    if (time != now_) {
      now_ = time;
      steps_ = 0;
      max_steps_ = limits_.max_at_one_instant + queue_.size();
    } else if (event.event_class() == last_class) {
      ++ties_;
    }
    last_class = event.event_class();
    if (++steps_ > max_steps_) return EndReason::stalled;
    ++events_;
    --pending_[Payload::activity(event.payload)];
    if ((event.payload & QueuedEvent::coroutine_bit) != 0) {
      std::coroutine_handle<>::from_address(event.address()).resume();
    } else {
      run_callback(*static_cast<Slot*>(event.address()));
    }
  }
}

void Engine::run_callback(Slot& running) {
  ++running.generation;  // from here on it cannot be cancelled
  struct Guard {
    Engine& engine;
    Slot& slot;
    ~Guard() {
      slot.callback.reset();
      engine.free_slot(slot);
    }
  } guard{*this, running};
  running.callback();
}

void Engine::stop() {
  stop_requested_ = true;
  attention_ = true;
}

void Engine::set_no_progress(std::optional<Duration> limit) {
  limits_.no_progress = limit;
  set_horizon();
}

void Engine::set_horizon() {
  horizon_ = limits_.latest;
  if (!limits_.no_progress) return;
  if (*limits_.no_progress < Time::latest() - last_progress_) {
    horizon_ = std::min(horizon_, last_progress_ + *limits_.no_progress);
  }
}

EndReason Engine::end_at_horizon() {
  now_ = std::max(now_, horizon_);
  return horizon_ < limits_.latest ? EndReason::stalled : EndReason::time_limit;
}

void Engine::close() {
  phase_ = Phase::closing;
  free_ended();
  while (last_process_ != nullptr) destroy(*last_process_);  // children before those who spawned them
  ready_.clear();
  cancels_.clear();
  forgotten_.clear();
  queue_.clear();
  for (const auto& block : slots_) {
    for (std::size_t i = 0; i < slots_in_block; ++i) block[i].callback.reset();
  }
  std::fill(std::begin(pending_), std::end(pending_), 0);
  dead_ = 0;
  phase_ = Phase::closed;
}

}  // namespace convoy
