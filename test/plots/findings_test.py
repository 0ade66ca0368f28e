"""Tests plots/findings.py: the sentence that heads each plot, for small made-up runs. Needs no matplotlib."""

import unittest

import runs
import samples as made
from plots import compare, errors, findings, heatmap, ladder, roofline, samples, sizes, timeline


def rungs(**percents):
    """Returns a run at 4096 of rungs r1=50.0, r2=..., and of cuBLAS."""
    rows = [runs.timed(0, "4096", 100.0)]
    rows += [steady(int(name[1:]), "4096", percent) for name, percent in percents.items()]
    return runs.run_of(list(rows))


def steady(number, size, percent, **more):
    """Returns a row whose samples scatter by a thousandth."""
    samples = [100 / percent * (1 + 0.001 * i) for i in (-1, 0, 0, 0, 1)]
    return runs.timed(number, size, percent, **({"samples_ms": samples} | more))


def own(size, percent, **more):
    """Returns such a row for a user's kernel."""
    return steady(1, size, percent, kernel="mine", set="kernel", kernel_id=None, **more)


class Errors(unittest.TestCase):
    def assert_finds(self, of_rungs, sentence, reference=2e-7):
        rows = [runs.timed(0, "64x64x4096", 100.0, frobenius_error=reference, reference_frobenius_error=reference)]
        for number, error in of_rungs.items():
            rows.append(runs.timed(number, "64x64x4096", 50.0, frobenius_error=error, reference_frobenius_error=reference))
            rows.append(runs.timed(number, "64x64x64", 50.0, frobenius_error=1e-9))
        self.assertEqual(errors.shown(runs.run_of(rows))["finding"], sentence)

    def test_says_who_errs_least_at_the_largest_k(self):
        self.assert_finds({1: 4e-7, 2: 3e-7}, "Rung 2 errs least at K = 4 096, 1.5 times as much as the reference")
        self.assert_finds({1: 4e-7, 2: 1e-7}, "Rung 2 errs least at K = 4 096, 2.0 times less than the reference")
        self.assert_finds({1: 4e-7, 2: 2e-7, 3: 2.001e-7}, "Rungs 2 and 3 err least at K = 4 096, as much as the reference")

    def test_does_not_call_equal_kernels_best(self):
        self.assert_finds({1: 4e-7, 2: 4e-7}, "Rungs 1 and 2 err 2.0 times as much as the reference at K = 4 096")
        self.assert_finds({1: 4e-7}, "Rung 1 errs 2.0 times as much as the reference at K = 4 096")


