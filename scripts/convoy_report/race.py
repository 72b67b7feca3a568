"""Who reached each target, when, and how much faster than the reference: the comparison of summary.json joined
with what the runs had spent by then. Intervals and verdicts are the simulator's; nothing is estimated here."""
from dataclasses import dataclass, field

from . import text
from .groups import mean

STATE_KEYS = ["compute_s", "communication_s", "wait_s", "down_s"]
BAD_ENDS = {
    "failed": "failed",
    "deadlock": "ended in a deadlock",
    "stalled": "stalled",
    "limit": "ran into a limit",
    "diverged": "diverged",
}


@dataclass
class Row:
    """One algorithm at one target. Times in seconds; counts are means over the seeds that reached the target, or
    over all seeds at their end where none did."""

    group: object
    reached: int
    seeds: int
    time: dict  # mean, low, high; empty where no seed reached it
    speedup: dict  # mean, low, high, verdict, more_than, less_than; empty for the reference
    ideal_s: float
    near_plateau: bool
    times: list  # one a seed, None where it did not reach
    ends: list  # virtual time at the end of each seed's run
    steps: float = None
    bytes: float = None
    cost_usd: float = None
    energy_j: float = None
    shares: list = field(default_factory=list)  # compute, communication, wait, down; of the whole run

    @property
    def complete(self):
        return self.reached == self.seeds

    def order(self):
        """The fastest first; who missed the target with some seeds, then with all, below."""
        time = self.time.get("mean")
        return (
            not self.complete,
            -self.reached,
            time if time is not None else float("inf"),
            self.group.index,
        )


@dataclass
class Rung:
    """One target of the ladder; `value` is None for an experiment of fixed work."""

    value: float
    short: str  # the value as text, with as many decimals as the others of the ladder
    words: str
    reference: str
    rows: list
    ideal_s: float = None

    @property
    def unit(self):
        times = [row.time.get("mean") for row in self.rows] + [end for row in self.rows for end in row.ends]
        return text.time_unit([time for time in times[: len(self.rows)] if time] or times)


def target_of(run, value):
    """The run's entry for one rung of the ladder."""
    for source in (run.row, run.result):
        for target in source.get("targets") or []:
            if target.get("value") == value:
                return target
    return {}


def end_of(run):
    return run.row.get("virtual_time_s", run.result.get("virtual_time_s"))


def ledger_of(run):
    total = run.row.get("ledger") or (run.result.get("ledger") or {}).get("total") or {}
    return total.get("total", total)


def shares_of(group):
    """Shares of worker time over all seeds together: compute, communication, wait, down."""
    spent = [sum(ledger_of(run).get(key) or 0.0 for run in group.runs) for key in STATE_KEYS]
    return [seconds / sum(spent) for seconds in spent] if sum(spent) > 0 else []


def last_metric(run, column):
    values = run.metrics[column].dropna() if column in run.metrics else ()
    return float(values.iloc[-1]) if len(values) else None


def at_end(run, key):
    network = run.result.get("network") or {}
    columns = {"bytes": "bytes_sent", "steps": "step"}
    for value in (run.row.get(key), run.result.get(key), network.get(key)):
        if text.is_number(value):
            return value
    return last_metric(run, columns.get(key, key))


def entry_of(comparison, group, groups):
    """The comparison's entry for a group: by label and axes, or by label alone where that is unambiguous."""
    entries = comparison.get("algorithms") or []
    for entry in entries:
        if entry.get("label") in (group.label, group.own_label) and entry.get("axes") == (group.axes or {}):
            return entry
    alone = sum(1 for other in groups if other.own_label == group.own_label) == 1
    for entry in entries:
        if entry.get("label") == group.label or (alone and entry.get("label") == group.own_label):
            return entry
    return {}


