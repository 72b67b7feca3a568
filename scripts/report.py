#!/usr/bin/python3
"""Writes the report of an experiment: one HTML page that needs no network, and its figures as PNG and PDF.

usage: report.py DIR

Reads what `sim run --out DIR` (or `sim collect DIR`) wrote; writes DIR/report.html and DIR/figures/*.{png,pdf};
prints the page's path. Exit code 2 where DIR is empty, half written or mixed, with a line that says what to do.

What is read (keys marked ? may be absent; unknown keys are ignored; times in seconds, sizes in bytes):

  experiment.json   schema_version 1, name, version?, description?, build?{compiler, instruction_set,
                    results_version}, config?{workload?{stand_in?}, target_on?, ...: shown as it is},
                    target?{metric, values[], direction: at_least | at_most},
                    points[{run_id, label, seed, axes?{path: value}}],
                    cluster?{regions[name], workers[{name, region, host?, speed}], bandwidth?[[B/s]]}
  summary.json      schema_version 1, rows[{run_id, virtual_time_s?, steps?, bytes?, cost_usd?, energy_j?, targets?,
                    ledger?: as total below}],
                    comparison?[{target (null for fixed work), reference?, ideal_s?, algorithms[{label, axes?,
                    reached, seeds, time_s{mean, low?, high?}?, speedup{mean, low?, high?, verdict}?, ideal_s?,
                    near_plateau?}]}]
  summary.csv?      run_id: must list the same runs
  runs/ID/result.json   run_id, algorithm, label, seed, stop_reason, virtual_time_s, steps?, targets?[{value, reached,
                    time_s, steps?, bytes?, cost_usd?, energy_j?, near_plateau?}], final?{metric: number},
                    network?{bytes, links?[{name, bytes, busy_s}]},
                    ledger?{total, workers[{worker, compute_s, communication_s, wait_s, down_s}]},
                    staleness?{histogram: [[versions, count]] or {versions: count} or counts from 0 on},
                    work?{total{computed, merged}: steps, or {steps}}, units?{column: unit}, digest?,
                    identity?{results_version, instruction_set}, performance?{wall_s, threads}
  runs/ID/metrics.csv   time_s and any of the columns of metrics.csv; further ones (`x.name`) become curves
"""
import sys
from pathlib import Path


def missing_package(error):
    print(
        f"report.py: {error}; scripts/setup.sh installs Debian's pandas, matplotlib and plotly for /usr/bin/python3",
        file=sys.stderr,
    )
    return 1


def main(arguments):
    if len(arguments) != 1 or arguments[0].startswith("-"):
        wants_help = arguments in (["-h"], ["--help"])
        print(
            __doc__.strip() if wants_help else "usage: report.py DIR",
            file=sys.stdout if wants_help else sys.stderr,
        )
        return 0 if wants_help else 2
    folder = Path(arguments[0])
    try:
        from convoy_report.results import ReportError, read_results
    except ImportError as error:
        return missing_package(error)
    try:
        results = read_results(folder)
    except ReportError as error:
        print(f"report.py: {error}", file=sys.stderr)
        return 2
    try:
        from convoy_report import figures, page
        from convoy_report.report import make_report

        report = make_report(results)
        page.write_page(report, folder / "report.html")
        figures.write_figures(report, folder / "figures")
    except ImportError as error:
        return missing_package(error)
    except OSError as error:
        print(f"report.py: cannot write: {error}", file=sys.stderr)
        return 1
    print(f"report page: {folder / 'report.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
