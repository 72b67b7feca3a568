#include "training/replica_locks.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace convoy {

struct ReplicaLocks::Held::State {
  struct Request {
    std::vector<int> replicas;
    Completion<void> granted;
  };
  std::vector<bool> taken;
  std::deque<Request> waiting;

  /// Grants what can be, in order of request.
  void serve() {
    std::vector<bool> wanted = taken;  // held, or asked for by an earlier request
    for (auto request = waiting.begin(); request != waiting.end();) {
      const bool blocked = std::any_of(request->replicas.begin(), request->replicas.end(), [&](int replica) {
        return wanted[static_cast<std::size_t>(replica)];
      });
      for (const int replica : request->replicas) wanted[static_cast<std::size_t>(replica)] = true;
      if (blocked) {
        ++request;
        continue;
      }
      for (const int replica : request->replicas) taken[static_cast<std::size_t>(replica)] = true;
      const Completion<void> granted = request->granted;
      request = waiting.erase(request);
      granted.set();
    }
  }
};

void ReplicaLocks::Held::release() {
  if (state_ == nullptr) return;
  for (const int replica : replicas_) state_->taken[static_cast<std::size_t>(replica)] = false;
  const std::shared_ptr<State> state = std::move(state_);
  state_ = nullptr;
  state->serve();
}

ReplicaLocks::ReplicaLocks(int replicas) : state_(std::make_shared<Held::State>()) {
  state_->taken.assign(static_cast<std::size_t>(replicas), false);
}

bool ReplicaLocks::free(int replica) const {
  return !state_->taken[static_cast<std::size_t>(replica)];
}

Task<ReplicaLocks::Held> ReplicaLocks::acquire(std::vector<int> replicas) {
  std::sort(replicas.begin(), replicas.end());
  replicas.erase(std::unique(replicas.begin(), replicas.end()), replicas.end());
  std::string names = "the locks of replicas";
  for (const int replica : replicas) names += " " + std::to_string(replica);
  const Completion<void> granted(std::move(names));
  state_->waiting.push_back({replicas, granted});
  state_->serve();
  co_await granted;
  Held held;
  held.state_ = state_;
  held.replicas_ = std::move(replicas);
  co_return held;
}

}  // namespace convoy