class Ladder(unittest.TestCase):
    def assert_finds(self, run, sentence):
        self.assertEqual(ladder.shown(run)["finding"], sentence)

    def of(self, *rows):
        return runs.run_of(list(rows))

    def test_the_first_past_cublas_and_the_best(self):
        self.assert_finds(
            rungs(r1=1.0, r2=12.0, r3=104.5, r4=104.9),
            "Rung 3 is the first to pass cuBLAS at 4096³; rung 4 reaches 104.9 %",
        )
        self.assert_finds(rungs(r1=1.0, r2=106.0, r3=104.9), "Rung 2 is the first to pass cuBLAS at 4096³: 106.0 %")

    def test_is_the_first_only_if_all_below_it_are_known_not_to_pass(self):
        passes = "Rung 3 passes cuBLAS at 4096³: 104.5 %"
        self.assert_finds(rungs(r2=12.0, r3=104.5), passes)  # rung 1 was not timed
        rows = [steady(1, "4096", 1.0), steady(2, "4096", 12.0), steady(3, "4096", 104.5)]
        first = "Rung 3 is the first to pass cuBLAS at 4096³: 104.5 %"
        self.assert_finds(self.of(*rows), first)
        rows[1] = steady(2, "4096", 12.0, correct=False)
        self.assert_finds(self.of(*rows), passes)
        rows[1] = steady(2, "4096", 104.0, doubts=["few"])  # rung 2 might pass as well
        self.assert_finds(self.of(*rows), passes)
        rows[1] = steady(2, "4096", 12.0, doubts=["few"])
        self.assert_finds(self.of(*rows), first)

    def test_none_passes(self):
        self.assert_finds(rungs(r1=1.0, r2=91.9, r3=90.0), "Rung 2 comes closest to cuBLAS at 4096³: 91.9 %")
        self.assert_finds(rungs(r1=1.0, r2=91.88, r3=91.9), "Rungs 2 and 3 come closest to cuBLAS at 4096³: 91.9 %")
        self.assert_finds(rungs(r1=9.0, r2=9.0, r3=9.0), "3 kernels come closest to cuBLAS at 4096³: 9.0 %")

    def test_one_kernel(self):
        self.assert_finds(rungs(r3=18.8), "Rung 3 reaches 18.8 % of cuBLAS at 4096³")
        self.assert_finds(rungs(r1=0.01), "Rung 1 reaches under 0.1 % of cuBLAS at 4096³")
        self.assert_finds(rungs(r12=104.9), "Rung 12 passes cuBLAS at 4096³: 104.9 %")
        self.assert_finds(rungs(r1=104.9), "Rung 1 passes cuBLAS at 4096³: 104.9 %")

    def test_all_pass(self):
        self.assert_finds(rungs(r1=101.0, r2=103.0), "Both kernels pass cuBLAS at 4096³, rung 2 with 103.0 %")
        self.assert_finds(rungs(r1=101.0, r2=103.0, r3=102.0), "All 3 kernels pass cuBLAS at 4096³, rung 2 with 103.0 %")
        rows = [steady(1, "4096", 101.0), steady(2, "4096", 103.0), steady(3, "4096", 9.0, correct=False)]
        self.assert_finds(self.of(*rows), "Rung 2 passes cuBLAS at 4096³: 103.0 %")

    def test_what_scatters_about_cublas_is_level_with_it(self):
        for percent in (99.5, 100.5):
            row = runs.timed(1, "4096", percent)  # by one per cent and more
            self.assert_finds(self.of(row), f"Rung 1 is level with cuBLAS at 4096³: {percent} %")
        self.assert_finds(rungs(r1=100.04), "Rung 1 is level with cuBLAS at 4096³: 100.0 %")
        self.assert_finds(rungs(r1=99.96), "Rung 1 is level with cuBLAS at 4096³: 100.0 %")

    def test_a_noisy_figure_decides_nothing(self):
        noisy = steady(2, "4096", 104.9, doubts=["few"])
        self.assert_finds(self.of(steady(1, "4096", 50.0), noisy), "Rung 2 may pass cuBLAS at 4096³: 104.9 % ?")
        sure = steady(3, "4096", 101.0)
        self.assert_finds(self.of(steady(1, "4096", 50.0), noisy, sure), "Rung 3 passes cuBLAS at 4096³: 101.0 %")
        below = steady(2, "4096", 61.0, doubts=["few"])
        self.assert_finds(self.of(steady(1, "4096", 50.0), below), "Rung 2 reaches 61.0 % ? of cuBLAS at 4096³")

    def test_nothing_to_tell(self):
        self.assert_finds(rungs(), "Only cuBLAS was timed at 4096³")
        rows = [runs.timed(0, "64x128x256", 100.0), runs.timed(1, "64x128x256", 50.0, correct=False)]
        self.assert_finds(self.of(*rows), "No kernel has a right result beside cuBLAS at 64×128×256")

    def test_a_rung_below_fp32_does_not_race(self):
        below = steady(3, "4096", 300.0, below_fp32="TF32")
        self.assert_finds(self.of(steady(1, "4096", 50.0), steady(2, "4096", 104.0), below), "Rung 2 is the first to pass cuBLAS at 4096³: 104.0 %")
        self.assert_finds(self.of(steady(1, "4096", 50.0), below), "Rung 1 reaches 50.0 % of cuBLAS at 4096³")
        self.assert_finds(self.of(below), "Rung 3 (TF32) reaches 300.0 % of cuBLAS at 4096³")

    def test_a_users_kernel_has_its_name(self):
        self.assert_finds(self.of(own("64", 50.0)), "mine reaches 50.0 % of cuBLAS at 64³")
        rows = [steady(1, "64", 1.0), steady(2, "64", 104.0), own("64", 120.0)]
        self.assert_finds(self.of(*rows), "Rung 2 is the first to pass cuBLAS at 64³; mine reaches 120.0 %")
        self.assert_finds(self.of(steady(1, "64", 1.0), own("64", 120.0)), "mine passes cuBLAS at 64³: 120.0 %")
        self.assert_finds(
            self.of(steady(1, "64", 7.0), own("64", 7.0)), "Rung 1 and mine come closest to cuBLAS at 64³: 7.0 %"
        )

    def test_of_another_device(self):
        self.assert_finds(
            runs.run_of([steady(1, "256", 70.0)], device="NVIDIA RTX A6000"), "Rung 1 reaches 70.0 % of cuBLAS at 256³"
        )


