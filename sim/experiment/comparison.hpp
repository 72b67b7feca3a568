// Who reached which target when, and what may be said of it: over seeds, paired by seed, with intervals.
//
// A run that did not reach a target is censored, never dropped: it is counted ("2 of 3"), and where one side
// of a speed-up did not get there at all, the speed-up is bounded by the time that its runs were given.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/node.hpp"
#include "experiment/run_record.hpp"
#include "experiment/statistics.hpp"

namespace convoy {

/// The runs of one algorithm with one value of each sweep axis, by seed in the order planned.
struct AlgorithmRow {
  std::string name;  ///< label with axes
  std::string label;
  std::string algorithm;  ///< kind
  Node axes;
  std::vector<const RunRecord*> runs;
};

/// reference time / own time.
struct Speedup {
  std::optional<Estimate> ratio;  ///< over the seeds at which both got there
  std::optional<double>
      more_than;  ///< bound where the reference did not get there at every seed, but this one did
  std::optional<double>
      less_than;  ///< bound where this one did not get there at every seed, but the reference did
  Verdict verdict = Verdict::undecided;
};

/// One algorithm at one rung of the ladder, or at the end of its fixed work.
struct RungEntry {
  std::size_t row = 0;  ///< of Comparison::rows
  std::size_t reached = 0, seeds = 0;
  std::optional<Estimate> time_s;  ///< of the seeds that got there
  bool is_reference = false;
  Speedup speedup;
  std::optional<double> ideal_s;  ///< geometric mean of: samples needed / samples per second at nominal speed
  double given_s = 0;             ///< the longest virtual time of a run that did not get there
  double steps = 0, bytes = 0;    ///< means at the crossing; where none got there, at the end
  std::optional<double> cost_usd;
  bool near_plateau = false;  ///< in any seed: within two standard deviations of the final plateau
};

struct Rung {
  double value = 0;
  std::vector<RungEntry> entries;  ///< one a row
};

/// Log-mean over the ladder, then over seeds; the interval is over seeds.
struct Headline {
  std::size_t row = 0;
  std::optional<Estimate> speedup;
  std::size_t cells = 0, of = 0;  ///< (rung, seed) cells with a ratio, and all
  Verdict verdict = Verdict::undecided;
};

struct Comparison {
  std::vector<AlgorithmRow> rows;
  std::string reference;    ///< label: the first diloco, else data_parallel, else the first algorithm
  std::vector<Rung> rungs;  ///< in the order of the ladder; empty for fixed work
  std::optional<std::size_t> hardest;  ///< of rungs
  std::vector<Headline> headline;      ///< of the rows that are not the reference
  std::vector<RungEntry> fixed_work;   ///< time to the end of the work; empty with a target
  bool per_step = false;          ///< fixed_work holds times a step: the work was not fixed, but the time
  std::optional<double> ideal_s;  ///< of fixed work: the work / samples per second at nominal speed
};

/// What a comparison needs to know of the experiment.
struct Race {
  std::vector<double> targets;           ///< empty: fixed work
  bool rising = true;                    ///< at_least
  std::optional<double> steps, samples;  ///< fixed work: stop.local_steps, stop.samples
  bool fixed_time = false;  ///< no target and no work to do: runs are compared by their time a step
};

/// `records` in the order of the plan; they must outlive the result. Diverged and failed runs count as not
/// reached.
[[nodiscard]] Comparison compare(const std::vector<RunRecord>& records, const Race& race);

}  // namespace convoy
