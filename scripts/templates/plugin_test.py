#!/usr/bin/python3
"""@NAME@ runs as a plug-in, and does what @FROM@ does.

usage: @NAME@_test.py SIM PLUGIN

It started as a copy, and a digest hashes all that an algorithm sees and the final parameters. Once the two differ, state
here what the paper says instead.
"""
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

SIM, PLUGIN = sys.argv[1:3]
CONFIG = Path(__file__).resolve().parent / "@NAME@.json"


class Plugin(unittest.TestCase):
    def test_it_does_what_it_was_copied_from_does(self):
        with tempfile.TemporaryDirectory() as folder:
            command = [SIM, "run", str(CONFIG), "--plugin", PLUGIN, "--out", folder, "--quiet"]
            subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
            rows = json.loads(Path(folder, "summary.json").read_text())["rows"]
        digests = {row["label"]: row["digest"] for row in rows if row["run_id"]}
        self.assertEqual(digests["@NAME@"], digests["@FROM@"])


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
