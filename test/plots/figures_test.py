"""Tests the drawn plots: every series is drawn at its figures, and no label lies on another. Needs matplotlib."""

import random
import unittest

import geometry
import runs
from plots import bars, catalogue, compare, errors, findings, heatmap, labels, ladder, losses, pick, results, roofline, samples
from plots import shape_times, shapes, sizes, style, timeline
from plots.program import Refused

SIZES = ("128", "256", "1000", "1024", "2048", "4096", "8192")


class Case(unittest.TestCase):
    def assert_readable(self, figure):
        self.assertEqual(geometry.faults(figure), [])

    def texts(self, figure):
        return [text.text for text in geometry.drawn_texts(figure)]


class EveryPlot(Case):
    def test_the_recorded_run_can_be_read(self):
        run = results.read(runs.BASELINE)
        for name, module in catalogue.PLOTS.items():
            if module not in (compare, errors, timeline):
                self.assert_readable(module.draw(run))

    def test_ladders_of_any_length_can_be_read(self):
        for rungs in runs.LENGTHS:
            run = runs.ladder(rungs, SIZES)
            for module in (ladder, roofline, sizes, samples, heatmap, shapes, losses, errors):
                with self.subTest(plot=module.__name__, rungs=rungs):
                    self.assert_readable(module.draw(run))

    def test_long_names_can_be_read(self):
        rows = runs.ladder_rows(3, SIZES) + [runs.timed(4, size, 60.0, kernel=runs.LONG, doubts=["few"]) for size in SIZES]
        rows = [row | {"comparison": runs.comparison("SLOWER")} for row in rows]
        product = runs.distributed(kernel=runs.LONG, carrier=runs.LONG)
        for process in product["processes"]:
            process |= {"host": f"{process['rank']}_{runs.LONG}", "device": f"{process['rank']} {runs.LONG}"}
        run = runs.compared(rows, ["one_word_that_goes_on_and_on" * 6], distributed=[product])
        for name, module in catalogue.PLOTS.items():
            with self.subTest(plot=name):
                self.assert_readable(module.draw(run))

    def test_every_sign_of_a_name_is_taken_as_it_is(self):
        name = r"$x_1$ & <b> \alpha {%s}"
        rows = [runs.timed(1, size, 60.0, kernel=name, comparison=runs.comparison("FASTER")) for size in ("64", "64x128x64")]
        run = runs.compared(rows, [name], distributed=[runs.distributed(size="64", kernel=name)])
        for plot, module in catalogue.PLOTS.items():
            options = {"size": "64"} if "size" in module.OPTIONS else {}
            text = catalogue.svg(plot, run, **options)
            self.assertIn("$x_1$ &amp; &lt;b&gt; \\alpha {%s}", text, plot)
            self.assert_readable(module.draw(run, **options))


class Errors(Case):
    KS = ("64x64x64", "64x64x1024", "64x64x16384", "64x64x262144")

    def rows(self, **of_rung_2):
        rows = [runs.timed(i, size, 50.0) for i in range(3) for size in self.KS]
        return [row | of_rung_2 if row["kernel_id"] == 2 else row for row in rows]

    def test_lines_and_floors_are_where_the_figures_say(self):
        run = runs.run_of(self.rows(frobenius_floor=1.5e-7))
        shown = errors.shown(run)
        self.assertEqual([kernel["kernel"] for kernel in shown["kernels"]], ["1 rung_1", "2 rung_2"])
        self.assertEqual((len(shown["reference"]), shown["floors"]), (4, [1.5e-7]))
        figure = errors.draw(run)
        self.assert_readable(figure)
        (ax,) = figure.axes
        drawn = [list(line.get_ydata()) for line in ax.lines]
        self.assertIn([1.5e-7, 1.5e-7], drawn)
        for line in [kernel["points"] for kernel in shown["kernels"]] + [shown["reference"]]:
            self.assertIn([point["error"] for point in line], drawn)

    def test_a_rung_below_fp32_is_marked(self):
        figure = errors.draw(runs.run_of(self.rows(below_fp32="TF32", frobenius_error=2.5e-4)))
        self.assert_readable(figure)
        self.assertIn("2 rung_2 (TF32)", self.texts(figure))
        self.assertIn(errors.MARK, " ".join(self.texts(figure)))

    def test_each_data_has_a_plot_of_its_own(self):
        other = [row | {"data": "normal", "name": row["name"] + "/data=normal", "frobenius_error": 9e-7} for row in self.rows()]
        run = runs.run_of(self.rows() + other)
        self.assertNotIn(9e-7, [point["error"] for point in errors.shown(run)["kernels"][0]["points"]])
        self.assertEqual([point["error"] for point in errors.shown(run, "normal")["kernels"][0]["points"]], [9e-7] * 4)
        with self.assertRaisesRegex(Refused, "no row of this run has an error on special data; there are uniform, normal"):
            errors.shown(run, "special")
        self.assertEqual(len(ladder.shown(run)["bars"]), 3, "other plots leave other data out")


