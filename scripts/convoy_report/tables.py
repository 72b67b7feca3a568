"""The page's tables as HTML."""
from html import escape

from . import race, text

END_METRICS = ["train_loss", "validation_loss", "validation_accuracy", "test_loss", "test_accuracy"]


def swatch(group):
    return f'<span class="swatch" data-group="{group.index}"></span>'


def cell(value, title, kind=""):
    """A body cell that carries its column's title for the narrow form of the table."""
    return f'<td class="{kind}" data-title="{escape(title)}">{value}</td>'


def with_range(main, low_high):
    return escape(main) + (f'<span class="range">{escape(low_high.strip())}</span>' if low_high else "")


def time_cell(row, unit):
    if not row.time:
        return f'<span class="muted">{escape(race.missed(row))}</span>'
    value = with_range(text.duration(row.time["mean"], unit),
                       race.interval(row.time, lambda seconds: text.duration(seconds, unit, False)))
    if row.near_plateau:
        value += '<span class="range">near its plateau</span>'
    if not row.complete:
        value += f'<span class="range">{row.reached} of {row.seeds} seeds,</span>'
        value += f'<span class="range">{row.seeds - row.reached} {escape(race.missed(row))}</span>'
    return value


def speedup_cell(row, reference):
    if row.group.label == reference or row.group.own_label == reference:
        return '<span class="muted">reference</span>'
    if not text.is_number(row.speedup.get("mean")):
        return f'<span class="muted">{text.NONE}</span>'
    value = with_range(text.significant(row.speedup["mean"]) + "×", race.interval(row.speedup, text.significant))
    if row.speedup.get("verdict") == "no difference":
        value += '<span class="range">no difference</span>'
    return value


def race_table(report, rung):
    """As `sim run` prints it: time to target, speed-up, what was spent by then, where the time went."""
    ideals = any(row.ideal_s for row in rung.rows)
    costs = any(row.cost_usd is not None for row in rung.rows)
    speedups = rung.reference and len(rung.rows) > 1
    time_title = report.time_title if rung.value is not None else "virtual time"
    titles = ["algorithm", time_title]
    titles += [f"vs {rung.reference}"] if speedups else []
    titles += ["of ideal"] if ideals else []
    titles += ["steps", "sent"] + (["cost"] if costs else []) + ["compute", "comm", "wait", "down"]
    body = []
    for number, row in enumerate(rung.rows):
        fade = "" if row.time else "muted"
        cells = [f'<td class="name">{swatch(row.group)}{escape(row.group.label)}</td>',
                 cell(time_cell(row, rung.unit), time_title, "wide")]
        if speedups:
            cells.append(cell(speedup_cell(row, rung.reference), f"vs {rung.reference}", "wide"))
        if ideals:
            share = row.ideal_s / row.time["mean"] if row.ideal_s and row.time.get("mean") else None
            cells.append(cell(text.percent(share), "of ideal", fade))
        cells += [cell(text.count(row.steps), "steps", fade), cell(text.byte_count(row.bytes), "sent", fade)]
        if costs:
            cells.append(cell(text.money(row.cost_usd), "cost", fade))
        shares = row.shares or [None] * 4
        cells += [cell(text.percent(share), title) for share, title in zip(shares, titles[-4:])]
        first = ' class="first"' if number == 0 and row.complete and row.time and len(rung.rows) > 1 else ""
        body.append(f"<tr{first}>{''.join(cells)}</tr>")
    if text.is_number(rung.ideal_s):
        ideal = [f'<td class="name">ideal</td>', cell(text.duration(rung.ideal_s, rung.unit), time_title, "wide")]
        body.append(f"<tr>{''.join(ideal)}{'<td></td>' * (len(titles) - 2)}</tr>")
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    return f'<table class="cards"><thead><tr>{head}</tr></thead><tbody>{"".join(body)}</tbody></table>'


def race_note(report):
    if len(report.groups[0].seeds) > 1:
        note = "Mean over seeds with its 95 % interval in brackets; "
        note += "speed-ups are paired by seed and averaged in logs. " if report.reference else ""
    else:
        note = "One seed an algorithm, hence no intervals. "
    if report.rungs[0].value is not None:
        note += ("Steps, bytes sent and cost are those at the crossing; of an algorithm that never crossed, those at its "
                 "end. ")
    return note + "Compute, comm, wait and down are shares of all workers' time over the whole run."


def region_table(cluster):
    rows = []
    for region in cluster["regions"]:
        speeds = region["speeds"]
        spread = text.significant(min(speeds)) if speeds else text.NONE
        if speeds and max(speeds) > min(speeds):
            spread += f" to {text.significant(max(speeds))}"
        total = text.significant(sum(speeds)) if speeds else text.NONE
        rows.append(f"<tr><td>{escape(region['name'])}</td><td>{region['workers']:,}</td><td>{region['hosts'] or text.NONE}</td>"
                    f"<td>{spread}</td><td>{total}</td></tr>")
    head = "".join(f'<th scope="col">{title}</th>' for title in ("region", "workers", "hosts", "speeds", "their sum"))
    return f'<div class="scroll"><table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table></div>'


