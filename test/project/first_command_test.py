#!/usr/bin/env python3
"""Tests every subcommand as the first command of a fresh clone: with the programs that are built with its own, and no others.

Its argument is the build folder. (launcher_test.py tests which program ./sgemm_runner builds for a subcommand. .ci/run builds
the sim-asan build from nothing, for a subcommand of the last program.)
"""

import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(sys.argv.pop(1)).resolve()

# A line for each subcommand. {folder} is a learner's folder, with exercise 2 in it as it is given; {run} is a saved run.
LINES = {
    "list": "list",
    "table": "table {run}",
    "lab": "lab copy_stride --elements 1024",
    "show": "show 2",
    "playground": "playground --output {folder}/playground.html",
    "profile": "profile 2",
    "sass": "sass 2",
    "ptx": "ptx 2",
    "save": "save {folder}/saved.json 1 --size 32",
    "compare": "compare {run} --only 1",
    "learn": "learn --verify copy_stride",
    "check": "check 2 --folder {folder}",
    "hint": "hint 2 --folder {folder}",
    "solution": "solution 2 --folder {folder}",
    "reset": "reset 2 --folder {folder}",
    "progress": "progress --folder {folder}",
    "bench": "bench --sizes=32 --benchmark_filter=naive --benchmark_min_time=0.001",
}
ENDS = {"check": 1}  # exit codes; other subcommands end with 0


def subcommands():
    """Returns each subcommand with the program behind it, from the table of subcommands."""
    table = (ROOT / "src/runner/request/subcommands.def").read_text()
    return dict(re.findall(r"^SUBCOMMAND\((\w+), (\w+),", table, re.MULTILINE))


def built_with(program):
    inputs = subprocess.run(["ninja", "-C", BUILD, "-t", "inputs", program], capture_output=True, text=True, check=True).stdout
    return {program} | {pathlib.Path(line).name for line in inputs.splitlines() if line.startswith("bin/")}


class FirstCommand(unittest.TestCase):
    def test_each_subcommand_has_a_line_here(self):
        self.assertEqual(sorted(LINES), sorted(subcommands()))

    def test_each_finds_what_it_calls(self):
        for subcommand, program in subcommands().items():
            with self.subTest(subcommand), tempfile.TemporaryDirectory(dir=BUILD, prefix="first_command.") as folder:
                fresh = pathlib.Path(folder)
                for name in built_with(program):
                    os.link(BUILD / "bin" / name, fresh / name)
                subprocess.run([BUILD / "bin/sgemm_workshop", "learn", "2", "--folder", fresh / "mine"], check=True,
                               capture_output=True)
                words = LINES[subcommand].format(folder=fresh / "mine", run=ROOT / "bench/baselines/simulator.json").split()
                done = subprocess.run([fresh / program, *words], capture_output=True, text=True)
                said = done.stdout + done.stderr
                self.assertNotRegex(said, "not found|not built|No such file")
                self.assertEqual(done.returncode, ENDS.get(subcommand, 0), said)

    def test_commands_that_fail_are_not_said_to_run(self):
        with tempfile.TemporaryDirectory(dir=BUILD, prefix="first_command.") as folder:
            alone = pathlib.Path(folder, "sgemm_workshop")
            os.link(BUILD / "bin/sgemm_workshop", alone)
            done = subprocess.run([alone, "learn", "--verify", "copy_stride"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("exit code 127", done.stdout)
        self.assertNotIn("commands of the README run", done.stdout)


if __name__ == "__main__":
    unittest.main(verbosity=2)
