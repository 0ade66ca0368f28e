"""The microseconds by which rung 12, `best` and the preloaded library choose are those that fit_times finds in the recorded times."""

import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
FIT_TIMES = sys.argv.pop()
BASELINES = ROOT / "bench/baselines"
NUMBER = re.compile(r"\d+\.\d+|\d+")


def run(*words):
    return subprocess.run([FIT_TIMES, *map(str, words)], capture_output=True, text=True)


class FitTimes(unittest.TestCase):
    def test_the_headers_are_those_of_the_recorded_times(self):
        for what, times, header in (
            ("plans", "nvidia-h200-plans.csv", "src/kernels/tuned/tile_us.hpp"),
            ("products", "nvidia-h200-shapes.csv", "src/kernels/best/tensor_us.hpp"),
            ("cublas", "nvidia-h200-shapes.csv", "src/preload/choose/cublas_us.hpp"),
        ):
            done = run(what, BASELINES / times)
            self.assertEqual(done.returncode, 0, done.stderr)
            there = (ROOT / header).read_text(encoding="utf-8")
            self.assertEqual(NUMBER.sub("#", done.stdout), NUMBER.sub("#", there), header)
            # Compilers round differently.
            for new, old in zip(NUMBER.findall(done.stdout), NUMBER.findall(there)):
                self.assertAlmostEqual(float(new), float(old), delta=2e-3 * float(old) + 1e-6, msg=header)

    def test_a_file_that_is_no_use_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            short = Path(folder) / "short.csv"
            lines = (BASELINES / "nvidia-h200-plans.csv").read_text(encoding="utf-8").splitlines(keepends=True)
            short.write_text("".join(lines[:50]), encoding="utf-8")
            for words in ((), ("plans",), ("plans", short), ("products", short), ("cublas", short), ("tiles", short), ("plans", short / "missing")):
                done = run(*words)
                self.assertEqual(done.returncode, 2, words)
                self.assertEqual(done.stdout, "", words)
                self.assertTrue("usage" in done.stderr or "too few" in done.stderr, done.stderr)


if __name__ == "__main__":
    unittest.main()
