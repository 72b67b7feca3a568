#!/usr/bin/python3
"""scripts/new_algorithm.sh writes algorithms and plug-ins that compile and pass as they are, and refuses what it must.

What compiles needs a finished build: CONVOY_BUILD_DIR (set by CTest) with its libraries and bin/sim.
"""
import os
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = ROOT / "scripts" / "new_algorithm.sh"
BUILD = Path(os.environ.get("CONVOY_BUILD_DIR", ROOT / "build"))
CXX = os.environ.get("CONVOY_CXX", "g++")
NOT_BUILT = f"{BUILD} holds no finished build"
# The flags of CMakeLists.txt, without optimisation: compiling is what takes the time here.
FLAGS = ["-std=c++20", "-ffp-contract=off", "-march=x86-64-v3", "-mtune=generic", "-O0", "-w"]
FLAGS += ["-fcoroutines"] if "g++" in Path(CXX).name else []
LIBRARIES = [
    "test_main",
    "experiment",
    "algorithms",
    "topologies",
    "training",
    "learning",
    "network",
    "hardware",
    "core",
]
SYSTEM_LIBRARIES = ["-lfmt", "-lboost_iostreams", "-lboost_filesystem", "-lz", "-lpthread", "-ldl"]


def is_built():
    archives = [BUILD / "lib" / f"libconvoy_{name}.a" for name in LIBRARIES]
    return (BUILD / "bin" / "sim").exists() and all(path.exists() for path in archives)


def run(*command, **more):
    return subprocess.run(
        [str(part) for part in command],
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **more,
    )


class NewAlgorithm(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.tree = self.folder / "tree"
        for part in ("algorithms", "configs"):
            shutil.copytree(ROOT / part, self.tree / part)

    def make(self, *arguments):
        return run(SCRIPT, *arguments, "--root", self.tree, cwd=self.folder)

    def passes(self, command, **more):
        ended = run(*command, **more)
        self.assertEqual(ended.returncode, 0, f"{' '.join(map(str, command))}\n{ended.stdout[-4000:]}")
        return ended.stdout

    def kinds(self):
        calls = (self.tree / "algorithms/all.cpp").read_text().splitlines()
        return [
            line.strip()[len("register_") : -len("(registry);")]
            for line in calls
            if line.startswith("  register_")
        ]

    def test_every_algorithm_of_the_tree_can_be_started_from(self):
        old = self.kinds()
        for kind in old:
            ended = self.make(f"my_{kind}", "--from", kind)
            self.assertEqual(ended.returncode, 0, ended.stdout)
        self.assertEqual(self.kinds(), sorted(old + [f"my_{kind}" for kind in old]))
        for kind in old:
            source = next((self.tree / "algorithms").glob(f"*/my_{kind}.cpp")).read_text()
            self.assertRegex(source, rf'add_algorithm\("my_{kind}"|add_mixing_algorithm<\w+>\(registry, "my_{kind}"\)')
            self.assertIn(f"void register_my_{kind}(", source)
            self.assertTrue((self.tree / f"tests/algorithms/my_{kind}_test.cpp").is_file())
            self.assertTrue((self.tree / f"configs/my_{kind}.json").is_file())
        self.passes([ROOT / "scripts" / "include_graph.py", self.tree_with_sim()])

    def tree_with_sim(self):
        (self.tree / "sim").symlink_to(ROOT / "sim")
        return self.tree

    def test_what_cannot_be_is_refused_and_nothing_is_written(self):
        before = sorted(self.folder.rglob("*"))
        for arguments, words in [
            (("Bad-Name", "--from", "halos"), "no name for an algorithm"),
            (("fresh", "--from", "halo"), 'did you mean "halos"?'),
            (("diloco", "--from", "halos"), 'there is an algorithm "diloco" already'),
            (("quickstart", "--from", "halos"), "configs/quickstart.json exists already"),
            (("fresh", "--from", "halos", "--into", "x"), "--into goes with --plugin"),
            (("fresh",), "--from"),
        ]:
            ended = self.make(*arguments)
            self.assertEqual(ended.returncode, 2, ended.stdout)
            self.assertIn(words, ended.stdout)
        self.assertEqual(sorted(self.folder.rglob("*")), before)

    @unittest.skipUnless(is_built(), NOT_BUILT)
    def test_a_new_algorithm_of_the_tree_passes_its_test_at_once(self):
        """One with a header of its own (halos) and one without: compiled with its test, linked with the build's rest."""
        for kind in ("halos", "local_sgd"):
            self.assertEqual(self.make(f"my_{kind}", "--from", kind).returncode, 0)
        self.tree_with_sim()
        (self.tree / "tests/support").symlink_to(ROOT / "tests/support")
        sources = [
            self.tree / "algorithms/all.cpp",
            *self.tree.glob("algorithms/*/my_*.cpp"),
            *self.tree.glob("tests/algorithms/my_*_test.cpp"),
            ROOT / "tests/support/run_json.cpp",
        ]
        includes = [
            f"-I{self.tree}",
            f"-I{self.tree}/sim",
            f"-I{self.tree}/tests",
            f"-I{ROOT}",
            f'-DCONVOY_SOURCE_DIR="{self.tree}"',
        ]
        objects = []
        for number, source in enumerate(sources):
            objects.append(self.folder / f"{number}.o")
            self.passes([CXX, *FLAGS, *includes, "-c", source, "-o", objects[-1]])
        archives = [BUILD / "lib" / f"libconvoy_{name}.a" for name in LIBRARIES]
        program = self.folder / "tests_of_new"
        self.passes(
            [
                CXX,
                *objects,
                "-Wl,--start-group",
                *archives,
                "-Wl,--end-group",
                *SYSTEM_LIBRARIES,
                "-o",
                program,
            ]
        )
        self.assertIn("2 passed | 0 failed", self.passes([program]))

    @unittest.skipUnless(is_built(), NOT_BUILT)
    def test_a_new_plug_in_builds_loads_and_passes_at_once(self):
        ended = self.make("my_halos", "--from", "halos", "--plugin")
        self.assertEqual(ended.returncode, 0, ended.stdout)
        plugin = self.folder / "my_halos"
        self.passes(
            [
                "cmake",
                "-S",
                plugin,
                "-B",
                plugin / "build",
                f"-DCONVOY={ROOT}",
                f"-DCONVOY_SIM={BUILD}/bin/sim",
                f"-DCMAKE_CXX_COMPILER={CXX}",
                "-DCMAKE_BUILD_TYPE=Debug",
            ]
        )
        self.passes(["cmake", "--build", plugin / "build"])
        self.assertIn(
            "100% tests passed", self.passes(["ctest", "--test-dir", plugin / "build", "--output-on-failure"])
        )


if __name__ == "__main__":
    unittest.main(verbosity=2)
