// Conservation of work: every finished local step is a credit that an algorithm spends exactly once.
//
//   Credits work = w.take_work();                    // the steps w has finished since the last call
//   s.send(global, delta, {.vector = d, .work = std::move(work)});
//   ... cluster.work().merge(std::move(m.work));     // at the receiver: they entered the deployed model
//   ... cluster.work().discard(std::move(m.work), "overwritten_at_merge");
//
// What is unspent when a run ends is in flight: computed = merged + discarded + in flight, per worker.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/time.hpp"

namespace convoy {

/// Steps and the device time that they took.
struct WorkAmount {
  std::int64_t steps = 0;
  Duration time;
  WorkAmount& operator+=(const WorkAmount& other) {
    steps += other.steps;
    time += other.time;
    return *this;
  }
  bool operator==(const WorkAmount&) const = default;
};

/// Credits of finished steps by worker. Move-only: a credit has one owner.
class Credits {
 public:
  Credits() = default;
  Credits(Credits&& other) noexcept : amounts_(std::move(other.amounts_)) { other.amounts_.clear(); }
  Credits& operator=(Credits&& other) noexcept {
    amounts_ = std::move(other.amounts_);
    other.amounts_.clear();
    return *this;
  }
  Credits(const Credits&) = delete;
  Credits& operator=(const Credits&) = delete;

  void add(int worker, WorkAmount amount);
  /// Moves all of `other` in; `other` is empty afterwards.
  void add(Credits&& other);
  [[nodiscard]] std::int64_t steps() const;
  [[nodiscard]] bool empty() const { return amounts_.empty(); }

 private:
  friend class WorkAccount;
  std::vector<std::pair<int, WorkAmount>> amounts_;  // ascending worker
};

/// The books of one run.
class WorkAccount {
 public:
  explicit WorkAccount(int workers);

  /// A step of `worker` finished; the credit is the caller's.
  Credits computed(int worker, Duration time);
  void merge(Credits&& work);
  void discard(Credits&& work, std::string_view reason);

  struct Row {
    WorkAmount computed, merged, in_flight_at_end;
    std::map<std::string, WorkAmount, std::less<>> discarded;
  };
  /// Per worker; in flight is what has not been spent. Throws std::logic_error if more was spent than
  /// computed.
  [[nodiscard]] std::vector<Row> rows() const;
  [[nodiscard]] Row total() const;
  [[nodiscard]] std::int64_t computed_steps() const { return computed_steps_; }

 private:
  std::vector<Row> rows_;
  std::int64_t computed_steps_ = 0;
};

}  // namespace convoy
