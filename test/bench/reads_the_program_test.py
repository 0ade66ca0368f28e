"""plots/results.py reads the files that today's sgemm_runner writes.

reads_the_program_test.py SGEMM_RUNNER
"""

import subprocess
import sys
import unittest

import samples  # noqa: F401 (where bench/ is)
from plots import results

RUNNER = sys.argv.pop(1)


class TodaysRun(unittest.TestCase):
    def test_can_be_read(self):
        output = subprocess.run([RUNNER, "0,1,12", "--size", "64,4x255x61", "--json"], check=True, stdout=subprocess.PIPE).stdout
        run = results.parse(output)
        self.assertEqual((run.context.machine, run.context.device), ("simulator", "simulated GPU"))
        self.assertTrue(run.context.date)
        self.assertEqual([row.number for row in run.rows], [0, 1, 12, 0, 1, 12])
        self.assertTrue(all(row.is_right and row.date for row in run.rows))
        reference, naive = run.rows[:2]
        self.assertEqual(reference.counts, {})
        self.assertEqual((naive.name, naive.label, naive.size), ("sgemm/01_naive/64x64x64", "01_naive", (64, 64, 64)))
        self.assertEqual(naive.sectors_per_request, {"load A": 32.0, "load B": 1.0, "store C": 32.0})
        self.assertEqual(naive.figures["load_sectors_per_request"], 16.5)
        self.assertEqual(naive.counts["load_requests"], {"A": 8192, "B": 8192})
        self.assertEqual(naive.counts["launches"], 1)
        self.assertEqual(run.rows[-1].path, "few rows, scalar")

    def test_of_a_lab_can_be_read(self):
        words = [RUNNER, "lab", "copy_stride", "--elements", "1000", "--json"]
        run = results.parse(subprocess.run(words, check=True, stdout=subprocess.PIPE).stdout)
        self.assertTrue(all(row.is_right and row.date for row in run.rows))
        first = run.rows[0]
        self.assertEqual((first.set, first.kernel, first.variant), ("lab", "copy_stride", "1"))
        self.assertEqual(first.parameters, {"elements": 1000})
        self.assertEqual(first.size, None)
        self.assertNotIn("useful_bytes", first.figures)
        self.assertEqual(first.counts["load_requests"], {"in": 32})


if __name__ == "__main__":
    unittest.main()