class Ladder(Case):
    def test_bars_and_whiskers_are_where_the_figures_say(self):
        for rungs in runs.LENGTHS:
            run = runs.ladder(rungs)
            shown = ladder.shown(run)["bars"]
            (ax,) = ladder.draw(run).axes
            self.assertEqual([bar.get_width() for bar in ax.patches], [bar["percent"] for bar in shown])
            whiskers = [line.get_xdata() for line in ax.lines if line.get_marker() == "|"]
            self.assertEqual(len(whiskers), rungs)
            for whisker, bar in zip(whiskers, shown[1:]):
                self.assertEqual(list(whisker), [bar["quartiles"][0], bar["quartiles"][2]])

    def test_values_stand_behind_their_bars_and_within_the_figure(self):
        figure = ladder.draw(results.read(runs.BASELINE))
        (ax,) = figure.axes
        texts = {text.text: text.box for text in geometry.drawn_texts(figure)}
        bars = ladder.shown(results.read(runs.BASELINE))["bars"]
        self.assertEqual(len(bars), len(ax.patches))
        for patch, bar in zip(ax.patches, bars):
            box = texts[f"{bar['percent']:.1f}{'' if bar['trusted'] else ' ?'}"]
            self.assertGreater(box.x0, patch.get_window_extent().x1)
            middle = (patch.get_window_extent().y0 + patch.get_window_extent().y1) / 2
            self.assertLess(abs((box.y0 + box.y1) / 2 - middle), 3)

    def test_what_has_no_figure_says_so(self):
        rows = [runs.timed(1, "64", 50.0), runs.timed(2, "64", 60.0, correct=False), runs.timed(3, "64", 61.0, doubts=["few"])]
        rows.append(runs.timed(4, "64", 50.0))
        del rows[3]["percent_of_cublas"]
        figure = ladder.draw(runs.run_of(rows))
        texts = self.texts(figure)
        for text in ("50.0", "wrong result", "61.0 ?", "no figure", "4 rung_4", findings.NOTE):
            self.assertIn(text, texts)
        self.assertEqual(len(figure.axes[0].patches), 2)

    def test_marks_who_passes_cublas(self):
        rows = [runs.timed(0, "64", 100.0), runs.timed(1, "64", 50.0), runs.timed(2, "64", 99.0), runs.timed(3, "64", 120.0)]
        rows.append(runs.timed(4, "64", 130.0, doubts=["few"]))
        figure = ladder.draw(runs.run_of(rows))
        self.assert_readable(figure)
        self.assertEqual(self.texts(figure).count(bars.PASSES[0]), 1)
        from matplotlib.colors import to_hex

        colors = [to_hex(bar.get_facecolor()) for bar in figure.axes[0].patches]
        roles = ("reference", "kernel", "kernel", "better", "kernel")
        self.assertEqual(colors, [style.color(role) for role in roles])
        (line,) = [line for line in figure.axes[0].lines if list(line.get_xdata()) == [100, 100]]
        self.assertEqual(line.get_color(), style.color("reference"))

    def test_the_line_at_100_crosses_no_mark(self):
        for percent, mark in ((120.0, "passes cuBLAS"), (550.0, "passes"), (9000.0, None)):
            figure = ladder.draw(runs.run_of([runs.timed(1, "64", percent)]))
            (ax,) = figure.axes
            marks = [text for text in geometry.drawn_texts(figure) if text.text in bars.PASSES]
            self.assertEqual([text.text for text in marks], [mark] if mark else [])
            for text in marks:
                self.assertLess(text.box.x1, ax.transData.transform((100, 0))[0])

    def test_the_idea_stands_beside_its_bar(self):
        rows = [runs.timed(1, "64", 50.0, kernel="naive"), runs.timed(2, "64", 60.0, kernel="coalesced")]
        rows += [runs.timed(3, "64", 70.0, kernel="of_a_user"), runs.timed(4, "64", 70.0, kernel="naive", set="kernel", kernel_id=None)]
        figure = ladder.draw(runs.run_of(rows))
        self.assert_readable(figure)
        texts = {text.text: text.box for text in geometry.drawn_texts(figure)}
        self.assertEqual([text for text in texts if "every operand" in text], ["every operand comes from memory"])
        for patch, idea in zip(figure.axes[0].patches, ("every operand comes from memory", "wider: whole sectors")):
            bar = patch.get_window_extent()
            self.assertLess(texts[idea].x1, bar.x0)
            self.assertTrue(bar.y0 - 10 < (texts[idea].y0 + texts[idea].y1) / 2 < bar.y1, idea)


