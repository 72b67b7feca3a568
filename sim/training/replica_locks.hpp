// Locks of replicas that several processes change: pairwise averaging, partial reductions.
//
//   const ReplicaLocks::Held held = co_await locks.acquire({i, j});   // both at once, or it waits for both
//
// Requests are served in order: one is granted once all its replicas are free and no earlier request that
// waits wants any of them. So there is no deadlock, whatever the graph, and nobody starves.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "core/completion.hpp"
#include "core/process.hpp"

namespace convoy {

class ReplicaLocks {
 public:
  /// Replicas that are held until this dies.
  class [[nodiscard]] Held {
   public:
    Held() = default;
    Held(Held&& other) noexcept = default;
    Held& operator=(Held&& other) noexcept {
      release();
      state_ = std::move(other.state_);
      replicas_ = std::move(other.replicas_);
      return *this;
    }
    ~Held() { release(); }
    void release();

   private:
    friend class ReplicaLocks;
    struct State;
    std::shared_ptr<State> state_;
    std::vector<int> replicas_;
  };

  explicit ReplicaLocks(int replicas);
  /// Waits for all of them. Repeated members count once.
  Task<Held> acquire(std::vector<int> replicas);
  [[nodiscard]] bool free(int replica) const;

 private:
  std::shared_ptr<Held::State> state_;
};

}  // namespace convoy
