#!/usr/bin/python3
"""scripts/report.py over made-up results: what the page says, that it draws without an error in a browser, that it
loads nothing, and what is refused. The browser is Debian's chromium; where it is missing its tests are skipped."""
import contextlib
import functools
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

HERE = Path(__file__).resolve().parent
SCRIPT = HERE.parents[1] / "scripts" / "report.py"
sys.path[:0] = [str(HERE), str(SCRIPT.parent)]

import make_example_results as example  # noqa: E402
import report  # noqa: E402

CHROMIUM = shutil.which("chromium")
NO_CHROMIUM = "chromium is not installed (scripts/setup.sh --full installs it)"


def write_report(folder):
    """Runs report.py in this process (its imports take a second); returns (exit code, stdout, stderr)."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        code = report.main([str(folder)])
    return code, output.getvalue(), errors.getvalue()


@functools.lru_cache
def browse(page, dark=False):
    """The page's DOM after its scripts ran, and what they wrote to the console."""
    with tempfile.TemporaryDirectory() as profile:
        command = [
            CHROMIUM,
            "--headless",
            "--disable-gpu",
            "--disable-quic",
            "--no-first-run",
            "--disable-sync",
            "--disable-background-networking",
            "--disable-component-update",
            f"--user-data-dir={profile}",
            "--enable-logging=stderr",
            "--window-size=1280,2000",
            "--dump-dom",
            Path(page).resolve().as_uri(),
        ]
        command += ["--no-sandbox"] if os.geteuid() == 0 else []
        command += ["--blink-settings=preferredColorScheme=0"] if dark else []
        ended = subprocess.run(
            command,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            errors="replace",
            timeout=120,
            check=True,
        )
    console = [line for line in ended.stderr.splitlines() if ":CONSOLE" in line]
    return ended.stdout, console


# Uses every control of the page once, then tells how many curves were drawn when one algorithm was hidden.
EXERCISE = """
const fire = (element) => element.dispatchEvent(new Event("change"));
for (const radio of document.querySelectorAll("input[name=rung]")) { radio.checked = true; fire(radio); }
for (const select of document.querySelectorAll("select")) {
  for (let i = 0; i < select.options.length; ++i) { select.selectedIndex = i; fire(select); }
  select.selectedIndex = 0;
  fire(select);
}
for (const mark of [false, true]) { log.checked = mark; fire(log); }
dispatchEvent(new Event("beforeprint"));
dispatchEvent(new Event("afterprint"));
const drawn = () => document.querySelectorAll("#chart-curves .scatterlayer .trace").length;
const all = drawn();
const button = document.querySelector("#chart-curves").closest("figure").querySelector("button[data-group]");
button.click();
document.documentElement.dataset.curves = all + " " + drawn() + " " + button.getAttribute("aria-pressed");
"""


def visible_text(dom):
    """Text of the DOM without scripts, styles and the embedded data; white space as single blanks."""
    dom = re.sub(r"<(script|style)\b.*?</\1>", " ", dom, flags=re.DOTALL)
    return re.sub(r"\s+", " ", unescape(re.sub(r"<[^>]+>", " ", dom)))


class Loads(HTMLParser):
    """Collects what a page would fetch."""

    def __init__(self):
        super().__init__()
        self.fetched = []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            inside = (value or "").startswith(("#", "data:"))
            if name in ("src", "srcset", "data", "poster", "action") or (name == "href" and not inside):
                self.fetched.append(f"<{tag} {name}={value}>")


