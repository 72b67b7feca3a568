// Everything that one run yields; `experiment` writes it as result.json and metrics.csv.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/node.hpp"
#include "core/time.hpp"
#include "training/algorithm.hpp"
#include "training/ledger.hpp"
#include "training/work.hpp"

namespace convoy {

enum class StopReason {
  target_reached,
  max_time,
  max_steps,
  max_samples,
  max_rounds,
  max_events,
  diverged,
  deadlock,
  stalled,
  limit,
  failed
};
[[nodiscard]] std::string_view to_string(StopReason reason);
/// deadlock, stalled, limit and failed are run again on the next call.
[[nodiscard]] bool is_finished(StopReason reason);

/// Counters at an instant; interpolated at target crossings.
struct Counters {
  double time_s = 0;
  double steps = 0, rounds = 0, samples = 0, bytes = 0;
  std::optional<double> energy_j, cost_usd;
};

/// One row of metrics.csv.
struct MetricsRow {
  Counters at;
  std::optional<double> tokens, epoch, train_loss, validation_loss, validation_accuracy, gradient_norm,
      consensus_distance, staleness_mean;
  std::vector<double> extra;  ///< recorded values ("x.*") and the task's extras, in the order of
                              ///< RunResult::extra_columns; NaN if none yet
};

struct TargetResult {
  std::string metric;
  double value = 0;
  bool reached = false;
  Counters at;                         ///< interpolated crossing of the median of three; valid if reached
  std::optional<double> first_time_s;  ///< first raw crossing
  bool near_plateau = false;           ///< within two standard deviations of the final plateau
};

struct FinalMetrics {
  std::optional<double> train_loss, validation_loss, validation_accuracy, test_loss, test_accuracy;
  std::vector<std::pair<std::string, double>> extra;  ///< whatever the task reports, e.g. distance_to_optimum
  std::vector<double> parameters;                     ///< of the deployed model, if it has at most 10,000
  std::vector<std::vector<double>> worker_parameters;
};

struct LinkUse {
  std::string name;  ///< "r0 -> r1"
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
  double busy_s = 0;
};

struct StreamUse {
  std::string stream;
  std::int64_t bytes = 0;
  std::int64_t messages = 0;
};

struct ServerUse {
  std::string server;
  double busy_s = 0, idle_s = 0;
  std::int64_t updates = 0, longest_queue = 0;
};

struct WaitLine {
  std::string process, waits_for;
  double since_s = 0;
};

struct RunResult {
  StopReason stop_reason = StopReason::failed;
  std::string message;            ///< of a failure, divergence, stall
  std::vector<WaitLine> waiting;  ///< at a deadlock: who waits for what since when
  Time virtual_time;
  std::int64_t steps = 0, rounds = 0, samples = 0;
  std::vector<TargetResult> targets;
  FinalMetrics final_metrics;
  std::int64_t bytes = 0, messages = 0;
  std::vector<LinkUse> links;
  std::vector<StreamUse> streams;
  std::vector<std::string> worker_names;
  std::vector<Ledger::Totals> ledger;  ///< one a worker
  Ledger::Totals ledger_total;
  double staleness_mean = 0;
  std::int64_t staleness_max = 0;
  std::map<std::int64_t, std::int64_t> staleness_histogram;
  std::vector<ReportEntry> algorithm_report;
  std::vector<WorkAccount::Row> work;  ///< one a worker
  WorkAccount::Row work_total;
  std::vector<ServerUse> servers;
  std::vector<std::string> extra_columns;  ///< "x.name" with units in extra_units
  std::vector<std::string> extra_units;
  std::vector<MetricsRow> metrics;
  double no_progress_s = 0;  ///< the no-progress limit in force
  std::optional<double> cost_usd;
  double samples_per_second_ideal = 0;  ///< sum over workers at nominal speed: no communication, no wait
  std::string digest;
  std::uint64_t events = 0, ties = 0;
  double wall_s = 0, math_s = 0, evaluation_s = 0;
  int threads = 1;
};

}  // namespace convoy
