"""Tests how plots pick rows, sizes, quartiles and values from a run. Needs no matplotlib."""

import unittest

import runs
from plots import catalogue, compare, heatmap, ideas, ladder, pick, results, roofline, samples, shapes, sizes, timeline
from plots.program import Refused


def refusal(plot, run, **options):
    try:
        catalogue.PLOTS[plot].shown(run, **options)
    except Refused as refused:
        assert refused.code == 2, refused.code
        return str(refused)
    return "nothing was refused"


def simulated():
    row = runs.samples.counted_row(1, "256")
    return runs.run_of([row], machine="simulator", roofs={})


class Size(unittest.TestCase):
    def chosen(self, *rows):
        return pick.at_size(pick.timed(runs.run_of([row for some in rows for row in some])), None)[0].size

    def test_is_4096_if_no_size_has_more_kernels(self):
        self.assertEqual(self.chosen(runs.ladder_rows(3, ("256", "4096", "8192"))), (4096,) * 3)

    def test_is_the_largest_square_that_most_have_otherwise(self):
        self.assertEqual(self.chosen(runs.ladder_rows(3, ("256", "2048", "16x4096x4096"))), (2048,) * 3)
        self.assertEqual(self.chosen(runs.ladder_rows(3, ("256", "512")), runs.ladder_rows(2, ("4096",))), (512,) * 3)
        self.assertEqual(self.chosen(runs.ladder_rows(3, ("16x4096x4096",))), (16, 4096, 4096))

    def test_is_the_one_that_was_asked_for(self):
        run = runs.ladder(3, ("256", "16x4096x64"))
        self.assertEqual(pick.at_size(pick.timed(run), "16x4096x64")[0].size, (16, 4096, 64))
        for text in ("", "x", "4096x4096", "-1", "1e3", "4096x4096x4096x1", "1" * 13):
            self.assertIn("is no size: it is N, or MxNxK", refusal("ladder", run, size=text))
        self.assertEqual(
            refusal("ladder", run, size="512"), "no kernel ran at 512 in this run; there are 16x4096x64, 256"
        )


class Quartiles(unittest.TestCase):
    def test_are_those_of_the_program(self):
        # The same quartiles as in test/results/values/statistics_test.cpp: type 7 of Hyndman and Fan.
        self.assertEqual(pick.quartiles([4, 1, 3, 2]), [1.75, 2.5, 3.25])
        self.assertEqual(pick.quartiles([7.0]), [7.0] * 3)
        self.assertIsNone(pick.quartiles([]))

    def test_of_the_ratios_have_the_programs_median_in_the_recorded_run(self):
        rows = [row for row in results.read(runs.BASELINE).rows if row.reference_samples_ms]
        self.assertGreater(len(rows), 100)
        for row in rows:
            ratios, medians = pick.paired_percent(row), []
            for samples in row.samples_of_runs or [len(ratios)]:  # for several runs: the mean of their medians
                medians.append(pick.quartiles(ratios[:samples])[1])
                del ratios[:samples]
            self.assertAlmostEqual(sum(medians) / len(medians) / row.figures["percent_of_cublas"], 1, places=9, msg=row.name)


