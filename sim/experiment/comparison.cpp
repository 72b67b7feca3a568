#include "experiment/comparison.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace convoy {
namespace {

/// What one run spent until it got somewhere, or until its end where it did not.
struct Cell {
  bool reached = false;
  double time_s = 0, steps = 0, samples = 0, bytes = 0;
  std::optional<double> cost_usd;
  bool near_plateau = false;
};

Cell at_end(const RunRecord& run, bool reached) {
  return {.reached = reached,
          .time_s = run.virtual_time_s,
          .steps = run.steps,
          .samples = run.samples,
          .bytes = run.bytes,
          .cost_usd = run.cost_usd,
          .near_plateau = false};
}

Cell at_target(const RunRecord& run, double value) {
  for (const Crossing& crossing : run.targets) {
    if (crossing.value != value) continue;
    if (!crossing.reached) break;
    return {.reached = true,
            .time_s = crossing.time_s,
            .steps = crossing.steps,
            .samples = crossing.samples,
            .bytes = crossing.bytes,
            .cost_usd = crossing.cost_usd,
            .near_plateau = crossing.near_plateau};
  }
  Cell cell = at_end(run, false);
  for (const Crossing& crossing : run.targets) {
    if (crossing.value == value) cell.near_plateau = crossing.near_plateau;
  }
  return cell;
}

/// Fixed work is done by a run that ended because of it.
Cell at_work(const RunRecord& run, const Race& race) {
  const std::string& reason = run.stop_reason;
  if (!race.fixed_time)
    return at_end(run, reason == "max_steps" || reason == "max_samples" || reason == "max_rounds");
  Cell cell = at_end(run, (reason == "max_time" || reason == "max_events") && run.steps > 0);
  if (cell.reached) cell.time_s /= run.steps;
  return cell;
}

using Cells = std::vector<Cell>;  // of one row, by seed

std::vector<AlgorithmRow> rows_of(const std::vector<RunRecord>& records) {
  std::vector<AlgorithmRow> rows;
  for (const RunRecord& record : records) {
    auto row =
        std::find_if(rows.begin(), rows.end(), [&](const AlgorithmRow& r) { return r.name == record.row; });
    if (row == rows.end()) {
      rows.push_back({.name = record.row,
                      .label = record.label,
                      .algorithm = record.algorithm,
                      .axes = record.axes,
                      .runs = {}});
      row = std::prev(rows.end());
    }
    row->runs.push_back(&record);
  }
  return rows;
}

const AlgorithmRow* first_of(const std::vector<AlgorithmRow>& rows, std::string_view algorithm) {
  const auto found =
      std::find_if(rows.begin(), rows.end(), [&](const auto& row) { return row.algorithm == algorithm; });
  return found == rows.end() ? nullptr : &*found;
}

std::string reference_of(const std::vector<AlgorithmRow>& rows) {
  for (const char* kind : {"diloco", "data_parallel"}) {
    if (const AlgorithmRow* row = first_of(rows, kind)) return row->label;
  }
  return rows.empty() ? std::string() : rows.front().label;
}

/// The reference under the same circumstances: it agrees with `row` on the axes that both have.
std::size_t reference_row(const std::vector<AlgorithmRow>& rows, const std::string& reference,
                          const AlgorithmRow& row) {
  const auto agrees = [&](const AlgorithmRow& other) {
    return std::all_of(other.axes.members.begin(), other.axes.members.end(), [&](const Node::Member& axis) {
      const Node* own = row.axes.find(axis.key);
      return own == nullptr || *own == axis.value;
    });
  };
  std::optional<std::size_t> first;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (rows[i].label != reference) continue;
    if (&rows[i] == &row || (agrees(rows[i]) && rows[i].label != row.label)) return i;
    if (!first) first = i;
  }
  return first.value_or(0);
}