def make_row(group, groups, comparison, value):
    targets = [target_of(run, value) for run in group.runs] if value is not None else []
    if value is None:
        times = [None if run.result.get("stop_reason") in BAD_ENDS else end_of(run) for run in group.runs]
    else:
        times = [target.get("time_s") if target.get("reached") else None for target in targets]
    entry = entry_of(comparison, group, groups)
    reached = entry.get("reached", sum(time is not None for time in times))
    time = entry.get("time_s") or {}
    if not text.is_number(time.get("mean")):  # a summary without this entry: the mean, and no interval
        average = mean(times) if reached else None
        time = {} if average is None else {"mean": average}
    row = Row(
        group,
        reached,
        entry.get("seeds", len(group.runs)),
        time,
        entry.get("speedup") or {},
        entry.get("ideal_s"),
        bool(entry.get("near_plateau", any(t.get("near_plateau") for t in targets))),
        times,
        [end_of(run) for run in group.runs],
        shares=shares_of(group),
    )
    for key in ("steps", "bytes", "cost_usd", "energy_j"):
        there = [
            target.get(key) for target in targets if target.get("reached") and text.is_number(target.get(key))
        ]
        setattr(row, key, mean(there or [at_end(run, key) for run in group.runs]))
    return row


def make_ladder(results, groups):
    """One Rung a target, easiest first; a single one without a value for fixed work."""
    target = results.experiment.get("target") or {}
    values = list(target.get("values") or [])
    direction = target.get("direction", "at_least")
    comparisons = results.summary.get("comparison") or []
    decimals = max((text.decimals(value) for value in values), default=0)
    rungs = []
    for value in sorted(values, reverse=direction == "at_most") or [None]:
        if value is None:
            comparison = results.summary.get("fixed_work") or {}
        else:
            comparison = next((entry for entry in comparisons if entry.get("target") == value), {})
        rows = [make_row(group, groups, comparison, value) for group in groups]
        short = f"{value:.{decimals}f}" if value is not None else ""
        words = text.target_words(target.get("metric", ""), direction, short) if short else ""
        rungs.append(
            Rung(
                value,
                short,
                words,
                comparison.get("reference"),
                sorted(rows, key=Row.order),
                comparison.get("ideal_s"),
            )
        )
    return rungs


def ladder_lines(groups, rungs):
    """Speed-ups target by target, for drawing: one line a group; a bound has no interval and says its side."""
    lines = []
    for group in groups:
        points = []
        for number, rung in enumerate(rungs):
            speedup = next(row for row in rung.rows if row.group is group).speedup
            bound = next(
                (side for side in ("more_than", "less_than") if text.is_number(speedup.get(side))), None
            )
            if bound:
                points.append(
                    {"rung": number, "mean": speedup[bound], "low": None, "high": None, "bound": bound}
                )
            elif text.is_number(speedup.get("mean")):
                keys = ("mean", "low", "high")
                points.append({"rung": number, **{key: speedup.get(key) for key in keys}, "bound": None})
        if points:
            lines.append({"group": group.index, "points": points})
    return lines


def interval(numbers, write):
    """` [low, high]` as text; empty where there is none or the seeds do not differ."""
    low, high = numbers.get("low"), numbers.get("high")
    if not text.is_number(low) or not text.is_number(high) or low >= high:
        return ""
    return f" [{write(low)},\u00a0{write(high)}]"


def factor(speedup):
    """A speed-up as text: `7.27×`, or a bound where one side did not reach the target with every seed."""
    if text.is_number(speedup.get("more_than")):
        return f"> {text.significant(speedup['more_than'])}×"
    if text.is_number(speedup.get("less_than")):
        return f"< {text.significant(speedup['less_than'])}×"
    return f"{text.significant(speedup['mean'])}×" if text.is_number(speedup.get("mean")) else ""


def ladder_speedups(results, groups):
    """Speed-ups averaged in logs over the whole ladder, then over seeds: [(group, speed-up, cells, of)]; empty for a
    single target."""
    headline_entry = results.summary.get("headline") or {}
    rows = []
    for group in groups:
        entry = entry_of(headline_entry, group, groups)
        if text.is_number((entry.get("speedup") or {}).get("mean")):
            rows.append((group, entry["speedup"], entry.get("cells"), entry.get("of")))
    return rows