class Ladder(unittest.TestCase):
    def test_has_every_rung_in_order(self):
        for rungs in runs.LENGTHS:
            bars = ladder.shown(runs.ladder(rungs))["bars"]
            self.assertEqual([bar["name"] for bar in bars], ["0 cuBLAS", *(f"{i} rung_{i}" for i in range(1, rungs + 1))])
            self.assertEqual([bar["reference"] for bar in bars], [True] + [False] * rungs)
            self.assertEqual([bar["percent"] for bar in bars[1:]], [runs.climb(i, rungs) for i in range(1, rungs + 1)])

    def test_quartiles_are_of_the_paired_samples(self):
        bar = ladder.shown(runs.run_of([runs.timed(1, "64", 50.0)]))["bars"][0]
        for got, want in zip(bar["quartiles"], (49.5, 50.0, 51.0)):
            self.assertAlmostEqual(got, want)

    def test_says_what_has_no_figure(self):
        rows = [runs.timed(1, "64", 50.0), runs.timed(2, "64", 60.0, correct=False), runs.timed(3, "64", 60.0, doubts=["few"])]
        rows.append(runs.timed(4, "64", 50.0))
        del rows[3]["percent_of_cublas"]
        wrong, doubted, missing = ladder.shown(runs.run_of(rows))["bars"][1:]
        self.assertEqual((wrong["percent"], wrong["quartiles"], wrong["right"]), (None, None, False))
        self.assertEqual((doubted["percent"], doubted["trusted"]), (60.0, False))
        self.assertEqual((missing["percent"], missing["quartiles"], missing["right"]), (None, None, True))

    def test_takes_warm_rows_where_there_are_any(self):
        rows = [runs.timed(1, "64", 50.0), runs.timed(1, "64", 10.0, l2="cold")]
        self.assertEqual([bar["percent"] for bar in ladder.shown(runs.run_of(rows))["bars"]], [50.0])
        shown = ladder.shown(runs.run_of(rows[1:]))
        self.assertEqual([bar["percent"] for bar in shown["bars"]], [10.0])
        self.assertIn("cold L2", shown["where"])

    def test_has_the_users_kernel_too(self):
        mine = runs.timed(1, "64", 70.0, kernel="mine", set="kernel", kernel_id=None)
        shown = ladder.shown(runs.run_of([mine, runs.timed(2, "64", 50.0)]))
        self.assertEqual([bar["name"] for bar in shown["bars"]], ["2 rung_2", "mine"])

    def test_every_rung_has_its_idea(self):
        sources = [path.stem for path in (runs.ROOT / "src/kernels").glob("[0-9][0-9]_*.cu")]
        named = [f"{number:02}_{name}" for number, name in enumerate(ideas.IDEAS, 1)]
        self.assertEqual(named, sorted(source for source in sources if not source.startswith("00")))
        self.assertTrue(all(idea.kind in ("", *ideas.KINDS) for idea in ideas.IDEAS.values()))


class Roofline(unittest.TestCase):
    def test_takes_the_least_bytes_or_those_of_dram(self):
        rows = [runs.timed(1, "64", 50.0), runs.timed(2, "64", 50.0, counts={"dram_bytes": 10**9})]
        least, dram = roofline.shown(runs.run_of(rows))["points"]
        self.assertEqual((least["bytes"], least["flop_per_byte"]), ("least", 250.0))
        self.assertEqual(dram["bytes"], "DRAM")
        self.assertAlmostEqual(dram["flop_per_byte"], 25000.0 * 2.0 * 1e6 / 1e9)

    def test_needs_roofs_of_the_run(self):
        run = runs.run_of(runs.ladder_rows(1), roofs={"fp32_gflops": 60000.0})
        self.assertIn("has no roofs: context.roofs lacks copy_gbytes_per_second;", refusal("roofline", run))

    def test_refuses_figures_that_nothing_can_have(self):
        run = runs.run_of(runs.ladder_rows(1), roofs={"fp32_gflops": 1e18, "copy_gbytes_per_second": 1e18})
        self.assertIn("lacks copy_gbytes_per_second and fp32_gflops", refusal("roofline", run))
        rows = [runs.timed(1, "64", 50.0, gflops=1e18), runs.timed(2, "64", 50.0)]
        self.assertEqual([p["kernel"] for p in roofline.shown(runs.run_of(rows))["points"]], ["2 rung_2"])

    def test_leaves_out_what_is_wrong_or_has_no_figures(self):
        rows = runs.ladder_rows(3)
        del rows[1]["gflops"]
        rows[2]["correct"] = False
        rows[0]["gbytes_per_second"] = 0.0
        self.assertEqual([p["kernel"] for p in roofline.shown(runs.run_of(rows))["points"]], ["3 rung_3"])
        del rows[3]["gflops"]
        self.assertIn("'gflops'", refusal("roofline", runs.run_of(rows)))


class Shapes(unittest.TestCase):
    def test_has_each_kernels_shapes_from_the_slowest_and_their_mean(self):
        rows = [runs.timed(1, f"{m}x8x9", percent) for m, percent in ((1, 200.0), (2, 50.0), (3, 100.0))]
        rows += [runs.timed(2, "1x8x9", 150.0), runs.timed(2, "2x8x9", 60.0, correct=False)]
        shown = shapes.shown(runs.run_of(rows))
        self.assertEqual([kernel["percents"] for kernel in shown["kernels"]], [[50.0, 100.0, 200.0], [150.0]])
        self.assertEqual([kernel["mean"] for kernel in shown["kernels"]], [100.0, 150.0])
        self.assertEqual(shapes.shown(runs.run_of(rows), kernel="2")["chosen"], "2 rung_2")
        self.assertIn("no kernel '9'", refusal("shapes", runs.run_of(rows), kernel="9"))
        self.assertIn("no kernel beside cuBLAS", refusal("shapes", runs.run_of([runs.timed(1, "64", 50.0, correct=False)])))

    def test_leaves_out_batches_and_times_with_the_host(self):
        rows = [runs.timed(1, "64", 50.0), runs.timed(1, "128", 60.0, no_graph=True)]
        rows.append(runs.timed(1, "256", 70.0, batch=4, stride_a=65536, stride_b=65536, stride_c=65536))
        rows[-1]["name"] += "/batch=4"
        self.assertEqual(shapes.shown(runs.run_of(rows))["kernels"][0]["percents"], [50.0])


