"""The page's figures by matplotlib, as PNG and PDF: the same colours, on white, for papers and slides."""
import os
import tempfile

os.environ.setdefault(
    "MPLCONFIGDIR", tempfile.gettempdir()
)  # a home that cannot be written to is no obstacle

import matplotlib  # noqa: E402

matplotlib.use("Agg")
import matplotlib.pyplot as pyplot  # noqa: E402
from matplotlib import ticker  # noqa: E402

from . import palette, race, text  # noqa: E402

STYLE = {
    "font.size": 9,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": "#E6EAF0",
    "axes.axisbelow": True,
    "figure.constrained_layout.use": True,
    "pdf.fonttype": 42,
    "savefig.dpi": 160,
    "legend.frameon": False,
}
LINES = {"solid": "-", "dash": "--", "dot": ":", "dashdot": "-."}
GREY = "#56617A"


def plain_ticks(axis):
    axis.set_major_locator(ticker.LogLocator(10, (1, 2, 5), numticks=12))
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    axis.set_minor_formatter(ticker.NullFormatter())


def name_rows(axes, names):
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.grid(False, axis="y")
    axes.tick_params(axis="y", length=0)


def time_to_target(report):
    """Seeds, mean and interval a row; an open triangle where a run ended short of the target."""
    rung = report.rungs[report.shown]
    name, size = rung.unit
    figure, axes = pyplot.subplots(figsize=(6.4, 1.1 + 0.36 * len(rung.rows)))
    seen = []
    for y, row in enumerate(rung.rows):
        colour = palette.colour(row.group.index)
        if text.is_number(row.time.get("low")) and text.is_number(row.time.get("high")):
            axes.plot(
                [max(row.time["low"], 0) / size, row.time["high"] / size],
                [y, y],
                color=colour,
                alpha=0.4,
                linewidth=6,
                solid_capstyle="butt",
            )
        times = [time / size for time in row.times if time is not None]
        axes.plot(times, [y] * len(times), "o", markerfacecolor="none", markeredgecolor=colour, markersize=5)
        if row.time:
            axes.plot(row.time["mean"] / size, y, "o", color=colour, markersize=7)
            seen.append(row.time["mean"] / size)
        if row.ideal_s:
            axes.plot(row.ideal_s / size, y, "D", markerfacecolor="none", markeredgecolor=GREY, markersize=5)
            seen.append(row.ideal_s / size)
        ends = [end for end, time in zip(row.ends, row.times) if time is None and end]
        if ends:
            axes.plot(max(ends) / size, y, ">", markerfacecolor="none", markeredgecolor=colour, markersize=7)
            if not times:
                axes.annotate(
                    race.missed(row),
                    (max(ends) / size, y),
                    xytext=(-8, 0),
                    textcoords="offset points",
                    ha="right",
                    va="center",
                    color=GREY,
                    fontsize=8,
                )
            seen.append(max(ends) / size)
    name_rows(
        axes,
        [
            row.group.label
            + ("" if row.complete or not row.reached else f"\n{row.reached} of {row.seeds} seeds")
            for row in rung.rows
        ],
    )
    logarithmic = bool(seen) and max(seen) > 12 * min(seen)
    if logarithmic:
        axes.set_xscale("log")
        plain_ticks(axes.xaxis)
    else:
        axes.set_xlim(left=0)
    title = report.time_title if rung.value is not None else "virtual time"
    axes.set_xlabel(f"{title} ({name})")
    axes.set_title(rung.words or report.name, fontsize=10, loc="left")
    return figure