/// Pairs of the same seed: (reference, own).
std::vector<std::pair<const Cell*, const Cell*>> paired(const AlgorithmRow& reference,
                                                        const Cells& reference_cells, const AlgorithmRow& own,
                                                        const Cells& own_cells) {
  std::vector<std::pair<const Cell*, const Cell*>> pairs;
  for (std::size_t i = 0; i < own.runs.size(); ++i) {
    for (std::size_t j = 0; j < reference.runs.size(); ++j) {
      if (own.runs[i]->seed == reference.runs[j]->seed)
        pairs.emplace_back(&reference_cells[j], &own_cells[i]);
    }
  }
  return pairs;
}

bool all_reached(const Cells& cells) {
  return std::all_of(cells.begin(), cells.end(), [](const Cell& cell) { return cell.reached; });
}

Speedup speedup_of(const std::vector<std::pair<const Cell*, const Cell*>>& pairs, bool reference_all,
                   bool own_all) {
  Speedup result;
  std::vector<double> ratios, bounds;
  for (const auto& [reference, own] : pairs) {
    if (!(own->time_s > 0) || !(reference->time_s > 0)) continue;
    bounds.push_back(reference->time_s / own->time_s);
    if (reference->reached && own->reached) ratios.push_back(bounds.back());
  }
  result.ratio = geometric_estimate(ratios);
  result.verdict = verdict_of(result.ratio);
  if (reference_all == own_all) {
    // Ratios of some seeds only say nothing certain about the others.
    if (!own_all) result.verdict = Verdict::undecided;
    return result;
  }
  const auto bound = geometric_estimate(bounds);
  if (!bound) return result;
  const Verdict bound_verdict = verdict_of(bound);
  result.verdict = Verdict::undecided;
  if (own_all) {
    result.more_than = bound->mean;
    if (bound_verdict == Verdict::faster) result.verdict = Verdict::faster;
  } else {
    result.less_than = bound->mean;
    if (bound_verdict == Verdict::slower) result.verdict = Verdict::slower;
  }
  return result;
}

template <class Get>
double mean_of(const std::vector<const Cell*>& cells, Get get) {
  if (cells.empty()) return 0;
  double sum = 0;
  for (const Cell* cell : cells) sum += get(*cell);
  return sum / static_cast<double>(cells.size());
}

RungEntry entry_of(const AlgorithmRow& row, const Cells& cells) {
  RungEntry entry;
  entry.seeds = cells.size();
  std::vector<double> times, ideals;
  std::vector<const Cell*> reached, all;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const Cell& cell = cells[i];
    all.push_back(&cell);
    entry.near_plateau = entry.near_plateau || cell.near_plateau;
    if (!cell.reached) {
      entry.given_s = std::max(entry.given_s, cell.time_s);
      continue;
    }
    reached.push_back(&cell);
    times.push_back(cell.time_s);
    if (row.runs[i]->samples_per_second_ideal > 0) {
      ideals.push_back(cell.samples / row.runs[i]->samples_per_second_ideal);
    }
  }
  entry.reached = reached.size();
  entry.time_s = geometric_estimate(times);
  if (!entry.time_s && !times.empty()) {  // reached at the very start
    entry.time_s = Estimate{.mean = mean_of(reached, [](const Cell& c) { return c.time_s; }),
                            .low = {},
                            .high = {},
                            .count = times.size()};
  }
  if (const auto ideal = geometric_estimate(ideals)) entry.ideal_s = ideal->mean;
  const auto& counted = reached.empty() ? all : reached;
  entry.steps = mean_of(counted, [](const Cell& c) { return c.steps; });
  entry.bytes = mean_of(counted, [](const Cell& c) { return c.bytes; });
  if (!counted.empty() &&
      std::all_of(counted.begin(), counted.end(), [](const Cell* c) { return c->cost_usd.has_value(); })) {
    entry.cost_usd = mean_of(counted, [](const Cell& c) { return *c.cost_usd; });
  }
  return entry;
}