class Sizes(unittest.TestCase):
    def test_has_each_kernel_over_its_squares_in_order(self):
        run = runs.ladder(2, ("4096", "256", "16x256x256", "1000"))
        shown = sizes.shown(run)["kernels"]
        self.assertEqual([kernel["kernel"] for kernel in shown], ["1 rung_1", "2 rung_2"])
        self.assertEqual([point["n"] for point in shown[0]["points"]], [256, 1000, 4096])

    def test_colours_the_best_and_the_first_or_the_one_asked_for(self):
        run = runs.ladder(3, ("256", "4096"))
        shown = sizes.shown(run)
        self.assertEqual((shown["best"], shown["chosen"]), ("3 rung_3", "1 rung_1"))
        self.assertEqual(sizes.shown(run, kernel="rung_2")["chosen"], "2 rung_2")
        self.assertIn("no kernel '9'", refusal("sizes", run, kernel="9"))

    def test_needs_a_square(self):
        self.assertIn("no square product", refusal("sizes", runs.ladder(2, ("16x256x256",))))
        self.assertIn("no square product", refusal("sizes", runs.run_of([runs.timed(0, "64", 100.0)])))


class Samples(unittest.TestCase):
    def test_are_those_of_the_best_kernel_or_of_the_one_asked_for(self):
        run = runs.ladder(3, ("256", "4096"))
        self.assertEqual((samples.shown(run)["kernel"], samples.shown(run)["size"]), ("3 rung_3", [4096] * 3))
        for kernel in ("1", "rung_1", "01_rung_1"):
            shown = samples.shown(run, kernel=kernel, size="256")
            self.assertEqual((shown["kernel"], shown["size"]), ("1 rung_1", [256] * 3))
        self.assertEqual(samples.shown(run, kernel="0")["kernel"], "0 cuBLAS")
        self.assertEqual(
            refusal("samples", run, kernel="rung"),
            "this run has no kernel 'rung'; it has 00_cuBLAS, 01_rung_1, 02_rung_2, 03_rung_3",
        )

    def test_runs_stand_one_after_the_other(self):
        x, borders = samples.places([3, 2], [0.0, 1.0, 2.0, 0.0, 1.0])
        self.assertEqual(x[:3], [0.0, 1.0, 2.0])
        self.assertEqual(len(borders), 1)
        self.assertTrue(x[2] < borders[0] < x[3] < x[4], (x, borders))
        self.assertAlmostEqual(x[4] - x[3], 1.0)

    def test_without_times_they_are_numbered(self):
        self.assertEqual(samples.places([2, 2], []), ([1, 2, 3, 4], [2.5]))
        self.assertEqual(samples.places([1], [0.0]), ([0.0], []))