def curves(report):
    """The target's metric against virtual time, mean with the range over seeds."""
    metrics = report.curves["metrics"]
    if not metrics or "time_s" not in [axis["name"] for axis in report.curves["abscissae"]]:
        return None
    metric = metrics[0]
    last = max(
        (
            x
            for curve in report.curves["curves"]
            for piece in [curve, *curve["tails"]]
            for x in piece["x"]["time_s"]
            if x is not None
        ),
        default=1,
    )
    name, size = text.time_unit([last])
    figure, axes = pyplot.subplots(figsize=(6.4, 4.0))
    nan = float("nan")
    for curve in report.curves["curves"]:
        if curve["group"] in report.hidden:
            continue
        group = report.groups[curve["group"]]
        look = {"color": palette.colour(group.index), "linestyle": LINES[palette.dash(group.index)]}
        x = [value / size for value in curve["x"]["time_s"]]
        y = {
            key: [nan if value is None else value for value in values]
            for key, values in curve["y"][metric["name"]].items()
        }
        axes.fill_between(x, y["low"], y["high"], color=look["color"], alpha=0.2, linewidth=0)
        axes.plot(x, y["mean"], linewidth=1.6, label=group.label, **look)
        for tail in curve["tails"]:
            axes.plot(
                [value / size for value in tail["x"]["time_s"]],
                [nan if value is None else value for value in tail["y"][metric["name"]]],
                linewidth=0.8,
                **look,
            )
    if metric["name"] == report.metric and report.curves["range"]:
        label = "target " + ", ".join(rung.short for rung in report.rungs)
        for rung in report.rungs:
            axes.axhline(rung.value, color="#1B212B", linewidth=0.8, linestyle=(0, (5, 3)), label=label)
            label = None
        axes.set_ylim(*report.curves["range"])
    first = [row.time["mean"] for row in report.rungs[-1].rows if row.time]
    if first and last > 12 * min(first):
        axes.set_xscale("log")
        plain_ticks(axes.xaxis)
    axes.set_xlabel(f"virtual time ({name})")
    axes.set_ylabel(metric["title"] + (f" ({metric['unit']})" if metric["unit"] else ""))
    axes.legend(
        fontsize=7.5,
        loc="upper right" if "loss" in metric["name"] else "lower right",
        ncol=1 if len(report.groups) <= 10 else 2,
    )
    return figure


def ledger(report):
    rows = [row for row in report.rungs[report.shown].rows if row.shares]
    if not rows:
        return None
    figure, axes = pyplot.subplots(figsize=(6.4, 1.3 + 0.34 * len(rows)))
    left = [0.0] * len(rows)
    for i, state in enumerate(palette.STATES):
        widths = [100 * row.shares[i] for row in rows]
        axes.barh(
            range(len(rows)),
            widths,
            left=left,
            height=0.72,
            color=palette.STATES_LIGHT[i],
            label=state,
            edgecolor="#1B212B",
            linewidth=0.4,
            hatch="////" if state == "down" else None,
        )
        for y, (start, width) in enumerate(zip(left, widths)):
            if width >= 6:
                axes.text(
                    start + width / 2,
                    y,
                    f"{width:.0f} %",
                    ha="center",
                    va="center",
                    fontsize=7.5,
                    color="white" if i == 0 else "black",
                )
        left = [start + width for start, width in zip(left, widths)]
    name_rows(axes, [row.group.label for row in rows])
    axes.set_xlim(0, 100)
    axes.set_xlabel("share of worker time (%)")
    axes.legend(ncol=4, loc="lower left", bbox_to_anchor=(0, 1), fontsize=8, borderaxespad=0.2)
    return figure


def ladder(report):
    """Speed-up over the reference at each target, with intervals; open triangles are bounds."""
    lines = [line for line in report.lines if line["group"] not in report.hidden]
    if len(report.rungs) < 2 or not lines:
        return None
    figure, axes = pyplot.subplots(figsize=(6.4, 3.4))
    for number, line in enumerate(lines):
        group, points = report.groups[line["group"]], line["points"]
        shift = (number / (len(lines) - 1) - 0.5) * 0.3 if len(lines) > 1 else 0
        look = {"color": palette.colour(group.index), "linestyle": LINES[palette.dash(group.index)]}
        measured = [point for point in points if point["bound"] is None]
        axes.errorbar(
            [point["rung"] + shift for point in measured],
            [point["mean"] for point in measured],
            yerr=[
                [point["mean"] - (point["low"] or point["mean"]) for point in measured],
                [(point["high"] or point["mean"]) - point["mean"] for point in measured],
            ],
            marker="o",
            markersize=4,
            linewidth=1,
            capsize=2,
            label=group.label,
            **look,
        )
        for side, marker in (("more_than", "^"), ("less_than", "v")):
            bounds = [point for point in points if point["bound"] == side]
            axes.plot(
                [point["rung"] + shift for point in bounds],
                [point["mean"] for point in bounds],
                marker,
                color=look["color"],
                markerfacecolor="white",
            )
    axes.axhline(1, color=GREY, linewidth=1)
    axes.set_yscale("log")
    plain_ticks(axes.yaxis)
    axes.set_xticks(range(len(report.rungs)), [rung.short for rung in report.rungs])
    axes.set_xlabel(f"target: {text.words(report.metric)}")
    axes.set_ylabel(f"times as fast as {report.reference}")
    axes.legend(fontsize=7.5, loc="center left", bbox_to_anchor=(1, 0.5))
    return figure