class Roofline(Case):
    def test_points_lie_where_the_figures_say(self):
        for rungs in runs.LENGTHS:
            run = runs.ladder(rungs)
            figure = roofline.draw(run)
            points = roofline.shown(run)["points"]
            marks = [artist for artist, _ in geometry.tips(figure)]
            at = [(mark.get_xdata()[0], mark.get_ydata()[0]) for mark in marks]
            self.assertEqual(sorted(at), sorted((point["flop_per_byte"], point["gflops"] / 1000) for point in points))

    def test_points_are_numbered_along_the_ladder_and_the_key_names_them(self):
        rows = [*runs.ladder_rows(3), runs.timed(1, "4096", 70.0, kernel="mine", set="kernel", kernel_id=None)]
        texts = self.texts(roofline.draw(runs.run_of(rows)))
        for sign, name, speed in (("0", "cuBLAS", "50.0"), ("3", "rung_3", None), ("a", "mine", "35.0")):
            self.assertEqual((texts.count(sign), texts.count(name)), (2, 1), sign)
            self.assertTrue(speed is None or speed in texts, speed)

    def test_points_above_a_roof_send_the_texts_of_the_roofs_to_the_notes(self):
        rows = [runs.timed(1, "64", 50.0, gbytes_per_second=9000.0), runs.timed(2, "64", 55.0)]
        figure = roofline.draw(runs.run_of(rows))
        self.assert_readable(figure)
        said = " ".join(self.texts(figure))
        self.assertIn("The roofs: a copy, 4.00 TB/s; multiply-adds, 60.0 TFLOP/s.", said)
        self.assertEqual(said.count("TB/s"), 1)

    def test_no_line_crosses_a_text_wherever_the_points_lie(self):
        dice = random.Random(3)
        for _ in range(20):
            rows = [
                runs.timed(i, "64", 50.0, gflops=10 ** dice.uniform(1, 4.7), gbytes_per_second=10 ** dice.uniform(0, 3.6))
                for i in range(1, 14)
            ]
            self.assert_readable(roofline.draw(runs.run_of(rows)))
        crowd = [runs.timed(i, "64", 50.0, gflops=1000.0 + i, gbytes_per_second=1500.0) for i in range(1, 14)]
        crowd.append(runs.timed(20, "64", 50.0, gflops=1.0, gbytes_per_second=1.5))
        self.assert_readable(roofline.draw(runs.run_of(crowd)))

    def test_the_roofs_meet_at_the_ridge(self):
        figure = roofline.draw(runs.ladder(3))
        (roof,) = [line for line in figure.axes[0].lines if len(line.get_xdata()) == 3]
        self.assertEqual((roof.get_xdata()[1], roof.get_ydata()[1]), (60.0 / 4.0, 60.0))
        self.assertAlmostEqual(roof.get_ydata()[0] / roof.get_xdata()[0], 4.0)
        self.assertEqual(roof.get_ydata()[2], 60.0)
        texts = self.texts(figure)
        self.assertTrue({"a copy, 4.00 TB/s", "multiply-adds, 60.0 TFLOP/s", "TFLOP/s"} <= set(texts))
        self.assertNotIn("GFLOP", " ".join(texts))

    def test_says_which_bytes_each_point_has(self):
        rows = [runs.timed(1, "64", 50.0), runs.timed(2, "64", 55.0, counts={"dram_bytes": 10**9})]
        figure = roofline.draw(runs.run_of(rows))
        (least, said_least), (dram, said_dram) = geometry.tips(figure)
        self.assertEqual(least.get_markerfacecolor(), style.color("paper"))
        self.assertEqual(dram.get_markerfacecolor(), style.color("kernel"))
        self.assertIn("least possible bytes", said_least)
        self.assertIn("Nsight Compute", said_dram)
        said = " ".join(self.texts(figure))
        self.assertIn("○: the least possible bytes", said)
        self.assertIn("●: the bytes of DRAM", said)
        self.assertNotIn("●", " ".join(self.texts(roofline.draw(runs.run_of(rows[:1])))))

    def test_a_short_scale_has_ticks_too(self):
        figure = roofline.draw(runs.ladder(3))
        (low, high), ticks = figure.axes[0].get_ylim(), figure.axes[0].get_yticks()
        self.assertGreaterEqual(sum(low <= tick <= high for tick in ticks), 2)


class Shapes(Case):
    def test_every_kernel_has_a_line_of_its_own_shapes_in_order(self):
        for count in (1, 2, 480):
            percents = [40 + 400 * (37 * i % count) / count for i in range(count)]
            rows = [runs.timed(2, f"{i + 1}x8x9", percent) for i, percent in enumerate(percents)]
            rows += [runs.timed(1, f"{i + 1}x8x9", 90.0) for i in range(count)]
            figure = shapes.draw(runs.run_of(rows))
            self.assert_readable(figure)
            lines = {tuple(line.get_ydata()): list(line.get_xdata()) for line in figure.axes[0].lines}
            places = lines[tuple(sorted(round(percent, 1) for percent in percents))]
            self.assertEqual((places[0], places[-1]), (0, 100 if count > 1 else 0))
            self.assertEqual(places, sorted(places))
            self.assertIn("1 rung_1: 90 %", self.texts(figure))


