// Channel<T>: an unbounded first-in-first-out mailbox between processes.
//
//   Channel<Message> inbox("a message to the server");
//   inbox.send(message);                              // never waits
//   const Message next = co_await inbox.receive();    // waits while it is empty
#pragma once

#include <coroutine>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <utility>

#include "core/wait.hpp"

namespace convoy {

/// Receivers are served in order of arrival. A receiver that is destroyed after an item was handed to it,
/// before it resumed, gives the item back to the front. Neither copied nor moved: processes refer to it.
template <class T>
class Channel {
 public:
  class Receive;

  explicit Channel(Description description = "a message") : description_(std::move(description)) {}
  Channel(const Channel&) = delete;
  Channel& operator=(const Channel&) = delete;

  void send(T item) {
    items_.push_back(std::move(item));
    serve();
  }
  [[nodiscard]] Receive receive() { return Receive(*this); }
  [[nodiscard]] std::optional<T> try_receive() {
    if (items_.empty()) return std::nullopt;
    std::optional<T> item(std::move(items_.front()));
    items_.pop_front();
    return item;
  }
  /// Items that no receiver has been given.
  [[nodiscard]] std::size_t size() const { return items_.size(); }
  [[nodiscard]] bool empty() const { return items_.empty(); }
  [[nodiscard]] std::size_t receivers() const { return waiting_.size(); }

 private:
  void serve() {
    while (!items_.empty() && !waiting_.empty()) {
      auto& receiver = static_cast<Receive&>(*waiting_.first());
      receiver.item_.emplace(std::move(items_.front()));
      items_.pop_front();
      receiver.unlink();
      served_.push_back(receiver);  // tells the receiver that the channel still exists
      receiver.wake();
    }
  }

  Description description_;
  std::deque<T> items_;
  detail::WaiterList waiting_;
  detail::WaiterList served_;  ///< given an item, not yet resumed
};

template <class T>
class Channel<T>::Receive final : public detail::Waiter {
 public:
  explicit Receive(Channel& channel) : channel_(&channel) {}
  ~Receive() override {
    if (item_.has_value() && this->linked()) {
      this->unlink();
      channel_->items_.push_front(std::move(*item_));
      channel_->serve();
    }
  }
  [[nodiscard]] bool await_ready() const noexcept { return false; }
  template <detail::SimulationPromise P>
  [[nodiscard]] bool await_suspend(std::coroutine_handle<P> coroutine) {
    if (!channel_->items_.empty()) return this->pause(coroutine);
    this->suspend(coroutine);
    channel_->waiting_.push_back(*this);
    return true;
  }
  T await_resume() {
    this->resumed();
    this->unlink();
    if (!item_.has_value()) item_ = channel_->try_receive();
    T item = std::move(*item_);
    item_.reset();
    return item;
  }
  [[nodiscard]] std::string describe() const override {
    return this->linked() ? channel_->description_.text() : "a channel that is gone";
  }

 private:
  friend class Channel;
  Channel* channel_;
  std::optional<T> item_;
};

}  // namespace convoy
