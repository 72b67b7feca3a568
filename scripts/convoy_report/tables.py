"""The page's tables as HTML."""
from html import escape

from . import race, text

END_METRICS = ["train_loss", "validation_loss", "validation_accuracy", "test_loss", "test_accuracy"]
NOTHING = f'<span class="muted">{text.NONE}</span>'


def swatch(group):
    return f'<span class="swatch" data-group="{group.index}"></span>'


def named(group):
    """An algorithm's name after its colour."""
    return swatch(group) + escape(group.label)


def cell(value, title="", kind=""):
    """A body cell; it carries its column's title for the narrow form of the table."""
    attributes = (f' class="{kind}"' if kind else "") + (f' data-title="{escape(title)}"' if title else "")
    return f"<td{attributes}>{value}</td>"


def table(titles, rows, kind=""):
    """`titles` are names, or (name, class); `rows` are lists of cells, or (cells, class)."""
    pairs = [title if isinstance(title, tuple) else (title, "") for title in titles]
    head = "".join(f'<th scope="col" class="{style}">{escape(title)}</th>' for title, style in pairs)
    pairs = [row if isinstance(row, tuple) else (row, "") for row in rows]
    body = "".join(f'<tr class="{style}">{"".join(cells)}</tr>' for cells, style in pairs)
    return f'<table class="{kind}"><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>'


def with_range(main, low_high):
    return escape(main) + (f'<span class="range">{escape(low_high.strip())}</span>' if low_high else "")


def time_cell(row, unit):
    if not row.time:
        return f'<span class="muted">{escape(race.missed(row))}</span>'
    low_high = race.interval(row.time, lambda seconds: text.duration(seconds, unit, False))
    remarks = ["near its plateau"] if row.near_plateau else []
    if not row.complete:
        remarks += [f"{row.reached} of {row.seeds} seeds,", f"{row.seeds - row.reached} {race.missed(row)}"]
    value = with_range(text.duration(row.time["mean"], unit), low_high)
    return value + "".join(f'<span class="range">{escape(remark)}</span>' for remark in remarks)


def speedup_html(speedup):
    """Factor, interval and verdict."""
    written = race.factor(speedup)
    if not written:
        return NOTHING
    bounded = written.startswith(("<", ">"))
    value = with_range(written, "" if bounded else race.interval(speedup, text.significant))
    if speedup.get("verdict") == "no difference":
        value += '<span class="range">no difference</span>'
    return value


def speedup_cell(row, reference):
    if not row.speedup and reference in (row.group.label, row.group.own_label):
        return '<span class="muted">reference</span>'
    return speedup_html(row.speedup)


def race_columns(report, rung):
    """(title, class, cell of a row) of each column: as `sim run` prints them."""
    columns = [
        ("algorithm", "name", lambda row: named(row.group)),
        (
            report.time_title if rung.value is not None else "virtual time",
            "wide",
            lambda row: time_cell(row, rung.unit),
        ),
    ]
    if rung.reference and len(rung.rows) > 1:
        columns.append((f"vs {rung.reference}", "wide", lambda row: speedup_cell(row, rung.reference)))
    if any(row.ideal_s for row in rung.rows):
        columns.append(("of ideal", "spent", lambda row: text.percent(share_of_ideal(row))))
    columns.append(("steps", "spent", lambda row: text.count(row.steps)))
    columns.append(("sent", "spent", lambda row: text.byte_count(row.bytes)))
    if any(row.cost_usd is not None for row in rung.rows):
        columns.append(("cost", "spent", lambda row: text.money(row.cost_usd)))
    for i, title in enumerate(("compute", "comm", "wait", "down")):
        columns.append((title, "", lambda row, i=i: text.percent(row.shares[i]) if row.shares else text.NONE))
    return columns


def share_of_ideal(row):
    return row.ideal_s / row.time["mean"] if row.ideal_s and row.time.get("mean") else None