class Losses(Case):
    def run_of(self, count):
        """Returns a run with shapes of every kind, from 40 to 440 % of cuBLAS."""
        draw = random.Random(count)
        sizes = [[draw.choice((1, 30, 64, 65, 255, 256, 257, 1000, 8192)) for _ in range(3)] for _ in range(count)]
        sizes = sorted({"x".join(map(str, size)) for size in sizes})
        return runs.run_of([runs.timed(1, size, 40 + 400 * (37 * i % len(sizes)) / len(sizes)) for i, size in enumerate(sizes)])

    def test_every_shape_has_a_mark_in_one_panel_at_its_figures(self):
        from matplotlib.colors import to_hex

        for count in (1, 2, 480):
            run = self.run_of(count)
            shown = losses.shown(run)
            sizes_shown = [tuple(shape["size"]) for kind in shown["kinds"] for shape in kind["shapes"]]
            self.assertEqual(sorted(sizes_shown), sorted(row.size for row in run.rows))
            figure = losses.draw(run)
            self.assert_readable(figure)
            for ax, kind in zip(figure.axes, shown["kinds"]):
                drawn = [
                    (x, y, to_hex(marks.get_markeredgecolor()), to_hex(marks.get_markerfacecolor()))
                    for marks in ax.lines
                    if marks.get_marker() == "o"
                    for x, y in zip(*marks.get_data())
                ]
                wanted = []
                for shape in kind["shapes"]:
                    m, n, k = shape["size"]
                    color = style.color("worse" if shape["percent"] < 100 else "better")
                    wanted.append((2 * m * n * k, shape["percent"], color, color if min(m, n, k) >= 256 else style.color("paper")))
                self.assertEqual(sorted(drawn), sorted(wanted), kind["kind"])
                below = sum(shape["percent"] < 95 for shape in kind["shapes"])
                text = f"{below} of {len(kind['shapes'])} below 95 %" if kind["shapes"] else "no shape"
                self.assertIn(text, self.texts(figure))

    def test_the_marks_of_a_seeds_shapes_have_tips_in_a_small_file(self):
        run = self.run_of(480)
        text = catalogue.svg("losses", run)
        self.assertLess(len(text), 250_000)
        self.assertEqual(text.count(" % of cuBLAS</"), len(run.rows) + text.count("% of cuBLAS</title>\n<desc"))

    def test_recorded_times_can_be_read(self):
        recorded = shape_times.read(runs.ROOT / "bench/baselines/nvidia-h200-shapes.csv")
        for module in (shapes, losses):
            for kernel in (None, "12", "16"):
                self.assert_readable(module.draw(recorded, kernel=kernel))


class Sizes(Case):
    def test_every_kernel_has_its_line_and_its_label(self):
        for rungs in runs.LENGTHS:
            run = runs.ladder(rungs, SIZES)
            figure = sizes.draw(run)
            texts = self.texts(figure)
            lines = [list(line.get_ydata()) for line in figure.axes[0].lines]
            for kernel in sizes.shown(run)["kernels"]:
                self.assertIn([p["percent"] for p in kernel["points"] if p["n"] != 1000], lines)
                self.assertIn([p["percent"] for p in kernel["points"] if p["n"] == 1000], lines)
                self.assertEqual(texts.count(kernel["kernel"]), 1)
            self.assertEqual(texts.count("cuBLAS"), 1)

    def test_lines_that_end_together_have_labels_apart(self):
        rows = [runs.timed(i, size, 90.0 + i / 1000) for i in range(1, 31) for size in SIZES]
        figure = sizes.draw(runs.run_of(rows))
        self.assert_readable(figure)
        at = sorted(text.box.y0 for text in geometry.drawn_texts(figure) if "rung_" in text.text)
        self.assertEqual(len(at), 30)
        for a, b in zip(at, at[1:]):
            self.assertAlmostEqual(b - a, labels.GAP, delta=1)

    def test_few_lines_have_colours(self):
        for rungs in (3, 13, 30):
            figure = sizes.draw(runs.ladder(rungs, SIZES), kernel="2")
            joined = [line for line in figure.axes[0].lines if len(line.get_xdata()) == len(SIZES) - 1]
            colors = [line.get_color() for line in joined if line.get_linestyle() != "None"]
            others = [style.color("soft")] * (rungs - 2)
            self.assertEqual(sorted(colors), sorted([style.color("better"), style.color("kernel"), *others]))
            self.assertEqual((colors[1], colors[-1]), (style.color("kernel"), style.color("better")))
            labelled = {text.text: text.artist for text in geometry.drawn_texts(figure)}
            for name, role in (("cuBLAS", "reference"), ("1 rung_1", "soft"), ("2 rung_2", "kernel"), (f"{rungs} rung_{rungs}", "better")):
                self.assertEqual(labelled[name].get_color(), style.color(role), name)

    def test_noisy_marks_are_explained(self):
        rows = [runs.timed(1, size, 50.0) for size in ("128", "1000", "1024")]
        self.assertNotIn("noisy", " ".join(self.texts(sizes.draw(runs.run_of(rows)))))
        rows.append(runs.timed(1, "2048", 50.0, doubts=["few"]))
        self.assertIn(f"○: {findings.NOISY}", self.texts(sizes.draw(runs.run_of(rows))))
        rows.append(runs.timed(1, "2049", 50.0, doubts=["few"]))
        figure = sizes.draw(runs.run_of(rows))
        self.assert_readable(figure)
        self.assertIn(f"+: N is no multiple of 64, and {findings.NOISY}", " ".join(self.texts(figure)))

    def test_odd_sizes_alone_are_joined(self):
        run = runs.ladder(1, ("100", "1000"))
        figure = sizes.draw(run)
        self.assertTrue(any(list(line.get_xdata()) == [100, 1000] for line in figure.axes[0].lines))
        self.assertNotIn("×", " ".join(self.texts(figure)))
        self.assert_readable(figure)


