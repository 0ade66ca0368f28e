"""Tests test/device/sanitize.py with stand-ins for compute-sanitizer and for the programs: how it reads the tool's output,
and how it sums up many runs."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import sanitize

CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"

MEMCHECK = """========= COMPUTE-SANITIZER
========= Invalid __global__ read of size 4 bytes
=========     at void ladder::<unnamed>::naive_kernel(ladder::Sgemm, long)+0x70 in /home/me/src/kernels/01_naive.cu:28
=========     by thread (31,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f3c7ec00000 of size 252 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========     Host Frame: [0x2dd4af]
=========                in /lib/x86_64-linux-gnu/libcuda.so.1
=========
========= Invalid __global__ read of size 4 bytes
=========     at void ladder::<unnamed>::naive_kernel(ladder::Sgemm, long)+0x70 in /home/me/src/kernels/01_naive.cu:28
=========     by thread (30,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000f8 is out of bounds
=========
========= Program hit cudaErrorLaunchFailure (error 719) due to "unspecified launch failure" on CUDA API call to cudaDeviceSynchronize.
=========     Saved host backtrace up to driver entry point at error
=========     Host Frame: [0x470076]
=========
========= Target application returned an error
========= ERROR SUMMARY: 3 errors
"""

RACECHECK = """========= COMPUTE-SANITIZER
========= Error: Race reported between Write access at tiled(float *)+0x460 in /home/me/tiled.cu:32
=========     and Read access at tiled(float *)+0x7a0 in /home/me/tiled.cu:36 [508 hazards]
=========     and Read access at tiled(float *)+0x8b0 in /home/me/tiled.cu:37 [4 hazards]
=========
========= RACECHECK SUMMARY: 1 hazard displayed (1 error, 0 warnings)
"""

INITCHECK = """========= COMPUTE-SANITIZER
========= Uninitialized __global__ memory read of size 4 bytes
=========     at add_parts(float const *)+0x70 in /home/me/stream_k_kernel.cuh:128
=========     by thread (31,0,0) in block (1,0,0)
=========     Address 0x7f3c7ec000fc
=========
========= ERROR SUMMARY: 7968 errors
========= ERROR SUMMARY: 7868 errors were not printed. Use --print-limit option to adjust the number of printed errors
"""

SYNCCHECK = """========= COMPUTE-SANITIZER
========= Barrier error detected. Divergent thread(s) in block.
=========     at __syncthreads()+0x2c8 in /usr/local/cuda/include/sm_30_intrinsics.hpp:110
=========         Device Frame: mine(float *)+0x2b0 in /home/me/mine.cu:12
=========     by thread (3,0,0) in block (0,0,0)
=========
========= ERROR SUMMARY: 1 error
"""


class ParseTest(unittest.TestCase):
    def test_a_clean_run(self):
        report = sanitize.parse("a line of the program's\n" + CLEAN)
        self.assertEqual((report.errors, report.findings), (0, []))

    def test_memcheck(self):
        report = sanitize.parse(MEMCHECK)
        self.assertEqual(report.errors, 3)
        read, hit = report.findings
        self.assertEqual((read.what, read.times), ("Invalid __global__ read of size 4 bytes", 2))
        self.assertTrue(read.where.endswith("naive_kernel(ladder::Sgemm, long) in 01_naive.cu:28"), read.where)
        self.assertTrue(hit.what.startswith("Program hit cudaErrorLaunchFailure"), hit.what)
        self.assertEqual((hit.where, hit.times), ("", 1))

    def test_racecheck_names_both_accesses(self):
        report = sanitize.parse(RACECHECK)
        self.assertEqual(report.errors, 1)
        (race,) = report.findings
        self.assertEqual(
            race.what,
            "Error: Race reported between Write access at tiled(float *) in tiled.cu:32 and Read access at tiled(float *)"
            " in tiled.cu:36 and Read access at tiled(float *) in tiled.cu:37",
        )

    def test_racecheck_without_hazards(self):
        report = sanitize.parse("========= RACECHECK SUMMARY: 0 hazards displayed (0 errors, 0 warnings)\n")
        self.assertEqual((report.errors, report.findings), (0, []))

    def test_initcheck_counts_what_was_not_printed(self):
        report = sanitize.parse(INITCHECK)
        self.assertEqual(report.errors, 7968)
        (read,) = report.findings
        self.assertEqual(read.where, "add_parts(float const *) in stream_k_kernel.cuh:128")

    def test_synccheck(self):
        report = sanitize.parse(SYNCCHECK)
        self.assertEqual(report.errors, 1)
        (barrier,) = report.findings
        self.assertEqual(barrier.what, "Barrier error detected. Divergent thread(s) in block.")
        self.assertIn("in sm_30_intrinsics.hpp:110", barrier.where)

    def test_a_run_that_was_cut_short_has_no_summary(self):
        self.assertIsNone(sanitize.parse("========= COMPUTE-SANITIZER\n").errors)


# A shell script, because a shell starts sooner than Python.
PROGRAM = """#!/bin/sh
case "$*" in
--version) echo "sgemm_runner 0.1.0 ({machine})" ;;
"list --json") echo '{rungs}' ;;
"lab --json") echo '{labs}' ;;
profile\\ *\\ --once) [ {code} = 0 ] || echo "sgemm_runner: no CUDA device to run on" >&2; exit {code} ;;
*) exit 2 ;;
esac
"""
RUNGS = [{"kernel_id": n, "kernel": kernel, "label": f"{n:02}_{kernel}"} for n, kernel in enumerate(["cuBLAS", "naive", "stream_k"])]
LABS = [{"lab": "banks", "parameters": [{"name": "elements", "counted": 8192, "odd": 8189}]}]

SANITIZER = """#!{python} -SE
import json, subprocess, sys
words = sys.argv[1:]
if words == ["--help"]:
    print("  --launch-timeout arg (=10)")
    sys.exit(0)
