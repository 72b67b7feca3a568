#!/usr/bin/python3
"""Runs the test programs of a build folder through CTest and counts their test cases.

usage: run_tests.py [--build DIR] [--fast] [FILTER]        (see scripts/test.sh, which builds first)

A test program is one CTest test. What it ran is read from what it printed:
  doctest          `[doctest] test cases: 12 | 11 passed | 1 failed | 0 skipped`
  Python unittest  `Ran 12 tests in 0.1s` and `FAILED (failures=1, errors=1, skipped=2)`
  anything else    counts as one test case, passed or failed by its exit code
A doctest case that finds a tool missing prints `MESSAGE("SKIPPED: why")` and returns: doctest calls that passed,
here it is counted and listed as skipped. A program that fails after all of its cases passed (a crash at exit,
a time-out) counts as one failure more.
"""
import argparse
import os
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ElementTree
from dataclasses import dataclass, field
from pathlib import Path

DOCTEST_SUMMARY = re.compile(
    r"\[doctest\] test cases:\s*(\d+) \|\s*(\d+) passed \|\s*(\d+) failed(?: \|\s*(\d+) skipped)?"
)
UNITTEST_RAN = re.compile(r"^Ran (\d+) tests? in ", re.MULTILINE)
UNITTEST_RESULT = re.compile(r"^(?:OK|FAILED)(?: \((.*)\))?$", re.MULTILINE)
UNITTEST_SKIP = re.compile(r"\.\.\. skipped (['\"])(.*)\1$", re.MULTILINE)
SKIP_MESSAGE = re.compile(r"\bSKIPPED: (.+)$", re.MULTILINE)
OUTPUT_LIMIT = str(64 << 20)  # CTest cuts outputs off at 1 KiB unless told otherwise


@dataclass
class Count:
    passed: int = 0
    failed: int = 0
    skipped: int = 0
    reasons: list = field(default_factory=list)  # why cases were skipped, where that was said

    def __iadd__(self, other):
        self.passed += other.passed
        self.failed += other.failed
        self.skipped += other.skipped
        self.reasons += other.reasons
        return self

    def __str__(self):
        line = f"{self.passed} passed, {self.failed} failed"
        return f"{line}, {self.skipped} skipped" if self.skipped else line


def count_output(output, ended_well, filtered=False):
    """Counts the test cases of one program from what it printed. `filtered`: doctest's own `skipped` only says
    how many cases the filter left out, so it is not counted."""
    count = Count()
    known = False
    for match in DOCTEST_SUMMARY.finditer(output):
        known = True
        count.passed += int(match[2])
        count.failed += int(match[3])
        count.skipped += 0 if filtered else int(match[4] or 0)
    ran = UNITTEST_RAN.search(output)
    if ran:
        known = True
        result = UNITTEST_RESULT.search(output, ran.end())
        tally = dict(re.findall(r"([a-z ]+)=(\d+)", result[1] or "") if result else [])
        tally = {name.strip(): int(number) for name, number in tally.items()}
        failed = tally.get("failures", 0) + tally.get("errors", 0) + tally.get("unexpected successes", 0)
        skipped = tally.get("skipped", 0)
        count.failed += failed
        count.skipped += skipped
        count.passed += max(int(ran[1]) - failed - skipped, 0)
        count.reasons += [match[2] for match in UNITTEST_SKIP.finditer(output)]
    messages = [match[1].strip() for match in SKIP_MESSAGE.finditer(output)]
    if not known:
        if ended_well:
            return Count(skipped=1, reasons=messages) if messages else Count(passed=1)
        return Count(failed=1)
    moved = min(len(messages), count.passed)
    count.passed -= moved
    count.skipped += moved
    count.reasons += messages
    if not ended_well and count.failed == 0:
        count.failed = 1
    return count


def count_junit(path):
    """Counts over the file that `ctest --output-junit` wrote."""
    total = Count()
    for case in ElementTree.parse(path).iter("testcase"):
        status = case.get("status")
        output = case.findtext("system-out") or ""
        if status == "disabled":
            total += Count(skipped=1, reasons=[f"{case.get('name')} is disabled"])
        elif status == "notrun":  # a skip return code, or a program that is not there
            skipped = case.find("skipped")
            reason = skipped.get("message", "") if skipped is not None else ""
            if reason.startswith("SKIP_"):
                said = SKIP_MESSAGE.search(output)
                total += Count(skipped=1, reasons=[said[1] if said else case.get("name")])
            else:
                print(f"{case.get('name')}: not run: {reason}")
                total += Count(failed=1)
        else:
            total += count_output(output, ended_well=status == "run")
    return total


def run_quietly(command):
    """Runs a command; prints what it said only if it failed."""
    ended = subprocess.run(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if ended.returncode != 0:
        print(ended.stdout)
    return ended


def run_ctest(build, fast, pattern):
    """Runs the selected programs two at a time; prints CTest's own output only if something failed."""
    with tempfile.TemporaryDirectory() as folder:
        junit = Path(folder, "tests.xml")
        command = [
            "ctest",
            "--test-dir",
            str(build),
            "--output-on-failure",
            "--parallel",
            "2",
            "--no-tests=error",
            "--output-junit",
            str(junit),
            "--test-output-size-passed",
            OUTPUT_LIMIT,
            "--test-output-size-failed",
            OUTPUT_LIMIT,
        ]
        command += ["--label-exclude", "^slow$"] if fast else []
        command += ["--tests-regex", pattern] if pattern else []
        ended = run_quietly(command)
        if not junit.exists():
            sys.exit(ended.returncode or 1)
        total = count_junit(junit)
    if ended.returncode != 0 and total.failed == 0:
        total.failed = 1
    return total


def run_cases(build, fast, words):
    """Runs the doctest cases whose name contains `words`, program by program."""
    total = Count()
    for program in sorted(Path(build, "bin").glob("*_tests")):
        command = [str(program), f"--test-case=*{words}*"] + (
            ["--test-case-exclude=*[slow]*"] if fast else []
        )
        ended = run_quietly(command)
        total += count_output(ended.stdout, ended.returncode == 0, filtered=True)
    return total


def names_a_program(build, pattern):
    try:
        re.compile(pattern)
    except re.error:
        return False
    listed = subprocess.run(
        ["ctest", "--test-dir", str(build), "--show-only", "--tests-regex", pattern],
        stdout=subprocess.PIPE,
        text=True,
        check=False,
    ).stdout
    return "Total Tests: 0" not in listed


def main():
    parser = argparse.ArgumentParser(prog="test.sh", description="Runs the tests; ends with a count.")
    parser.add_argument("--build", default="build", help="the build folder (default: build)")
    parser.add_argument("--fast", action="store_true", help="without what is labelled slow")
    parser.add_argument("filter", nargs="?", help="a test program's name, or words of a test case's name")
    options = parser.parse_args()

    if options.fast:
        os.environ["CONVOY_FAST"] = "1"  # test programs leave out their cases named `... [slow]`
    if options.filter and not names_a_program(options.build, options.filter):
        total = run_cases(options.build, options.fast, options.filter)
        if not total.passed + total.failed + total.skipped:
            print(f"test.sh: no test program and no test case is called '{options.filter}'", file=sys.stderr)
            sys.exit(2)
    else:
        total = run_ctest(options.build, options.fast, options.filter)

    for reason in sorted(set(total.reasons)):
        print(f"skipped: {reason}")
    print(total)
    sys.exit(1 if total.failed else 0)


if __name__ == "__main__":
    main()
