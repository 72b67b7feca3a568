// The files of one run: what result.json and metrics.csv hold.
#pragma once

#include <string>

#include "core/node.hpp"
#include "experiment/plan.hpp"
#include "learning/task.hpp"
#include "training/run_result.hpp"

namespace convoy {

/// result.json. Times are seconds, data bytes, money USD; what was not measured is null. `task` may be null
/// where the run failed before it had one.
[[nodiscard]] Node result_node(const PlanPoint& point, const RunResult& result, const LearningTask* task);

/// metrics.csv: time_s, step, round, samples, tokens, epoch, train_loss, validation_loss,
/// validation_accuracy, gradient_norm, consensus_distance, bytes_sent, staleness_mean, energy_j, cost_usd,
/// then what the algorithm recorded ("x.*") and the task's further metrics. Empty where it does not apply.
[[nodiscard]] std::string metrics_csv(const RunResult& result);

/// Text as one field of a CSV file: in quotes where it has to be (RFC 4180).
[[nodiscard]] std::string csv_field(std::string_view text);
/// The shortest text that reads back to the same number; empty for nothing and for what is not finite.
[[nodiscard]] std::string csv_field(const std::optional<double>& number);

}  // namespace convoy