class Roofline(unittest.TestCase):
    """The roofs are those of samples.document(): 4 TB/s and 60 TFLOP/s, which meet at 15 FLOP per byte."""

    def finding(self, *rows):
        return roofline.shown(runs.run_of([self.row(*row[:-1], **row[-1]) for row in rows]))["finding"]

    def row(self, number, gflops, flop_per_byte, **more):
        return runs.timed(number, "4096", 50.0, gflops=gflops, gbytes_per_second=gflops / flop_per_byte, **more)

    def test_the_share_of_the_roof_above_the_fastest(self):
        rows = [(1, 300.0, 600.0, {}), (2, 48000.0, 600.0, {}), (0, 50000.0, 600.0, {})]
        self.assertEqual(self.finding(*rows), "Rung 2 reaches 80.0 % of the speed of multiply-adds alone at 4096³")
        self.assertEqual(self.finding(rows[0], rows[2]), "Rung 1 reaches 0.5 % of the speed of multiply-adds alone at 4096³")
        self.assertEqual(self.finding(rows[2]), "cuBLAS reaches 83.3 % of the speed of multiply-adds alone at 4096³")

    def test_left_of_the_ridge_the_roof_is_a_copys(self):
        self.assertEqual(self.finding((1, 3000.0, 1.0, {})), "Rung 1 reaches 75.0 % of a copy's bandwidth at 4096³")

    def test_above_its_roof(self):
        self.assertEqual(self.finding((1, 6000.0, 1.0, {})), "Rung 1 is above its roof at 4096³: 1.50 times a copy's bandwidth")
        found = self.finding((1, 66000.0, 600.0, {}))
        self.assertEqual(found, "Rung 1 is above its roof at 4096³: 1.10 times the speed of multiply-adds alone")

    def test_a_kernel_on_tensor_cores_is_taken_only_if_there_is_no_other(self):
        rows = [(1, 48000.0, 600.0, {}), (2, 120000.0, 600.0, {})]
        self.assertEqual(self.finding(*rows), "Rung 1 reaches 80.0 % of the speed of multiply-adds alone at 4096³")

    def test_a_noisy_figure_is_taken_only_if_there_is_no_other(self):
        rows = [(1, 30000.0, 600.0, {}), (2, 48000.0, 600.0, {"doubts": ["few"]})]
        self.assertEqual(self.finding(*rows), "Rung 1 reaches 50.0 % of the speed of multiply-adds alone at 4096³")
        self.assertEqual(self.finding(rows[1]), "Rung 2 reaches 80.0 % ? of the speed of multiply-adds alone at 4096³")


