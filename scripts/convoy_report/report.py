"""Everything that the page and the figures show, worked out once."""
from dataclasses import dataclass

from . import curves, detail, race, text
from .groups import make_groups

CURVES_SHOWN = 12  # with more algorithms than this, only the fastest have their curves drawn at first


@dataclass
class Report:
    results: object
    name: str
    description: str
    subtitle: str
    headline: str
    warnings: list
    config: dict
    metric: str
    direction: str
    groups: list
    rungs: list  # easiest target first
    shown: int  # the rung that the page opens with
    hidden: list  # indices of the groups whose curves start hidden on the page and are left out of the figures
    reference: str
    time_title: str
    curves: dict
    workers: list
    cluster: dict
    staleness: list


def horizon(groups):
    """The longest virtual time of any run."""
    return max((end for group in groups for run in group.runs if (end := race.end_of(run))), default=0)


def warnings_of(groups, rungs, config):
    said = []
    for end, words in (("failed", "failed"), ("deadlock", "ended in a deadlock"), ("stalled", "stalled"),
                       ("limit", "ran into a limit"), ("diverged", "diverged")):
        names = [f"{group.label} seed {seed}" for group in groups for seed, run in zip(group.seeds, group.runs)
                 if run.result.get("stop_reason") == end]
        if names:
            said.append(f"{text.plural(len(names), 'run')} {words}: {text.listing(names)}.")
    for rung in rungs:
        near = [row.group.label for row in rung.rows if row.near_plateau]
        if near:
            said.append(f"{rung.words} lies within two standard deviations of the final plateau of {text.listing(near)}: "
                        "when it is crossed there is partly luck.")
    if isinstance(config, dict) and "test" in (config.get("target_on"), (config.get("target") or {}).get("target_on"),
                                               (config.get("evaluate") or {}).get("target_on")):
        said.append("Targets are measured on the test split.")
    return said


def time_title(config):
    """With a stand-in workload the time is that to the proxy's target."""
    workload = config.get("workload") if isinstance(config, dict) else None
    stand_in = isinstance(workload, dict) and workload.get("stand_in")
    return "time to the proxy's target" if stand_in else "time to target"


def make_report(results):
    experiment = results.experiment
    target = experiment.get("target") or {}
    groups = make_groups(results)
    rungs = race.make_ladder(results, groups)
    reached = [i for i, rung in enumerate(rungs) if any(row.reached for row in rung.rows)]
    shown = reached[-1] if reached else 0
    seeds = sorted({len(group.seeds) for group in groups})
    description = str(experiment.get("description") or "")
    parts = [description] if description else []
    if rungs[0].value is not None:
        sign = "≤" if target.get("direction") == "at_most" else "≥"
        parts.append(f"target {text.words(target.get('metric'))} {sign}\u00a0" + ", ".join(rung.short for rung in rungs))
    parts.append(text.plural(seeds[-1], "seed"))
    config = experiment.get("config") or {}
    return Report(
        results=results, name=str(experiment.get("name") or results.folder.name), description=description,
        subtitle="; ".join(parts), headline=race.headline(rungs, horizon(groups)),
        warnings=warnings_of(groups, rungs, config), config=config, metric=target.get("metric") or "",
        direction=target.get("direction", "at_least"), groups=groups, rungs=rungs,
        shown=shown, hidden=[row.group.index for row in rungs[shown].rows[CURVES_SHOWN:]],
        reference=next((rung.reference for rung in rungs if rung.reference), None),
        time_title=time_title(config), curves=curves.make_curves(results, groups),
        workers=detail.make_worker_ledgers(results, groups), cluster=detail.make_cluster(results),
        staleness=detail.make_staleness(groups))
