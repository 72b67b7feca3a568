#include "core/combinators.hpp"

#include <stdexcept>

namespace convoy {

Task<> when_all(std::vector<Handle> handles) {
  for (const Handle& handle : handles) co_await handle;
}

namespace detail {

/// The awaiter's place in the list of one handle.
class AnyAwaiter::Entry final : public Waiter {
 public:
  void enter(AnyAwaiter& owner, std::size_t index) {
    owner_ = &owner;
    index_ = index;
    owner.handles_[index].state().waiters().push_back(*this);
  }
  void wake() override { owner_->won(index_); }
  [[nodiscard]] std::string describe() const override { return owner_->describe(); }

 private:
  AnyAwaiter* owner_ = nullptr;
  std::size_t index_ = 0;
};

AnyAwaiter::AnyAwaiter(std::vector<Handle> handles, std::vector<ProcessHandle> processes)
    : handles_(std::move(handles)), processes_(std::move(processes)) {
  if (handles_.empty()) throw std::logic_error("when_any of nothing");
}

AnyAwaiter::~AnyAwaiter() = default;

bool AnyAwaiter::find_done() {
  for (std::size_t i = 0; i < handles_.size() && winner_ == SIZE_MAX; ++i) {
    if (handles_[i].done()) winner_ = i;
  }
  return winner_ != SIZE_MAX;
}

void AnyAwaiter::enter_lists() {
  entries_ = std::make_unique<Entry[]>(handles_.size());
  for (std::size_t i = 0; i < handles_.size(); ++i) entries_[i].enter(*this, i);
}

void AnyAwaiter::won(std::size_t index) {
  winner_ = index;
  for (std::size_t i = 0; i < handles_.size(); ++i) entries_[i].unlink();
  make_ready();
}

std::size_t AnyAwaiter::await_resume() {
  resumed();
  for (std::size_t i = 0; i < processes_.size(); ++i) {
    if (i != winner_) processes_[i].cancel();
  }
  return winner_;
}

std::string AnyAwaiter::describe() const {
  constexpr std::size_t shown = 4;
  std::string text = "the first of " + std::to_string(handles_.size()) + ": ";
  for (std::size_t i = 0; i < handles_.size() && i < shown; ++i) {
    if (i != 0) text += ", ";
    text += handles_[i].description();
  }
  if (handles_.size() > shown) text += ", ...";
  return text;
}

}  // namespace detail
}  // namespace convoy
