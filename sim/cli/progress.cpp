#include "cli/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/units.hpp"

namespace convoy::cli {
namespace {

constexpr auto interval = std::chrono::milliseconds(200);
constexpr std::size_t widest = 110;

double seconds(std::chrono::steady_clock::duration duration) {
  return std::chrono::duration<double>(duration).count();
}

std::string time_text(double value) {
  return format_quantity(value, Dimension::time);
}

/// The metric of a target in a row, where the row has it.
std::optional<double> metric_of(const MetricsRow& row, const std::string& metric) {
  if (metric == "validation_accuracy" || metric == "test_accuracy") return row.validation_accuracy;
  if (metric == "validation_loss" || metric == "test_loss") return row.validation_loss;
  if (metric == "train_loss") return row.train_loss;
  return std::nullopt;
}

}  // namespace

bool stderr_is_terminal() {
  return ::isatty(STDERR_FILENO) == 1;
}

ProgressLine::ProgressLine(const Plan& plan, bool shown) : plan_(plan), shown_(shown) {}

ProgressLine::~ProgressLine() {
  clear();
}

void ProgressLine::planned(std::size_t reused, std::size_t pending) {
  const std::lock_guard lock(mutex_);
  begin_ = Clock::now();
  reused_ = reused;
  pending_ = pending;
  show(true);
}

double ProgressLine::share_of(const MetricsRow& row) const {
  const StopOptions& stop = plan_.experiment->stop;
  double share = 0;
  if (stop.time) share = std::max(share, row.at.time_s / stop.time->to_seconds());
  if (stop.local_steps) share = std::max(share, row.at.steps / static_cast<double>(*stop.local_steps));
  if (stop.samples) share = std::max(share, row.at.samples / static_cast<double>(*stop.samples));
  if (stop.rounds) share = std::max(share, row.at.rounds / static_cast<double>(*stop.rounds));
  return std::min(share, 1.0);
}

void ProgressLine::evaluated(const PlanPoint& point, const MetricsRow& row) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  running_[point.index] = share_of(row);
  latest_ = fmt::format("{} seed {} at {}", point.row, point.seed, time_text(row.at.time_s));
  if (plan_.experiment->target) {
    const TargetOptions& target = *plan_.experiment->target;
    if (const auto value = metric_of(row, target.metric)) {
      const auto& values = target.values();
      const double hardest = target.rising() ? *std::max_element(values.begin(), values.end())
                                             : *std::min_element(values.begin(), values.end());
      latest_ += fmt::format(", {} {:.3g} of {:.3g}", target.metric, *value, hardest);
    }
  }
  show(false);
}

void ProgressLine::finished(const PlanPoint& point, const RunResult& result) {
  if (!shown_) return;
  const std::lock_guard lock(mutex_);
  ++finished_;
  events_ += result.events;
  running_.erase(point.index);
  latest_ = fmt::format("{} seed {}: {}", point.row, point.seed, to_string(result.stop_reason));
  show(true);
}

void ProgressLine::show(bool at_once) {
  if (!shown_ || pending_ == 0) return;
  const auto now = Clock::now();
  if (!at_once && now - last_ < interval) return;
  last_ = now;
  const double passed = seconds(now - begin_);
  double done = static_cast<double>(finished_);
  for (const auto& run : running_) done += run.second;
  std::string line = fmt::format("{}/{} runs", finished_ + reused_, pending_ + reused_);
  if (events_ > 0 && passed > 0)
    line += fmt::format(", {:.2g} M events/s", static_cast<double>(events_) / passed / 1e6);
  if (done > 0 && passed > 1) {
    const double left = passed * (static_cast<double>(pending_) - done) / done;
    if (left >= 1) line += fmt::format(", up to {} left", time_text(std::ceil(left)));
  }
  if (!latest_.empty()) line += " | " + latest_;
  line.resize(std::min(line.size(), widest));
  const std::size_t blanks = width_ > line.size() ? width_ - line.size() : 0;
  width_ = line.size();
  std::fputs(fmt::format("\r{}{}", line, std::string(blanks, ' ')).c_str(), stderr);
  std::fflush(stderr);
}

void ProgressLine::clear() {
  if (!shown_ || width_ == 0) return;
  std::fputs(fmt::format("\r{}\r", std::string(width_, ' ')).c_str(), stderr);
  std::fflush(stderr);
}

}  // namespace convoy::cli
