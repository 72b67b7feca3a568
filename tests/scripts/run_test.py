#!/usr/bin/python3
"""scripts/run.sh, with stand-ins for what it calls: what it runs, where results go, and its exit code."""
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

# Each stand-in notes its name and arguments in `calls`; sim writes a summary and ends with the code in `sim_code`.
NOTE = 'echo "$(basename "$0") $*" >> "$TREE/calls"\n'
SIM = (
    NOTE
    + """out=; previous=
for argument in "$@"; do
  case $argument in --out=*) out=${argument#--out=} ;; esac
  if [ "$previous" = --out ]; then out=$argument; fi
  previous=$argument
done
mkdir -p "$out" && touch "$out/summary.json"
exit "$(cat "$TREE/sim_code")"
"""
)


class RunScript(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree = Path(folder.name).resolve() / "tree"
        (self.tree / "scripts").mkdir(parents=True)
        shutil.copy(ROOT / "scripts/run.sh", self.tree / "scripts/run.sh")
        for name, script in [
            ("scripts/setup.sh", NOTE),
            ("scripts/build.sh", NOTE),
            ("scripts/report.py", NOTE),
            ("build/bin/sim", SIM),
        ]:
            path = self.tree / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("#!/bin/sh\n" + script)
            path.chmod(0o755)
        (self.tree / "configs/papers").mkdir(parents=True)
        for config in ("configs/quickstart.json", "configs/papers/halos.json"):
            (self.tree / config).write_text("{}")
        self.sim_ends_with(0)

    def sim_ends_with(self, code):
        (self.tree / "sim_code").write_text(str(code))

    def run_script(self, *arguments, folder=None):
        """Exit code, and the calls that were made, with the tree's path left out."""
        (self.tree / "calls").write_text("")
        ended = subprocess.run(
            [self.tree / "scripts/run.sh", *arguments],
            cwd=folder or self.tree,
            env={"TREE": str(self.tree), "PATH": "/usr/bin:/bin"},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        calls = (self.tree / "calls").read_text().replace(f"{self.tree}/", "").splitlines()
        return ended.returncode, calls

    def test_without_arguments_it_runs_quickstart(self):
        self.assertEqual(
            self.run_script(),
            (
                0,
                [
                    "setup.sh ",
                    "build.sh sim",
                    "sim run configs/quickstart.json --out runs/quickstart",
                    "report.py runs/quickstart",
                ],
            ),
        )

    def test_a_file_goes_into_runs_under_its_name_from_any_folder(self):
        code, calls = self.run_script("papers/halos.json", "--seeds", "1", folder=self.tree / "configs")
        self.assertEqual(code, 0)
        self.assertEqual(calls[2], "sim run configs/papers/halos.json --out runs/halos --seeds 1")
        self.assertEqual(calls[3], "report.py runs/halos")

    def test_options_are_passed_on_and_an_own_out_is_kept(self):
        for out in (["--out", "mine"], ["--out=mine"]):
            code, calls = self.run_script("--threads", "2", *out)
            self.assertEqual(code, 0)
            self.assertEqual(calls[2], "sim run configs/quickstart.json --threads 2 " + " ".join(out))
            self.assertEqual(calls[3], "report.py mine")

    def test_a_failed_run_is_still_reported_and_its_code_kept(self):
        for code, reported in ((1, True), (3, True), (2, False), (130, False)):
            self.sim_ends_with(code)
            ended, calls = self.run_script()
            self.assertEqual(ended, code)
            self.assertEqual(calls[-1].startswith("report.py"), reported, calls)

    def test_a_missing_file_is_refused_before_anything_is_done(self):
        self.assertEqual(self.run_script("nowhere.json"), (2, []))


if __name__ == "__main__":
    unittest.main(verbosity=2)