class Sizes(unittest.TestCase):
    def finding(self, rows):
        return sizes.shown(runs.run_of(rows))["finding"]

    def rows(self, number, **percents):
        """Returns a rung's rows for n256=50.0 and so on."""
        return [steady(number, size[1:], percent) for size, percent in percents.items()]

    def test_passes_at_every_size(self):
        one = self.rows(1, n256=9.0, n512=9.0, n1024=150.0)
        two = self.rows(2, n256=101.0, n512=102.0, n1024=103.0)
        self.assertEqual(self.finding(one + two), "Rung 2 passes cuBLAS at every size")
        self.assertEqual(self.finding(one + two[:2]), "Rung 2 passes cuBLAS at each of its 2 sizes")
        self.assertEqual(self.finding(two), "Rung 2 passes cuBLAS at every size")

    def test_a_rung_below_fp32_does_not_race(self):
        below = [steady(2, size, 300.0, below_fp32="TF32") for size in ("256", "512")]
        self.assertEqual(self.finding(self.rows(1, n256=101.0, n512=102.0) + below), "Rung 1 passes cuBLAS at every size")
        self.assertEqual(self.finding(self.rows(1, n256=50.0, n512=60.0) + below), "No kernel passes cuBLAS; rung 1 is closest, 60.0 % at 512³")

    def test_passes_at_some(self):
        one, two = self.rows(1, n256=9.0, n512=9.0, n1024=9.0), self.rows(2, n256=101.0, n512=99.0, n1024=103.0)
        self.assertEqual(self.finding(one + two), "Rung 2 passes cuBLAS at 2 of 3 sizes")
        one += self.rows(1, n2048=9.0)
        self.assertEqual(self.finding(one + two), "Rung 2 passes cuBLAS at 2 of its 3 sizes")

    def test_a_wrong_result_passes_nowhere(self):
        rows = [*self.rows(1, n256=101.0, n512=102.0), steady(1, "1024", 103.0, correct=False)]
        self.assertEqual(self.finding(rows), "Rung 1 passes cuBLAS at 2 of 3 sizes")

    def test_a_noisy_figure_counts_as_perhaps(self):
        rows = [*self.rows(1, n256=101.0, n512=102.0), steady(1, "1024", 103.0, doubts=["few"])]
        self.assertEqual(self.finding(rows), "Rung 1 passes cuBLAS at 2 of 3 sizes, perhaps 3")
        rows = [*self.rows(1, n256=50.0, n512=50.0), steady(1, "1024", 103.0, doubts=["few"])]
        self.assertEqual(self.finding(rows), "Rung 1 may pass cuBLAS at 1024³: 103.0 % ?")

    def test_of_two_that_pass_as_often_the_faster_one_is_told(self):
        one, two = self.rows(1, n256=101.0, n512=102.0), self.rows(2, n256=110.0, n512=120.0)
        self.assertEqual(self.finding(one + two), "Rung 2 passes cuBLAS at every size")
        self.assertEqual(sizes.shown(runs.run_of(two + one))["best"], "2 rung_2")

    def test_the_one_that_passes_most_often_is_told_though_another_is_faster(self):
        one = self.rows(1, n256=101.0, n512=101.0, n1024=101.0)
        two = self.rows(2, n256=400.0, n512=400.0, n1024=9.0, n2048=9.0)
        self.assertEqual(self.finding(one + two), "Rung 1 passes cuBLAS at each of its 3 sizes")

    def test_none_passes(self):
        one, two = self.rows(1, n256=9.0, n512=97.0), self.rows(2, n256=50.0, n512=60.0)
        self.assertEqual(self.finding(one + two), "No kernel passes cuBLAS; rung 1 is closest, 97.0 % at 512³")
        self.assertEqual(self.finding(two), "Rung 2 passes cuBLAS nowhere; it is closest at 512³, 60.0 %")

    def test_of_one_size_it_is_the_ladders_finding(self):
        one, two = self.rows(1, n256=50.0), self.rows(2, n256=120.0)
        self.assertEqual(self.finding(one), "Rung 1 reaches 50.0 % of cuBLAS at 256³")
        self.assertEqual(self.finding(one + two), "Rung 2 is the first to pass cuBLAS at 256³: 120.0 %")

    def test_the_only_size_of_a_kernel(self):
        one, two = self.rows(1, n256=50.0, n512=50.0), self.rows(2, n256=120.0)
        self.assertEqual(self.finding(one + two), "Rung 2 passes cuBLAS at 256³, its only size")


class Shapes(unittest.TestCase):
    def finding(self, rows, **options):
        return heatmap.shown(runs.run_of(rows), **options)["finding"]

    def test_of_one_kernel(self):
        one = [steady(1, f"{m}x64x64", percent) for m, percent in ((1, 90.0), (2, 120.0), (3, 130.0))]
        two = [steady(2, f"{m}x64x64", 101.0) for m in (1, 2, 3)]
        self.assertEqual(self.finding(one), "Rung 1 passes cuBLAS on 2 of 3 shapes")
        self.assertEqual(self.finding(one + two), "Rung 2 passes cuBLAS on every shape")
        self.assertEqual(self.finding(one + two, kernel="1"), "Rung 1 passes cuBLAS on 2 of 3 shapes")
        self.assertEqual(self.finding(one[:1]), "Rung 1 reaches 90.0 % of cuBLAS at 1×64×64")
        slow = [steady(1, "1x64x64", 9.0), steady(1, "2x64x64", 8.0)]
        self.assertEqual(self.finding(slow), "Rung 1 passes cuBLAS nowhere; it is closest at 1×64×64, 9.0 %")
        wrong = steady(1, "4x64x64", 130.0, correct=False)
        self.assertEqual(self.finding([*one, wrong]), "Rung 1 passes cuBLAS on 2 of 4 shapes")
        self.assertEqual(self.finding([*one, wrong], axes="MxN"), "Rung 1 passes cuBLAS on 2 of 4 shapes")


