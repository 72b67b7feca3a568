"""Where the time went, what the cluster looked like, how stale the updates were, which links were busiest."""
import re

from . import text
from .race import STATE_KEYS, end_of

WORKERS_SHOWN = 256  # a bar a worker up to here; above it every n-th worker is drawn
DOTS_SHOWN = 4000  # workers drawn in the picture of the cluster


def every(items, most):
    """An even selection of at most `most` items."""
    step = max(1, -(-len(items) // most))
    return items[::step]


def worker_names(results):
    return [
        str(worker.get("name", i))
        for i, worker in enumerate((results.experiment.get("cluster") or {}).get("workers") or [])
    ]


def make_worker_ledgers(results, groups):
    """Per group, of its first seed: [name, seconds in each state] a worker."""
    names = worker_names(results)
    ledgers = []
    for group in groups:
        workers = (group.runs[0].result.get("ledger") or {}).get("workers") or []
        rows = []
        for i, worker in enumerate(workers):
            name = worker.get("worker", i)
            if isinstance(name, int) and name < len(names):
                name = names[name]
            rows.append([str(name)] + [round(worker.get(key) or 0.0, 3) for key in STATE_KEYS])
        ledgers.append(
            {
                "group": group.index,
                "seed": group.seeds[0],
                "all": len(rows),
                "workers": every(rows, WORKERS_SHOWN),
            }
        )
    return [ledger for ledger in ledgers if ledger["workers"]]


def make_cluster(results):
    """Regions with their workers' speeds, and the matrix of bandwidths in B/s."""
    cluster = results.experiment.get("cluster") or {}
    workers = cluster.get("workers") or []
    names = [str(name) for name in cluster.get("regions") or []]
    for worker in workers:
        region = str(worker.get("region", ""))
        if region not in names:
            names.append(region)
    regions = []
    for name in names:
        members = [worker for worker in workers if str(worker.get("region", "")) == name]
        speeds = [worker["speed"] for worker in members if text.is_number(worker.get("speed"))]
        hosts = {worker.get("host") for worker in members if worker.get("host") is not None}
        regions.append(
            {"name": name or "cluster", "workers": len(members), "hosts": len(hosts), "speeds": speeds}
        )
    dots = [
        [
            names.index(str(worker.get("region", ""))),
            worker["speed"],
            str(worker.get("name", i)),
            str(worker.get("host", "")),
        ]
        for i, worker in enumerate(workers)
        if text.is_number(worker.get("speed"))
    ]
    matrix = cluster.get("bandwidth") or []
    square = len(matrix) == len(names) and all(
        isinstance(row, list) and len(row) == len(names) for row in matrix
    )
    return {
        "regions": regions,
        "dots": every(dots, DOTS_SHOWN),
        "workers": len(workers),
        "bandwidth": matrix if square and names else [],
    }


def histogram_of(staleness):
    """[[staleness, count], ...] ascending, from pairs, an object or a plain list of counts."""
    histogram = staleness.get("histogram") or []
    if isinstance(histogram, dict):
        pairs = [(int(value), count) for value, count in histogram.items()]
    elif histogram and isinstance(histogram[0], (list, tuple)):
        pairs = [(pair[0], pair[1]) for pair in histogram]
    elif histogram and isinstance(histogram[0], dict):
        pairs = [
            (entry.get("staleness", entry.get("value", 0)), entry.get("count", 0)) for entry in histogram
        ]
    else:
        pairs = list(enumerate(histogram))
    return sorted((value, count) for value, count in pairs if count)


def make_staleness(groups):
    """Per group, over all seeds: the share of merged updates that were at most so stale."""
    rows = []
    for group in groups:
        counts = {}
        for run in group.runs:
            for value, count in histogram_of(run.result.get("staleness") or {}):
                counts[value] = counts.get(value, 0) + count
        total = sum(counts.values())
        if not total:
            continue
        values, shares, below = [], [], 0
        for value in sorted(counts):
            below += counts[value]
            values.append(value)
            shares.append(round(below / total, 6))
        average = sum(value * count for value, count in counts.items()) / total
        rows.append(
            {"group": group.index, "values": values, "shares": shares, "mean": average, "max": values[-1]}
        )
    return rows


def busiest_links(groups, most=1):
    """Per group, of its first seed: the links that were busy for the largest share of the run."""
    rows = []
    for group in groups:
        run = group.runs[0]
        links = (run.result.get("network") or {}).get("links") or []
        if isinstance(links, dict):
            links = [{"name": name, **use} for name, use in links.items()]
        end = end_of(run) or 0
        used = [link for link in links if text.is_number(link.get("busy_s")) and link.get("bytes")]
        for link in sorted(used, key=lambda link: -link["busy_s"])[:most]:
            name = link.get("name") or link.get("link") or f"{link.get('from', '?')} → {link.get('to', '?')}"
            rows.append(
                {
                    "group": group,
                    "link": re.sub(r"\s*->\s*", " → ", str(name)),
                    "bytes": link.get("bytes"),
                    "busy": link["busy_s"] / end if end else None,
                }
            )
    return rows