def cluster(report):
    """Speeds of the workers by region, and the bandwidth between regions."""
    dots, matrix = report.cluster["dots"], report.cluster["bandwidth"]
    names = [region["name"] for region in report.cluster["regions"]]
    if not dots:
        return None
    count = 2 if matrix and len(names) <= 24 else 1
    figure, panels = pyplot.subplots(
        1, count, figsize=(3.6 * count, 1.4 + 0.32 * max(4, min(24, len(names)))), squeeze=False
    )
    axes = panels[0][0]
    axes.plot(
        [dot[1] for dot in dots],
        [dot[0] for dot in dots],
        "o",
        color="#1B212B",
        alpha=0.5,
        markersize=6,
        markeredgewidth=0,
    )
    name_rows(axes, names)
    axes.set_xlim(left=0)
    axes.set_xlabel("worker speed (1 = the stated step time)")
    if count == 2:
        axes = panels[0][1]
        numbers = [
            [value if text.is_number(value) and value > 0 else float("nan") for value in row]
            for row in matrix
        ]
        axes.imshow(numbers, cmap="Blues", norm=matplotlib.colors.LogNorm(), alpha=0.6)
        for y, row in enumerate(matrix if len(names) <= 8 else []):
            for x, value in enumerate(row):
                axes.text(
                    x, y, text.bandwidth(value).replace(" ", "\n"), ha="center", va="center", fontsize=6.5
                )
        axes.set_xticks(range(len(names)), names)
        axes.set_yticks(range(len(names)), names)
        axes.tick_params(length=0)
        axes.grid(False)
        axes.spines[:].set_visible(False)
        axes.set_title("bandwidth, row to column", fontsize=9)
    return figure


def staleness(report):
    rows = [row for row in report.staleness if row["max"] > 0 and row["group"] not in report.hidden]
    if not rows:
        return None
    figure, axes = pyplot.subplots(figsize=(6.4, 3.0))
    for row in rows:
        group = report.groups[row["group"]]
        axes.step(
            [-0.5, *row["values"], row["max"] + 0.5],
            [0, *(100 * share for share in row["shares"]), 100],
            where="post",
            color=palette.colour(group.index),
            linestyle=LINES[palette.dash(group.index)],
            label=group.label,
        )
    axes.set_ylim(0, 102)
    axes.set_xlabel("staleness (versions behind the one read)")
    axes.set_ylabel("updates at most so stale (%)")
    axes.legend(fontsize=8, loc="lower right")
    return figure


FIGURES = {
    "time_to_target": time_to_target,
    "curves": curves,
    "ledger": ledger,
    "ladder": ladder,
    "cluster": cluster,
    "staleness": staleness,
}


def write_figures(report, folder):
    """Writes each figure that has something to show; returns their names."""
    folder.mkdir(exist_ok=True)
    written = []
    with matplotlib.rc_context(STYLE):
        for name, draw in FIGURES.items():
            figure = draw(report)
            if figure is None:
                continue
            figure.draw_without_rendering()  # lays it out, once for both files
            figure.set_layout_engine("none")
            figure.savefig(folder / f"{name}.png")
            figure.savefig(
                folder / f"{name}.pdf", metadata={"CreationDate": None}
            )  # the same bytes each time
            pyplot.close(figure)
            written.append(name)
    return written