class Samples(unittest.TestCase):
    def finding(self, times, **more):
        row = {"samples_ms": times, "reference_samples_ms": [1.0] * len(times)} | more
        return samples.shown(runs.run_of([runs.timed(3, "4096", 80.0, **row)]))["finding"]

    def test_how_far_they_spread(self):
        times = [1.0, 1.01, 1.02, 1.03, 1.04]  # quartiles 1.01 and 1.03, median 1.02
        self.assertEqual(self.finding(times), "The middle half of rung 3's samples at 4096³ spreads by 2.0 %")
        self.assertEqual(self.finding(times, spread=0.4), "The middle half of rung 3's samples at 4096³ spreads by 0.4 %")  # the program's own spread
        self.assertEqual(self.finding([1.0, 1.0]), "The middle half of rung 3's samples at 4096³ spreads by under 0.1 %")
        self.assertEqual(self.finding(times, doubts=["few"]), "The middle half of rung 3's samples at 4096³ spreads by 2.0 % ?")

    def test_a_single_one(self):
        self.assertEqual(self.finding([1.0]), "Rung 3 has a single sample at 4096³")

    def test_a_kernel_that_slows_down(self):
        found = samples.shown(runs.throttled())["finding"]
        self.assertEqual(found, "Rung 3 ends 21.8 % slower than it begins at 4096³; the clock fell by 18.0 %")
        times = [1.0] * 10 + [1.1] * 10
        self.assertEqual(self.finding(times), "Rung 3 ends 10.0 % slower than it begins at 4096³")
        self.assertEqual(self.finding(times[::-1]), "Rung 3 ends 9.1 % faster than it begins at 4096³")
        more = {"sample_seconds": [0.1 * i for i in range(20)]}
        steady_clock = more | {"sample_clocks_mhz": [1980.0] * 20}
        self.assertEqual(self.finding(times, **steady_clock), "Rung 3 ends 10.0 % slower than it begins at 4096³")
        unread = more | {"sample_clocks_mhz": [0.0] * 3 + [1980.0] * 17}
        self.assertEqual(self.finding(times, **unread), "Rung 3 ends 10.0 % slower than it begins at 4096³")
        rising = more | {"sample_clocks_mhz": [1000.0] * 10 + [1100.0] * 10}
        self.assertTrue(self.finding(times, **rising).endswith("; the clock rose by 10.0 %"))

    def test_noise_is_no_drift(self):
        self.assertIn("spreads by", self.finding([1.0, 1.2] * 10))
        self.assertIn("spreads by", self.finding([1.0] * 10 + [1.01] * 10))
        self.assertIn("spreads by", self.finding([1.0] * 4 + [1.5] * 4))  # too few
        self.assertIn("spreads by", self.finding([1.0, 1.0, 1.3, 1.3] + [1.0] * 8 + [1.0, 1.3, 1.3, 1.3]))

    def test_of_cublas_alone(self):
        run = runs.run_of([runs.timed(0, "4096", 100.0)])
        self.assertTrue(samples.shown(run)["finding"].startswith("The middle half of cuBLAS's samples at 4096³ spreads by "))