class Samples(Case):
    def panels(self, run, **options):
        figure = samples.draw(run, **options)
        self.assert_readable(figure)
        return {ax.get_title(loc="left"): ax for ax in figure.axes}, self.texts(figure)

    def test_kernel_reference_and_clock_stand_below_each_other(self):
        run = runs.throttled()
        panels, texts = self.panels(run)
        self.assertEqual(list(panels), ["3 rung_3, ms", "cuBLAS, ms", "clock, MHz"])
        row = run.rows[0]
        x, borders = samples.places(row.samples_of_runs, row.sample_seconds)
        times, references, clocks = ([line for line in ax.lines if line.get_marker() == "o"][0] for ax in panels.values())
        self.assertEqual(list(times.get_xdata()), x)
        self.assertEqual(list(times.get_ydata()), row.samples_ms)
        self.assertEqual(list(references.get_ydata()), row.reference_samples_ms)
        self.assertEqual(list(clocks.get_ydata()), [clock for clock in row.sample_clocks_mhz if clock])
        self.assertEqual(len(clocks.get_xdata()), len(x) - 1)
        self.assertEqual(len({ax.get_xlim() for ax in panels.values()}), 1)
        for ax in panels.values():
            self.assertEqual([line.get_xdata()[0] for line in ax.lines if line.get_linestyle() == "--"], borders)
            (marks,) = [line for line in ax.lines if line.get_marker() == "o"]
            low, high = ax.get_ylim()
            self.assertTrue(all(low <= y <= high for y in marks.get_ydata()))
        self.assertIn("Where a mark of the clock is missing, it could not be read.", texts)
        self.assertIn("seconds since the first sample, one run after the other", texts)

    def test_without_times_and_clock_they_are_numbered(self):
        panels, texts = self.panels(runs.ladder(2))
        self.assertEqual(list(panels), ["2 rung_2, ms", "cuBLAS, ms"])
        self.assertEqual(list(panels["cuBLAS, ms"].lines[0].get_xdata()), [1, 2, 3, 4, 5])
        self.assertIn("sample", texts)
        self.assertTrue(any("clock was not recorded sample by sample" in text for text in texts))

    def test_one_sample_of_one_kernel(self):
        more = {"samples_ms": [0.004], "reference_samples_ms": [], "sample_seconds": [0.0], "doubts": ["a single sample"]}
        panels, texts = self.panels(runs.run_of([runs.timed(1, "64", 50.0, **more)]))
        self.assertEqual(list(panels), ["1 rung_1, µs"])
        self.assertIn(f"{findings.NOTE} Why: a single sample.", " ".join(texts))

    def test_the_lines_between_runs_are_explained(self):
        for runs_of, numbered in (([5], False), ([3, 2], True), ([1] * 40, False)):
            count = sum(runs_of)
            more = {"samples_ms": [1.0] * count, "reference_samples_ms": [1.0] * count, "samples_of_runs": runs_of}
            _, texts = self.panels(runs.run_of([runs.timed(1, "64", 50.0, **more)]))
            said = [f"run {i}" for i in range(1, len(runs_of) + 1)]
            self.assertEqual([text for text in texts if text in said], said if numbered else [])
            self.assertEqual("A dashed line stands between two runs." in texts, len(runs_of) > 1)
        texts = {text.text: text.box for text in geometry.drawn_texts(samples.draw(runs.throttled()))}
        self.assertLess(texts["run 1"].x1, texts["run 2"].x0)

    def test_noise_is_not_made_large(self):
        times = [1.0, 1.0001, 0.9999]
        panels, _ = self.panels(runs.run_of([runs.timed(1, "64", 50.0, samples_ms=times, reference_samples_ms=[1.0] * 3)]))
        low, high = panels["1 rung_1, ms"].get_ylim()
        self.assertTrue(low <= 0.98 and high >= 1.02)


