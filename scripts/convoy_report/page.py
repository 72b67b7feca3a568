"""The page: one HTML file with its style, its script, plotly.js and the data inside; it loads nothing."""
import json
import math
from html import escape
from pathlib import Path

from . import detail, palette, race, tables, text

HERE = Path(__file__).resolve().parent
# Nothing may be fetched, whatever a label or plotly.js contains.
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data: blob:"


def plotly_source():
    from plotly.offline import get_plotlyjs  # Debian's python3-plotly ships the source beside the package

    return get_plotlyjs().replace("</script", "<\\/script")


def embedded(content):
    """JSON that may stand inside a script element."""
    return json.dumps(content, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace(
        "<", "\\u003c"
    )


def target_title(report):
    direction = "at most" if report.direction == "at_most" else "at least"
    return f"target: {text.words(report.metric)} {direction}" if report.metric else "target"


def rung_data(rung):
    return {
        "value": rung.value,
        "unit": rung.unit,
        "short": rung.short,
        "rows": [
            {
                "group": row.group.index,
                "ideal_s": row.ideal_s,
                "missed": race.missed(row),
                "time": {key: row.time.get(key) for key in ("mean", "low", "high")},
                "seeds": [
                    {"seed": seed, "time_s": time, "end_s": end}
                    for seed, time, end in zip(row.group.seeds, row.times, row.ends)
                ],
            }
            for row in rung.rows
        ],
    }


def page_data(report):
    """What the script draws from."""
    first = [row.time["mean"] for row in report.rungs[-1].rows if row.time]
    horizon = max((end for row in report.rungs[-1].rows for end in row.ends if end), default=0)
    return {
        "groups": [{"label": group.label} for group in report.groups],
        "palette": {
            "algorithms": {"light": palette.ALGORITHMS_LIGHT, "dark": palette.ALGORITHMS_DARK},
            "states": {"light": palette.STATES_LIGHT, "dark": palette.STATES_DARK},
            "dashes": palette.DASHES,
        },
        "shown": report.shown,
        "hidden": report.hidden,
        "metric": report.metric,
        "direction": report.direction,
        "log_time": bool(first) and horizon > 12 * min(first),
        "reference": report.reference or "",
        "time_title": report.time_title,
        "target_title": target_title(report),
        "rungs": [rung_data(rung) for rung in report.rungs],
        "ladder": report.lines,
        "curves": report.curves,
        "cluster": report.cluster,
        "workers": report.workers,
        "ledger": [
            {"group": row.group.index, "shares": row.shares}
            for row in report.rungs[report.shown].rows
            if row.shares
        ],
        "staleness": report.staleness,
    }


def options(names, element, label):
    choices = "".join(f"<option>{escape(name)}</option>" for name in names)
    return f'<label>{escape(label)} <select id="{element}" autocomplete="off">{choices}</select></label>'


def key(groups):
    """A legend; the script fills it with one button a group."""
    return f'<ul class="key" data-groups="{escape(json.dumps([group.index for group in groups]))}"></ul>'


def chart(name, caption, above="", hint=""):
    hint = f' <span class="screen-only">{escape(hint)}</span>' if hint else ""
    return (
        f'<figure>{above}<div class="chart" id="chart-{name}" role="img" aria-label="{escape(caption)}"></div>'
        f"<figcaption>{escape(caption)}{hint}</figcaption></figure>"
    )


def race_section(report):
    choice = ""
    if len(report.rungs) > 1:
        sign = "≤" if report.direction == "at_most" else "≥"
        radios = "".join(
            f'<label><input type="radio" name="rung" value="{i}" autocomplete="off">'
            f"<span>{sign}\u00a0{rung.short}</span></label>"
            for i, rung in enumerate(report.rungs)
        )
        choice = f"<fieldset><legend>Target: {escape(text.words(report.metric))}</legend>{radios}</fieldset>"
    sections = []
    for rung in report.rungs:
        heading = f"<h3>{escape(rung.words)}</h3>" if rung.value is not None else ""
        table = f'<div class="scroll">{tables.race_table(report, rung)}</div>'
        sections.append(f'<section class="rung">{heading}{table}</section>')
    marks = (
        "A filled circle is the geometric mean over seeds, the bar its 95 % interval, an open circle one seed, "
        "a triangle a run that ended without reaching the target"
    )
    ideals = any(row.ideal_s for rung in report.rungs for row in rung.rows)
    marks += (
        "; a diamond is the algorithm's ideal: the samples that it needed, at nominal speed, without "
        "communication, wait or faults."
        if ideals
        else "."
    )
    parts = [
        '<h2 id="race">Time to target</h2>'
        if report.rungs[0].value is not None
        else '<h2 id="race">The race</h2>',
        choice,
        *sections,
        f'<p class="note">{escape(tables.race_note(report))}</p>',
        chart("race", marks),
    ]
    lines = report.lines
    if len(report.rungs) > 1 and lines:
        groups = [group for group in report.groups if group.index in {line["group"] for line in lines}]
        caption = (
            f"Speed-up over {report.reference} at each target, paired by seed, with 95 % intervals; "
            "an interval that contains 1 shows no difference. An open triangle is a bound: one of the two did not "
            "reach the target with every seed."
        )
        parts.append("<h3>Speed-up over the ladder of targets</h3>")
        drawn = chart("ladder", caption, key(groups))
        if report.ladder:
            note = '<p class="note">Mean of the logarithms over the ladder in each seed, then over seeds.</p>'
            table = f'<div class="scroll">{tables.ladder_table(report)}{note}</div>'
            drawn = f'<div class="two uneven"><div>{drawn}</div>{table}</div>'
        parts.append(drawn)
    return "".join(parts)


def curves_section(report):
    if not report.curves["metrics"] or not report.curves["abscissae"]:
        return ""
    choices = (
        '<div class="choices">'
        + options([metric["title"] for metric in report.curves["metrics"]], "metric", "Show")
        + options([axis["title"] for axis in report.curves["abscissae"]], "abscissa", "against")
        + '<label><input type="checkbox" id="log" autocomplete="off"> logarithmic</label></div>'
    )
    seeds = max(len(group.seeds) for group in report.groups)
    caption = (
        "Mean over seeds with the range from the lowest to the highest seed while all of them run; where the "
        "first has stopped, each of the others goes on as a thin line. "
        if seeds > 1
        else "One seed an algorithm. "
    )
    if report.rungs[0].value is not None:
        caption += "A run stops one evaluation after its hardest target. "
    hint = "Drag to zoom, double-click to go back; a click on a name hides its curve."
    return (
        '<h2 id="curves">'
        + escape(f"{text.words(report.metric or 'metrics').capitalize()} over time")
        + "</h2>"
        + choices
        + chart("curves", caption.strip(), key(report.groups), hint)
    )


def state_key():
    items = "".join(
        f'<li class="state"><span class="swatch {name}" data-state="{i}"></span>{name}</li>'
        for i, name in enumerate(palette.STATES)
    )
    return f'<ul class="key">{items}</ul>'


def ledger_section(report):
    if not any(row.shares for row in report.rungs[0].rows):
        return ""
    caption = (
        "Share of all workers' virtual time until the run's end, all seeds together. Communication: blocked while "
        "the bytes it is blocked on move; wait: blocked on anything else."
    )
    parts = ['<h2 id="time">Where the time went</h2>', chart("ledger", caption, state_key())]
    if report.workers:
        names = [report.groups[ledger["group"]].label for ledger in report.workers]
        choice = '<div class="choices">' + options(names, "worker-group", "Workers of") + "</div>"
        drawn = report.workers[0]
        caption = f"The same for each worker, seed {drawn['seed']}."
        if drawn["all"] > len(drawn["workers"]):
            caption = (
                f"The same for {len(drawn['workers'])} of {drawn['all']:,} workers, seed {drawn['seed']}."
            )
        parts += ["<h3>Worker by worker</h3>", chart("workers", caption, choice + state_key())]
    return "".join(parts)


def bandwidth_matrix(report):
    """A table shaded by the logarithm of bandwidth."""
    matrix, names = report.cluster["bandwidth"], [region["name"] for region in report.cluster["regions"]]
    values = [value for row in matrix for value in row if text.is_number(value) and value > 0]
    low, high = math.log(min(values, default=1)), math.log(max(values, default=1))

    def cell(value):
        if not text.is_number(value) or value <= 0:
            return f'<td style="--depth:0" class="muted">{text.NONE}</td>'
        depth = 8 + 40 * (math.log(value) - low) / (high - low) if high > low else 25
        return f'<td style="--depth:{depth:.0f}">{escape(text.bandwidth(value))}</td>'

    head = "".join(f'<th scope="col">{escape(name)}</th>' for name in names)
    rows = "".join(
        f'<tr><th scope="row">{escape(name)}</th>{"".join(map(cell, row))}</tr>'
        for name, row in zip(names, matrix)
    )
    return (
        f'<div class="scroll"><table class="matrix"><thead><tr><td style="--depth:0"></td>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )


def cluster_section(report):
    cluster = report.cluster
    if not cluster["regions"]:
        return ""
    left = ["<h3>Workers by region</h3>" + tables.region_table(cluster)]
    if cluster["dots"]:
        shown = (
            ""
            if len(cluster["dots"]) == cluster["workers"]
            else f"{len(cluster['dots'])} of {cluster['workers']:,} workers. "
        )
        left.append(chart("speeds", shown + "Each dot is a worker; speeds multiply the rate of steps."))
    right = []
    if cluster["bandwidth"]:
        right.append(
            "<h3>Bandwidth between regions</h3>"
            + bandwidth_matrix(report)
            + '<p class="note">From row to column; the diagonal is inside a region.</p>'
        )
    links = tables.link_table(detail.busiest_links(report.groups))
    if links:
        right.append(f'<h3>Busiest link of each algorithm</h3><div class="scroll">{links}</div>')
    return (
        f'<h2 id="cluster">The cluster</h2><p>{escape(report.description)}</p>'
        f'<div class="two"><div>{"".join(left)}</div><div>{"".join(right)}</div></div>'
    )


def staleness_section(report):
    if not report.staleness:
        return ""
    stale = [row for row in report.staleness if row["max"] > 0]
    fresh = [report.groups[row["group"]].label for row in report.staleness if row["max"] == 0]
    note = f"No update of {text.listing(fresh)} was stale." if fresh else ""
    parts = [f'<h2 id="staleness">Staleness</h2><p>{escape(note)}</p>']
    if stale:
        means = "; ".join(
            f"{report.groups[row['group']].label}: mean {text.significant(row['mean'])}, most {row['max']}"
            for row in stale
        )
        parts.append(
            chart(
                "staleness",
                f"Share of merged updates at most so many versions behind, all seeds. {means}.",
                key([report.groups[row["group"]] for row in stale]),
            )
        )
    return "".join(parts)


def details_section(report):
    config = json.dumps(report.config, indent=2, ensure_ascii=False)
    return (
        '<h2 id="config">Configuration and provenance</h2>'
        f"<details><summary>Resolved configuration</summary><pre>{escape(config)}</pre></details>"
        f"<h3>Provenance</h3><dl>{tables.provenance(report)}</dl>"
        f'<details id="runs"><summary>{text.plural(len(report.results.runs), "run")} with digests</summary>'
        f'<div class="scroll">{tables.run_table(report)}</div></details>'
    )


def write_page(report, path):
    """Writes the page to `path`."""
    body = [
        race_section(report),
        curves_section(report),
        ledger_section(report),
        cluster_section(report),
        staleness_section(report),
        f'<h2 id="end">At the end of the runs</h2><div class="scroll">{tables.end_table(report)}</div>',
        details_section(report),
    ]
    names = [
        ("race", "Race"),
        ("curves", "Curves"),
        ("time", "Where the time went"),
        ("cluster", "Cluster"),
        ("staleness", "Staleness"),
        ("end", "Final metrics"),
        ("config", "Configuration and provenance"),
    ]
    written = "".join(body)
    links = "".join(f'<a href="#{name}">{words}</a>' for name, words in names if f'id="{name}"' in written)
    warnings = "".join(f"<p>{escape(warning)}</p>" for warning in report.warnings)
    first, *others = report.headline
    rest = f'<span class="rest">{escape(" ".join(others))}</span>' if others else ""
    html = f"""<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(report.name)}: Convoy report</title>
<link rel="icon" href="data:,">
<style>{(HERE / "page.css").read_text(encoding="utf-8")}</style>
</head>
<body>
<header>
<h1>{escape(report.name)}</h1>
<p class="headline">{escape(first)}{rest}</p>
<p class="note">{escape(report.subtitle)}</p>
{f'<div class="warnings" role="note">{warnings}</div>' if warnings else ""}
<nav aria-label="sections">{links}</nav>
</header>
<main>
{written}
</main>
<noscript><p class="warnings">The charts need JavaScript; figures/ beside this file has them as images.</p></noscript>
<script>{plotly_source()}</script>
<script type="application/json" id="data">{embedded(page_data(report))}</script>
<script>{(HERE / "axes.js").read_text(encoding="utf-8")}</script>
<script>{(HERE / "charts.js").read_text(encoding="utf-8")}</script>
<script>{(HERE / "page.js").read_text(encoding="utf-8")}</script>
</body>
</html>
"""
    path.write_text(html, encoding="utf-8")