/// Entries of all rows, with speed-ups against each one's reference.
std::vector<RungEntry> entries_of(const std::vector<AlgorithmRow>& rows, const std::string& reference,
                                  const std::vector<Cells>& cells) {
  std::vector<RungEntry> entries;
  for (std::size_t i = 0; i < rows.size(); ++i) {
    RungEntry entry = entry_of(rows[i], cells[i]);
    entry.row = i;
    const std::size_t r = reference_row(rows, reference, rows[i]);
    entry.is_reference = r == i;
    if (!entry.is_reference) {
      entry.speedup = speedup_of(paired(rows[r], cells[r], rows[i], cells[i]), all_reached(cells[r]),
                                 all_reached(cells[i]));
    }
    entries.push_back(std::move(entry));
  }
  return entries;
}

Headline headline_of(const std::vector<AlgorithmRow>& rows, std::size_t own, std::size_t reference,
                     const std::vector<std::vector<Cells>>& cells) {
  Headline headline{
      .row = own, .speedup = {}, .cells = 0, .of = cells.size() * rows[own].runs.size(), .verdict = {}};
  std::vector<double> by_seed;
  for (std::size_t i = 0; i < rows[own].runs.size(); ++i) {
    double logs = 0;
    std::size_t count = 0;
    for (const auto& rung : cells) {
      for (std::size_t j = 0; j < rows[reference].runs.size(); ++j) {
        const Cell& mine = rung[own][i];
        const Cell& other = rung[reference][j];
        if (rows[reference].runs[j]->seed != rows[own].runs[i]->seed || !mine.reached || !other.reached)
          continue;
        if (!(mine.time_s > 0) || !(other.time_s > 0)) continue;
        logs += std::log(other.time_s / mine.time_s);
        ++count;
      }
    }
    headline.cells += count;
    if (count > 0) by_seed.push_back(std::exp(logs / static_cast<double>(count)));
  }
  headline.speedup = geometric_estimate(by_seed);
  headline.verdict = headline.cells < headline.of ? Verdict::undecided : verdict_of(headline.speedup);
  return headline;
}

std::optional<double> ideal_of_work(const std::vector<RunRecord>& records, const Race& race) {
  for (const RunRecord& run : records) {
    if (!(run.samples_per_second_ideal > 0) || !(run.steps > 0)) continue;
    const double samples_per_step = run.samples / run.steps;
    if (race.steps) return *race.steps * samples_per_step / run.samples_per_second_ideal;
    if (race.samples) return *race.samples / run.samples_per_second_ideal;
  }
  return std::nullopt;
}

}  // namespace

Comparison compare(const std::vector<RunRecord>& records, const Race& race) {
  Comparison result;
  result.rows = rows_of(records);
  result.reference = reference_of(result.rows);
  const auto cells_by = [&](auto cell_of) {
    std::vector<Cells> cells;
    for (const AlgorithmRow& row : result.rows) {
      Cells& own = cells.emplace_back();
      for (const RunRecord* run : row.runs) own.push_back(cell_of(*run));
    }
    return cells;
  };
  if (race.targets.empty()) {
    result.fixed_work = entries_of(result.rows, result.reference,
                                   cells_by([&race](const RunRecord& run) { return at_work(run, race); }));
    result.ideal_s = ideal_of_work(records, race);
    result.per_step = race.fixed_time;
    return result;
  }
  std::vector<std::vector<Cells>> ladder;
  for (const double value : race.targets) {
    ladder.push_back(cells_by([value](const RunRecord& run) { return at_target(run, value); }));
    result.rungs.push_back(
        {.value = value, .entries = entries_of(result.rows, result.reference, ladder.back())});
  }
  const auto hardest = race.rising ? std::max_element(race.targets.begin(), race.targets.end())
                                   : std::min_element(race.targets.begin(), race.targets.end());
  result.hardest = static_cast<std::size_t>(hardest - race.targets.begin());
  for (std::size_t i = 0; i < result.rows.size(); ++i) {
    const std::size_t r = reference_row(result.rows, result.reference, result.rows[i]);
    if (r != i) result.headline.push_back(headline_of(result.rows, i, r, ladder));
  }
  return result;
}

}  // namespace convoy
