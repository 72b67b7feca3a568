// One line on a terminal that says how far the runs are; silent in a pipe.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "experiment/plan.hpp"
#include "experiment/runner.hpp"

namespace convoy::cli {

class ProgressLine final : public RunObserver {
 public:
  /// `shown` false: says nothing.
  ProgressLine(const Plan& plan, bool shown);
  ~ProgressLine() override;

  void planned(std::size_t reused, std::size_t pending) override;
  void evaluated(const PlanPoint& point, const MetricsRow& row) override;
  void finished(const PlanPoint& point, const RunResult& result) override;

 private:
  using Clock = std::chrono::steady_clock;
  void show(bool at_once);
  void clear();
  [[nodiscard]] double share_of(const MetricsRow& row) const;

  const Plan& plan_;
  bool shown_;
  std::mutex mutex_;
  Clock::time_point begin_ = Clock::now(), last_{};
  std::size_t reused_ = 0, pending_ = 0, finished_ = 0;
  std::uint64_t events_ = 0;
  std::map<std::size_t, double> running_;  ///< share done of the runs under way, by point
  std::string latest_;                     ///< the run that was heard of last, and where it is
  std::size_t width_ = 0;
};

/// "/dev/stderr is a terminal".
[[nodiscard]] bool stderr_is_terminal();

}  // namespace convoy::cli
