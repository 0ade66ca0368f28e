"""Tests the report in a browser: sorting, choosing rows, tips at marks, saving, paper, both schemes, two widths.

report_browser_test.py SGEMM_RUNNER BROWSER [FOLDER]      with a folder, pictures of the page are left there
"""

import argparse
import json
import sys
import tempfile
import time
import unittest
from pathlib import Path

import runs
import samples
from browser import SECONDS, Browser
from plots import report

RUNNER = Path(sys.argv.pop(1)).resolve()
BROWSER = sys.argv.pop(1)
PICTURES = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
WIDTHS = (400, 1400)
COLUMN = """(heading) => {
    const at = [...document.querySelector('#rows thead tr').cells].findIndex((cell) => cell.dataset.heading === heading);
    const shown = [...document.querySelectorAll('#rows tbody tr')].filter((row) => !row.hidden);
    return shown.map((row) => row.cells[at].textContent);
}"""


def head(heading):
    return f'#rows th[data-heading="{heading}"]'


class BrowserTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        cls.browser = cls.enterClassContext(Browser(BROWSER))

    def report_of(self, run, name="report.html", runner="/nowhere"):
        """Writes the report of a run, or of a document, and returns its file."""
        path = Path(self.folder.name) / name
        document = run if isinstance(run, dict) else {"context": run.context.json, "benchmarks": [row.json for row in run.rows]}
        path.with_suffix(".json").write_text(json.dumps(document))
        words = argparse.Namespace(run=path.with_suffix(".json"), base=None, name=None, output=path, runner=runner)
        report.write(words)
        return path

    def open(self, run, **how):
        opened = self.browser.open(self.report_of(run), **how)
        self.addCleanup(opened.close)
        if how.get("scripts", True):  # the samples are drawn a moment later, once the page has its width
            opened.wait_for("!document.querySelector('#row-of-samples') || !!document.querySelector('#samples-drawing svg')")
        return opened

    def column(self, page, heading):
        """Returns the texts of a column in the rows that are shown."""
        return page.evaluate(f"({COLUMN})({json.dumps(heading)})")

    def assert_tip(self, page, *parts):
        self.assertFalse(page.evaluate("document.querySelector('#tooltip').hidden"))
        text = page.evaluate("document.querySelector('#tooltip').textContent")
        for part in parts:
            self.assertIn(part, text)
        box = page.evaluate(
            "(({left, top, right, bottom}) => [left, top, right, bottom])(document.querySelector('#tooltip').getBoundingClientRect())"
        )
        width, height = page.evaluate("[document.documentElement.clientWidth, innerHeight]")
        self.assertTrue(0 <= box[0] and 0 <= box[1] and box[2] <= width and box[3] <= height, (box, width, height))

    def assert_no_tip(self, page):
        self.assertTrue(page.evaluate("document.querySelector('#tooltip').hidden"))


class Recorded(BrowserTest):
    """The page of the recorded run, in both schemes and widths."""

    def test_loads_and_fits(self):
        recorded = json.loads(runs.BASELINE.read_bytes())
        rows = len(recorded["benchmarks"])
        self.assertGreater(rows, 300)
        path = self.report_of(recorded, "recorded.html", RUNNER)
        papers = {}
        for width in WIDTHS:
            for dark in (False, True):
                with self.subTest(width=width, dark=dark):
                    page = self.browser.open(path, width=width, dark=dark)
                    self.addCleanup(page.close)
                    outside = [asked for asked in page.requests() if not asked.startswith("data:image/svg+xml")]
                    self.assertEqual(outside, [path.as_uri()])
                    self.assertEqual(page.evaluate("document.querySelectorAll('#rows tbody tr').length"), rows)
                    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
                    widths = page.evaluate("[document.documentElement.scrollWidth, document.documentElement.clientWidth]")
                    self.assertLessEqual(widths[0], widths[1])
                    papers[dark] = page.evaluate("getComputedStyle(document.body).backgroundColor")
                    ink = page.evaluate("getComputedStyle(document.querySelector('#plot-ladder text')).fill")
                    self.assertNotEqual(ink, papers[dark])
                    self.assertEqual(page.errors(), [])
                    if PICTURES:
                        page.evaluate("for (const one of document.querySelectorAll('#sources details')) one.open = false")
                        page.screenshot(PICTURES / f"report_{width}_{'dark' if dark else 'light'}.png")
        self.assertEqual(papers, {False: "rgb(255, 255, 255)", True: "rgb(13, 17, 23)"})
        if PICTURES:
            page.pdf(PICTURES / "report.pdf")


