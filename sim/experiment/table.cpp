#include "experiment/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <sstream>

#include "core/units.hpp"
#include "experiment/node_access.hpp"
#include "experiment/summary.hpp"

namespace convoy {
namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t most_failures = 10;

/// Characters of UTF-8 text: labels may hold any.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

std::string shortened(const std::string& text, std::size_t width) {
  if (width_of(text) <= width) return text;
  std::size_t end = 0;
  for (std::size_t shown = 0; end < text.size(); ++end) {
    const bool starts = (static_cast<unsigned char>(text[end]) & 0xC0U) != 0x80U;
    if (starts && shown++ == width - 2) break;
  }
  return text.substr(0, end) + "..";
}

/// So many significant digits, no exponent: 0.0123, 1.23, 12.3, 123, 1230.
std::string digits_text(double value, int digits) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{:.3g}", value);
  const int magnitude = static_cast<int>(std::floor(std::log10(std::abs(value))));
  if (magnitude < -4) return fmt::format("{:.{}e}", value, digits - 1);
  return fmt::format("{:.{}f}", value, std::max(0, digits - 1 - magnitude));
}

std::string three_digits(double value) {
  return digits_text(value, 3);
}
/// Speed-ups: no interval of a handful of seeds deserves more.
std::string two_digits(double value) {
  return digits_text(value, 2);
}

struct TimeUnit {
  double seconds;
  std::string_view name;
};

TimeUnit unit_of(double seconds) {
  for (const TimeUnit unit : {TimeUnit{86400, "d"}, TimeUnit{3600, "h"}, TimeUnit{60, "min"},
                              TimeUnit{1, "s"}, TimeUnit{1e-3, "ms"}, TimeUnit{1e-6, "us"}}) {
    const double least = unit.seconds >= 86400 ? 4 : unit.seconds >= 3600 ? 2 : 1;
    const bool long_enough = seconds >= least * unit.seconds;
    if (long_enough) return unit;
  }
  return {1e-9, "ns"};
}

std::string short_time(double seconds) {
  if (!(seconds > 0)) return "0 s";
  const TimeUnit unit = unit_of(seconds);
  return fmt::format("{} {}", three_digits(seconds / unit.seconds), unit.name);
}

std::string bytes_text(double bytes) {
  return format_quantity(bytes, Dimension::bytes);
}

std::string percent(double part, double whole) {
  return whole > 0 ? fmt::format("{:.0f} %", 100 * part / whole) : std::string("-");
}

/// Shares of a row's runs together: compute, communication, wait, down.
struct Shares {
  double compute = 0, communication = 0, wait = 0, down = 0;
  explicit Shares(const AlgorithmRow& row) {
    for (const RunRecord* run : row.runs) {
      compute += run->compute_s;
      communication += run->communication_s;
      wait += run->wait_s;
      down += run->down_s;
    }
  }
  [[nodiscard]] double whole() const { return compute + communication + wait + down; }
};

bool any_diverged(const AlgorithmRow& row) {
  return std::any_of(row.runs.begin(), row.runs.end(),
                     [](const RunRecord* run) { return run->stop_reason == "diverged"; });
}

bool any_failed(const AlgorithmRow& row) {
  return std::any_of(row.runs.begin(), row.runs.end(), [](const RunRecord* run) {
    return run->stop_reason == "failed" || run->stop_reason == "deadlock" || run->stop_reason == "stalled";
  });
}

std::string time_cell(const RungEntry& entry, const AlgorithmRow& row) {
  if (entry.reached == 0) {
    if (any_diverged(row)) return "diverged";
    if (any_failed(row)) return "failed";
    return fmt::format("not reached in {}", short_time(entry.given_s));
  }
  std::string text = entry.time_s ? time_text(*entry.time_s) : "0 s";
  if (entry.reached < entry.seeds) text += fmt::format(" {} of {}", entry.reached, entry.seeds);
  if (entry.near_plateau) text += " ~";
  return text;
}

std::string speedup_cell(const RungEntry& entry) {
  return entry.is_reference ? "1" : speedup_text(entry.speedup);
}