with open({calls!r}, "a") as file:
    file.write(json.dumps(words) + "\\n")
at = next(i for i, word in enumerate(words) if word.endswith("sgemm_workbench"))
tool, program = words[1], words[at:]
if subprocess.run(program).returncode != 0:
    sys.exit(3)
code, said = {answers!r}.get((tool, program[2]), (0, {clean!r}))
print(said, end="")
sys.exit(code)
"""


class CommandTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        (self.folder / "bin").mkdir()
        self.programs()
        self.answers({})

    def write(self, path, text):
        path.write_text(text, encoding="utf-8")
        path.chmod(0o755)

    def programs(self, machine="cuda", code=0):
        text = PROGRAM.format(machine=machine, code=code, rungs=json.dumps(RUNGS), labs=json.dumps(LABS))
        for name in ("sgemm_runner", "sgemm_workbench"):
            self.write(self.folder / "bin" / name, text)

    def answers(self, answers):
        """Sets the stand-in's answers: {(tool, kernel): (exit code, output)}."""
        self.write(
            self.folder / "compute-sanitizer",
            SANITIZER.format(python=sys.executable, calls=str(self.folder / "calls"), answers=answers, clean=CLEAN),
        )

    def sanitize(self, *words):
        command = [sys.executable, "-B", sanitize.__file__, "--build", str(self.folder)]
        if "--sanitizer" not in words:
            command += ["--sanitizer", str(self.folder / "compute-sanitizer")]
        return subprocess.run([*command, *words], capture_output=True, text=True, check=False)

    def calls(self):
        return [json.loads(line) for line in (self.folder / "calls").read_text().splitlines()]

    def test_runs_each_tool_over_each_rung_and_lab(self):
        done = self.sanitize()
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        calls = self.calls()
        self.assertEqual({call[1] for call in calls}, set(sanitize.TOOLS))
        runs = [call[call.index("profile") :] for call in calls if call[1] == "memcheck"]
        self.assertEqual(len(runs), 2 + 6 + 2, "a rung, one with kernels of its own for some shapes, a lab at two sizes")
        self.assertIn(["profile", "naive", "--size", "129x67x65", "--once"], runs)
        self.assertIn(["profile", "stream_k", "--size", "300x4x512", "--once"], runs)
        self.assertIn(["profile", "banks", "--elements", "8189", "--once"], runs)
        self.assertNotIn("cuBLAS", json.dumps(runs))
        self.assertIn("40 runs in", done.stdout)
        self.assertTrue(done.stdout.rstrip().endswith("nothing found"), done.stdout)

    def test_gives_the_options_that_this_version_knows(self):
        self.sanitize("--only", "naive at 256")
        self.assertIn("--launch-timeout", self.calls()[0])
        self.assertNotIn("--max-connections", self.calls()[0])

    def test_tells_each_finding_once(self):
        self.answers({("racecheck", "stream_k"): (86, RACECHECK), ("initcheck", "banks"): (86, INITCHECK)})
        done = self.sanitize()
        self.assertEqual(done.returncode, 1)
        self.assertIn("racecheck     10      4       6\n", done.stdout)
        self.assertEqual(done.stdout.count("Race reported between"), 1)
        self.assertIn("(6 times: 02_stream_k at 129x67x65 and 5 more)", done.stdout)
        self.assertIn("initcheck: Uninitialized __global__ memory read of size 4 bytes: add_parts", done.stdout)
        self.assertTrue(done.stdout.rstrip().endswith("not all is well"), done.stdout)

    def test_a_run_that_fails_is_not_clean(self):
        self.answers({("synccheck", "naive"): (3, "the tool could not start\n")})
        done = self.sanitize("--tool", "synccheck")
        self.assertEqual(done.returncode, 1)
        self.assertIn("01_naive at 256 ended with 3 and without a summary: the tool could not start", done.stdout)
        self.answers({("synccheck", "naive"): (9, CLEAN)})
        self.assertIn("01_naive at 256 ended with 9", self.sanitize("--tool", "synccheck").stdout)

    def test_takes_a_part(self):
        done = self.sanitize("--tool", "memcheck", "--only", "lab banks")
        self.assertIn("2 runs in", done.stdout)
        self.assertEqual(self.sanitize("--only", "nobody").returncode, 2)

    def test_keeps_what_the_tools_wrote(self):
        self.sanitize("--tool", "memcheck", "--only", "naive at 256", "--keep", str(self.folder / "logs"))
        self.assertEqual((self.folder / "logs" / "01_naive_at_256.memcheck.txt").read_text(), CLEAN)

    def test_a_run_without_end(self):
        self.answers({})
        text = (self.folder / "compute-sanitizer").read_text().replace("code, said", "import time; time.sleep(60)\ncode, said")
        (self.folder / "compute-sanitizer").write_text(text)
        done = self.sanitize("--tool", "memcheck", "--only", "naive at 256", "--seconds", "0.5")
        self.assertEqual(done.returncode, 1)
        self.assertIn("did not end in time", done.stdout)

    def test_says_what_is_missing(self):
        self.assertEqual(self.sanitize("--sanitizer", "no-such-program").returncode, 77)
        self.programs(machine="simulator")
        done = self.sanitize()
        self.assertEqual(done.returncode, 77)
        self.assertIn("--hazards", done.stderr)
        self.programs(code=77)
        done = self.sanitize()
        self.assertEqual(done.returncode, 77)
        self.assertIn("no CUDA device to run on", done.stderr)
        os.unlink(self.folder / "bin" / "sgemm_runner")
        done = self.sanitize()
        self.assertEqual(done.returncode, 77)
        self.assertIn("build it first", done.stderr)


if __name__ == "__main__":
    unittest.main()
