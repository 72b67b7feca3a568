"""Metrics against what they cost: per algorithm the mean over seeds with their range, as long as all seeds run;
where the first seed has stopped, each of the others goes on as a line of its own."""
from functools import reduce

import numpy

from . import text

# what may stand on the horizontal axis: column, title, unit of the column
ABSCISSAE = [
    ("time_s", "virtual time", "s"),
    ("step", "local steps", ""),
    ("samples", "samples", ""),
    ("bytes_sent", "bytes sent", "B"),
    ("energy_j", "energy", "J"),
    ("cost_usd", "cost", "USD"),
]
UNITS = {"train_loss": "nat", "validation_loss": "nat", "test_loss": "nat"}
NOT_CURVES = {"time_s", "step", "round", "samples", "tokens", "epoch", "bytes_sent", "energy_j", "cost_usd"}
POINTS = 400  # a curve keeps at most about this many
POINTS_WHEN_MANY = 150  # with more than MANY algorithms
MANY = 16


def metric_columns(groups, target_metric):
    """Columns that some run has numbers in; the metric of the target first."""
    columns = {}
    for group in groups:
        for run in group.runs:
            for column in run.metrics:
                if column not in NOT_CURVES and run.metrics[column].notna().any():
                    columns.setdefault(column, None)
    ordered = [column for column in columns if column != target_metric]
    return ([target_metric] if target_metric in columns else []) + ordered


def units_of(groups):
    """Units of recorded columns, where result.json tells them."""
    units = dict(UNITS)
    for group in groups:
        for run in group.runs:
            units.update(run.result.get("units") or {})
    return units


def numbers(values):
    """Plain numbers with six digits, None for what is missing; keeps the page small."""
    return [float(f"{value:.6g}") if numpy.isfinite(value) else None for value in values]


def thinned(size, most):
    """Indices of an even selection with both ends."""
    if size <= most:
        return numpy.arange(size)
    return numpy.unique(numpy.linspace(0, size - 1, most).round().astype(int))


def column_of(frame, column):
    return frame[column].to_numpy(float) if column in frame else numpy.full(len(frame), numpy.nan)


def spread(stack):
    """Mean, lowest and highest over seeds (rows); NaN where a seed has no value."""
    return {
        "mean": numbers(stack.mean(axis=0)),
        "low": numbers(stack.min(axis=0)),
        "high": numbers(stack.max(axis=0)),
    }


def group_curve(group, metrics, abscissae, most):
    frames = [
        run.metrics.drop_duplicates("time_s", keep="last").set_index("time_s", drop=False)
        for run in group.runs
    ]
    common = reduce(
        lambda left, right: left.intersection(right), [frame.index for frame in frames]
    ).sort_values()
    kept = common[thinned(len(common), most)]
    shared = [frame.loc[kept] for frame in frames]
    curve = {
        "group": group.index,
        "x": {
            name: numbers(numpy.mean([column_of(frame, name) for frame in shared], axis=0))
            for name in abscissae
        },
        "y": {name: spread(numpy.array([column_of(frame, name) for frame in shared])) for name in metrics},
        "tails": [],
    }
    last = common[-1] if len(common) else -numpy.inf
    for seed, frame in zip(group.seeds, frames):
        tail = frame[frame.index >= last]
        if len(frames) > 1 and len(tail) > 1:
            tail = tail.iloc[thinned(len(tail), most)]
            curve["tails"].append(
                {
                    "seed": seed,
                    "x": {name: numbers(column_of(tail, name)) for name in abscissae},
                    "y": {name: numbers(column_of(tail, name)) for name in metrics},
                }
            )
    return curve


def target_range(curves, target):
    """A vertical range in which the targets can be told apart: from four times the ladder's reach below them (above
    them for at_most) to the best value; None without targets."""
    values = target.get("values") or []
    metric = target.get("metric")
    columns = [
        column
        for curve in curves
        for column in (
            *curve["y"].get(metric, {}).values(),
            *(tail["y"].get(metric, []) for tail in curve["tails"]),
        )
    ]
    seen = [value for column in columns for value in column if value is not None]
    if not values or not seen:
        return None
    rising = target.get("direction", "at_least") != "at_most"
    easiest, hardest = (min(values), max(values)) if rising else (max(values), min(values))
    best = max(max(seen), hardest) if rising else min(min(seen), hardest)
    room = abs(best - easiest) or abs(easiest) * 0.05 or 1.0
    low, high = (
        (max(min(seen), easiest - 4 * room), best + 0.15 * room)
        if rising
        else (best - 0.15 * room, min(max(seen), easiest + 4 * room))
    )
    margin = 0.02 * (high - low)
    return [low - margin, high + margin]


def make_curves(results, groups):
    target = results.experiment.get("target") or {}
    metrics = metric_columns(groups, target.get("metric"))
    present = {
        column
        for group in groups
        for run in group.runs
        for column in run.metrics
        if run.metrics[column].notna().any()
    }
    abscissae = [(name, title, unit) for name, title, unit in ABSCISSAE if name in present]
    names = [name for name, _, _ in abscissae]
    most = POINTS if len(groups) <= MANY else POINTS_WHEN_MANY
    units = units_of(groups)
    curves = [group_curve(group, metrics, names, most) for group in groups]
    return {
        "range": target_range(curves, target),
        "metrics": [
            {"name": name, "title": text.words(name), "unit": units.get(name, "")} for name in metrics
        ],
        "abscissae": [{"name": name, "title": title, "unit": unit} for name, title, unit in abscissae],
        "curves": curves,
    }