class Compare(unittest.TestCase):
    def finding(self, *verdicts):
        """Returns the finding for rungs 1, 2, ... with a verdict each, or a verdict and a change."""
        pairs = [(one, None) if isinstance(one, str) else one for one in verdicts]
        rows = [
            runs.timed(i, "64", 50.0, comparison=runs.comparison(verdict, change_percent=change))
            for i, (verdict, change) in enumerate(pairs, 1)
        ]
        return compare.shown(runs.compared(rows))["finding"]

    def test_tells_the_gravest(self):
        self.assertEqual(self.finding("SAME", "WRONG", ("SLOWER", -9.0)), "Rung 2 at 64³ is wrong")
        self.assertEqual(self.finding("WRONG", "WRONG", "SAME"), "2 of 3 rows are wrong")
        self.assertEqual(self.finding(("SLOWER", -6.2), "CHANGED", ("FASTER", 30.0)), "Rung 1 at 64³ is slower by 6.2 %")
        found = self.finding(("SLOWER", -6.2), ("SLOWER", -7.5), "SAME")
        self.assertEqual(found, "2 of 3 rows are slower, rung 2 at 64³ most, by 7.5 %")
        self.assertEqual(self.finding("SLOWER"), "Rung 1 at 64³ is slower")
        self.assertEqual(self.finding("CHANGED", "UNSURE"), "Rung 1 at 64³ has other counters, paths or launches than the base")
        self.assertEqual(self.finding("UNSURE", ("FASTER", 5.0)), "Nothing is surely slower; rung 1 at 64³ is unsure")
        found = self.finding("SAME", ("FASTER", 5.0), ("FASTER", 4.0))
        self.assertEqual(found, "Nothing is slower; 2 of 3 rows are faster, rung 2 at 64³ most, by 5.0 %")
        self.assertEqual(self.finding(("FASTER", 5.0), "SAME"), "Nothing is slower; rung 1 at 64³ is faster by 5.0 %")

    def test_nothing_changed(self):
        self.assertEqual(self.finding("SAME", "SAME"), "All 2 rows are the same as in the base")
        self.assertEqual(self.finding("SAME"), "The only row is the same as in the base")

    def test_counts_of_a_lab(self):
        none = {"base_percent": None, "change_percent": None, "threshold_percent": None, "p_value": None, "base_ms": None}
        rows = runs.samples.lab_rows("transpose", 20, "simulator", comparison=runs.comparison("CHANGED", **none))[:1]
        found = compare.shown(runs.compared(rows))["finding"]
        self.assertEqual(found, "transpose/1/rows=20 has other counters, paths or launches than the base")


class Timeline(unittest.TestCase):
    def finding(self, machine="cuda", **product):
        return timeline.shown(runs.of_products(runs.distributed(**product), machine=machine))["finding"]

    def test_how_much_lies_behind_products_and_the_efficiency(self):
        found = "93.1 % of the messages' time lies behind products at 65536³"
        self.assertEqual(self.finding(), f"{found}; the efficiency of 4 GPUs is 95.3 %")
        self.assertEqual(self.finding(efficiency=None), found)
        found = "Under 0.1 % of the messages' time lies behind products at 64×128×256"
        self.assertEqual(self.finding(size="64x128x256", hidden_share=0.0, efficiency=None), found)

    def test_a_file_that_does_not_tell_it(self):
        self.assertEqual(self.finding(grid=(1, 2), hidden_share=None, efficiency=None), "A product at 65536³ on 2 GPUs")

    def test_one_process_needs_no_messages(self):
        found = "No messages are needed at 65536³; the efficiency of 1 GPU is 99.0 %"
        self.assertEqual(self.finding(grid=(1, 1), hidden_share=1.0, efficiency=0.99), found)

    def test_a_wrong_product(self):
        self.assertEqual(self.finding(correct=False), "The product of 4 GPUs at 65536³ is wrong")

    def test_simulated_gpus(self):
        found = "A product at 64³ on 4 simulated GPUs; its times tell nothing about real ones"
        self.assertEqual(self.finding(machine="simulator", size="64"), found)
        found = "The product of 4 simulated GPUs at 64³ is wrong"
        self.assertEqual(self.finding(machine="simulator", size="64", correct=False), found)


class OfTraffic(unittest.TestCase):
    @staticmethod
    def rows(*sectors):
        return runs.run_of(
            [made.counted_row(i + 1, "64", kernel=f"rung_{i + 1}", global_sectors=n) for i, n in enumerate(sectors)],
            machine="simulator",
        ).rows

    def test_names_the_lowest_of_those_that_move_the_fewest(self):
        self.assertEqual(findings.of_traffic(self.rows(800, 100, 100)), "Rung 2 moves 8.0 times fewer sectors than rung 1 at 64³")
        self.assertEqual(findings.of_traffic(self.rows(2000, 100)), "Rung 2 moves 20 times fewer sectors than rung 1 at 64³")

    def test_claims_nothing_where_there_is_no_difference(self):
        self.assertEqual(findings.of_traffic(self.rows(100, 101)), "No kernel moves clearly fewer sectors than rung 1 at 64³")
        self.assertEqual(findings.of_traffic(self.rows(1200)), "Rung 1 moves 1 200 sectors at 64³")


if __name__ == "__main__":
    unittest.main()
