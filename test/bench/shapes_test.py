"""Tests bench/shapes.py with a stand-in for sgemm_runner (stub_runner.py): its shapes, its table and its refusals."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import samples
import shapes
from plots import results, shape_times

STUB = Path(__file__).resolve().parent / "stub_runner.py"


def sizes_of(drawn, group):
    return [shape.size for shape in drawn if shape.group == group]


class Drawn(unittest.TestCase):
    def test_a_seed_has_its_shapes(self):
        self.assertEqual(shapes.draw(2, 30), shapes.draw(2, 30))
        self.assertNotEqual(shapes.draw(2, 30), shapes.draw(3, 30))

    def test_no_shape_is_drawn_twice(self):
        for seed in range(20):
            drawn = [shape.size for shape in shapes.draw(seed, 300)]
            self.assertEqual(len(drawn), len(set(drawn)))

    def test_each_group_has_its_share_and_its_range(self):
        drawn = shapes.draw(1, 300)
        counts = [len(sizes_of(drawn, group)) for group in shapes.GROUPS]
        self.assertEqual(counts, [200, 100, 60, 60, 60])
        for shape in drawn:
            few = {"M up to 64": 0, "N up to 64": 1, "K up to 64": 2}.get(shape.group)
            for place, n in enumerate(shape.size):
                least, most = (1, 64) if place == few else (64, 8192)
                self.assertTrue(least <= n <= most, shape)
        self.assertFalse([n for size in sizes_of(drawn, "multiples of 64") for n in size if n % 64])
        self.assertTrue([n for size in sizes_of(drawn, "any") for n in size if n % 64])

    def test_small_and_large_sizes_are_as_frequent(self):
        numbers = [n for size in sizes_of(shapes.draw(1, 3000), "any") for n in size]
        below_the_middle = sum(n < 724 for n in numbers) / len(numbers)  # the geometric mean of 64 and 8192
        self.assertAlmostEqual(below_the_middle, 0.5, delta=0.03)


class Measured(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.drawn = shapes.draw(7, 5)  # four of any, one of multiples, and one of each other group

    def call(self, answer, *words):
        (self.folder / "answers.json").write_text(json.dumps([answer]))
        launcher = self.folder / "runner"
        launcher.write_text(f"#!/bin/sh\nexec '{sys.executable}' -B '{STUB}' '{self.folder}' \"$@\"\n")
        launcher.chmod(0o755)
        command = [sys.executable, "-B", samples.BENCH / "shapes.py", "--seed", "7", "--count", "5", *words, "--runner", launcher]
        return subprocess.run(command, capture_output=True, text=True)

    def percents(self, label, values):
        return {f"sgemm/{label}/{shape}": {"percent_of_cublas": value} for shape, value in zip(self.drawn, values)}

    def test_the_table_has_means_and_the_worst_of_each_group(self):
        values = [50, 200, 400, 96, 99, 101, 80]
        self.assertEqual(len(self.drawn), len(values) + 1)
        rows = self.percents("02_coalesced", [*values, 120])
        done = self.call({"rows": rows}, "--kernels", "2", "--json", self.folder / "run.json")
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = {line[17:52].strip(): line[52:].split() for line in done.stdout.splitlines()[3:]}
        self.assertEqual(list(lines), list(shape_times.summaries([shape_times.Time(2, "", shape.size, 1, 1) for shape in self.drawn])))
        self.assertIn("NVIDIA X, 2026-11-22, warm; the shapes of seed 7", done.stdout)
        large = [value for shape, value in zip(self.drawn, values) if min(shape.size) >= 64]
        mean = 1
        for value in large:
            mean *= value ** (1 / len(large))
        count, of_large, *_ = lines["M, N, K from 64 on"]
        self.assertEqual((int(count), of_large), (len(large), f"{mean:.0f}"))
        self.assertEqual(lines["all"][-1], str(self.drawn[0]))  # the one of 50
        self.assertEqual(lines["all"][-4:-1], ["2", "2", "4"])  # below 90, 95 and 100
        self.assertEqual(len([row for row in results.read(self.folder / "run.json").rows if not row.is_reference]), len(self.drawn))

    def test_the_times_are_those_of_the_rows(self):
        rows = {f"sgemm/02_coalesced/{shape}": {"percent_of_cublas": 50, "median_ms": 0.004} for shape in self.drawn}
        done = self.call({"rows": rows}, "--kernels", "2", "--times", self.folder / "times.csv")
        self.assertEqual(done.returncode, 0, done.stderr)
        origin, titles, *lines = (self.folder / "times.csv").read_text().splitlines()
        self.assertEqual(origin, "# NVIDIA X, 2026-11-22, commit c0ffee: bench/shapes.py --seed 7; medians in microseconds")
        self.assertEqual(titles, ",".join(shape_times.COLUMNS))
        self.assertEqual(lines, [f"02_coalesced,{str(shape).replace('x', ',')},4.0000,2.0000," for shape in self.drawn])

    def test_a_run_without_a_shape_is_not_kept(self):
        done = self.call({"stop_at": f"sgemm/02_coalesced/{self.drawn[0]}"}, "--kernels", "2", "--json", self.folder / "run.json")
        self.assertEqual((done.returncode, done.stdout), (130, ""))
        self.assertIn("interrupted before a shape was measured", done.stderr)
        self.assertFalse((self.folder / "run.json").exists())

    def test_an_interrupted_run_shows_what_is_done(self):
        done = self.call({"stop_at": f"sgemm/02_coalesced/{self.drawn[2]}"}, "--kernels", "2")
        self.assertEqual(done.returncode, 130)
        self.assertIn(" all ", done.stdout)

    def test_no_figure_is_no_result(self):
        done = self.call({"machine": "simulator"}, "--kernels", "2")
        self.assertEqual((done.returncode, done.stdout), (77, ""))
        self.assertIn("shapes are measured on a GPU", done.stderr)
        (self.folder / "calls").unlink()
        done = self.call({}, "--kernels", "2", "--json", self.folder / "nowhere/run.json")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertFalse((self.folder / "calls").exists(), "nothing is measured that cannot be kept")

    def test_a_list_that_nobody_takes(self):
        command = [sys.executable, "-B", samples.BENCH / "shapes.py", "--list"]
        with open("/dev/full", "w") as full:
            done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True)
        self.assertEqual((done.returncode, done.stderr), (70, "shapes: cannot write the output: No space left on device\n"))
        reader, writer = os.pipe()
        os.close(reader)  # as `head` does
        done = subprocess.run(command, stdout=writer, stderr=subprocess.PIPE, text=True)
        os.close(writer)
        self.assertEqual((done.returncode, done.stderr), (141, ""))

    def test_too_few_shapes_are_refused(self):
        done = self.call({}, "--count", "4")
        self.assertEqual((done.returncode, done.stdout), (2, ""))
        self.assertIn("at least 5", done.stderr)


if __name__ == "__main__":
    unittest.main()