/// The table of one rung, or of the fixed work.
std::string rung_table(const Comparison& comparison, const std::vector<RungEntry>& entries,
                       const std::string& time_title) {
  TextTable table({{.title = "algorithm"},
                   {.title = time_title},
                   {.title = "vs " + comparison.reference, .keep = 9},
                   {.title = "ideal", .right = true, .keep = 2},
                   {.title = "steps", .right = true, .keep = 6},
                   {.title = "sent", .right = true, .keep = 5},
                   {.title = "compute", .right = true, .keep = 8},
                   {.title = "comm", .right = true, .keep = 7},
                   {.title = "wait", .right = true, .keep = 7},
                   {.title = "down", .right = true, .keep = 1},
                   {.title = "cost", .right = true, .keep = 4}});
  for (const RungEntry& entry : entries) {
    const AlgorithmRow& row = comparison.rows[entry.row];
    const Shares shares(row);
    table.add({row.name, time_cell(entry, row), speedup_cell(entry),
               entry.ideal_s && comparison.rungs.size() == 1 ? short_time(*entry.ideal_s) : "",
               grouped(entry.steps), bytes_text(entry.bytes), percent(shares.compute, shares.whole()),
               percent(shares.communication, shares.whole()), percent(shares.wait, shares.whole()),
               shares.down > 0 ? percent(shares.down, shares.whole()) : "",
               entry.cost_usd ? fmt::format("{:.2f} USD", *entry.cost_usd) : ""});
  }
  if (comparison.ideal_s) {
    std::vector<std::string> cells(11);
    cells[0] = "ideal";
    cells[1] = short_time(*comparison.ideal_s);
    table.add(std::move(cells));
  }
  return table.text();
}

std::string ladder_table(const Comparison& comparison, const std::string& sign) {
  std::vector<TextTable::Column> columns = {{.title = "target ladder"}};
  for (std::size_t i = 0; i < comparison.rungs.size(); ++i) {
    // Where not all rungs fit, the hardest ones stay.
    const int keep = comparison.hardest == i ? 0 : static_cast<int>(i) + 2;
    columns.push_back(
        {.title = fmt::format("{} {}", sign, comparison.rungs[i].value), .right = false, .keep = keep});
  }
  columns.push_back(
      {.title = fmt::format("ideal {} {}", sign, comparison.rungs[*comparison.hardest].value), .keep = 1});
  TextTable table(std::move(columns));
  for (std::size_t r = 0; r < comparison.rows.size(); ++r) {
    std::vector<std::string> cells = {comparison.rows[r].name};
    for (const Rung& rung : comparison.rungs) {
      const RungEntry& entry = rung.entries[r];
      std::string cell = entry.reached == 0 || !entry.time_s ? "-" : short_time(entry.time_s->mean);
      if (entry.reached > 0 && entry.reached < entry.seeds)
        cell += fmt::format(" {}/{}", entry.reached, entry.seeds);
      const Speedup& speedup = entry.speedup;
      if (!entry.is_reference && speedup.ratio) {
        cell += fmt::format("  {}x", two_digits(speedup.ratio->mean));
      } else if (!entry.is_reference && speedup.more_than) {
        cell += fmt::format("  >{}x", two_digits(*speedup.more_than));
      }
      cells.push_back(std::move(cell));
    }
    const std::optional<double> ideal = comparison.rungs[*comparison.hardest].entries[r].ideal_s;
    cells.push_back(ideal ? short_time(*ideal) : "");
    table.add(std::move(cells));
  }
  return table.text();
}

/// Broken between words; lines after the first are indented.
std::string wrapped(const std::string& text) {
  std::string result, line;
  std::istringstream words(text);
  for (std::string word; words >> word;) {
    if (!line.empty() && width_of(line) + 1 + width_of(word) > table_width) {
      result += line + '\n';
      line = " ";
    }
    line += (line.empty() ? "" : " ") + word;
  }
  return result + line + '\n';
}

std::string headline_text(const Comparison& comparison) {
  std::string text;
  for (const Headline& headline : comparison.headline) {
    if (!headline.speedup) continue;
    const Speedup speedup{
        .ratio = headline.speedup, .more_than = {}, .less_than = {}, .verdict = headline.verdict};
    text += fmt::format("  {}: {}", comparison.rows[headline.row].name, speedup_text(speedup));
    if (headline.cells < headline.of) text += fmt::format(", {} of {} cells", headline.cells, headline.of);
    text += '\n';
  }
  if (text.empty()) return text;
  return fmt::format("speed-up over {}, log-mean over ladder and seeds (95 % interval over seeds):\n{}",
                     comparison.reference, text);
}

}  // namespace

void TextTable::add(std::vector<std::string> cells) {
  rows_.push_back(std::move(cells));
}

std::string TextTable::text(std::size_t width) const {
  std::vector<std::size_t> widths, shown;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t widest = 0;
    for (const auto& row : rows_) widest = std::max(widest, width_of(row[c]));
    widths.push_back(std::max(widest, width_of(columns_[c].title)));
    if (widest > 0) shown.push_back(c);  // a column without a cell is left out
  }
  const auto total = [&] {
    std::size_t sum = shown.empty() ? 0 : gap * (shown.size() - 1);
    for (const std::size_t c : shown) sum += widths[c];
    return sum;
  };
  while (total() > width) {
    auto least = shown.end();
    for (auto c = shown.begin(); c != shown.end(); ++c) {
      if (columns_[*c].keep > 0 && (least == shown.end() || columns_[*c].keep < columns_[*least].keep))
        least = c;
    }
    if (least == shown.end()) break;
    shown.erase(least);
  }
  constexpr std::size_t shortest_name = 12;
  if (total() > width && widths[0] > shortest_name)
    widths[0] = std::max(shortest_name, widths[0] - (total() - width));
  const auto line = [&](auto cell_of) {
    std::string result;
    for (const std::size_t c : shown) {
      if (c != shown.front()) result.append(gap, ' ');
      const std::string cell = c == 0 ? shortened(cell_of(c), widths[0]) : cell_of(c);
      const std::string padding(widths[c] - std::min(widths[c], width_of(cell)), ' ');
      result += columns_[c].right ? padding + cell : cell + padding;
    }
    result.erase(result.find_last_not_of(' ') + 1);
    return result + '\n';
  };
  std::string result = line([&](std::size_t c) { return columns_[c].title; });
  for (const auto& row : rows_) result += line([&](std::size_t c) { return row[c]; });
  return result;
}