class Table(BrowserTest):
    def test_sorts_by_click_and_by_key(self):
        page = self.open(runs.ladder(13, ("256", "4096")))
        in_order = self.column(page, "% cuBLAS")
        page.click(head("% cuBLAS") + " button")
        ascending = self.column(page, "% cuBLAS")
        self.assertEqual(ascending, sorted(in_order, key=float))
        self.assertNotEqual(ascending, in_order)
        self.assertEqual(page.evaluate(f"document.querySelector('{head('% cuBLAS')}').ariaSort"), "ascending")
        self.assertEqual(page.evaluate("document.querySelector('#said').textContent"), "sorted by % cuBLAS, ascending")
        page.press("Enter")  # the button has the focus
        self.assertEqual(self.column(page, "% cuBLAS"), sorted(in_order, key=float, reverse=True))
        page.focus(head("kernel") + " button")
        page.press("Enter")
        names = self.column(page, "kernel")
        self.assertEqual(names[:2], ["cuBLAS", "cuBLAS"])
        self.assertEqual(names[2:6], ["rung_1", "rung_1", "rung_2", "rung_2"])
        self.assertEqual(names[-1], "rung_13")
        sorted_by = page.evaluate("[...document.querySelectorAll('#rows [aria-sort]')].map((th) => th.textContent)")
        self.assertEqual(sorted_by, ["kernel"])
        self.assertEqual(page.errors(), [])

    def test_keeps_rows_without_a_figure_last(self):
        rows = [samples.timed_row(n, "256", percent_of_cublas=p) for n, p in ((1, 30.0), (2, None), (3, 4.0), (1, 200.0))]
        page = self.open(runs.run_of(rows))
        for wanted in (["4.0", "30.0", "200.0", ""], ["200.0", "30.0", "4.0", ""]):
            page.click(head("% cuBLAS") + " button")
            self.assertEqual(self.column(page, "% cuBLAS"), wanted)

    def test_chooses_rows(self):
        page = self.open(runs.every_verdict())
        everything = self.column(page, "kernel")
        page.focus("#filters input")
        page.write("rung_1")
        self.assertEqual(self.column(page, "kernel"), ["rung_1"])
        self.assertEqual(page.evaluate("document.querySelector('#shown').textContent"), "1 of 7 rows")
        page.click("#filters button[type=reset]")
        page.wait_for("document.querySelector('#shown').textContent === '7 rows'")
        self.assertEqual(self.column(page, "kernel"), everything)
        for key, value in (("verdict", "FASTER"), ("size", "1024³"), ("result", "wrong"), ("kernel", "rung_3")):
            page.choose(f"#filters select[name={key}]", value)
            found = self.column(page, key)
            self.assertTrue(found)
            self.assertEqual(set(found), {value})
            self.assertLess(len(found), 7)
            page.choose(f"#filters select[name={key}]", "")
        page.choose("#filters select[name=verdict]", "FASTER")
        page.choose("#filters select[name=size]", "1024³")
        self.assertEqual(self.column(page, "verdict"), ["FASTER"])
        page.choose("#filters select[name=kernel]", "rung_1")
        self.assertEqual(self.column(page, "verdict"), [])
        self.assertEqual(page.evaluate("document.querySelector('#shown').textContent"), "0 of 7 rows")
        self.assertEqual(page.errors(), [])


