"""Tests plots/shape_times.py: the file of times, its refusals, and groups of shapes; and what plots make of such a file. Needs no
matplotlib."""

import tempfile
import unittest
from pathlib import Path

import runs
from plots import catalogue, losses, results, shape_times, shapes
from plots.program import Refused

SOUND = """\
# NVIDIA X, 2026-11-22, commit c0ffee: bench/shapes.py --seed 7; medians in microseconds
kernel,m,n,k,us,cublas_us,below_fp32
12_stream_k,100,200,300,10.0000,12.5000,
12_stream_k,100,201,300,10.0000,8.0000,
13_tensor_tf32,100,200,300,1.0000,12.5000,TF32
best,100,200,300,5.0000,12.5000,
best,100,201,300,10.0000,9.0000,
"""


def read(content):
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "times.csv"
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return catalogue.read("shapes", path)


def refusal(content):
    """Returns the reader's message, without the file's own name."""
    try:
        read(content)
    except results.Unusable as unusable:
        return str(unusable).split(": ", 1)[1]
    return "nothing was refused"


class File(unittest.TestCase):
    def test_has_its_values(self):
        recorded = read(SOUND)
        self.assertEqual((recorded.device, recorded.date, recorded.commit, recorded.seed), ("NVIDIA X", "2026-11-22", "c0ffee", 7))
        self.assertEqual(recorded.where, "NVIDIA X, 2026-11-22, warm; the shapes of seed 7")
        first, *_ = recorded.times
        self.assertEqual((first.number, first.kernel, first.label, first.size), (12, "stream_k", "12_stream_k", (100, 200, 300)))
        self.assertEqual((first.us, first.cublas_us, first.percent, first.below_fp32), (10.0, 12.5, 125.0, ""))
        self.assertEqual(list(recorded.kernels), ["12 stream_k", "13 tensor_tf32 (TF32)", "best"])
        self.assertEqual(recorded.times[-1].label, "best")

    def test_is_written_as_it_was_read(self):
        self.assertEqual(shape_times.text_of(read(SOUND)), SOUND)

    def test_of_a_run_draws_the_plots_of_the_run(self):
        rows = [runs.timed(number, f"{m}x81x93", 60.0 + 11 * m + number) for number in (1, 2) for m in range(1, 9)]
        rows.append(runs.timed(3, "1x81x93", 900.0, below_fp32="TF32"))
        rows.append(runs.timed(4, "1x81x93", 900.0, correct=False))
        rows.append(runs.timed(0, "1x81x93", 100.0))
        run = runs.run_of(rows)
        recorded = read(shape_times.text_of(shape_times.of(run, 3)))
        self.assertEqual(list(recorded.kernels), ["1 rung_1", "2 rung_2", "3 rung_3 (TF32)"], "neither wrong ones nor cuBLAS")
        for plot in (shapes, losses):
            drawn = plot.shown(recorded)
            self.assertEqual(drawn["where"].replace("; the shapes of seed 3", ""), plot.shown(run)["where"])
            self.assertEqual(drawn | {"where": ""}, plot.shown(run) | {"where": ""})

    def test_what_is_damaged_is_refused_with_its_line(self):
        for old, new, message in (
            ("# NVIDIA", "NVIDIA", "line 1: does not say where the times come from"),
            ("--seed 7", "--seed x", "line 1: does not say"),
            ("cublas_us,", "cublas_ms,", "line 2: the columns are not kernel,m,n,k,us,cublas_us,below_fp32"),
            ("300,10.0000,12.5000,\n", "300,10.0000,12.500\n", "line 3: has 6 values, not 7"),
            ("12_stream_k,100,201", "12 stream_k,100,201", "line 4: '12 stream_k' names no kernel"),
            ("100,201,300,10.0000,8", "100,0,300,10.0000,8", "line 4: '0' is no size"),
            ("100,201,300,10.0000,8", "100,-2,300,10.0000,8", "line 4: '-2' is no size"),
            ("100,201,300,10.0000,8", "100,٣,300,10.0000,8", "line 4: '٣' is no size"),
            ("5.0000", "0.0000", "line 6: '0.0000' is no time in microseconds"),
            ("5.0000", "nan", "line 6: 'nan' is no time"),
            ("5.0000", "1e999", "line 6: '1e999' is no time"),
            ("5.0000", "", "line 6: '' is no time"),
            ("10.0000,9.0000", "20000.0000,9.0000", "line 7: 20000.0000 µs is more than 2000 times cuBLAS's 9.0000"),
            ("best,100,201", "best,100,200", "line 7: best has this shape in an earlier line, too"),
            ("9.0000,\n", "9.0", "its last line is not whole"),
            (SOUND, "", "line 1: does not say"),
            (SOUND, "\n", "line 1: does not say"),
            (SOUND, SOUND.split("\n")[0] + "\n", "line 2: the columns"),
            (SOUND, "".join(SOUND.splitlines(keepends=True)[:2]), "it has no times"),
        ):
            with self.subTest(new=new):
                self.assertEqual(SOUND.count(old), 1)
                self.assertTrue(refusal(SOUND.replace(old, new)).startswith(message), refusal(SOUND.replace(old, new)))
        self.assertIn("line 6: 'b�st' names no kernel", refusal(SOUND.encode().replace(b"best", b"b\xffst", 1)))
        self.assertEqual(refusal(b"#" * (shape_times.LONGEST_FILE + 1)), "it is too long for times of shapes")
        with self.assertRaisesRegex(results.Unusable, "nowhere.csv' cannot be read: No such file"):
            shape_times.read(Path("nowhere.csv"))

    def test_the_recorded_one_can_be_read(self):
        recorded = shape_times.read(runs.ROOT / "bench/baselines/nvidia-h200-shapes.csv")
        self.assertEqual(list(recorded.kernels), ["12 stream_k", "16 tensor_fp32"])
        self.assertGreater(len(recorded.times), 500)

    def test_other_plots_do_not_read_it(self):
        with self.assertRaisesRegex(results.Unusable, "it is not JSON"):
            catalogue.read("ladder", runs.ROOT / "bench/baselines/nvidia-h200-shapes.csv")