class Heatmap(unittest.TestCase):
    def test_is_of_the_best_kernel_or_of_the_one_asked_for(self):
        run = runs.ladder(3, ("64x128x256", "128x64x256"))
        self.assertEqual(heatmap.shown(run)["kernel"], "3 rung_3")
        self.assertEqual(heatmap.shown(run, kernel="1")["kernel"], "1 rung_1")
        self.assertIn("no kernel '0'", refusal("heatmap", run, kernel="0"))

    def test_axes(self):
        run = runs.ladder(1, ("64x128x256",))
        for axes, want in (("MxN", (64, 128, 256)), ("MxK", (64, 256, 128)), ("NxK", (128, 256, 64))):
            (cell,) = heatmap.shown(run, axes=axes)["cells"]
            self.assertEqual((cell["row"], cell["column"], cell["third"]), want)
        self.assertEqual(refusal("heatmap", run, axes="KxK"), "'KxK' are no axes: MxN, MxK, NxK are")

    def test_squares_stand_where_others_have_their_row_and_column(self):
        run = runs.ladder(1, ("64x128x64", "128x64x64", "64", "256"))
        cells = heatmap.shown(run, axes="MxN")["cells"]
        self.assertEqual([(c["row"], c["column"]) for c in cells], [(64, 64), (64, 128), (128, 64)])
        self.assertEqual(len(heatmap.shown(runs.ladder(1, ("64", "256")), axes="MxN")["cells"]), 2)

    def test_few_shapes_are_a_list_the_fastest_first(self):
        percents = {"16x64x64": 50.0, "64x16x64": 150.0, "64x64x16": 100.0, "64": 300.0}
        rows = [runs.timed(1, size, percent) for size, percent in percents.items()]
        rows.append(runs.timed(1, "16x16x64", 200.0, correct=False))
        names = [bar["name"] for bar in heatmap.shown(runs.run_of(rows))["bars"]]
        self.assertEqual(names, ["64 × 16 × 64", "64 × 64 × 16", "16 × 64 × 64", "16 × 16 × 64"])
        rows = [runs.timed(1, f"{m}x8x9", 50.0) for m in range(1, heatmap.FEW + 2)]
        self.assertEqual(len(heatmap.shown(runs.run_of(rows[1:]))["bars"]), heatmap.FEW)
        self.assertEqual(len(heatmap.shown(runs.run_of(rows))["cells"]), heatmap.FEW + 1)

    def test_squares_alone_are_a_list_too(self):
        rows = [runs.timed(1, "64", 50.0), runs.timed(1, "256", 60.0), runs.timed(1, "1x2x3", 60.0, correct=False)]
        names = [bar["name"] for bar in heatmap.shown(runs.run_of(rows))["bars"]]
        self.assertEqual(names, ["256³", "64³", "1 × 2 × 3"])

    def test_shades_are_centred_at_100(self):
        self.assertEqual(len(heatmap.SHADES), len(heatmap.EDGES) + 1)
        shades = [heatmap.shade(percent) for percent in (97.9, 98, 100, 101.9, 102)]
        self.assertEqual(shades, ["below1", "equal", "equal", "equal", "above1"])
        self.assertEqual((heatmap.shade(0.001), heatmap.shade(1e9)), ("below4", "above4"))
        for below, above in zip(heatmap.EDGES, reversed(heatmap.EDGES)):
            self.assertAlmostEqual(below * above / 1e4, 1, delta=0.003)


class Compare(unittest.TestCase):
    def test_has_the_verdicts_that_were_written_the_gravest_first(self):
        shown = compare.shown(runs.every_verdict())
        order = ["WRONG", "SLOWER", "CHANGED", "UNSURE", "FASTER", "FASTER", "SAME"]
        self.assertEqual([row["verdict"] for row in shown["rows"]], order)
        self.assertEqual(set(compare.VERDICTS), set(results.VERDICTS))
        slower = shown["rows"][1]
        self.assertEqual((slower["row"], slower["base"], slower["threshold"]), ("1 rung_1 4096³", [49.0, 50.0, 51.0], 3.0))
        self.assertAlmostEqual(slower["new"][1], 46.9)
        self.assertEqual(shown["rows"][0]["new"], [])

    def test_counts_what_is_the_same_where_there_is_much_of_it(self):
        rows = [runs.timed(i, "64", 50.0, comparison=runs.comparison("SAME" if i > 2 else "SLOWER")) for i in range(1, 61)]
        shown = compare.shown(runs.compared(rows))
        self.assertEqual((len(shown["rows"]), shown["verdicts"]), (2, {"SLOWER": 2, "SAME": 58}))

    def test_needs_a_comparison(self):
        self.assertIn("'sgemm_runner compare BASE RUN --json=FILE' writes one", refusal("compare", runs.ladder(2)))
        self.assertIn("holds no comparison", refusal("compare", runs.compared(runs.ladder_rows(2))))


