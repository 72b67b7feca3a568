// The comparison as a terminal shows it: plain text of at most `width` columns, no colour.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "experiment/comparison.hpp"
#include "experiment/experiment_config.hpp"
#include "experiment/run_record.hpp"

namespace convoy {

inline constexpr std::size_t table_width = 110;

/// Columns of text: the first to the left, others to the left too unless they are numbers.
class TextTable {
 public:
  struct Column {
    std::string title;
    bool right = false;  ///< aligned to the right
    int keep = 0;  ///< columns of the lowest value are left out first where the table is too wide; 0: never
  };
  explicit TextTable(std::vector<Column> columns) : columns_(std::move(columns)) {}
  /// As many cells as columns.
  void add(std::vector<std::string> cells);
  /// One line for titles and each row, no trailing spaces, columns two spaces apart.
  [[nodiscard]] std::string text(std::size_t width = table_width) const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A time with its interval in one unit: "18.2 min [17.5, 18.9]".
[[nodiscard]] std::string time_text(const Estimate& seconds);
/// "5.1x [4.7, 5.5]", "no difference [0.93, 1.1]", "> 3.2x", "1.3x (one seed)", "-".
[[nodiscard]] std::string speedup_text(const Speedup& speedup);
/// 98304 -> "98,304".
[[nodiscard]] std::string grouped(double whole);

/// What is raced, the table of the hardest target (or of the fixed work), the ladder and the headline.
[[nodiscard]] std::string comparison_text(const ExperimentConfig& config, const Comparison& comparison,
                                          const std::vector<RunRecord>& records);
/// The runs that failed, diverged or cannot progress, one a line, with who waits for what since when; empty
/// without any.
[[nodiscard]] std::string failures_text(const std::vector<RunRecord>& records);

}  // namespace convoy