class Groups(unittest.TestCase):
    def test_a_summary_has_the_mean_the_worst_and_the_losses(self):
        summary = shape_times.Summary([shape_times.Time(1, "a", (m, 8, 9), 10.0, us) for m, us in ((1, 20.0), (2, 5.0), (3, 9.5))])
        self.assertAlmostEqual(summary.mean, (200.0 * 50.0 * 95.0) ** (1 / 3))
        self.assertEqual((summary.worst.size, summary.below(95), summary.below(96)), ((2, 8, 9), 1, 2))

    def test_a_shape_is_in_its_groups(self):
        for size, groups in (
            ((256, 256, 256), {"M, N, K from 64 on", "M, N, K from 256 on", "N divisible by 4, all above 64"}),
            ((256, 257, 255), {"M, N, K from 64 on", "N not divisible by 4, all above 64"}),
            ((64, 65, 65), {"M, N, K from 64 on", "M or N up to 64, K above"}),
            ((65, 64, 64), {"M, N, K from 64 on", "K up to 64", "17 to 64 columns"}),
            ((8, 16, 65), {"M or N up to 64, K above", "up to 8 rows"}),
            ((9, 8, 63), {"K up to 64", "up to 8 columns"}),
            ((9, 17, 63), {"K up to 64", "17 to 64 columns"}),
        ):
            time = shape_times.Time(1, "a", size, 1.0, 1.0)
            self.assertEqual(set(shape_times.summaries([time])), {"all"} | groups, size)

    def test_every_shape_is_of_one_kind_of_the_plot(self):
        for m in (1, 64, 65, 300):
            for n in (1, 4, 64, 65, 68, 300, 301):
                for k in (1, 64, 65, 300):
                    kinds = [kind for kind in losses.KINDS if shape_times.GROUPS[kind](m, n, k)]
                    self.assertEqual(len(kinds), 1, (m, n, k))


class Shown(unittest.TestCase):
    def test_the_best_is_the_fastest_with_the_accuracy_of_fp32(self):
        self.assertEqual(shape_times.best_kernel(read(SOUND)), "best")
        only = "".join(line for line in SOUND.splitlines(keepends=True) if not line.startswith(("12", "best")))
        self.assertEqual(shape_times.best_kernel(read(only)), "13 tensor_tf32 (TF32)")

    def test_losses_are_of_the_best_kernel_or_of_the_one_asked_for(self):
        shown = losses.shown(read(SOUND))
        self.assertEqual(shown["kernel"], "best")
        drawn = [(kind["below"], [shape["percent"] for shape in kind["shapes"]]) for kind in shown["kinds"]]
        self.assertEqual(drawn, [(0, [250.0]), (1, [90.0]), (0, []), (0, [])])
        self.assertEqual(shown["finding"], "best is below 95 % of cuBLAS on 1 of 2 shapes; it is slowest on 100×201×300, 90.0 %")
        shown = losses.shown(read(SOUND), kernel="12")
        self.assertEqual((shown["kernel"], shown["kinds"][1]["shapes"][0]["percent"]), ("12 stream_k", 80.0))
        with self.assertRaisesRegex(Refused, "no kernel '9'; it has 12_stream_k, 13_tensor_tf32, best"):
            losses.shown(read(SOUND), kernel="9")

    def test_titles_say_what_the_figures_prove(self):
        fast = SOUND.replace("10.0000,9.0000", "10.0000,9.5000")
        one = "".join(SOUND.splitlines(keepends=True)[:3])
        for plot, text, finding in (
            (shapes, SOUND, "best reaches 150.0 % of cuBLAS in the mean of 2 shapes, and less than 95 % on 1"),
            (shapes, fast, "best reaches 154.1 % of cuBLAS in the mean of 2 shapes, and 95 % or more on each"),
            (losses, fast, "best is nowhere below 95 % of cuBLAS; it is slowest on 100×201×300, 95.0 %"),
            (shapes, one, "Rung 12 reaches 125.0 % of cuBLAS on 100×200×300"),
        ):
            self.assertEqual(plot.shown(read(text))["finding"], finding)


if __name__ == "__main__":
    unittest.main()
