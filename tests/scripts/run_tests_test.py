#!/usr/bin/python3
"""scripts/run_tests.py counts what test programs print, over a real CTest run of stand-in programs."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "run_tests.py"
sys.path.insert(0, str(ROOT / "scripts"))

import run_tests  # noqa: E402

DOCTEST = "[doctest] test cases:  {} |  {} passed | {} failed | {} skipped\n[doctest] assertions: 9 | 9 passed | 0 failed |\n"


class CountOutput(unittest.TestCase):
    def numbers(self, output, ended_well=True, **more):
        count = run_tests.count_output(output, ended_well, **more)
        return count.passed, count.failed, count.skipped

    def test_doctest_summary_line(self):
        self.assertEqual(self.numbers(DOCTEST.format(12, 11, 1, 2), ended_well=False), (11, 1, 2))

    def test_doctest_skips_by_a_filter_are_not_counted(self):
        self.assertEqual(self.numbers(DOCTEST.format(1, 1, 0, 40), filtered=True), (1, 0, 0))

    def test_a_doctest_case_that_says_skipped_is_moved_from_passed_to_skipped(self):
        output = "net_test.cpp(12): MESSAGE: SKIPPED: no SimGrid here\n" + DOCTEST.format(3, 3, 0, 0)
        self.assertEqual(self.numbers(output), (2, 0, 1))
        self.assertEqual(run_tests.count_output(output, True).reasons, ["no SimGrid here"])

    def test_unittest_result_lines(self):
        self.assertEqual(self.numbers("Ran 12 tests in 0.1s\n\nOK\n"), (12, 0, 0))
        self.assertEqual(self.numbers("Ran 1 test in 0.1s\n\nOK (skipped=1)\n"), (0, 0, 1))
        self.assertEqual(
            self.numbers("Ran 9 tests in 1s\n\nFAILED (failures=1, errors=2, skipped=3)\n", False), (3, 3, 3)
        )
        verbose = "test_page (x.Page) ... skipped 'chromium is missing'\nRan 1 test in 1s\n\nOK (skipped=1)\n"
        self.assertEqual(run_tests.count_output(verbose, True).reasons, ["chromium is missing"])

    def test_a_program_without_a_known_summary_counts_as_one(self):
        self.assertEqual(self.numbers("all includes point down\n"), (1, 0, 0))
        self.assertEqual(self.numbers("core dumped", ended_well=False), (0, 1, 0))

    def test_a_crash_after_all_cases_passed_is_one_failure(self):
        self.assertEqual(self.numbers(DOCTEST.format(5, 5, 0, 0), ended_well=False), (5, 1, 0))


class Run(unittest.TestCase):
    """The command over a build folder with stand-in programs in place of compiled ones."""

    def build(self, programs):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        lines = []
        for name, (script, labels) in programs.items():
            program = Path(folder.name, "bin", f"{name}_tests")
            program.parent.mkdir(exist_ok=True)
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            lines.append(f'add_test({name} "{program}")')
            lines.append(f'set_tests_properties({name} PROPERTIES SKIP_RETURN_CODE 77 LABELS "{labels}")')
        Path(folder.name, "CTestTestfile.cmake").write_text("\n".join(lines))
        return folder.name

    def run_script(self, build, *arguments):
        command = [sys.executable, SCRIPT, "--build", build, *arguments]
        ended = subprocess.run(
            command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
        )
        return ended.returncode, ended.stdout.splitlines(), ended.stderr

    def says(self, total, passed, failed, skipped=0):
        return f"echo '{DOCTEST.format(total, passed, failed, skipped)}'"

    def test_a_passing_run_prints_one_line(self):
        # 100 kB of output before the summary: CTest's default limit of 1 KiB would cut the summary off
        wordy = "yes chatter | head -c 100000; " + self.says(7, 7, 0)
        build = self.build({"core": (self.says(5, 5, 0), ""), "network": (wordy, "")})
        self.assertEqual(self.run_script(build), (0, ["12 passed, 0 failed"], ""))

    def test_a_failing_run_shows_the_output_and_exits_with_1(self):
        failing = f"echo 'CHECK( 1 == 2 ) is NOT correct!'; {self.says(3, 2, 1)}; exit 1"
        build = self.build({"core": (failing, ""), "network": (self.says(4, 4, 0), "")})
        code, lines, _ = self.run_script(build)
        self.assertEqual((code, lines[-1]), (1, "6 passed, 1 failed"))
        self.assertIn("CHECK( 1 == 2 ) is NOT correct!", "\n".join(lines))

    def test_what_is_skipped_is_listed_before_the_count(self):
        build = self.build(
            {"slurm": ("echo 'SKIPPED: no slurmctld here'; exit 77", ""), "core": (self.says(2, 2, 0, 1), "")}
        )
        self.assertEqual(
            self.run_script(build), (0, ["skipped: no slurmctld here", "2 passed, 0 failed, 2 skipped"], "")
        )

    def test_a_program_that_is_not_built_fails(self):
        build = self.build({"core": (self.says(2, 2, 0), ""), "theory": ("", "")})
        Path(build, "bin", "theory_tests").unlink()
        code, lines, _ = self.run_script(build)
        self.assertEqual((code, lines[-1]), (1, "2 passed, 1 failed"))

    def test_fast_leaves_out_slow_programs(self):
        build = self.build({"core": (self.says(2, 2, 0), ""), "papers": (self.says(9, 9, 0), "slow")})
        self.assertEqual(self.run_script(build, "--fast"), (0, ["2 passed, 0 failed"], ""))

    def test_a_filter_names_programs_or_else_test_cases(self):
        # a doctest program prints how many cases its filter let through
        cases = 'case "$1" in *ring*) n=3;; *) n=0;; esac; '
        echo = 'echo "[doctest] test cases: $n | $n passed | 0 failed | 9 skipped"'
        build = self.build({"core": (self.says(2, 2, 0), ""), "network": (cases + echo, "")})
        self.assertEqual(self.run_script(build, "core"), (0, ["2 passed, 0 failed"], ""))
        code, lines, _ = self.run_script(build, "ring all-reduce")
        self.assertEqual((code, lines), (0, ["5 passed, 0 failed"]))  # the stand-in for core knows no filter

    def test_a_filter_that_matches_nothing_is_refused(self):
        build = self.build({"core": ("echo '[doctest] test cases: 0 | 0 passed | 0 failed | 9 skipped'", "")})
        code, lines, errors = self.run_script(build, "no such thing")
        self.assertEqual((code, lines), (2, []))
        self.assertIn("no such thing", errors)


if __name__ == "__main__":
    unittest.main(verbosity=2)