def link_table(links):
    if not links:
        return ""
    rows = "".join(f"<tr><td>{swatch(link['group'])}{escape(link['group'].label)}</td><td class=\"left\">{escape(link['link'])}</td>"
                   f"<td>{text.percent(link['busy'])}</td><td>{text.byte_count(link['bytes'])}</td></tr>" for link in links)
    return ('<table><thead><tr><th scope="col">algorithm</th><th scope="col" class="left">link</th><th scope="col">busy</th>'
            f'<th scope="col">bytes</th></tr></thead><tbody>{rows}</tbody></table>')


def final_of(run, metric):
    final = run.result.get("final") or run.row.get("final") or {}
    return final.get(metric)


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


def end_table(report):
    """Final metrics with their range over seeds, and why the runs ended."""
    metrics = []
    for group in report.groups:
        for run in group.runs:
            final = run.result.get("final") or {}
            metrics += [name for name, value in final.items() if text.is_number(value) and name not in metrics]
    metrics = [name for name in END_METRICS if name in metrics] + [name for name in metrics if name not in END_METRICS]
    merged = [merged_share(group) for group in report.groups]
    rows = []
    for group, share in zip(report.groups, merged):
        cells = [f'<td class="name">{swatch(group)}{escape(group.label)}</td>']
        for name in metrics:
            values = [final_of(run, name) for run in group.runs]
            values = [value for value in values if text.is_number(value)]
            low_high = f"{text.significant(min(values), 4)} to {text.significant(max(values), 4)}" if len(values) > 1 and max(values) > min(values) else ""
            mean = text.significant(sum(values) / len(values), 4) if values else text.NONE
            cells.append(cell(with_range(mean, low_high), text.words(name), "wide"))
        ends = [run.result.get("stop_reason", "?") for run in group.runs]
        said = ", ".join(text.words(end) + (f" ({ends.count(end)} of {len(ends)})" if ends.count(end) < len(ends) else "")
                         for end in dict.fromkeys(ends))
        times = [end for end in map(race.end_of, group.runs) if text.is_number(end)]
        unit = text.time_unit([max(times, default=1)])
        spread = text.duration(min(times, default=None), unit)
        if times and text.duration(max(times), unit) != spread:
            spread = f"{text.duration(min(times), unit, False)} to {text.duration(max(times), unit)}"
        if any(value is not None for value in merged):
            cells.append(cell(text.percent(share), "steps merged", "wide"))
        cells += [cell(escape(spread), "virtual time", "wide wrap"), cell(escape(said), "stopped by", "wide wrap")]
        rows.append(f"<tr>{''.join(cells)}</tr>")
    titles = ["algorithm", *map(text.words, metrics)]
    titles += ["steps merged"] if any(value is not None for value in merged) else []
    titles += ["virtual time", "stopped by"]
    head = "".join(f'<th scope="col">{escape(title)}</th>' for title in titles)
    return f'<table class="cards end"><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'


def provenance(report):
    experiment = report.results.experiment
    build = experiment.get("build") or {}
    runs = report.results.runs.values()
    seconds = [(run.result.get("performance") or {}).get("wall_s") for run in runs]
    threads = {(run.result.get("performance") or {}).get("threads") for run in runs} - {None}
    facts = [("Convoy", experiment.get("version")), ("compiler", build.get("compiler")),
             ("instruction set", build.get("instruction_set")), ("results version", build.get("results_version")),
             ("runs", f"{len(report.results.runs)}: {text.plural(len(report.groups), 'algorithm')} or settings, "
                      + text.plural(max(len(group.seeds) for group in report.groups), "seed"))]
    if all(text.is_number(value) for value in seconds):
        facts.append(("simulated in", f"{text.duration(sum(seconds))} of wall time, summed over runs"
                      + (f", {text.plural(max(threads), 'thread')}" if threads else "")))
    if report.results.others:
        facts.append(("other runs", f"{report.results.others} more in the folder do not belong to this experiment"))
    return "".join(f"<dt>{escape(name)}</dt><dd>{escape(str(value))}</dd>" for name, value in facts if value is not None)


def run_table(report):
    rows = []
    for group in report.groups:
        for seed, run in zip(group.seeds, group.runs):
            wall = (run.result.get("performance") or {}).get("wall_s")
            end = race.end_of(run)
            rows.append(f"<tr><td>{swatch(group)}{escape(group.label)}</td><td>{escape(str(seed))}</td>"
                        f'<td class="left">{escape(text.words(run.result.get("stop_reason", "?")))}</td>'
                        f"<td>{text.duration(end)}</td><td>{text.count(race.at_end(run, 'steps'))}</td><td>{text.duration(wall)}</td>"
                        f'<td class="code left">{escape(run.run_id)}</td><td class="code left">{escape(str(run.result.get("digest", "")))}</td></tr>')
    titles = [("algorithm", ""), ("seed", ""), ("stopped by", "left"), ("virtual time", ""), ("steps", ""), ("wall time", ""),
              ("run", "left"), ("digest", "left")]
    head = "".join(f'<th scope="col" class="{kind}">{title}</th>' for title, kind in titles)
    return f'<table><thead><tr>{head}</tr></thead><tbody>{"".join(rows)}</tbody></table>'
