#!/usr/bin/python3
"""The include-graph check finds each kind of forbidden arrow, and finds nothing in a tree that keeps the layers."""
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SCRIPT = Path(__file__).resolve().parents[2] / "scripts" / "include_graph.py"

# A small tree that keeps every rule.
GOOD = {
    "sim/core/time.hpp": "#pragma once\n#include <cstdint>\n",
    "sim/core/engine.hpp": '#include "core/time.hpp"\n',
    "sim/network/network.hpp": '#include "core/engine.hpp"\n',
    "sim/learning/vector.hpp": '#include "core/time.hpp"\n',
    "sim/learning/dense.cpp": '#include <Eigen/Dense>\n#include "learning/vector.hpp"\n',
    "sim/training/worker.hpp": '#include "learning/vector.hpp"\n#include "network/network.hpp"\n',
    "sim/experiment/json.cpp": '#include <nlohmann/json.hpp>\n#include "training/worker.hpp"\n',
    "sim/cli/main.cpp": '#include "algorithms/all.hpp"\n#include "experiment/run.hpp"\n#include "topologies/all.hpp"\n',
    "algorithms/all.hpp": "#pragma once\n",
    "algorithms/all.cpp": '#include "algorithms/all.hpp"\n#include "training/worker.hpp"\n',
    "algorithms/local/local_sgd.cpp": '#include "training/worker.hpp"\n#include "algorithms/parts/cycle.hpp"\n',
    "topologies/all.hpp": "#pragma once\n",
    "topologies/ring.cpp": '#include "network/network.hpp"\n',
    "topologies/import/slurm.cpp": "#include <nlohmann/json.hpp>\n",
    "tests/core/time_test.cpp": '#include "sim/cli/anything.hpp"\n',
}


def check(files):
    """Runs the script over a tree of these files; returns its exit code and its lines."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)
        ended = subprocess.run(
            [sys.executable, SCRIPT, folder], stdout=subprocess.PIPE, text=True, check=False
        )
        return ended.returncode, ended.stdout.splitlines()


class IncludeGraph(unittest.TestCase):
    def test_a_tree_that_keeps_the_layers_passes(self):
        self.assertEqual(check(GOOD), (0, ["all includes point down"]))

    def assert_caught(self, name, text, *words):
        code, lines = check({**GOOD, name: text})
        self.assertEqual(code, 1, lines)
        self.assertEqual(len(lines), 1, lines)
        for word in (name, *words):
            self.assertIn(word, lines[0])

    def test_each_forbidden_arrow_is_caught_and_named_with_file_and_line(self):
        arrows = [
            ("sim/core/x.hpp", '#include "hardware/device.hpp"', "core must not include hardware"),
            ("sim/hardware/x.hpp", '#include "network/network.hpp"', "hardware must not include network"),
            ("sim/network/x.hpp", '#include "learning/vector.hpp"', "network must not include learning"),
            ("sim/learning/x.hpp", '#include "hardware/device.hpp"', "learning must not include hardware"),
            ("sim/training/x.hpp", '#include "experiment/run.hpp"', "training must not include experiment"),
            (
                "sim/training/x.hpp",
                '#include "algorithms/parts/cycle.hpp"',
                "training must not include algorithms",
            ),
            ("sim/experiment/x.hpp", '#include "cli/progress.hpp"', "experiment must not include cli"),
            (
                "sim/experiment/x.hpp",
                '#include "topologies/ring.hpp"',
                "experiment must not include topologies",
            ),
            ("algorithms/x.cpp", '#include "network/network.hpp"', "algorithms must not include network"),
            ("algorithms/x.cpp", '#include "hardware/device.hpp"', "algorithms must not include hardware"),
            ("algorithms/x.cpp", '#include "experiment/run.hpp"', "algorithms must not include experiment"),
            ("algorithms/x.cpp", '#include "cli/progress.hpp"', "algorithms must not include cli"),
            ("algorithms/x.cpp", '#include "topologies/ring.hpp"', "algorithms must not include topologies"),
            ("algorithms/x.cpp", '#include "core/engine.hpp"', "event queue"),
            ("algorithms/x.cpp", "#include <Eigen/Core>", "Eigen"),
            ("algorithms/x.cpp", "#include <nlohmann/json.hpp>", "JSON"),
            (
                "topologies/x.cpp",
                '#include "algorithms/parts/cycle.hpp"',
                "topologies must not include algorithms",
            ),
            ("topologies/x.cpp", '#include "experiment/run.hpp"', "topologies must not include experiment"),
            ("topologies/x.cpp", '#include "cli/progress.hpp"', "topologies must not include cli"),
            ("topologies/x.cpp", "#include <nlohmann/json.hpp>", "JSON"),
            ("topologies/x.cpp", '#include "core/engine.hpp"', "event queue"),
            ("sim/core/x.hpp", "#include <nlohmann/json.hpp>", "JSON"),
            ("sim/cli/x.cpp", "#include <nlohmann/json.hpp>", "JSON"),
            ("sim/cli/x.cpp", '#include "algorithms/local/local_sgd.hpp"', "algorithms/all.hpp only"),
            ("sim/experiment/x.cpp", '#include "algorithms/all.hpp"', "only cli"),
            ("sim/training/x.hpp", '#include "topologies/all.hpp"', "only cli"),
            ("sim/core/x.cpp", "#include <doctest/doctest.h>", "tests"),
        ]
        for name, text, words in arrows:
            with self.subTest(f"{name}: {text}"):
                self.assert_caught(name, f"// a comment\n{text}\n", ":2:", words)

    def test_other_spellings_of_an_arrow_are_caught(self):
        up = '#include "../cli/main.hpp"'  # a path relative to the file, to a header that exists
        code, lines = check({**GOOD, "sim/core/x.hpp": up, "sim/cli/main.hpp": ""})
        self.assertEqual(code, 1)
        self.assertIn("core must not include cli", lines[0])
        self.assert_caught(
            "sim/core/x.hpp", "  #  include <network/network.hpp>\n", "core must not include network"
        )
        code, lines = check({**GOOD, "sim/core/x.hpp": '#include "sim/network/network.hpp"\n'})
        self.assertEqual(code, 1)
        self.assertIn("core must not include network", lines[0])

    def test_eigen_that_reaches_an_algorithm_through_our_headers_is_caught(self):
        files = {**GOOD, "sim/learning/vector.hpp": "#include <Eigen/Core>\n"}
        code, lines = check(files)
        self.assertEqual(code, 1)
        # both files of algorithms/ that include training/worker.hpp
        self.assertEqual(
            [line.split(":")[0] for line in lines], ["algorithms/all.cpp", "algorithms/local/local_sgd.cpp"]
        )
        self.assertIn("training/worker.hpp -> learning/vector.hpp -> Eigen/Core", lines[0])

    def test_commented_includes_do_not_count(self):
        text = '// #include "cli/main.hpp"\n/*\n#include "network/network.hpp"\n*/\n'
        self.assertEqual(check({**GOOD, "sim/core/x.hpp": text})[0], 0)

    def test_a_folder_that_is_no_tree_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            ended = subprocess.run(
                [sys.executable, SCRIPT, folder], stderr=subprocess.PIPE, text=True, check=False
            )
        self.assertEqual(ended.returncode, 2)
        self.assertIn("no folder sim/", ended.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