class Heatmap(Case):
    def boxes(self, figure):
        return [(artist, said) for artist, said in geometry.tips(figure)]

    def test_each_shape_has_its_cell_colour_and_figure(self):
        grid = {(m, n): 40.0 + 10 * i + 3 * j for i, m in enumerate((1, 64, 4096)) for j, n in enumerate((64, 160, 4096))}
        run = runs.run_of([runs.timed(2, f"{m}x{n}x512", percent) for (m, n), percent in grid.items()])
        figure = heatmap.draw(run, axes="MxN")
        self.assert_readable(figure)
        boxes, texts = self.boxes(figure), self.texts(figure)
        self.assertEqual(len(boxes), 9)
        from matplotlib.colors import to_hex

        for (m, n), percent in grid.items():
            self.assertIn(f"{percent:.1f}", texts)
            ((box, _),) = [(box, said) for box, said in boxes if said.startswith(f"{m} by {n}:")]
            self.assertEqual(to_hex(box.get_facecolor()), style.color(heatmap.shade(percent)))
            self.assertEqual(box.get_x(), (64, 160, 4096).index(n))
        self.assertIn("K = 512", " ".join(texts))

    def test_shapes_that_share_a_cell_do_not_lie_on_each_other(self):
        run = runs.run_of([runs.timed(2, f"64x128x{k}", 90.0 + i) for i, k in enumerate((16, 256, 4096))])
        figure = heatmap.draw(run, axes="MxN")
        self.assert_readable(figure)
        boxes = sorted((box.get_y(), box.get_y() + box.get_height()) for box, _ in self.boxes(figure))
        self.assertEqual(len(boxes), 3)
        for (_, end), (begin, _) in zip(boxes, boxes[1:]):
            self.assertAlmostEqual(end, begin)
        self.assertTrue({"K 16", "K 256", "K 4096"} <= set(self.texts(figure)))

    def test_many_shapes_can_be_read(self):
        run = runs.run_of([runs.timed(2, f"{m}x{n}x64", 100.0) for m in range(1, 13) for n in range(10000, 10012)])
        figure = heatmap.draw(run)
        self.assert_readable(figure)
        self.assertGreater(figure.get_size_inches()[0] * 72, style.WIDTH)

    def test_few_shapes_are_bars(self):
        rows = [runs.timed(2, f"{m}x64x64", 60.0 + 10 * m, doubts=["few"] if m == 3 else []) for m in (1, 3, 5, 7)]
        figure = heatmap.draw(runs.run_of(rows))
        self.assert_readable(figure)
        self.assertEqual([bar.get_width() for bar in figure.axes[0].patches], [130.0, 110.0, 90.0, 70.0])
        texts = self.texts(figure)
        self.assertEqual(texts.count(bars.PASSES[0]), 2)
        for text in ("7 × 64 × 64", "130.0", "90.0 ?", findings.NOTE):
            self.assertIn(text, texts)

    def test_the_key_has_every_colour(self):
        key = heatmap.draw(runs.ladder(1, ("64x128x64",)), axes="MxN").axes[-1]
        from matplotlib.colors import to_hex

        self.assertEqual([to_hex(box.get_facecolor()) for box in key.patches], [style.color(role) for role in heatmap.SHADES])


class Compare(Case):
    def test_every_row_has_its_verdict_in_words_shape_and_colour(self):
        run = runs.every_verdict()
        figure = compare.draw(run)
        self.assert_readable(figure)
        texts = self.texts(figure)
        for text in ("WRONG", "SLOWER −6.2 %", "CHANGED", "UNSURE −5.0 %", "FASTER +12.0 %", "FASTER +200.0 %", "SAME +0.4 %"):
            self.assertIn(text, texts)
        for text in ("because it is WRONG", "because it is CHANGED", "the driver differs: 570.1 and 580.2."):
            self.assertIn(text, texts)
        marks = {said.split(": ")[1].split(".")[0]: mark.get_marker() for mark, said in geometry.tips(figure)}
        self.assertEqual({"SLOWER", "UNSURE", "FASTER", "SAME"}, set(marks))
        self.assertEqual((marks["SLOWER"], marks["UNSURE"], marks["SAME"]), ("v", "D", "o"))
        shapes = [shape for shape, _ in compare.VERDICTS.values()]
        self.assertEqual(len(set(shapes)), len(shapes))

    def test_quartiles_lie_where_the_figures_say(self):
        rows = [runs.timed(1, "64", 47.0, comparison=runs.comparison("SLOWER"))]
        (ax,) = compare.draw(runs.compared(rows)).axes
        drawn = [[round(float(x), 6) for x in line.get_xdata()] for line in ax.lines]
        self.assertIn([-2.0, 0.0, 2.0], drawn)  # 49, 50 and 51 about 50
        self.assertIn([-6.94, -4.12], drawn)  # 46.53 and 47.94
        self.assertIn([-6.0], drawn)
        self.assertIn([-3.0, -3.0], drawn)
        self.assertIn([3.0, 3.0], drawn)

    def test_what_lies_beyond_the_axis_points_there(self):
        rows = [runs.timed(i, "64", p, comparison=runs.comparison("FASTER")) for i, p in ((1, 200.0), (2, 1.0), (3, 55.0))]
        (ax,) = compare.draw(runs.compared(rows)).axes
        self.assertEqual(ax.get_xlim(), (-compare.WIDEST, compare.WIDEST))
        marks = [(line.get_marker(), float(line.get_xdata()[0])) for line in ax.lines if line.get_marker() in "<>^"]
        self.assertEqual([mark for mark, _ in marks], [">", "<", "^"])
        self.assertEqual([x for _, x in marks[:2]], [30.0, -30.0])

    def test_runs_of_any_length(self):
        for count in (1, 3, 13, 30, 200):
            for verdict in ("SAME", "SLOWER"):
                rows = [runs.timed(i % 30 + 1, str(64 + i), 50.0, comparison=runs.comparison(verdict)) for i in range(count)]
                figure = compare.draw(runs.compared(rows))
                self.assert_readable(figure)
                expected = 0 if verdict == "SAME" and count > compare.MOST_SAME else count
                self.assertEqual(sum(f"{verdict} −6.2 %" == text for text in self.texts(figure)), expected)

    def test_a_run_of_the_simulator_has_its_reasons(self):
        none = {"base_percent": None, "change_percent": None, "threshold_percent": None, "p_value": None, "base_ms": None}
        rows = [runs.samples.counted_row(1, "256", comparison=runs.comparison("CHANGED", reasons=["A: $8$ and $9$"], **none))]
        against = {"file": "base.json", "date": "", "commit": None, "notes": []}
        run = runs.run_of(rows, machine="simulator", roofs={}, compared_with=against)
        self.assert_readable(compare.draw(run))
        self.assertIn(">A: $8$ and $9$</text>", catalogue.svg("compare", run))


