// The half of the engine that knows coroutines: resuming, ending, cancelling and reporting processes.
#include <utility>

#include "core/engine.hpp"
#include "core/process.hpp"

namespace convoy {

namespace {

/// The exception that is being handled, nested in one that names the process.
std::exception_ptr nested_in_process_error(const std::string& process, const std::string& text) {
  try {
    std::throw_with_nested(ProcessError(process, text));
  } catch (...) {
    return std::current_exception();
  }
}

}  // namespace

// --- Coroutines
// -------------------------------------------------------------------------------------------------

void Engine::ready(std::coroutine_handle<> coroutine, detail::PromiseBase& promise) {
  if (phase_ >= Phase::closing) return;
  ready_.push_back({coroutine, &promise});
  attention_ = true;
}

void Engine::forget_ready(std::coroutine_handle<> coroutine) {
  for (Ready& entry : ready_) {
    if (entry.coroutine == coroutine) entry.coroutine = nullptr;
  }
}

std::optional<EndReason> Engine::settle() {
  free_ended();
  while (true) {
    drain();
    if (failure_) std::rethrow_exception(std::exchange(failure_, nullptr));
    if (stalled_) return EndReason::stalled;
    if (cancels_.empty()) break;
    carry_out_cancellations();
  }
  attention_ = false;
  if (scheduled_in_cancellation_) {
    throw std::logic_error("a destructor scheduled an event during a cancellation");
  }
  if (stop_requested_) return EndReason::stopped;
  return std::nullopt;
}

void Engine::drain() {
  for (std::size_t i = 0; i < ready_.size(); ++i) {  // grows meanwhile
    const Ready next = ready_[i];
    if (!next.coroutine || next.promise->process->cancel_requested()) continue;
    if (!count_step()) {
      stalled_ = true;
      return;
    }
    next.coroutine.resume();
    free_ended();
    if (failure_) return;
  }
  ready_.clear();
}

// --- Processes
// --------------------------------------------------------------------------------------------------

ProcessHandle Engine::spawn(std::string name, Process process, Activity activity) {
  const auto state = std::make_shared<detail::ProcessState>(*this, std::move(name), activity);
  if (phase_ == Phase::cancelling || phase_ == Phase::closing) {
    scheduled_in_cancellation_ = true;
    state->status_ = detail::ProcessState::Status::cancelled;
    return ProcessHandle(state);
  }
  if (phase_ == Phase::closed) refuse(now_);
  if (!process.coroutine_) throw std::logic_error("a process is spawned twice: " + state->name());
  state->coroutine_ = process.coroutine_;
  state->promise_ = &process.coroutine_.promise();
  process.coroutine_ = nullptr;
  state->promise_->engine = this;
  state->promise_->process = state.get();
  state->promise_->activity = activity;
  state->promise_->waits_for = &state->start_;
  state->self_ = state;
  state->previous_ = last_process_;
  (last_process_ != nullptr ? last_process_->next_ : first_process_) = state.get();
  last_process_ = state.get();
  ++live_processes_;
  if (activity == Activity::work) ++live_work_;
  detail::Resumption start(EventClass::timer, activity);
  start.complete(activity, state->coroutine_);
  resume_at(now_, start);
  return ProcessHandle(state);
}

void Engine::unlink(detail::ProcessState& process) {
  (process.previous_ != nullptr ? process.previous_->next_ : first_process_) = process.next_;
  (process.next_ != nullptr ? process.next_->previous_ : last_process_) = process.previous_;
  --live_processes_;
  if (process.activity_ == Activity::work) --live_work_;
}

void Engine::process_ended(detail::ProcessState& process) {
  const std::exception_ptr failure = std::exchange(process.failure_, nullptr);
  process.status_ = failure ? detail::ProcessState::Status::failed : detail::ProcessState::Status::finished;
  unlink(process);
  ended_.push_back(std::move(process.self_));
  attention_ = true;
  if (!failure || failure_) return;
  try {
    std::rethrow_exception(failure);
  } catch (const std::exception& error) {
    failure_ = nested_in_process_error(process.name(), error.what());
  } catch (...) {
    failure_ = nested_in_process_error(process.name(), "an exception of unknown type");
  }
}

void Engine::free_ended() {
  while (!ended_.empty()) {
    const std::shared_ptr<detail::ProcessState> process = std::move(ended_.back());
    ended_.pop_back();
    process->coroutine_.destroy();
    if (phase_ < Phase::closing) process->complete();
  }
}

void Engine::request_cancel(detail::ProcessState& process) {
  if (process.cancel_requested_) return;
  process.cancel_requested_ = true;
  if (phase_ == Phase::cancelling || phase_ == Phase::closing) {
    destroy(process);
  } else {
    cancels_.push_back(process.self_);
    attention_ = true;
  }
}

void Engine::carry_out_cancellations() {
  phase_ = Phase::cancelling;
  for (std::size_t i = 0; i < cancels_.size(); ++i) {
    const std::shared_ptr<detail::ProcessState> process = cancels_[i];
    if (process->status_ == detail::ProcessState::Status::live) destroy(*process);
  }
  cancels_.clear();
  phase_ = Phase::running;
  for (const auto& process : std::exchange(cancelled_, {})) process->complete();
}

void Engine::destroy(detail::ProcessState& process) {
  const std::shared_ptr<detail::ProcessState> keep = std::move(process.self_);
  process.status_ = detail::ProcessState::Status::cancelled;
  unlink(process);
  if (process.promise_->waits_for == &process.start_) {
    detail::Resumption start(EventClass::timer, process.activity_);
    start.complete(process.activity_, process.coroutine_);
    forget(process.start_.since(), start);
  }
  process.coroutine_.destroy();
  if (phase_ == Phase::cancelling) cancelled_.push_back(keep);
}

std::vector<WaitReport> Engine::waiting() const {
  return phase_ == Phase::closed ? final_waiting_ : collect_waiting();
}

std::vector<WaitReport> Engine::collect_waiting() const {
  std::vector<WaitReport> reports;
  for (const detail::ProcessState* process = first_process_; process != nullptr; process = process->next_) {
    if (process->activity_ != Activity::work || process->promise_->waits_for == nullptr) continue;
    const WaitSource* source = process->promise_->waits_for->innermost();
    if (source == nullptr) continue;  // it is running
    reports.push_back({process->name_, source->describe(), source->since()});
  }
  return reports;
}

}  // namespace convoy
