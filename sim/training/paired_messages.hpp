// Two messages of one sender that belong together (a model and its momentum, a model and its control
// variate).
#pragma once

#include <map>
#include <optional>
#include <utility>

#include "training/endpoint.hpp"
#include "training/message.hpp"

namespace convoy {

class PairedMessages {
 public:
  /// `first` is the name of the stream that stands first in a pair, whichever arrives first.
  explicit PairedMessages(const Stream& first) : first_(first) {}
  /// The pair, once both messages of a sender are here.
  std::optional<std::pair<Message, Message>> add(Message message) {
    const int from = message.from->number();
    const auto other = halves_.find(from);
    if (other == halves_.end()) {
      halves_.emplace(from, std::move(message));
      return std::nullopt;
    }
    Message earlier = std::move(other->second);
    halves_.erase(other);
    if (earlier.stream == first_) return std::pair(std::move(earlier), std::move(message));
    return std::pair(std::move(message), std::move(earlier));
  }

 private:
  Stream first_;
  std::map<int, Message> halves_;  // by number of the sender
};

}  // namespace convoy
