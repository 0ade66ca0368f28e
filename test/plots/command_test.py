"""Tests the command line of python3 -m plots in a Python that has no matplotlib."""

import itertools
import json
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import runs
from plots import catalogue

SVG = '<svg xmlns="http://www.w3.org/2000/svg"><metadata>{}</metadata></svg>'


class Command(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        # Hides any matplotlib of this Python.
        (self.folder / "path").mkdir()
        (self.folder / "path/matplotlib.py").write_text("raise ImportError('none here')\n")
        self.run_file = self.write(runs.samples.text_of(runs.samples.document(runs.ladder_rows(3))))
        self.svg = self.folder / "plot.svg"

    def write(self, text):
        path = self.folder / "run.json"
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    def call(self, *words):
        environment = {"PYTHONPATH": str(self.folder / "path"), "PATH": "/usr/bin:/bin", "COLUMNS": "130"}
        command = [sys.executable, "-B", "-m", "plots", *map(str, words)]
        return subprocess.run(command, capture_output=True, text=True, cwd=runs.ROOT, env=environment)

    def refused(self, *words, code=2):
        """Returns the one line of a call that must fail and make no file."""
        before = sorted(self.folder.rglob("*"))
        ended = self.call(*words)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (code, "", 1), ended.stderr)
        self.assertTrue(ended.stderr.startswith("plots: "), ended.stderr)
        self.assertEqual(sorted(self.folder.rglob("*")), before)
        return ended.stderr

    def test_help_lists_every_plot_and_its_options(self):
        whole = self.call("--help")
        self.assertEqual(whole.returncode, 0, whole.stderr)
        for name, module in catalogue.PLOTS.items():
            self.assertIn(f"\n    {name} ", whole.stdout)
            self.assertIn(catalogue.about(name).split(":")[0], " ".join(whole.stdout.split()))
            one = self.call(name, "--help")
            self.assertEqual(one.returncode, 0, one.stderr)
            for option in catalogue.OPTIONS:
                self.assertEqual(f"--{option} " in one.stdout, option in module.OPTIONS, f"{name} --{option}")

    def test_misuse_is_told_in_a_line(self):
        self.assertIn("required: PLOT", self.refused())
        self.assertIn("'pie'", self.refused("pie", self.run_file, "-o", self.svg))
        self.assertIn("-o/--output", self.refused("ladder", self.run_file))
        self.assertIn("--sise", self.refused("ladder", self.run_file, "-o", self.svg, "--sise", "3"))
        self.assertIn("'4x' is no size", self.refused("ladder", self.run_file, "-o", self.svg, "--size", "4x"))

    def test_a_file_that_is_no_plots(self):
        for name in ("plot.gif", "plot", "plot.svg.txt", ".svg"):
            said = self.refused("ladder", self.run_file, "-o", self.folder / name)
            self.assertIn("its name must end in .svg or .png or .pdf", said)
        self.assertIn("must end in .svg\n", self.refused("ladder", self.run_file, "-o", self.folder / "a.png", "--check"))

    def test_a_file_that_cannot_be_written(self):
        (self.folder / "there.svg").mkdir()
        self.assertIn("it is a folder", self.refused("ladder", self.run_file, "-o", self.folder / "there.svg"))
        self.assertIn("there is no folder", self.refused("ladder", self.run_file, "-o", self.folder / "nowhere/plot.svg"))
        self.assertIn("there is no folder", self.refused("ladder", self.run_file, "-o", self.svg, self.folder / "no/plot.svg"))

    def test_a_run_that_cannot_be_used(self):
        whole = self.run_file.read_text()
        newer, foreign = json.loads(whole), json.loads(whole)
        newer["context"]["schema"] = 3
        del foreign["context"]
        negative, no_number = json.loads(whole), json.loads(whole)
        no_number["benchmarks"][1]["gflops"] = float("nan")
        negative["benchmarks"][1]["samples_ms"][0] = -1.0
        refusals = (
            ("", "it is not JSON"),
            (whole[: len(whole) // 2], "it is not JSON"),
            (json.dumps(no_number), "NaN is no number"),
            (b"\xff\xfe", "it is not JSON"),
            ("{}", "it is no run of sgemm_runner"),
            ("[]", "it is no run of sgemm_runner"),
            (json.dumps(foreign), "it is no run of sgemm_runner"),
            (json.dumps(newer), "use newer scripts"),
            (json.dumps(negative), "benchmarks[1].samples_ms[0]: is not between"),
        )
        for (text, why), plot in zip(refusals, itertools.cycle(catalogue.PLOTS)):
            path = self.write(text)
            said = self.refused(plot, path, "-o", self.svg)
            self.assertIn(why, said)
            self.assertIn(f"'{path}' cannot be used", said)
        self.assertIn("cannot be read", self.refused("ladder", self.folder / "none.json", "-o", self.svg))

    def test_a_run_without_times(self):
        counted = runs.samples.document([runs.samples.counted_row(1, "256")], machine="simulator")
        path = self.write(runs.samples.text_of(counted))
        self.assertIn("counts and no times", self.refused("roofline", path, "-o", self.svg))

    def test_a_run_without_a_distributed_product(self):
        said = self.refused("timeline", self.run_file, "-o", self.svg)
        self.assertEqual(said, "plots: this run has no distributed product: 'mpirun -n 4 sgemm_distributed --json=FILE' makes one\n")

    def test_check_holds_a_timeline_against_its_product(self):
        def check(product, code):
            path = self.write(runs.samples.text_of(runs.samples.document([], distributed=[product])))
            self.assertEqual(self.call("timeline", path, "-o", self.svg, "--check").returncode, code)

        carried = json.dumps(catalogue.carried("timeline", runs.of_products(runs.distributed())))
        self.svg.write_text(SVG.format(carried))
        check(runs.distributed(), 0)
        check(runs.distributed(hidden_share=0.9), 1)

    def test_says_how_to_get_matplotlib(self):
        said = self.refused("ladder", self.run_file, "-o", self.svg)
        self.assertIn("matplotlib", said)
        self.assertIn("-m plots", said)

    def test_check_holds_a_picture_against_its_run(self):
        def carry(**options):
            return json.dumps(catalogue.carried("ladder", runs.ladder(3), **options)).replace("<", "&lt;")

        self.svg.write_text(SVG.format(carry()))
        self.assertEqual(self.call("ladder", self.run_file, "-o", self.svg, "--check").returncode, 0)
        said = self.refused("ladder", self.run_file, "-o", self.svg, "--check", "--size", "4096", code=1)
        self.assertIn("does not show the run as it is now", said)
        self.refused("sizes", self.run_file, "-o", self.svg, "--check", code=1)
        for text in ("", "<svg", SVG.format("{"), '<svg xmlns="http://www.w3.org/2000/svg"/>'):
            self.svg.write_text(text)
            self.refused("ladder", self.run_file, "-o", self.svg, "--check", code=1)
        self.svg.write_text(SVG.format(carry()))
        self.write(self.run_file.read_text().replace(str(runs.climb(2, 3)), str(runs.climb(2, 3) + 0.1)))
        self.refused("ladder", self.run_file, "-o", self.svg, "--check", code=1)
        self.assertIn("cannot be read", self.refused("ladder", self.run_file, "-o", self.folder / "none.svg", "--check"))


if __name__ == "__main__":
    unittest.main()
