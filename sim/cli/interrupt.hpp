// SIGINT and SIGTERM as a flag that runs poll.
#pragma once

#include <atomic>

namespace convoy::cli {

/// While it lives, the first SIGINT or SIGTERM sets the flag, and a second one ends the process at once. One
/// at a time.
class InterruptFlag {
 public:
  InterruptFlag();
  InterruptFlag(const InterruptFlag&) = delete;
  InterruptFlag& operator=(const InterruptFlag&) = delete;
  ~InterruptFlag();
  [[nodiscard]] const std::atomic<bool>& flag() const;
};

}  // namespace convoy::cli