class Marks(BrowserTest):
    def test_tell_what_they_are_to_the_pointer(self):
        page = self.open(runs.ladder(3))
        self.assert_no_tip(page)
        page.evaluate("document.querySelector('#plot-ladder svg').focus()")
        page.evaluate("document.activeElement.blur()")
        bars = page.evaluate("document.querySelectorAll('#plot-ladder [data-mark]').length")
        self.assertEqual(bars, 4)
        for i, name in ((1, "0 cuBLAS: 100.0 %"), (3, "2 rung_2: ")):
            page.hover(f"#plot-ladder [data-mark='{i}']")
            self.assert_tip(page, name)
        page.press("Escape")
        self.assert_no_tip(page)
        self.assertEqual(page.errors(), [])

    def test_tell_what_they_are_to_the_keyboard(self):
        page = self.open(runs.ladder(3))
        for _ in range(60):
            page.press("Tab")
            if page.evaluate("document.activeElement.matches('#plot-ladder svg')"):
                break
        else:
            self.fail("the Tab key does not lead to the drawing")
        self.assert_tip(page, "0 cuBLAS: ")
        page.press("ArrowRight")
        self.assert_tip(page, "1 rung_1: ")
        self.assertIn("1 rung_1: ", page.evaluate("document.querySelector('#said').textContent"))
        page.press("End")
        self.assert_tip(page, "3 rung_3: ")
        page.press("ArrowRight")
        self.assert_tip(page, "3 rung_3: ")
        page.press("Home")
        self.assert_tip(page, "0 cuBLAS: ")
        page.press("Tab")
        self.assertNotIn("% of cuBLAS", page.evaluate("document.querySelector('#tooltip:not([hidden])')?.textContent ?? ''"))

    def test_of_samples_tell_time_and_clock(self):
        for width in WIDTHS:
            page = self.open(runs.throttled(), width=width)
            page.wait_for("document.querySelectorAll('#samples-drawing [data-mark]').length === 120")
            page.hover("#samples-drawing [data-mark='1']")
            self.assert_tip(page, "sample 1 of 120, after 0 s", "rung_3 1 ms", "cuBLAS 0.8 ms", "clock 1980 MHz")
            page.focus("#samples-drawing svg")
            page.press("End")
            self.assert_tip(page, "sample 120 of 120, after 0.59 s", "clock 1508 MHz")
            for _ in range(116):
                page.press("ArrowLeft")
            self.assert_tip(page, "sample 4 of 120")
            self.assertNotIn("clock", page.evaluate("document.querySelector('#tooltip').textContent"))
            dashed = page.evaluate("document.querySelectorAll('#samples-drawing [stroke-dasharray]').length")
            self.assertEqual(dashed, 1)  # between the two runs
            self.assertEqual(page.errors(), [])


class Samples(BrowserTest):
    def test_are_drawn_for_the_row_that_is_chosen(self):
        page = self.open(runs.ladder(3))
        texts = "[...document.querySelectorAll('#samples-drawing text')].map((text) => text.textContent)"
        page.wait_for(f"{texts}.includes('rung_1, ms')")
        page.click("#rows tr[data-row='3'] .draw")
        page.wait_for(f"{texts}.includes('rung_3, ms')")
        self.assertEqual(page.evaluate("document.activeElement.id"), "row-of-samples")
        page.choose("#row-of-samples", "0")
        page.wait_for(f"{texts}.includes('cuBLAS, ms')")
        self.assertNotIn("rung_3, ms", page.evaluate(texts))
        self.assertEqual(page.evaluate("document.querySelectorAll('#samples-drawing circle').length"), 5)
        self.assertEqual(page.errors(), [])

    def test_that_are_all_the_same_or_one_alone_are_drawn(self):
        same = samples.timed_row(1, "256", samples_ms=[2.0, 2.0], reference_samples_ms=[1.0, 1.0])
        of_one = {"samples_ms": [2.0], "reference_samples_ms": [], "sample_seconds": [8.4e-8], "sample_clocks_mhz": [0.0]}
        alone = samples.timed_row(2, "256", **of_one)
        page = self.open(runs.run_of([same, alone]))
        for row, circles in (("0", 2), ("1", 1)):
            page.choose("#row-of-samples", row)
            page.wait_for(f"document.querySelectorAll('#samples-drawing circle').length === {circles}")
            circle = "(c) => [c.cx.baseVal.value, c.cy.baseVal.value]"
            places = page.evaluate(f"[...document.querySelectorAll('#samples-drawing circle')].map({circle})")
            self.assertEqual(len(places), circles)
            self.assertTrue(all(value > 0 for place in places for value in place), places)
        page.hover("#samples-drawing [data-mark='1']")
        self.assert_tip(page, "sample 1 of 1, after 0 s")
        self.assertEqual(page.errors(), [])