def race_table(report, rung):
    columns = race_columns(report, rung)
    rows = []
    slowest = rung.rows[-1].time.get("mean", float("inf"))
    for number, row in enumerate(rung.rows):
        cells = [
            cell(
                value(row), title, "muted" if kind == "spent" and not row.time else kind.replace("spent", "")
            )
            for title, kind, value in columns
        ]
        first = number == 0 and row.complete and row.time and row.time["mean"] < slowest
        rows.append((cells, "first" if first else ""))
    if text.is_number(rung.ideal_s):
        cells = [
            cell("ideal", "", "name"),
            cell(text.duration(rung.ideal_s, rung.unit), columns[1][0], "wide"),
        ]
        rows.append(cells + [cell("")] * (len(columns) - len(cells)))
    return table([title for title, _, _ in columns], rows, "cards")


def race_note(report):
    if len(report.groups[0].seeds) > 1:
        note = "Geometric mean over seeds with its 95 % interval in brackets; "
        note += "speed-ups are paired by seed and averaged in logs. " if report.reference else ""
    else:
        note = "One seed an algorithm, hence no intervals. "
    if report.rungs[0].value is not None:
        note += "Steps, bytes sent and cost are those at the crossing; of an algorithm that never crossed, "
        note += "those at its end. "
    return note + "Compute, comm, wait and down are shares of all workers' time over the whole run."


def ladder_table(report):
    """Speed-ups averaged over the whole ladder, the largest first."""
    rows = []
    for group, speedup, cells, of in sorted(report.ladder, key=lambda line: -line[1]["mean"]):
        counted = f"{cells} of {of}" if cells is not None and of is not None else text.NONE
        rows.append([cell(named(group)), cell(speedup_html(speedup)), cell(counted)])
    return table(["algorithm", f"vs {report.reference}, whole ladder", "pairs of runs"], rows)


def region_table(cluster):
    rows = []
    for region in cluster["regions"]:
        speeds = region["speeds"]
        spread = text.significant(min(speeds)) if speeds else text.NONE
        if speeds and max(speeds) > min(speeds):
            spread += f" to {text.significant(max(speeds))}"
        total = text.significant(sum(speeds)) if speeds else text.NONE
        numbers = [text.count(region["workers"]), text.count(region["hosts"] or None), spread, total]
        rows.append([cell(escape(region["name"]))] + [cell(number) for number in numbers])
    return (
        '<div class="scroll">' + table(["region", "workers", "hosts", "speeds", "their sum"], rows) + "</div>"
    )


def link_table(links):
    if not links:
        return ""
    rows = [
        [
            cell(named(link["group"])),
            cell(escape(link["link"]), "", "left"),
            cell(text.percent(link["busy"])),
            cell(text.byte_count(link["bytes"])),
        ]
        for link in links
    ]
    return table(["algorithm", ("link", "left"), "busy", "bytes"], rows)


def final_metrics(run):
    """The numbers of `final`, without the parameter vectors."""
    final = run.result.get("final") or run.row.get("final") or {}
    return {name: value for name, value in final.items() if text.is_number(value)}


def steps_of(amount):
    return amount.get("steps") if isinstance(amount, dict) else amount


def merged_share(group):
    """Of the local steps computed, the share that entered the deployed model; mean over seeds."""
    shares = []
    for run in group.runs:
        total = (run.result.get("work") or {}).get("total") or {}
        computed, merged = steps_of(total.get("computed")), steps_of(total.get("merged"))
        if text.is_number(computed) and computed > 0 and text.is_number(merged):
            shares.append(merged / computed)
    return sum(shares) / len(shares) if shares else None


def metric_cell(group, name):
    values = [final[name] for final in map(final_metrics, group.runs) if name in final]
    if not values:
        return NOTHING
    low_high = ""
    if max(values) > min(values):
        low_high = f"{text.significant(min(values), 4)} to {text.significant(max(values), 4)}"
    return with_range(text.significant(sum(values) / len(values), 4), low_high)


