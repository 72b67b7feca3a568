// Waiting for several handles at once.
//
//   co_await when_all(upload, download);
//   const std::size_t first = co_await when_any(exchange, timeout);
#pragma once

#include <concepts>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "core/completion.hpp"
#include "core/process.hpp"
#include "core/task.hpp"

namespace convoy {

/// Waits until all have ended; at once if there are none. Results are read from the handles.
[[nodiscard]] Task<> when_all(std::vector<Handle> handles);
template <std::derived_from<Handle> H>
[[nodiscard]] Task<> when_all(const std::vector<H>& handles) {
  return when_all(std::vector<Handle>(handles.begin(), handles.end()));
}
template <std::derived_from<Handle>... H>
[[nodiscard]] Task<> when_all(const H&... handles) {
  return when_all(std::vector<Handle>{handles...});
}

namespace detail {

class AnyAwaiter final : public Waiter {
 public:
  /// `processes` is empty or as long as `handles`: those to cancel unless they win.
  AnyAwaiter(std::vector<Handle> handles, std::vector<ProcessHandle> processes);
  ~AnyAwaiter() override;
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <SimulationPromise P>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<P> coroutine) {
    if (find_done()) return pause(coroutine);
    suspend(coroutine);
    enter_lists();
    return true;
  }
  std::size_t await_resume();
  [[nodiscard]] std::string describe() const override;

 private:
  class Entry;
  [[nodiscard]] bool find_done();
  void enter_lists();
  void won(std::size_t index);

  std::vector<Handle> handles_;
  std::vector<ProcessHandle> processes_;
  std::unique_ptr<Entry[]> entries_;
  std::size_t winner_ = SIZE_MAX;
};

}  // namespace detail

/// Waits until one has ended and gives its index: the lowest of those that are past already, else the first
/// to end. Among processes the others are then cancelled; other handles go on. Throws std::logic_error if
/// there are none. (Not [[nodiscard]]: clang would warn of a co_await whose index is not used.)
[[nodiscard]] inline detail::AnyAwaiter when_any(std::vector<Handle> handles) {
  return detail::AnyAwaiter(std::move(handles), {});
}
template <std::derived_from<Handle> H>
[[nodiscard]] detail::AnyAwaiter when_any(const std::vector<H>& handles) {
  std::vector<ProcessHandle> processes;
  if constexpr (std::same_as<H, ProcessHandle>) processes = handles;
  return detail::AnyAwaiter(std::vector<Handle>(handles.begin(), handles.end()), std::move(processes));
}
template <std::derived_from<Handle>... H>
[[nodiscard]] detail::AnyAwaiter when_any(const H&... handles) {
  std::vector<ProcessHandle> processes;
  if constexpr ((std::same_as<H, ProcessHandle> && ...)) processes = {handles...};
  return detail::AnyAwaiter(std::vector<Handle>{handles...}, std::move(processes));
}

}  // namespace convoy
