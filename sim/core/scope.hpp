// Scope: owns processes, so that they end with it.
//
//   Scope scope(engine);
//   for (int rank = 0; rank < 4; ++rank) scope.spawn("helper " + std::to_string(rank), helper(rank));
//   co_await scope.join();     // or scope.cancel()
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/process.hpp"
#include "core/task.hpp"

namespace convoy {

/// The end of a scope asks for the cancellation of its processes: between events, or at once if the scope
/// itself dies by cancellation. What its processes refer to should outlive the scope: declare it before.
class Scope {
 public:
  explicit Scope(Engine& engine) : engine_(&engine) {}
  Scope(Scope&& other) noexcept = default;
  Scope& operator=(Scope&&) = delete;
  ~Scope() { cancel(); }

  ProcessHandle spawn(std::string name, Process process, Activity activity = Activity::work);
  /// Asks for the end of all processes spawned so far.
  void cancel();
  /// Waits until every process spawned so far, or meanwhile, has ended in whatever way.
  [[nodiscard]] Task<> join();
  /// Processes that have not ended.
  [[nodiscard]] std::size_t size() const;

 private:
  Engine* engine_;
  std::vector<ProcessHandle> children_;  ///< in the order of spawning; some may have ended
  std::size_t next_tidy_ = 8;
};

}  // namespace convoy
