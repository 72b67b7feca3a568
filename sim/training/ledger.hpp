// Where a worker's virtual time went. At each instant a worker is in exactly one state, the first that holds:
// down; computing (its device is busy); communicating (idle, and bytes to or from it are moving or in
// flight); waiting (anything else). The four sum to the run's virtual time to the nanosecond.
#pragma once

#include "core/time.hpp"

namespace convoy {

class Ledger {
 public:
  struct Totals {
    Duration compute, communication, wait, down;
    [[nodiscard]] Duration sum() const { return compute + communication + wait + down; }
    Totals& operator+=(const Totals& other) {
      compute += other.compute;
      communication += other.communication;
      wait += other.wait;
      down += other.down;
      return *this;
    }
  };

  /// One more (+1) or one less (-1) computation occupies the device from `now`.
  void computing(Time now, int change) { settle(now), computing_ += change; }
  /// One more or one less transfer to or from the worker is in flight from `now`.
  void moving(Time now, int change) { settle(now), moving_ += change; }
  /// The device is down from `now`, or up again.
  void down(Time now, bool is_down) { settle(now), down_ = is_down; }
  /// Closes the open interval at `now`.
  void close(Time now) { settle(now); }
  [[nodiscard]] const Totals& totals() const { return totals_; }

 private:
  void settle(Time now) {
    const Duration passed = now - since_;
    since_ = now;
    Duration& state = down_            ? totals_.down
                      : computing_ > 0 ? totals_.compute
                      : moving_ > 0    ? totals_.communication
                                       : totals_.wait;
    state += passed;
  }

  Totals totals_;
  Time since_;
  int computing_ = 0;
  int moving_ = 0;
  bool down_ = false;
};

}  // namespace convoy