class Whole(BrowserTest):
    def test_saves_the_run(self):
        run = runs.ladder(3)
        folder = Path(self.folder.name) / "saved"
        self.browser.call("Browser.setDownloadBehavior", behavior="allow", downloadPath=str(folder))
        page = self.open(run)
        page.click("#download")
        give_up = time.monotonic() + SECONDS
        while not (folder / "report.json").exists() and time.monotonic() < give_up:
            time.sleep(0.02)
        document = {"context": run.context.json, "benchmarks": [row.json for row in run.rows]}
        self.assertEqual(json.loads((folder / "report.json").read_text()), document)
        self.assertEqual(page.errors(), [])

    def test_runs_no_script_of_a_runs_texts(self):
        evil = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 1'>"
        rows = [samples.timed_row(1, "256", kernel=evil, path=evil, doubts=[evil])]
        page = self.open(samples.document(rows, device=evil, labs=[{"lab": evil, "question": evil}]))
        page.hover("#samples-drawing [data-mark='1']")
        self.assert_tip(page, evil)
        self.assertEqual(page.evaluate("typeof window.evil"), "undefined")
        page.click(head("kernel") + " button")
        self.assertEqual(page.evaluate("document.images.length"), 0)
        self.assertEqual(page.evaluate("typeof window.evil"), "undefined")
        self.assertEqual(page.errors(), [])

    def test_would_not_run_another_script(self):
        page = self.open(runs.ladder(1))
        page.evaluate("document.body.append(Object.assign(document.createElement('script'), {textContent: 'window.evil = 1'}))")
        self.assertEqual(page.evaluate("typeof window.evil"), "undefined")
        self.assertIn("Content Security Policy", " ".join(page.errors()))

    def test_shows_where_the_focus_is(self):
        page = self.open(runs.ladder(1))
        page.press("Tab")
        self.assertEqual(page.evaluate("document.activeElement.textContent"), "Skip to the results")
        self.assertGreaterEqual(page.evaluate("document.activeElement.getBoundingClientRect().left"), 0)
        for _ in range(12):
            outline = page.evaluate("getComputedStyle(document.activeElement).outline")
            self.assertRegex(outline, "solid 3px")
            page.press("Tab")

    def test_on_paper_has_no_controls_and_all_rows(self):
        page = self.open(runs.every_verdict(), dark=True)
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        self.assertEqual(page.evaluate("document.querySelectorAll('#summary details:not([open])').length"), 0)
        page.call("Emulation.setEmulatedMedia", media="print", features=[{"name": "prefers-color-scheme", "value": "dark"}])
        shown = "[...document.querySelectorAll('{}')].filter((e) => e.checkVisibility()).length"
        for selector in ("button", "select", "input", "nav", "#download"):
            self.assertEqual(page.evaluate(shown.format(selector)), 0, selector)
        self.assertEqual(page.evaluate(shown.format("#rows tbody tr")), 7)
        self.assertEqual(page.evaluate("getComputedStyle(document.body).backgroundColor"), "rgb(255, 255, 255)")
        self.assertEqual(page.evaluate("getComputedStyle(document.querySelector('#rows').parentElement).overflowX"), "visible")
        text = f"getComputedStyle(document.querySelector('{head('kernel')}'), '::after').content"
        self.assertEqual(page.evaluate(text), '"kernel"')
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        self.assertGreater(page.evaluate("document.querySelectorAll('details:not([open])').length"), 0)

    def test_has_its_figures_without_scripts(self):
        page = self.open(runs.ladder(3), scripts=False)
        self.assertEqual(page.evaluate("document.querySelectorAll('#rows tbody tr').length"), 4)
        for selector in ("#filters", "#choose-samples", "#download"):
            self.assertFalse(page.evaluate(f"document.querySelector('{selector}').checkVisibility()"), selector)


if __name__ == "__main__":
    unittest.main()