def missed(row):
    """Why a target was not reached: `not reached in 6 h`, or how the run ended."""
    ends = [run.result.get("stop_reason") for run, time in zip(row.group.runs, row.times) if time is None]
    bad = sorted({end for end in ends if end in BAD_ENDS})
    longest = max((end for end, time in zip(row.ends, row.times) if time is None and end), default=None)
    words = f"not reached in {text.limit(longest)}" if longest else "not reached"
    return f"{words} ({', '.join(bad)})" if bad else words


def ahead_in(first, second):
    """Of the seeds that both ran: in how many the first row was earlier (who never reached it came later)."""
    pairs = []
    for seed, time in zip(first.group.seeds, first.times):
        if seed in second.group.seeds:
            pairs.append((time, second.times[second.group.seeds.index(seed)]))
    never = float("inf")
    ahead = sum((a if a is not None else never) < (b if b is not None else never) for a, b in pairs)
    return ahead, len(pairs)


def headline(rungs, ladder, horizon_s):
    """A list of sentences: who is first to the hardest target that anything reached, and by how much."""
    reached = [rung for rung in rungs if any(row.reached for row in rung.rows)]
    if not reached:
        names = (
            f"None of {len(rungs[0].rows)} algorithms"
            if len(rungs[0].rows) > 1
            else rungs[0].rows[0].group.label
        )
        verb = "reached" if len(rungs[0].rows) > 1 else "did not reach"
        what = rungs[0].words or "the end of their work"
        return [f"{names} {verb} {what} in {text.limit(horizon_s)} of virtual time."]
    rung = reached[-1]
    winner = rung.rows[0]
    unit = rung.unit
    if rung.value is None and winner.time["mean"] > 0.999999 * rung.rows[-1].time.get("mean", float("inf")):
        return [
            f"{text.plural(len(rung.rows), 'algorithm')} ran for {text.limit(horizon_s)} of virtual time."
        ]
    time = text.duration(winner.time["mean"], unit) + interval(
        winner.time, lambda s: text.duration(s, unit, False)
    )
    if rung.value is None:
        sentence = f"{winner.group.label} is through the same work first, after {time} of virtual time"
    else:
        sentence = f"{winner.group.label} is first to {rung.words}, after {time} of virtual time"
    if not winner.complete:
        sentence += f" in {winner.reached} of {winner.seeds} seeds"
    speedup = winner.speedup
    if speedup.get("verdict") == "no difference":
        sentence += f"; no difference from {rung.reference} can be shown"
    elif factor(speedup):
        bounded = text.is_number(speedup.get("more_than")) or text.is_number(speedup.get("less_than"))
        sentence += f": {factor(speedup)} as fast as {rung.reference}"
        sentence += "" if bounded else interval(speedup, text.significant)
    sentences = [sentence + "."]
    over_ladder = next((entry for group, entry, _, _ in ladder if group is winner.group), None)
    if over_ladder and len(rungs) > 1 and over_ladder.get("verdict") != "no difference":
        sentences.append(
            f"Over the whole ladder of targets it is {factor(over_ladder)}"
            f"{interval(over_ladder, text.significant)} as fast."
        )
    if len(rung.rows) > 1 and rung.rows[1].reached:
        second = rung.rows[1]
        ahead, pairs = ahead_in(winner, second)
        later = text.duration(second.time["mean"], unit)
        if ahead == pairs and pairs > 1:
            sentences.append(
                f"It is ahead of the runner-up, {second.group.label} ({later}), in all {pairs} seeds."
            )
        elif ahead == pairs:
            sentences.append(f"The runner-up is {second.group.label} ({later}).")
        else:
            sentences.append(
                f"Against the runner-up, {second.group.label} ({later}), it is too close to call: "
                f"ahead in {ahead} of {pairs} seeds."
            )
    never = [row.group.label for row in rung.rows if not row.reached]
    if never:
        sentences.append(f"{text.listing(never)} did not reach it in {text.limit(horizon_s)}.")
    if len(reached) < len(rungs):
        sentences.append(f"Nothing reached {rungs[len(reached)].words}.")
    return sentences
