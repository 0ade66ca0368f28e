#!/usr/bin/env python3
"""Runs sgemm_distributed with mpirun: results, and what it refuses.

program_test.py MPIRUN PROGRAM
"""

import os
import subprocess
import sys
import unittest

MPIRUN, PROGRAM = sys.argv[1:3]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*arguments, processes=2):
    words = [MPIRUN, "--oversubscribe", "-n", str(processes), PROGRAM, *arguments]
    return subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)


class Program(unittest.TestCase):
    def test_checks_and_times_a_product(self):
        for processes, arguments in ((2, ["--size", "70x90x110", "--trans-a", "--beta", "0.5"]), (4, ["--size", "100", "--trans-b", "--kernel", "12"])):
            done = run(*arguments, "--block", "16", "--panel", "30", processes=processes)
            self.assertEqual(done.returncode, 0, done.stderr)
            heading, names, figures = done.stdout.splitlines()
            self.assertIn("blocks of 16, panels of 30", heading)
            self.assertEqual(names.split()[-1], "correct")
            self.assertEqual(figures.split()[-1], "yes")

    def test_refuses_in_one_line(self):
        for arguments, message in {
            ("--grid", "2x2"): "--grid 2x2 has 4 processes, and mpirun started 2",
            ("--grid", "2"): "--grid is '2'; it must be PxQ, such as 2x2",
            ("--size", "100x"): "--size is '100x'; it must be N or MxNxK",
            ("--block", "0"): "--block 0 does not fit: it must be from 1 to 2147483648",
            ("--carrier", "pigeon"): "--carrier is 'pigeon'; it must be nccl or mpi",
            ("--kernel", "5"): "--kernel is '5'; it must be best, 12 or 16",
        }.items():
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                mine = [line for line in done.stderr.splitlines() if line.startswith("sgemm_distributed")]
                self.assertEqual(mine, [f"sgemm_distributed: {message}"])
                self.assertEqual(done.stdout, "")

    def test_refuses_different_arguments(self):
        words = [MPIRUN, "--oversubscribe", "-n", "1", PROGRAM, "--size", "64", ":", "-n", "1", PROGRAM, "--size", "65"]
        done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("sgemm_distributed: the processes have different arguments or versions", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
