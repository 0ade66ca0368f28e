#!/usr/bin/env python3
"""Google Benchmark's compare.py reads sgemm_bench's output, with its U test, and the runner's recorded run.

usage: compare_tool_test.py COMPARE_PY SGEMM_BENCH
"""

import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
RECORDED = ROOT / "bench/baselines/nvidia-h200.json"
COMPARE, BENCH = sys.argv[1:3]
REPETITIONS = 3
SIZE = "64x64x64"


class CompareTool(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="compare ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def compare(self, base, new, *options):
        """Returns the tool's output, and its dumped report by the rows' names."""
        dumped = self.folder / "report.json"
        ended = subprocess.run(
            [sys.executable, "-B", COMPARE, "--no-color", "-d", dumped, "benchmarks", base, new, *options],
            capture_output=True, text=True)
        self.assertEqual(ended.returncode, 0, ended.stderr + ended.stdout)
        self.assertNotIn("Traceback", ended.stderr)
        return ended.stdout, {row["name"]: row for row in json.loads(dumped.read_text())}

    def run_bench(self, name, *options):
        file = self.folder / name
        subprocess.run([BENCH, f"--sizes={SIZE}", f"--benchmark_repetitions={REPETITIONS}", f"--benchmark_out={file}", *options],
                       check=True, capture_output=True)
        return file

    def test_reads_two_runs_of_sgemm_bench_with_its_u_test(self):
        files = [self.run_bench(name) for name in ("base.json", "new.json")]
        printed, report = self.compare(*files)
        rows = {row["name"] for row in json.loads(files[0].read_text())["benchmarks"] if row["run_type"] == "iteration"}
        self.assertGreater(len(rows), 10)
        for name in rows:
            self.assertRegex(printed, rf"(?m)^{name}_pvalue +[01]\.[0-9]+ ")
            self.assertEqual(len(report[name]["measurements"]), REPETITIONS)
            self.assertEqual(report[name]["utest"]["nr_of_repetitions"], REPETITIONS)
            self.assertIn(f"{name}_median", report)

    def test_runs_sgemm_bench_itself(self):
        file = self.run_bench("base.json", "--benchmark_filter=/02_")
        printed, report = self.compare(file, BENCH, f"--sizes={SIZE}", "--benchmark_filter=/02_")
        self.assertIn(f"sgemm/02_coalesced/{SIZE}", report)
        self.assertIn("RUNNING: ", printed)

    def test_reads_the_recorded_run_of_the_runner(self):
        rows = json.loads(RECORDED.read_text())["benchmarks"]
        self.assertGreater(len(rows), 50)
        _, report = self.compare(RECORDED, RECORDED)
        for row in rows:
            measured, = report[row["name"]]["measurements"]
            self.assertEqual(report[row["name"]]["time_unit"], "us")
            for key in ("real_time", "real_time_other", "cpu_time", "cpu_time_other"):
                self.assertAlmostEqual(measured[key], 1e3 * row["median_ms"], delta=1e-9 * measured[key])
            self.assertEqual(measured["time"], 0)
        self.assertEqual(report["OVERALL_GEOMEAN"]["measurements"][0]["time"], 0)

    def test_sees_what_got_slower_in_a_run_of_the_runner(self):
        run = json.loads(RECORDED.read_text())
        slower = run["benchmarks"][7]
        for key in ("real_time", "cpu_time"):
            slower[key] *= 1.25
        file = self.folder / "slower.json"
        file.write_text(json.dumps(run))
        _, report = self.compare(RECORDED, file)
        changed = {name: row["measurements"][0]["time"] for name, row in report.items() if row["measurements"][0]["time"] != 0}
        self.assertEqual(set(changed), {slower["name"], "OVERALL_GEOMEAN"})
        self.assertAlmostEqual(changed[slower["name"]], 0.25)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
