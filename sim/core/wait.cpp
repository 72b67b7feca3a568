#include "core/wait.hpp"

namespace convoy {

std::string Description::text() const {
  if (const auto* literal = std::get_if<std::string_view>(&text_)) return std::string(*literal);
  if (const auto* text = std::get_if<std::string>(&text_)) return *text;
  return std::get<std::function<std::string()>>(text_)();
}

namespace detail {

void Waiter::unlink() {
  if (list_ == nullptr) return;
  (previous_ != nullptr ? previous_->next_ : list_->first_) = next_;
  (next_ != nullptr ? next_->previous_ : list_->last_) = previous_;
  --list_->size_;
  previous_ = nullptr;
  next_ = nullptr;
  list_ = nullptr;
}

void WaiterList::push_back(Waiter& waiter) {
  waiter.list_ = this;
  waiter.previous_ = last_;
  (last_ != nullptr ? last_->next_ : first_) = &waiter;
  last_ = &waiter;
  ++size_;
}

void WaiterList::wake_all() {
  // Waking only enters the engine's list of the ready, so that nobody joins this list meanwhile.
  while (first_ != nullptr) {
    Waiter& waiter = *first_;
    waiter.unlink();
    waiter.wake();
  }
}

}  // namespace detail
}  // namespace convoy
