// Evaluation of the deployed model on a grid of virtual times: costs no virtual time, runs on the pool.
//
// A snapshot and the counters are taken at each instant; the metrics are joined at the next one, or at the
// end. Only there may a target stop the run. Where the deployed model has not changed, the last metrics are
// repeated.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/job_pool.hpp"
#include "core/time.hpp"
#include "learning/task.hpp"
#include "training/algorithm.hpp"
#include "training/run_result.hpp"
#include "training/target_tracker.hpp"

namespace convoy {

class RunState;

class Evaluator {
 public:
  explicit Evaluator(RunState& run);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;

  /// Schedules the first instant of the grid.
  void begin();
  /// A reported step may be an instant of a grid by steps.
  void on_report();
  /// Joins what is pending, adds a row at the end of the run unless one stands there already, and closes the
  /// series.
  void finish(RunResult& result, StopReason reason);

  void add_loss(double loss) { loss_sum_ += loss, ++losses_; }
  /// The norm of the mean gradient is watched for models of at most 10,000 parameters, where it costs nothing
  /// to speak of.
  [[nodiscard]] static bool watches_gradients(const LearningTask& task);
  /// Adds a mini-batch's mean gradient, if gradients are watched.
  void add_gradient(const Vector& gradient);
  [[nodiscard]] double seconds() const { return seconds_; }

 private:
  struct Pending;
  void instant();
  void schedule_next();
  void take_snapshot();
  void join_pending();
  [[nodiscard]] MetricsRow row() const;
  void write_extras(RunResult& result);
  [[nodiscard]] std::optional<double> target_value(const MetricsRow& row) const;

  RunState& run_;
  std::optional<TargetTracker> tracker_;
  std::vector<MetricsRow> rows_;
  std::vector<std::map<std::string, double>> extras_;  // beside each row, by column
  std::unique_ptr<Pending> pending_;
  std::unique_ptr<Pending> last_;
  std::int64_t index_ = 0;       // of the next instant
  std::int64_t next_steps_ = 0;  // of a grid by steps
  bool scheduled_ = false;
  double loss_sum_ = 0;
  std::int64_t losses_ = 0;
  Vector gradient_sum_;
  std::int64_t gradients_ = 0;
  double seconds_ = 0;
};

}  // namespace convoy
