#!/usr/bin/python3
"""The example plug-in of tests/plugin is built outside the tree's targets, and run through --plugin."""
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
SIM = Path(os.environ.get("CONVOY_BUILD_DIR", ROOT / "build")) / "bin" / "sim"
CXX = os.environ.get("CONVOY_CXX", "g++")
EXPERIMENT = {
    "name": "sparse",
    "cluster": str(ROOT / "configs/clusters/halos_4x4.json"),
    "task": {"data": "digits", "path": str(ROOT / "configs/data/digits"), "model": {"kind": "softmax_regression"}, "batch_size": 16},
    "workload": {"stand_in": "pythia-70m", "reference_batch": 16, "step_time": "238.391 ms"},
    "training": {"optimizer": {"kind": "sgd", "learning_rate": 0.05}},
    "algorithms": [{"kind": "halos"}, {"kind": "halos_top_k", "density": 0.01}],
    "stop": {"local_steps": 4000},
    "seeds": [0],
}


class Plugin(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        build = Path(cls.folder.name, "build")
        configure = ["cmake", "-S", ROOT / "tests/plugin", "-B", build, "-G", "Ninja", f"-DCONVOY={ROOT}", f"-DCMAKE_CXX_COMPILER={CXX}"]
        for command in (configure, ["cmake", "--build", build]):
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        cls.library = build / "libhalos_top_k.so"
        cls.config = Path(cls.folder.name, "sparse.json")
        cls.config.write_text(json.dumps(EXPERIMENT))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_sim(self, *arguments):
        return subprocess.run([SIM, *arguments], capture_output=True, text=True, check=False)

    def test_it_is_shorter_than_eighty_lines(self):
        self.assertLess(len((ROOT / "tests/plugin/halos_top_k.cpp").read_text().splitlines()), 80)

    def test_sparse_exchanges_send_fewer_bytes_and_the_same_elsewhere(self):
        out = Path(self.folder.name, "out")
        done = self.run_sim("run", self.config, "--plugin", self.library, "--out", out, "--quiet")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row["label"]: row for row in json.loads((out / "summary.json").read_text())["rows"] if row["run_id"]}
        results = {label: json.loads((out / "runs" / row["run_id"] / "result.json").read_text()) for label, row in rows.items()}
        streams = {label: {use["stream"]: use for use in result["network"]["streams"]} for label, result in results.items()}
        dense = streams["halos"]["local_to_global"]
        sparse = streams["halos_top_k"]["local_to_global"]
        # Pythia-70M has 70,426,624 parameters: 4 B each, or value and index (8 B) of 1 %, rounded up.
        self.assertEqual(dense["bytes"] / dense["messages"], 281_706_496)
        self.assertEqual(sparse["bytes"] / sparse["messages"], 8 * 704_267)
        back = streams["halos_top_k"]["global_to_local"]
        self.assertEqual(back["bytes"] / back["messages"], 281_706_496)
        self.assertNotEqual(rows["halos"]["digest"], rows["halos_top_k"]["digest"])

    def test_without_the_plugin_its_kind_is_unknown_and_halos_is_the_hint(self):
        done = self.run_sim("check", self.config)
        self.assertEqual(done.returncode, 2)
        self.assertIn("halos_top_k", done.stderr)

    def test_a_file_that_is_no_plugin_is_refused(self):
        done = self.run_sim("check", self.config, "--plugin", self.config)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--plugin", done.stderr)
        self.assertIn("cannot be loaded", done.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