class Directory(unittest.TestCase):
    """A result directory of its own for each test."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name, "example")
        example.make(self.folder)

    def edit(self, name, change):
        path = self.folder / name
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))

    def edit_results(self, change):
        for path in sorted((self.folder / "runs").glob("*/result.json")):
            self.edit(path.relative_to(self.folder), change)


class Page(unittest.TestCase):
    """The page of the example as it is."""

    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = Path(cls.holder.name, "example")
        example.make(cls.folder)
        ended = subprocess.run(
            [SCRIPT, cls.folder], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
        )
        cls.code, cls.output, cls.errors = ended.returncode, ended.stdout, ended.stderr
        cls.html = (cls.folder / "report.html").read_text(encoding="utf-8") if cls.code == 0 else ""
        cls.summary = json.loads((cls.folder / "summary.json").read_text())

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def test_it_is_written_and_its_path_printed(self):
        self.assertEqual((self.code, self.errors), (0, ""))
        self.assertEqual(self.output, f"report page: {self.folder}/report.html\n")

    def test_the_figures_are_there_as_png_and_pdf(self):
        for name in ("time_to_target", "curves", "ledger", "ladder", "cluster", "staleness"):
            self.assertTrue(
                (self.folder / "figures" / f"{name}.png").read_bytes().startswith(b"\x89PNG"), name
            )
            self.assertTrue((self.folder / "figures" / f"{name}.pdf").read_bytes().startswith(b"%PDF"), name)

    def test_the_same_results_give_the_same_bytes(self):
        written = ["report.html"] + [f"figures/{path.name}" for path in (self.folder / "figures").iterdir()]
        before = {name: (self.folder / name).read_bytes() for name in written}
        self.assertEqual(write_report(self.folder)[0], 0)
        for name in written:
            self.assertEqual((self.folder / name).read_bytes(), before[name], name)

    def test_it_loads_nothing(self):
        loads = Loads()
        loads.feed(re.sub(r"(<(script|style)\b[^>]*>).*?(?=</\2>)", r"\1", self.html, flags=re.DOTALL))
        self.assertEqual(loads.fetched, [])
        style = re.search(r"<style>(.*?)</style>", self.html, re.DOTALL)[1]
        self.assertNotRegex(style, r"@import|url\(")
        self.assertIn("default-src 'none'", self.html)  # and the browser would refuse

    def test_the_headline_names_the_first_its_time_and_its_speed_up(self):
        entry = next(
            e for e in self.summary["comparison"][-1]["algorithms"] if e["label"].startswith("halos")
        )
        headline = unescape(re.search(r'class="headline">(.*?)</p>', self.html, re.DOTALL)[1]).replace(
            "\u00a0", " "
        )
        self.assertIn("halos K=32 & α=¼ is first to validation accuracy ≥ 0.85", headline)
        self.assertIn(f"after {entry['time_s']['mean'] / 60:.1f} min", headline)
        self.assertIn(f"{entry['speedup']['mean']:.2f}× as fast as diloco", headline)
        self.assertIn("data_parallel and gradient_tracking did not reach it in 3 h", headline)

    def test_a_censored_run_is_shown_as_such(self):
        text = visible_text(self.html)
        # data_parallel misses all three targets, gradient_tracking two, one seed of decentralized_sgd the hardest
        self.assertEqual(len(re.findall(r"data_parallel not reached in 3 h", text)), 3)
        self.assertEqual(len(re.findall(r"gradient_tracking not reached in 3 h", text)), 2)
        self.assertIn("2 of 3 seeds, 1 not reached in 3 h", text)

    def test_a_difference_that_the_interval_does_not_show_is_called_none(self):
        tables = [*self.summary["comparison"], self.summary["headline"]]
        calls = [e["speedup"]["verdict"] for table in tables for e in table["algorithms"] if e["speedup"]]
        self.assertEqual(len(re.findall(r">no difference<", self.html)), calls.count("no difference"))
        self.assertGreater(calls.count("no difference"), 0)

    @unittest.skipUnless(CHROMIUM, NO_CHROMIUM)
    def test_a_browser_draws_it_without_an_error_and_shows_the_summary(self):
        for dark in (False, True):
            dom, console = browse(self.folder / "report.html", dark)
            self.assertEqual(console, [])
            self.assertIn('data-drawn="yes"', dom)
            charts = re.findall(r'id="chart-(\w+)" role="img"[^>]*>(.{0,400})', dom, re.DOTALL)
            self.assertEqual(
                [name for name, _ in charts],
                ["race", "ladder", "curves", "ledger", "workers", "speeds", "staleness"],
            )
            for name, inside in charts:
                self.assertIn("svg-container", inside, name)
            text = visible_text(dom)
            for rung in self.summary["comparison"]:
                for entry in rung["algorithms"]:
                    self.assertIn(entry["label"], text)
                    speedup = entry["speedup"] or {}
                    for shown in (
                        [speedup.get("less_than")] if speedup.get("less_than") else [speedup.get("mean")]
                    ):
                        if shown:
                            self.assertIn(f"{shown:.2f}×" if shown >= 1 else f"{shown:.3f}×", text)
            for row in self.summary["rows"]:
                self.assertIn(f"{row['steps']:,}", text)
                self.assertIn(row["digest"], text)
                self.assertIn(row["run_id"], text)

    @unittest.skipUnless(CHROMIUM, NO_CHROMIUM)
    def test_every_control_works(self):
        page = self.folder / "exercised.html"
        page.write_text(self.html.replace("</body>", f"<script>{EXERCISE}</script></body>"), encoding="utf-8")
        dom, console = browse(page)
        self.assertEqual(console, [])
        # data_parallel stops at the same instant with all seeds: a band, a mean, and no line of a single seed
        everything, without_first, pressed = re.search(r'data-curves="(\d+) (\d+) (\w+)"', dom).groups()
        self.assertEqual((int(everything) - int(without_first), pressed), (2, "false"))

    @unittest.skipUnless(CHROMIUM, NO_CHROMIUM)
    def test_an_algorithm_has_one_colour_everywhere(self):
        dom, _ = browse(self.folder / "report.html")
        colours = {}
        for index, colour in re.findall(r'data-group="(\d+)"[^>]*style="--colour: (#\w+)', dom):
            colours.setdefault(index, set()).add(colour)
        self.assertEqual(len(colours), 8)
        self.assertTrue(all(len(seen) == 1 for seen in colours.values()), colours)
        self.assertEqual(len(set().union(*colours.values())), 8)
        for colour in set().union(*colours.values()):  # the curves are drawn in them
            rgb = tuple(int(colour[i : i + 2], 16) for i in (1, 3, 5))
            self.assertIn(f"stroke: rgb({rgb[0]}, {rgb[1]}, {rgb[2]})", dom)


class Variants(Directory):
    """Experiments of other shapes, in the browser where there is one."""

    def page(self):
        code, _, errors = write_report(self.folder)
        self.assertEqual((code, errors), (0, ""))
        html = (self.folder / "report.html").read_text(encoding="utf-8")
        if CHROMIUM:
            dom, console = browse(self.folder / "report.html")
            self.assertEqual(console, [])
            self.assertIn('data-drawn="yes"', dom)
        return visible_text(html).replace("\u00a0", " ")

    def keep(self, wanted):
        """Leaves only the points for which wanted(point) holds."""
        self.edit(
            "experiment.json", lambda e: e.update(points=[point for point in e["points"] if wanted(point)])
        )
        ids = {
            point["run_id"] for point in json.loads((self.folder / "experiment.json").read_text())["points"]
        }
        self.edit("summary.json", lambda s: s.update(rows=[row for row in s["rows"] if row["run_id"] in ids]))
        (self.folder / "summary.csv").unlink()

    def test_only_what_must_be_there(self):
        """One algorithm, one seed, every optional key gone, hostile names."""
        name = '<script>alert("x")</script> & co'
        self.keep(lambda point: point["label"] == "diloco" and point["seed"] == 0)

        def bare_experiment(experiment):
            points = [{"run_id": point["run_id"], "label": name, "seed": 0} for point in experiment["points"]]
            keep = {"schema_version": 1, "name": name, "points": points, "target": experiment["target"]}
            experiment.clear()
            experiment.update(keep)

        def bare_result(result):
            keep = {
                key: result[key]
                for key in ("run_id", "algorithm", "label", "seed", "stop_reason", "virtual_time_s")
            }
            result.clear()
            result.update(keep)

        self.edit("experiment.json", bare_experiment)
        self.edit(
            "summary.json", lambda s: s.update(rows=[{"run_id": s["rows"][0]["run_id"]}], comparison=[])
        )
        self.edit_results(bare_result)
        for path in (self.folder / "runs").glob("*/metrics.csv"):
            path.write_text("time_s,validation_accuracy\n")
        text = self.page()
        self.assertIn(f"{name} did not reach validation accuracy ≥ 0.80", text)
        self.assertNotIn("<script>alert", (self.folder / "report.html").read_text(encoding="utf-8"))

    def test_one_seed_gives_no_interval(self):
        self.keep(lambda point: point["seed"] == 0)

        def alone(summary):
            for rung in summary["comparison"]:
                for entry in rung["algorithms"]:
                    entry.update(seeds=1, reached=min(1, entry["reached"]))
                    for part in ("time_s", "speedup"):
                        entry[part] = entry[part] and {**entry[part], "low": None, "high": None}

        self.edit("summary.json", alone)
        text = self.page()
        self.assertIn("One seed an algorithm, hence no intervals.", text)
        self.assertNotIn("95 % interval in brackets", text)

    def test_fixed_work_has_no_target(self):
        self.edit("experiment.json", lambda e: e.pop("target"))

        def fixed(summary):
            times = {}
            for row in summary["rows"]:
                row["targets"] = []
                times.setdefault(row["label"], []).append(row["virtual_time_s"])
            entries = [
                {"label": label, "reached": 3, "seeds": 3, "time_s": example.interval(values)}
                for label, values in times.items()
            ]
            ideal = {"run_id": None, "label": "ideal", "virtual_time_s": 540.0, "targets": []}
            summary.update(
                rows=summary["rows"] + [ideal],
                comparison=[],
                fixed_work={"reference": "diloco", "ideal_s": 540.0, "algorithms": entries},
                headline=None,
            )

        self.edit("summary.json", fixed)
        self.edit_results(lambda r: r.update(targets=[], stop_reason="max_steps"))
        text = self.page()
        self.assertIn("is through the same work first", text)
        self.assertRegex(text, r"ideal 9\.00 min")

    def test_a_target_on_a_loss_is_at_most(self):
        def loss(value):
            return round(0.18 + 1.6 * (0.9 - value), 6)

        def lower(target):
            target.update(metric="validation_loss", value=loss(target["value"]))

        self.edit(
            "experiment.json",
            lambda e: e["target"].update(
                metric="validation_loss",
                direction="at_most",
                values=[loss(value) for value in e["target"]["values"]],
            ),
        )

        def summary(content):
            for row in content["rows"]:
                list(map(lower, row["targets"]))
            for rung in content["comparison"]:
                rung["target"] = loss(rung["target"])

        self.edit("summary.json", summary)
        self.edit_results(lambda r: list(map(lower, r["targets"])))
        self.assertIn("is first to validation loss ≤ 0.260", self.page())

    def test_bad_ends_are_told(self):
        first = {}

        def bad(result):
            if result["label"] == "data_parallel":
                result["stop_reason"] = ["diverged", "deadlock", "failed"][result["seed"]]
                result["message"] = [None, None, "out of memory"][result["seed"]]
                result["waiting"] = [
                    {"process": "r0.w1", "waits_for": "all-reduce of average", "since_s": 12.0}
                ]
                first[result["run_id"]] = result["seed"]

        self.edit_results(bad)
        failed = next(run_id for run_id, seed in first.items() if seed == 2)
        (self.folder / "runs" / failed / "metrics.csv").write_text(
            ""
        )  # it failed before its first evaluation
        text = self.page()
        self.assertIn("1 run diverged: data_parallel seed 0.", text)
        self.assertIn("data_parallel seed 1. (r0.w1 waits for all-reduce of average)", text)
        self.assertIn("1 run failed: data_parallel seed 2. (out of memory", text)
        self.assertIn("data_parallel not reached in 3 h (deadlock, diverged, failed)", text)

    def test_sweep_axes_tell_settings_apart(self):
        """8 algorithms become one with 8 settings and colours; a bandwidth matrix that is no square is left out."""
        order = list(example.ALGORITHMS)

        def swept(experiment):
            for point in experiment["points"]:
                point["axes"] = {"/algorithms/halos/local_steps": order.index(point["label"])}
                point["label"] = "halos"
            experiment["cluster"]["bandwidth"] = [[1, 2], [3]]

        def rows(summary):
            for table in [*summary["comparison"], summary["headline"]]:
                for entry in table["algorithms"]:
                    entry["axes"] = {"/algorithms/halos/local_steps": order.index(entry["label"])}
                    entry["label"] = "halos"

        self.edit("experiment.json", swept)
        self.edit("summary.json", rows)
        text = self.page()
        fastest = order.index("halos K=32 & α=¼")
        self.assertIn(f"halos local_steps={fastest} is first to validation accuracy ≥ 0.85", text)


class Refusals(Directory):
    """What is no complete set of results ends with exit code 2, one line that says why, and no page."""

    def refused(self, *words, folder=None):
        code, output, errors = write_report(folder or self.folder)
        self.assertEqual((code, output), (2, ""))
        self.assertEqual(len(errors.splitlines()), 1, errors)
        self.assertTrue(errors.startswith("report.py: "), errors)
        for word in words:
            self.assertIn(word, errors)
        self.assertFalse((self.folder / "report.html").exists())

    def first_run(self):
        return min((self.folder / "runs").iterdir())

    def test_no_such_folder(self):
        self.refused("no such folder", folder=self.folder / "nowhere")

    def test_a_file(self):
        self.refused("is a file", folder=self.folder / "summary.csv")

    def test_an_empty_folder(self):
        (self.folder / "empty").mkdir()
        self.refused("holds no results", "sim run FILE --out", folder=self.folder / "empty")

    def test_the_folder_of_one_run(self):
        self.refused("is a single run", folder=self.first_run())

    def test_shards_that_were_not_collected(self):
        (self.folder / "experiment.json").unlink()
        self.refused("sim collect")

    def test_missing_runs(self):
        shutil.rmtree(self.first_run())
        self.refused("1 of 24 runs are missing", "seed", "call `sim run` again")

    def test_a_run_without_metrics(self):
        (self.first_run() / "metrics.csv").unlink()
        self.refused("metrics.csv is missing")

    def test_a_missing_summary(self):
        (self.folder / "summary.json").unlink()
        self.refused("summary.json is missing")

    def test_a_file_that_was_cut_off(self):
        path = self.folder / "summary.json"
        path.write_text(path.read_text()[:1000])
        self.refused("summary.json is not valid JSON", "cut off")

    def test_no_points(self):
        self.edit("experiment.json", lambda e: e.update(points=[]))
        self.refused("lists no runs")

    def test_another_schema_version(self):
        self.edit("experiment.json", lambda e: e.update(schema_version=2))
        self.refused("schema_version 2", "reads 1")

    def test_a_summary_of_another_experiment(self):
        self.edit("summary.json", lambda s: s["rows"][0].update(run_id="0000000000000000"))
        self.refused("do not belong together")

    def test_a_summary_csv_of_another_experiment(self):
        path = self.folder / "summary.csv"
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:-1]))
        self.refused("summary.csv", "different runs")

    def test_runs_of_different_builds(self):
        path = (self.first_run() / "result.json").relative_to(self.folder)
        self.edit(path, lambda r: r["identity"].update(results_version=2))
        self.refused("mixes runs of builds", "results_version 1", "results_version 2")

    def test_a_run_in_the_wrong_folder(self):
        runs = sorted((self.folder / "runs").iterdir())
        shutil.copy(runs[0] / "result.json", runs[1] / "result.json")
        self.refused("mixed results")

    def test_a_wrong_command_line(self):
        ended = subprocess.run([str(SCRIPT)], stderr=subprocess.PIPE, text=True, check=False)
        self.assertEqual((ended.returncode, ended.stderr), (2, "usage: report.py DIR\n"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
