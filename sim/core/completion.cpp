#include "core/completion.hpp"

namespace convoy::detail {

void HandleState::on_done(std::function<void()> callback) {
  if (done_) {
    callback();
  } else {
    callbacks_.push_back(std::move(callback));
  }
}

void HandleState::complete() {
  done_ = true;
  const std::vector<std::function<void()>> callbacks = std::exchange(callbacks_, {});
  for (const auto& callback : callbacks) callback();
  waiters_.wake_all();
}

}  // namespace convoy::detail