class Timeline(Case):
    def bars(self, figure, role):
        """Returns begin and end of each bar of a role, by the place of its lane from the top down."""
        from matplotlib.colors import to_hex

        (ax,) = figure.axes
        lanes = {}
        for patch in ax.patches:
            if to_hex(patch.get_facecolor()) == style.color(role):
                lanes.setdefault(patch.get_y(), []).append((patch.get_x(), patch.get_x() + patch.get_width()))
        return [lanes[y] for y in sorted(lanes)]

    def assert_bars(self, product, scale):
        figure = timeline.draw(runs.of_products(product))
        self.assert_readable(figure)
        for role, is_product in (("kernel", True), ("reference", False)):
            lanes = self.bars(figure, role)
            self.assertEqual(len(lanes), len(product["processes"]))
            for lane, process in zip(lanes, product["processes"]):
                spans = sorted((one["begin_s"], one["end_s"]) for one in process["spans"] if one["is_product"] == is_product)
                self.assertEqual(len(lane), len(spans))
                for bar, span in zip(lane, spans):
                    self.assertAlmostEqual(bar[0], span[0] * scale)
                    self.assertAlmostEqual(bar[1], span[1] * scale)
        return figure

    def test_bars_lie_where_the_spans_say(self):
        for seconds, scale, unit in ((1.5, 1, "seconds"), (0.02, 1e3, "milliseconds"), (3e-4, 1e6, "microseconds")):
            figure = self.assert_bars(runs.distributed(grid=(2, 3), seconds=seconds), scale)
            self.assertIn(f"{unit} since the product began", self.texts(figure))

    def test_a_product_lies_above_its_processs_messages_and_beside_its_name(self):
        figure = timeline.draw(runs.of_products(runs.distributed(grid=(1, 3))))
        (ax,) = figure.axes
        texts = {text.text: text.box for text in geometry.drawn_texts(figure)}
        tips = [(patch.get_window_extent(), said) for patch, said in geometry.tips(figure)]
        for rank in range(3):
            name = texts[f"rank {rank}"]
            boxes = {lane: [box for box, said in tips if said.startswith(f"rank {rank}: {lane} of panel")] for lane in ("products", "messages")}
            self.assertEqual([len(one) for one in boxes.values()], [8, 8])
            self.assertGreater(boxes["products"][0].y0, boxes["messages"][0].y1)
            middle = (boxes["products"][0].y1 + boxes["messages"][0].y0) / 2
            self.assertLess(abs((name.y0 + name.y1) / 2 - middle), 8)
            self.assertLess(name.x1, min(box.x0 for box in boxes["messages"]))

    def test_has_the_panels_numbers_where_they_have_room(self):
        product = runs.distributed(grid=(1, 1), panels=12)
        figure = timeline.draw(runs.of_products(product))
        numbers = [text for text in geometry.drawn_texts(figure) if text.text.isdigit()]
        self.assertEqual({text.text for text in numbers}, {str(panel) for panel in range(12)})
        bars = [patch.get_window_extent() for patch, said in geometry.tips(figure) if " of panel " in said]
        for text in numbers:
            self.assertTrue(any(bar.x0 < text.box.x0 and text.box.x1 < bar.x1 for bar in bars), text.text)
        narrow = timeline.draw(runs.of_products(runs.distributed(grid=(1, 1), panels=100)))
        self.assertEqual([text for text in self.texts(narrow) if text.isdigit()], ["0"], "the first message is long")
        joined = timeline.draw(runs.of_products(runs.distributed(grid=(1, 1), panels=700)))
        self.assertIn("0–699", self.texts(joined))
        self.assertIn("drawn as one", " ".join(self.texts(joined)))

    def test_every_bar_tells_its_panel_and_its_time(self):
        def tips(seconds):
            figure = timeline.draw(runs.of_products(runs.distributed(grid=(1, 2), panels=2, seconds=seconds)))
            return [said for _, said in geometry.tips(figure)]

        self.assertIn("rank 1: products of panel 1 from 0.515 s to 1.000 s", tips(1.0))
        self.assertIn("rank 0: messages of panel 0 from 0.000 s to 0.030 s", tips(1.0))
        self.assertIn("rank 0: products for 0.970 s of 1.005 s", tips(1.0))
        self.assertIn("rank 0: products for 19.40 ms of 20.10 ms", tips(0.02))
        self.assertIn("rank 0: products for 485.0 ms of 502.5 ms", tips(0.5))

    def test_grows_with_the_processes_up_to_a_number(self):
        heights = []
        for grid in ((1, 1), (2, 4), (4, 4), (8, 8)):
            figure = timeline.draw(runs.of_products(runs.distributed(grid=grid)))
            self.assert_readable(figure)
            heights.append(figure.get_size_inches()[1])
            names = [text for text in self.texts(figure) if text.startswith("rank ")]
            self.assertEqual(len(names), min(grid[0] * grid[1], timeline.MOST))
        self.assertTrue(heights[0] < heights[1] < heights[2], heights)
        self.assertAlmostEqual(heights[2], heights[3], delta=0.3)  # a note more
        self.assertIn("The first 16 of 64 processes are drawn.", " ".join(self.texts(figure)))

    def test_says_where_a_process_ran_if_others_ran_elsewhere(self):
        product = runs.distributed(grid=(1, 2))
        self.assertIn("processes on node-1;", " ".join(self.texts(timeline.draw(runs.of_products(product)))))
        product["processes"][1]["host"] = "other"
        texts = self.texts(timeline.draw(runs.of_products(product)))
        self.assertEqual((texts.count("node-1"), texts.count("other")), (1, 1))
        product["processes"][1]["device"] = "NVIDIA Y"
        figure = timeline.draw(runs.of_products(product))
        self.assert_readable(figure)
        self.assertIn("other, NVIDIA Y", self.texts(figure))
        product["processes"][1]["host"] = "$1$"
        self.assertIn(">$1$, NVIDIA Y</text>", catalogue.svg("timeline", runs.of_products(product)))

    def test_notes_tell_how_the_product_was_computed(self):
        more = {"trans_a": True, "trans_b": True, "reproducible": True, "tiles": 3, "tiles_found": 1, "carrier": "mpi"}
        figure = timeline.draw(runs.of_products(runs.distributed(correct=False, failures=["rank 0: why"], **more)))
        self.assert_readable(figure)
        said = " ".join(self.texts(figure))
        for text in (
            "at 65536³ with A and B transposed; NVIDIA X, 2026-11-22",
            "A grid of 2 × 2 processes on node-1; blocks of 256; 3 tiles of C, 1 of them found in a checkpoint; 8 panels of 8192; kernel best; "
            "messages by MPI; the same bits on every grid.",
            "Why it is wrong: rank 0: why.",
        ):
            self.assertIn(text, said)
        self.assertNotIn("Efficiency", said)
        self.assertIn("Efficiency", " ".join(self.texts(timeline.draw(runs.of_products(runs.distributed())))))

    def test_times_that_nothing_can_have_can_be_read(self):
        for seconds in (0.0, 1e-12, 9e17):
            self.assert_readable(timeline.draw(runs.of_products(runs.distributed(grid=(1, 2), seconds=seconds))))
        self.assertEqual(timeline.draw(runs.of_products(runs.distributed(seconds=0.0))).axes[0].get_xlim(), (0, 1))
        product = runs.distributed(grid=(1, 2))
        product["processes"][0]["spans"][0] = runs.span(False, 0, -0.5, -0.75)
        product["processes"][1]["spans"] = []
        figure = timeline.draw(runs.of_products(product))
        self.assert_readable(figure)
        self.assertLessEqual(figure.axes[0].get_xlim()[0], -0.5)