class Timeline(unittest.TestCase):
    def test_has_a_bar_for_each_span_in_the_order_of_time(self):
        product = runs.distributed(size="64x128x256", grid=(1, 2), panels=3, seconds=1.0)
        for process in product["processes"]:
            process["spans"].reverse()
        shown = timeline.shown(runs.of_products(product))
        self.assertEqual((shown["size"], shown["grid"], shown["panels"]), ([64, 128, 256], [1, 2], 3))
        self.assertEqual([process["rank"] for process in shown["processes"]], [0, 1])
        for process, of_file in zip(shown["processes"], product["processes"]):
            spans = sorted(of_file["spans"], key=lambda span: span["begin_s"])
            for lane, is_product in (("products", True), ("messages", False)):
                wanted = [(one["panel"], one["panel"], one["begin_s"], one["end_s"]) for one in spans if one["is_product"] == is_product]
                self.assertEqual(len(wanted), 3)
                self.assertEqual([tuple(bar.values()) for bar in process[lane]], wanted)
        self.assertEqual((shown["end"], shown["joined"], shown["left_out"]), (1.005, False, 0))

    def test_is_of_the_largest_product_or_of_the_one_asked_for(self):
        run = runs.of_products(*(runs.distributed(size=size) for size in ("256", "128x1024x512", "200")))
        self.assertEqual(timeline.shown(run)["size"], [128, 1024, 512])
        self.assertEqual(timeline.shown(run, size="256")["size"], [256] * 3)
        said = "no distributed product of this run is 512; there are 128x1024x512, 200, 256"
        self.assertEqual(refusal("timeline", run, size="512"), said)
        self.assertIn("'x' is no size", refusal("timeline", run, size="x"))

    def test_needs_spans(self):
        without = runs.distributed(size="512")
        for process in without["processes"]:
            del process["spans"]
        self.assertIn("no distributed product of this run has spans", refusal("timeline", runs.of_products(without)))
        run = runs.of_products(without, runs.distributed(size="256"))
        self.assertEqual(timeline.shown(run)["size"], [256] * 3)
        self.assertIn("'mpirun -n 4 sgemm_distributed --json=FILE' makes one", refusal("timeline", runs.ladder(2)))

    def test_counts_the_processes_that_it_leaves_out(self):
        shown = timeline.shown(runs.of_products(runs.distributed(grid=(4, 5), panels=2)))
        self.assertEqual([process["rank"] for process in shown["processes"]], list(range(timeline.MOST)))
        self.assertEqual(shown["left_out"], 4)

    def test_near_spans_of_many_are_one_bar(self):
        shown = timeline.shown(runs.of_products(runs.distributed(panels=timeline.MANY)))
        self.assertFalse(shown["joined"])
        self.assertEqual(len(shown["processes"][0]["products"]), timeline.MANY)
        product = runs.distributed(panels=timeline.MANY + 1, seconds=1.0)
        for span in product["processes"][1]["spans"]:
            if span["panel"] > 60:
                span["begin_s"], span["end_s"] = span["begin_s"] + 0.1, span["end_s"] + 0.1
        shown = timeline.shown(runs.of_products(product))
        self.assertTrue(shown["joined"])
        self.assertEqual([(bar["first"], bar["last"]) for bar in shown["processes"][0]["products"]], [(0, timeline.MANY)])
        bars = shown["processes"][1]["products"]
        self.assertEqual([(bar["first"], bar["last"]) for bar in bars], [(0, 60), (61, timeline.MANY)])
        self.assertAlmostEqual(bars[1]["begin"] - bars[0]["end"], 0.1)
        self.assertEqual(shown["end"], max(span["end_s"] for process in product["processes"] for span in process["spans"]))

    def test_explains_only_figures_that_the_title_has(self):
        def figures(product, **context):
            shown = timeline.shown(runs.of_products(product, **context))
            return shown["hidden_share"], shown["efficiency"]

        self.assertEqual(figures(runs.distributed()), (0.9312, 0.953))
        self.assertEqual(figures(runs.distributed(grid=(1, 1))), (None, 0.953))
        self.assertEqual(figures(runs.distributed(efficiency=None)), (0.9312, None))
        self.assertEqual(figures(runs.distributed(correct=False)), (None, None))
        self.assertEqual(figures(runs.distributed(), machine="simulator"), (None, None))


WITHOUT = {
    "compare": "holds no comparison",
    "errors": "no row of this run has an error",
    "timeline": "this run has no distributed product",
}


class NothingToDraw(unittest.TestCase):
    def test_a_run_of_the_simulator_has_no_times(self):
        for plot in catalogue.PLOTS:
            said = refusal(plot, simulated())
            self.assertIn(WITHOUT.get(plot, "counts and no times"), said, plot)

    def test_an_empty_run(self):
        for plot in catalogue.PLOTS:
            said = refusal(plot, runs.run_of([]))
            self.assertIn(WITHOUT.get(plot, "no kernel was timed in this run"), said, plot)

    def test_rows_that_were_refused_are_none(self):
        row = runs.timed(1, "64", 50.0, skipped=True, skip_message="no such path")
        self.assertIn("no kernel was timed in this run", refusal("ladder", runs.run_of([row])))

    def test_times_without_cublas(self):
        row = runs.timed(1, "64", 50.0, reference_samples_ms=[])
        del row["percent_of_cublas"]
        for plot in ("ladder", "sizes", "heatmap", "shapes"):
            self.assertIn("no 'percent_of_cublas'", refusal(plot, runs.run_of([row])), plot)
        self.assertEqual(samples.shown(runs.run_of([row]))["reference_ms"], [])


if __name__ == "__main__":
    unittest.main()