std::string time_text(const Estimate& seconds) {
  if (!(seconds.mean > 0)) return "0 s";
  const TimeUnit unit = unit_of(seconds.mean);
  std::string text = fmt::format("{} {}", three_digits(seconds.mean / unit.seconds), unit.name);
  if (seconds.low && seconds.high && *seconds.low < *seconds.high) {
    text += fmt::format(" [{}, {}]", three_digits(*seconds.low / unit.seconds),
                        three_digits(*seconds.high / unit.seconds));
  }
  return text;
}

std::string speedup_text(const Speedup& speedup) {
  if (speedup.more_than) return fmt::format("> {}x", two_digits(*speedup.more_than));
  if (speedup.less_than) return fmt::format("< {}x", two_digits(*speedup.less_than));
  if (!speedup.ratio) return "-";
  const Estimate& ratio = *speedup.ratio;
  if (!ratio.low || !ratio.high) return fmt::format("{}x (one seed)", two_digits(ratio.mean));
  const std::string interval = fmt::format("[{}, {}]", two_digits(*ratio.low), two_digits(*ratio.high));
  if (speedup.verdict == Verdict::no_difference) return "no difference " + interval;
  if (*ratio.low == *ratio.high) return fmt::format("{}x", two_digits(ratio.mean));
  return fmt::format("{}x {}", two_digits(ratio.mean), interval);
}

std::string grouped(double whole) {
  const std::string digits = fmt::format("{:.0f}", std::abs(whole));
  std::string result = whole < 0 ? "-" : "";
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) result += ',';
    result += digits[i];
  }
  return result;
}

std::string failures_text(const std::vector<RunRecord>& records) {
  std::string text;
  std::size_t count = 0;
  for (const RunRecord& run : records) {
    const bool bad = run.stop_reason == "failed" || run.stop_reason == "diverged" ||
                     run.stop_reason == "deadlock" || run.stop_reason == "stalled" ||
                     run.stop_reason == "limit";
    if (!bad || ++count > most_failures) continue;
    text += fmt::format("{} seed {}: {} at {}{}\n", run.row, run.seed, run.stop_reason,
                        short_time(run.virtual_time_s), run.message.empty() ? "" : ": " + run.message);
    const Node* waiting = run.result.find("waiting");
    if (waiting == nullptr) continue;
    for (const Node& line : waiting->items) {
      text += fmt::format("  {} waits for {} since {}\n", text_or(line, "process", "?"),
                          text_or(line, "waits_for", "?"), short_time(number_or(line, "since_s", 0)));
    }
  }
  if (count > most_failures) text += fmt::format("and {} more\n", count - most_failures);
  return text;
}

std::string comparison_text(const ExperimentConfig& config, const Comparison& comparison,
                            const std::vector<RunRecord>& records) {
  std::string heading = fmt::format("{}: {}", config.name, describe_experiment(config, records));
  if (const std::string target = describe_target(config); !target.empty()) heading += "; target " + target;
  heading += fmt::format("; {} seed{}", config.seeds.size(), config.seeds.size() == 1 ? "" : "s");
  std::string text = wrapped(heading) + "\n";
  if (!comparison.hardest) {
    return text + rung_table(comparison, comparison.fixed_work,
                             comparison.per_step ? "time a step" : "virtual time");
  }
  const Rung& rung = comparison.rungs[*comparison.hardest];
  const bool proxy = config.workload.stand_in || config.workload.parameters;
  const std::string sign = config.target->rising() ? ">=" : "<=";
  if (comparison.rungs.size() > 1) text += fmt::format("{} {} {}\n", config.target->metric, sign, rung.value);
  text += rung_table(comparison, rung.entries, proxy ? "time to the proxy's target" : "time to target");
  if (std::any_of(rung.entries.begin(), rung.entries.end(),
                  [](const auto& entry) { return entry.near_plateau; })) {
    text += "~ within two standard deviations of the final plateau: a little luck decides\n";
  }
  if (comparison.rungs.size() > 1) text += "\n" + ladder_table(comparison, sign);
  if (const std::string headline = headline_text(comparison); !headline.empty()) text += "\n" + headline;
  return text;
}

}  // namespace convoy
