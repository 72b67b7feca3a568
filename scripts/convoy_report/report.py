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
    headline: list  # sentences, the first the most important
    warnings: list
    config: dict
    metric: str
    direction: str
    groups: list
    rungs: list  # easiest target first
    ladder: list  # speed-ups over the whole ladder, see race.ladder_speedups
    shown: int  # the rung that the page opens with
    hidden: list  # indices of the groups whose curves start hidden on the page and are left out of the figures
    lines: list  # speed-ups target by target, see race.ladder_lines
    reference: str
    time_title: str
    curves: dict
    workers: list
    cluster: dict
    staleness: list


def horizon(groups):
    """The longest virtual time of any run."""
    return max((end for group in groups for run in group.runs if (end := race.end_of(run))), default=0)


WAITS_TOLD = 3  # of a deadlock: how many processes the page names


def bad_end(run):
    """What result.json says of a run that ended badly: its message, and who waited for what."""
    said = [str(run.result["message"])] if run.result.get("message") else []
    waiting = run.result.get("waiting") or []
    said += [f"{line.get('process')} waits for {line.get('waits_for')}" for line in waiting[:WAITS_TOLD]]
    said += [f"and {len(waiting) - WAITS_TOLD} more"] if len(waiting) > WAITS_TOLD else []
    return "; ".join(said)


def warnings_of(groups, rungs, config):
    said = []
    for end, words in race.BAD_ENDS.items():
        ended = [
            (f"{group.label} seed {seed}", bad_end(run))
            for group in groups
            for seed, run in zip(group.seeds, group.runs)
            if run.result.get("stop_reason") == end
        ]
        if ended:
            why = dict.fromkeys(reason for _, reason in ended if reason)
            said.append(
                f"{text.plural(len(ended), 'run')} {words}: {text.listing(name for name, _ in ended)}."
                + "".join(f" ({reason})" for reason in list(why)[:2])
            )
    for rung in rungs:
        near = [row.group.label for row in rung.rows if row.near_plateau]
        if near:
            said.append(
                f"{rung.words} lies within two standard deviations of the final plateau of {text.listing(near)}: "
                "when it is crossed there is partly luck."
            )
    if isinstance(config, dict) and "test" in (
        config.get("target_on"),
        (config.get("target") or {}).get("target_on"),
        (config.get("evaluate") or {}).get("target_on"),
    ):
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
    ladder = race.ladder_speedups(results, groups)
    shown = reached[-1] if reached else 0
    seeds = sorted({len(group.seeds) for group in groups})
    description = str(experiment.get("description") or "")
    parts = [description] if description else []
    if rungs[0].value is not None:
        sign = "≤" if target.get("direction") == "at_most" else "≥"
        parts.append(
            f"target {text.words(target.get('metric'))} {sign}\u00a0"
            + ", ".join(rung.short for rung in rungs)
        )
    parts.append(text.plural(seeds[-1], "seed"))
    config = experiment.get("config") or {}
    return Report(
        results=results,
        name=str(experiment.get("name") or results.folder.name),
        description=description,
        subtitle="; ".join(parts),
        headline=race.headline(rungs, ladder, horizon(groups)),
        warnings=warnings_of(groups, rungs, config),
        config=config,
        metric=target.get("metric") or "",
        direction=target.get("direction", "at_least"),
        groups=groups,
        rungs=rungs,
        ladder=ladder,
        lines=race.ladder_lines(groups, rungs),
        shown=shown,
        hidden=[row.group.index for row in rungs[shown].rows[CURVES_SHOWN:]],
        reference=next((rung.reference for rung in rungs if rung.reference), None),
        time_title=time_title(config),
        curves=curves.make_curves(results, groups),
        workers=detail.make_worker_ledgers(results, groups),
        cluster=detail.make_cluster(results),
        staleness=detail.make_staleness(groups),
    )