def span_of_ends(group):
    """`72.8 to 82.0 min`: when the runs of an algorithm ended."""
    ends = [end for end in map(race.end_of, group.runs) if text.is_number(end)]
    if not ends:
        return text.NONE
    unit = text.time_unit([max(ends)])
    first, last = text.duration(min(ends), unit, False), text.duration(max(ends), unit)
    return last if last.startswith(first + " ") else f"{first} to {last}"


def stop_reasons(group):
    """`target reached (2 of 3), max time (1 of 3)`"""
    ends = [run.result.get("stop_reason", "?") for run in group.runs]
    counts = {end: ends.count(end) for end in ends}
    of = f" of {len(ends)})"
    return ", ".join(
        text.words(end) + (f" ({count}{of}" if count < len(ends) else "") for end, count in counts.items()
    )


def end_table(report):
    """Final metrics with their range over seeds, and why the runs ended."""
    present = {name for group in report.groups for run in group.runs for name in final_metrics(run)}
    metrics = [name for name in END_METRICS if name in present] + sorted(present - set(END_METRICS))
    merged = [merged_share(group) for group in report.groups]
    titles = ["algorithm", *map(text.words, metrics), "steps merged", "virtual time", "stopped by"]
    rows = []
    for group, share in zip(report.groups, merged):
        cells = [cell(named(group), "", "name")]
        cells += [cell(metric_cell(group, name), text.words(name), "wide") for name in metrics]
        cells.append(cell(text.percent(share), "steps merged", "wide"))
        cells.append(cell(escape(span_of_ends(group)), "virtual time", "wide wrap"))
        cells.append(cell(escape(stop_reasons(group)), "stopped by", "wide wrap"))
        rows.append(cells)
    if all(share is None for share in merged):
        titles.remove("steps merged")
        rows = [cells[:-3] + cells[-2:] for cells in rows]
    return table(titles, rows, "cards end")


def provenance(report):
    experiment = report.results.experiment
    build = experiment.get("build") or {}
    performance = [run.result.get("performance") or {} for run in report.results.runs.values()]
    seconds = [row.get("wall_s") for row in performance]
    threads = [row["threads"] for row in performance if text.is_number(row.get("threads"))]
    seeds = max(len(group.seeds) for group in report.groups)
    facts = [
        ("Convoy", experiment.get("version")),
        ("compiler", build.get("compiler")),
        ("instruction set", build.get("instruction_set")),
        ("results version", build.get("results_version")),
        (
            "runs",
            f"{len(report.results.runs)}: {text.plural(len(report.groups), 'algorithm')} or settings, "
            + text.plural(seeds, "seed"),
        ),
    ]
    if all(text.is_number(value) for value in seconds):
        said = f"{text.duration(sum(seconds))} of wall time, summed over runs"
        facts.append(("simulated in", said + (f", {text.plural(max(threads), 'thread')}" if threads else "")))
    if report.results.others:
        others = f"{report.results.others} more in the folder do not belong to this experiment"
        facts.append(("other runs", others))
    return "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in facts if value is not None
    )


def run_table(report):
    rows = []
    for group in report.groups:
        for seed, run in zip(group.seeds, group.runs):
            wall = (run.result.get("performance") or {}).get("wall_s")
            rows.append(
                [
                    cell(named(group)),
                    cell(escape(str(seed))),
                    cell(escape(text.words(run.result.get("stop_reason", "?"))), "", "left"),
                    cell(text.duration(race.end_of(run))),
                    cell(text.count(race.at_end(run, "steps"))),
                    cell(text.duration(wall)),
                    cell(escape(run.run_id), "", "code left"),
                    cell(escape(str(run.result.get("digest", ""))), "", "code left"),
                ]
            )
    titles = ["algorithm", "seed", ("stopped by", "left"), "virtual time", "steps", "wall time"]
    return table(titles + [("run", "left"), ("digest", "left")], rows)
