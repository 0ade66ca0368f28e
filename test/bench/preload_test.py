"""Tests bench/preload.py with stand-ins for its programs: a script that is slower or faster with the library, and logs as it does."""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CONTEXT = {"schema": 2, "machine": "cuda", "device": "a GPU", "device_detail": "sm_90", "date": "2026-11-28T00:00:00+00:00"}

# Calls take 10 us. With the library they take 5, and the shape of `slow` takes 20, also when it is measured alone if it is `slow_again`. The
# first shape is forwarded.
CALLS = """#!{python}
import json, os, sys
preloaded = os.environ.get("LD_PRELOAD") == {library!r}
if sys.argv[1] == "costs":
    print("small", 2000, 2100.5 if preloaded else 2000)
    print("tf32", 2000, 3000 if preloaded else 2000)
sizes = [line.split() for line in sys.stdin] if sys.argv[1] != "costs" else []
is_slow = lambda i: {slow_again} if len(sizes) == 1 else i == {slow}
for i, size in enumerate(sizes):
    if sys.argv[1] == "times":
        print(*size, 10, (10 if not preloaded else 20 if is_slow(i) else 5), 0.25)
if sys.argv[1] == "once":
    calls = [dict(entry="cublasSgemm_v2", m=int(m), n=int(n), k=int(k), calls=1, outcome="cuBLAS is faster" if i == 0 else "answered")
             for i, (m, n, k) in enumerate(sizes)]
    with open(os.environ["SGEMM_LADDER_LOG"], "w") as file:
        json.dump({{"context": {context!r} | {{"calls": calls}}, "benchmarks": []}}, file)
"""

# It has one of the packages.
PYTHON = """#!/bin/sh
case $2 in
  CuPy*) echo missing cupy ;;
  *) [ -n "$LD_PRELOAD" ] && echo 500 0.5 || echo 1000 0.5 ;;
esac
"""


class Preload(unittest.TestCase):
    def call(self, *words, slow=None, slow_again=False, without_library=False):
        with tempfile.TemporaryDirectory() as folder:
            library, calls = Path(folder) / "library.so", Path(folder) / "calls"
            if not without_library:
                library.touch()
            text = CALLS.format(python=sys.executable, library=str(library.resolve()), slow=slow, slow_again=slow_again, context=CONTEXT)
            calls.write_text(text, encoding="utf-8")
            python = Path(folder) / "python"
            python.write_text(PYTHON, encoding="utf-8")
            for file in (calls, python):
                file.chmod(0o755)
            command = [sys.executable, "-B", ROOT / "bench/preload.py", "--library", library, "--calls", calls, "--rounds", "1"]
            command += ["--python", python, *words]
            return subprocess.run(list(map(str, command)), capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""})

    def test_the_tables(self):
        done = self.call()
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[1], r"^ +50 +200 +200\.0 +0 +1 +0\.250   \d+x\d+x\d+$")
        self.assertEqual(lines[2], "a forwarded call (small) costs 100 ns more")
        self.assertEqual(lines[3], "a forwarded call (tf32) costs 1000 ns more: too much")
        self.assertRegex(lines[6], r"^C, cublasSgemm +10\.0 +5\.0 +200 +0\.250$")
        self.assertEqual(lines[7].split(), "CuPy a @ b skipped: Python has no cupy here".split())
        self.assertRegex(lines[8], r"^torch\.mm +1000\.0 +500\.0 +200 +0\.500$")
        self.assertEqual(len(lines), 11)

    def test_one_table(self):
        shapes, programs = self.call("shapes").stdout.splitlines(), self.call("programs").stdout.splitlines()
        self.assertEqual([shapes[0].split()[0], len(shapes)], ["shapes", 4])
        self.assertEqual([programs[0].split()[0], len(programs)], ["program,", 6])

    def test_a_slower_shape_is_measured_again_and_named(self):
        done = self.call("--count", "5", slow=3, slow_again=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = done.stdout.splitlines()
        self.assertRegex(lines[1], r"^ +5 +152 +50\.0 +1 ")
        shape = re.match(r"^slower: (\d+x\d+x\d+) at 50\.0 %$", lines[3])[1]
        self.assertEqual(lines[2], f"measured again, because they seemed slower than 97 %: {shape}")

    def test_a_shape_that_is_slow_once_is_not_named(self):
        lines = self.call("--count", "5", slow=3).stdout.splitlines()
        self.assertRegex(lines[1], r"^ +5 +200 +200\.0 +0 ")
        self.assertRegex(lines[2], r"^measured again, because they seemed slower than 97 %: \d+x\d+x\d+$")
        self.assertRegex(lines[3], r"^a forwarded call")

    def test_what_is_missing_is_named(self):
        done = self.call(without_library=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("library.so' is not there: build sgemm_ladder_cublas", done.stderr)


if __name__ == "__main__":
    unittest.main()
