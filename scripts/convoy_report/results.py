"""Reads a result directory and refuses what is empty, half written or mixed."""
import json
from dataclasses import dataclass
from pathlib import Path

import pandas

SCHEMA_VERSION = 1
NAMED_AT_MOST = 5  # how many missing runs an error lists


class ReportError(Exception):
    """The directory cannot be reported on; the message says why and what to do."""


@dataclass
class Run:
    run_id: str
    result: dict  # result.json
    row: dict  # its row of summary.json
    metrics: pandas.DataFrame  # metrics.csv, ascending time_s


@dataclass
class Results:
    folder: Path
    experiment: dict  # experiment.json
    summary: dict  # summary.json
    runs: dict  # run_id -> Run
    others: int  # finished runs in the folder that do not belong to the experiment


def no_number(word):
    raise ValueError(f"{word} is no JSON number")


def read_json(path):
    try:
        with path.open(encoding="utf-8") as file:
            content = json.load(file, parse_constant=no_number)
    except FileNotFoundError:
        raise ReportError(f"{path} is missing") from None
    except ValueError as error:  # syntax, encoding, NaN
        raise ReportError(f"{path} is not valid JSON ({error}); was it cut off?") from None
    except OSError as error:
        raise ReportError(f"{path} cannot be read: {error.strerror}") from None
    if not isinstance(content, dict):
        raise ReportError(f"{path} is not a JSON object")
    version = content.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise ReportError(f"{path} has schema_version {version}; this report.py reads {SCHEMA_VERSION}")
    return content


def read_metrics(path, on_test=False):
    """metrics.csv as a table. `on_test`: the experiment measures on the test split, and the columns say so."""
    try:
        metrics = pandas.read_csv(path)
    except FileNotFoundError:
        raise ReportError(f"{path} is missing: the run is only half there") from None
    except pandas.errors.EmptyDataError:
        return pandas.DataFrame({"time_s": []})
    except (pandas.errors.ParserError, UnicodeDecodeError) as error:
        raise ReportError(f"{path} is not a CSV table: {error}") from None
    if "time_s" not in metrics:
        raise ReportError(f"{path} has no column time_s")
    text = [column for column in metrics if metrics[column].dtype == object]
    for column in text:
        metrics[column] = pandas.to_numeric(metrics[column], errors="coerce")
    if on_test:
        metrics = metrics.rename(
            columns={f"validation_{name}": f"test_{name}" for name in ("loss", "accuracy")}
        )
    return metrics.sort_values("time_s", kind="stable")


def named(points):
    names = [f"{point.get('label', '?')} seed {point.get('seed', '?')}" for point in points[:NAMED_AT_MOST]]
    more = len(points) - len(names)
    return ", ".join(names) + (f" and {more} more" if more > 0 else "")


def check_start(folder):
    """A folder without experiment.json: says which of the possible mistakes it is."""
    if not folder.exists():
        raise ReportError(f"{folder}: no such folder")
    if not folder.is_dir():
        raise ReportError(f"{folder} is a file; give the folder that `sim run --out` wrote")
    if (folder / "experiment.json").is_file():
        return
    if any((folder / "runs").glob("*/result.json")):
        raise ReportError(
            f"{folder} holds runs but no experiment.json: shards or an interrupted `sim run`; "
            f"finish it, or join the shards with `sim collect {folder}`"
        )
    if (folder / "result.json").is_file():
        raise ReportError(f"{folder} is a single run; give the folder of the experiment, two levels up")
    raise ReportError(
        f"{folder} holds no results (no experiment.json): `sim run FILE --out {folder}` writes them"
    )


def check_run(result, run_id, path):
    if result.get("run_id", run_id) != run_id:
        raise ReportError(f"{path} says run_id {result['run_id']}, but its folder is {run_id}: mixed results")


def check_one_build(runs, folder):
    """Runs of builds whose results differ must not stand in one table."""
    builds = {}
    for run in runs.values():
        identity = run.result.get("identity") or {}
        build = (identity.get("results_version"), identity.get("instruction_set"))
        builds.setdefault(build, []).append(run.run_id)
    if len(builds) > 1:
        said = "; ".join(
            f"results_version {version}, {instructions}: {len(ids)} runs"
            for (version, instructions), ids in sorted(builds.items(), key=str)
        )
        raise ReportError(
            f"{folder} mixes runs of builds that give different results ({said}); "
            "run the experiment into a fresh folder"
        )


def check_summary(summary, points, path):
    rows = summary.get("rows")
    if not isinstance(rows, list):
        raise ReportError(f"{path} has no list `rows`")
    summarised = {row.get("run_id") for row in rows} - {None}  # the row `ideal` of fixed work is no run
    planned = {point.get("run_id") for point in points}
    if summarised != planned:
        strangers, absent = len(summarised - planned), len(planned - summarised)
        raise ReportError(
            f"{path} and experiment.json do not belong together ({strangers} runs only in the first, "
            f"{absent} only in the second): call `sim run` or `sim collect` again"
        )
    csv = path.with_suffix(".csv")
    if csv.is_file():
        try:
            ids = set(pandas.read_csv(csv, usecols=["run_id"], dtype=str)["run_id"].dropna())
        except (ValueError, pandas.errors.ParserError) as error:
            raise ReportError(f"{csv} cannot be read: {error}") from None
        if ids != planned:
            raise ReportError(f"{csv} and {path} list different runs: call `sim run` or `sim collect` again")


def read_results(folder):
    """Everything below DIR that the report shows. Throws ReportError."""
    folder = Path(folder)
    check_start(folder)
    experiment = read_json(folder / "experiment.json")
    points = experiment.get("points") or []
    if not isinstance(points, list) or not all(
        isinstance(point, dict) and point.get("run_id") for point in points
    ):
        raise ReportError(f"{folder}/experiment.json has a point without a run_id")
    if not points:
        raise ReportError(f"{folder}/experiment.json lists no runs (`points` is empty)")
    absent = [
        point
        for point in points
        if not (folder / "runs" / str(point.get("run_id")) / "result.json").is_file()
    ]
    if absent:
        raise ReportError(
            f"{len(absent)} of {len(points)} runs are missing in {folder}/runs ({named(absent)}): "
            "call `sim run` again, it goes on where it stopped"
        )
    summary = read_json(folder / "summary.json")
    check_summary(summary, points, folder / "summary.json")

    on_test = (experiment.get("config") or {}).get("target_on") == "test"
    rows = {row.get("run_id"): row for row in summary["rows"]}
    runs = {}
    for run_id in dict.fromkeys(point["run_id"] for point in points):
        path = folder / "runs" / run_id
        result = read_json(path / "result.json")
        check_run(result, run_id, path / "result.json")
        runs[run_id] = Run(run_id, result, rows[run_id], read_metrics(path / "metrics.csv", on_test))
    check_one_build(runs, folder)
    found = sum(1 for _ in (folder / "runs").glob("*/result.json"))
    return Results(folder, experiment, summary, runs, others=max(0, found - len(runs)))
