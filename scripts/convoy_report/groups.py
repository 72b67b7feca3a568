"""Runs that differ in their seed only: what the report compares, draws and colours as one."""
import json
from dataclasses import dataclass, field


@dataclass
class Group:
    index: int  # position in the experiment: decides the colour
    label: str  # the algorithm's label, with the values of the sweep axes that it stands at
    own_label: str  # the algorithm's label alone
    axes: dict
    kind: str
    runs: list = field(default_factory=list)  # one a seed, in order of the experiment
    seeds: list = field(default_factory=list)


def axis_name(path):
    """/algorithms/halos/local_steps -> local_steps"""
    return str(path).rstrip("/").rsplit("/", 1)[-1]


def axis_value(value):
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def make_groups(results):
    """Groups in order of their first appearance among the experiment's points."""
    groups = {}
    for point in results.experiment["points"]:
        run = results.runs[point["run_id"]]
        axes = {path: value for path, value in (point.get("axes") or {}).items() if axis_name(path) != "seed"}
        own_label = str(point.get("label") or run.result.get("label") or run.result.get("algorithm") or "?")
        key = (own_label, json.dumps(axes, sort_keys=True))
        if key not in groups:
            at = " ".join(f"{axis_name(path)}={axis_value(value)}" for path, value in axes.items())
            groups[key] = Group(
                len(groups),
                f"{own_label} {at}" if at else own_label,
                own_label,
                axes,
                str(run.result.get("algorithm", own_label)),
            )
        seed = point.get("seed", run.result.get("seed", len(groups[key].seeds)))
        if seed not in groups[key].seeds:
            groups[key].runs.append(run)
            groups[key].seeds.append(seed)
    return list(groups.values())


def mean(values):
    values = [value for value in values if value is not None]
    return sum(values) / len(values) if values else None