class Style(Case):
    def test_ticks_are_round_and_fewer_if_there_is_no_room(self):
        self.assertEqual(style.ticks(0, 1.9, 4), ([0, 0.5, 1, 1.5], ["0.0", "0.5", "1.0", "1.5"]))
        texts = style.ticks(0, 4e6, 4)[1]
        self.assertEqual(texts[-1], "4 000 000")
        fewer = style.ticks(0, 4e6, 4, 200)[1]
        self.assertTrue(1 < len(fewer) < len(texts), fewer)
        self.assertLess(sum(style.text_width(text, style.SMALL) for text in fewer), 200)

    def test_texts_stand_out_in_both_schemes(self):
        def luminance(color):
            parts = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
            linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
            return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

        def contrast(role, ground, scheme):
            a, b = sorted((luminance(style.ROLES[role][scheme]), luminance(style.ROLES[ground][scheme])))
            return (b + 0.05) / (a + 0.05)

        shades = set(heatmap.SHADES)
        for scheme in (0, 1):
            for role in style.ROLES.keys() - shades - {"paper", "grid"}:
                self.assertGreater(contrast(role, "paper", scheme), 4.5, role)
            for role in shades:
                self.assertGreater(contrast("ink", role, scheme), 4.5, role)

    def test_texts_are_wrapped_and_cut(self):
        text = "so many words that they need more than a line of their own"
        lines = style.wrap(text, 120, style.BODY)
        self.assertEqual(" ".join(lines), text)
        self.assertTrue(all(style.text_width(line, style.BODY) <= 120 for line in lines))
        self.assertEqual(style.wrap("", 120), [])
        short = style.cut("x" * 500, 120)
        self.assertTrue(short.endswith("…") and style.text_width(short) <= 120)
        self.assertEqual(pick.number(53459.23), "53 459.2")


if __name__ == "__main__":
    unittest.main()
