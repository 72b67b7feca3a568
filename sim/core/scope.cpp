#include "core/scope.hpp"

namespace convoy {

ProcessHandle Scope::spawn(std::string name, Process process, Activity activity) {
  // Ended children are forgotten whenever their share may have grown to half, so that a scope stays small.
  if (children_.size() >= next_tidy_) {
    std::erase_if(children_, [](const ProcessHandle& child) { return child.done(); });
    next_tidy_ = 2 * children_.size() + 8;
  }
  children_.push_back(engine_->spawn(std::move(name), std::move(process), activity));
  return children_.back();
}

void Scope::cancel() {
  for (const ProcessHandle& child : children_) child.cancel();
}

Task<> Scope::join() {
  for (std::size_t i = 0; i < children_.size();) {
    const ProcessHandle child = children_[i];
    if (child.done()) {
      ++i;
    } else {
      co_await child;
      i = 0;  // children may have been spawned and forgotten meanwhile
    }
  }
}

std::size_t Scope::size() const {
  std::size_t live = 0;
  for (const ProcessHandle& child : children_) live += child.done() ? 0 : 1;
  return live;
}

}  // namespace convoy
