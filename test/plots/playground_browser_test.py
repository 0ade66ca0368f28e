"""Tests the playground in a browser: it counts like the simulated GPU, works by keys alone, keeps its state in the address, and fits.

playground_browser_test.py PLAYGROUND_SETTINGS BROWSER [FOLDER]      with a folder, pictures of the page are left there
"""

import json
import subprocess
import sys
import unittest
from pathlib import Path

from browser import Browser

SETTINGS = Path(sys.argv.pop(1)).resolve()
BROWSER = sys.argv.pop(1)
PICTURES = Path(sys.argv.pop(1)) if len(sys.argv) > 1 and not sys.argv[1].startswith("-") else None
PAGE = Path(__file__).resolve().parents[2] / "docs/playground.html"
LEAST_SETTINGS = 500
COUNTED = """(rows) => rows.flatMap(([text, ...wanted]) => {
    const { state, unknown } = parse(text), cost = costOf(state);
    const counted = cost ? [cost.sectors, cost.lines, cost.used, cost.wavefronts, cost.phases] : [null];
    const is_same = !unknown.length && String(counted) === String(wanted) && addressOf(state) === (text || addressOf(usual()));
    return is_same ? [] : [`${text}: ${counted}, and the simulated GPU counts ${wanted}`];
})"""
# For each preset, the page's rows, sectors and words of the picture, and its verdict.
SHOWN = """() => presets.map((option) => {
    choosePreset(option.index);
    const waves = document.querySelectorAll('.wave').length - 1, sectors = document.querySelectorAll('.sector.moved').length;
    const words = document.querySelectorAll('#picture .word.lane').length;
    return {name: option.value, state, cost: costOf(state), waves, sectors, words, verdict: byId('verdict').textContent};
})"""
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


class Playground(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.browser = cls.enterClassContext(Browser(BROWSER))

    def open(self, state="", **how):
        # The state is set later, because open() would quote a hash in the path.
        page = self.browser.open(PAGE, **how)
        self.addCleanup(page.close)
        if state:
            self.go(page, state)
        return page

    def go(self, page, state):
        """Gives the page another address. Waits until the page has read it, unless it has written this address itself."""
        page.evaluate("new Promise((then) => { const before = location.href; addEventListener('hashchange', then, {once: true});"
                      f"location.hash = {json.dumps(state)}; if (location.href === before) then(); }})")  # fmt: skip

    def text(self, page, name):
        return page.evaluate(f"byId('{name}').textContent")

    def test_counts_as_the_simulated_gpu_does(self):
        printed = subprocess.run([SETTINGS], stdout=subprocess.PIPE, check=True).stdout
        rows = json.loads(printed)
        self.assertGreater(len({row[0] for row in rows}), LEAST_SETTINGS)
        self.assertGreater(sum(row[1] is None for row in rows), 100, "some are refused")
        page = self.open()
        wrong = page.evaluate(f"({COUNTED})({json.dumps(rows)})")
        self.assertEqual(wrong[:10], [], f"{len(wrong)} of {len(rows)} differ")
        print(f"{len(rows)} settings, {len({row[0] for row in rows})} different: the same counts")

    def test_draws_what_it_counts(self):
        page = self.open()
        shown = page.evaluate(f"({SHOWN})()")
        self.assertGreater(len(shown), 30)
        for one in shown:
            with self.subTest(preset=one["name"]):
                cost = one["cost"]
                if cost is None:
                    self.assertIn("A GPU would abort this", one["verdict"])
                elif one["state"]["memory"] == "shared":
                    self.assertEqual(one["waves"], cost["wavefronts"])
                    self.assertGreaterEqual(4 * one["words"], cost["used"], "a word may be wanted in two phases")
                    self.assertIn(f" {cost['wavefronts']} wavefront", one["verdict"])
                else:
                    self.assertEqual(one["sectors"], cost["sectors"])
                    self.assertEqual(4 * one["words"], cost["used"])
                    self.assertIn(f" {cost['sectors']} sector", one["verdict"])
        self.assertEqual(page.errors(), [])

    def test_says_the_result_in_words(self):
        for state, verdict in {
            "copy_stride/1": "32 lanes touch 4 sectors: 100 % of the bytes moved are used.",
            "copy_stride/2": "32 lanes touch 8 sectors: 50 % of the bytes moved are used.",
            "stride=0": "32 lanes touch 1 sector: 12.5 % of the bytes moved are used.",
            "x=1": "1 lane touches 1 sector: 12.5 % of the bytes moved are used.",
            "banks/32": "32 lanes take 32 wavefronts: 31 bank conflicts.",
            "banks/33": "32 lanes take 1 wavefront: no lane waits for another.",
            "banks/float4": "32 lanes take 4 wavefronts: no lane waits for another.",
            "copy_offset/float4+1": "A GPU would abort this: byte 4, which lane 0 asks for, is no multiple of 16.",
        }.items():
            with self.subTest(state=state):
                self.assertEqual(self.text(self.open(state), "verdict"), verdict)

    def test_is_worked_by_keys_alone(self):
        page = self.open("copy_stride/1")
        reached = []
        for _ in range(60):
            page.press("Tab")
            key = page.evaluate("document.activeElement.closest('[data-key]')?.dataset.key || document.activeElement.id")
            ring = page.evaluate("(({outlineStyle, outlineWidth}) => outlineStyle + outlineWidth)(getComputedStyle(document.activeElement"
                                 ".type === 'radio' ? document.activeElement.nextElementSibling : document.activeElement))")  # fmt: skip
            if page.evaluate("document.activeElement === document.body"):
                break
            self.assertEqual(ring, "solid3px", key)
            reached.append(key)
        visible = page.evaluate("fields.filter((field) => !field.box.hidden).map((field) => field.key)")
        self.assertGreaterEqual(set(reached), {"preset", "previous", "next", "copy", "lanes", *visible})

        page.focus("[data-key=stride] input[type=range]")
        page.press("ArrowRight")
        self.assertEqual(self.text(page, "verdict"), "32 lanes touch 8 sectors: 50 % of the bytes moved are used.")
        self.assertEqual(page.evaluate("byId('stride').value"), "2")
        page.focus("#stride")
        page.evaluate("byId('stride').select()")
        page.write("8")
        self.assertEqual(self.text(page, "verdict"), "32 lanes touch 32 sectors: 12.5 % of the bytes moved are used.")
        page.focus("[data-key=memory] input")
        page.press("ArrowRight")
        self.assertEqual(self.text(page, "verdict"), "32 lanes take 8 wavefronts: 7 bank conflicts.")
        page.focus("#lanes")
        for _ in range(3):
            page.press("ArrowRight")
        self.assertEqual(self.text(page, "lane"), "Lane 2: bytes 64 to 67, bank 16.")
        self.assertEqual(page.evaluate("document.querySelectorAll('.marked').length"), 2, "the lane and its word")
        self.assertEqual(page.errors(), [])

    def test_keeps_its_state_in_the_address(self):
        page = self.open("banks/2")
        self.assertEqual(page.evaluate("byId('preset').value"), "banks/2")
        page.focus("[data-key=stride] input[type=range]")
        page.press("ArrowRight")
        page.wait_for("location.hash === '#memory=shared&stride=3'")
        self.assertEqual(page.evaluate("byId('preset').value"), "")
        again = self.open("memory=shared&stride=3")
        self.assertEqual(again.evaluate("JSON.stringify(state)"), page.evaluate("JSON.stringify(state)"))
        page.focus("#next")
        page.press("Enter")
        page.wait_for("location.hash === '#' + presets[0].value")
        self.assertEqual(page.requests(), [PAGE.as_uri()])

    def test_keeps_an_address_that_is_given_before_its_own_is_written(self):
        page = self.open()
        page.evaluate("new Promise((then) => { choosePreset(0); addEventListener('hashchange', then, {once: true});"
                      "location.hash = 'banks/33'; const begin = Date.now(); while (Date.now() < begin + 300); })")  # fmt: skip
        self.assertEqual(page.evaluate("[location.hash, byId('preset').value]"), ["#banks/33", "banks/33"])

    def test_says_what_an_address_has_that_it_has_not(self):
        for state, unknown in {"banks/999": "banks/999", "stride=65": "stride=65", "width=3&offset=x": "width=3, offset=x", "%": "%",
                               "stride=1.5": "stride=1.5", "<b>=1": "<b>=1"}.items():  # fmt: skip
            with self.subTest(state=state):
                page = self.open(state)
                self.assertFalse(page.evaluate("byId('notice').hidden"))
                self.assertIn(f"asks for {unknown}, which", self.text(page, "notice"))
                self.assertEqual(page.errors(), [])
        self.assertEqual(self.open("stride=99").evaluate("state.stride"), 64)

    def test_fits(self):
        papers = {}
        for width in (400, 1280):
            for dark in (False, True):
                for state in ("copy_stride/2", "banks/32", "banks/float4", "copy_offset/float4+1", "mappings/x_to_row/A", "mappings/remap/C"):
                    with self.subTest(width=width, dark=dark, state=state):
                        page = self.open(state, width=width, dark=dark)
                        self.assertLessEqual(page.evaluate(OVERFLOW), 0)
                        papers[dark] = page.evaluate("getComputedStyle(document.body).backgroundColor")
                        self.assertEqual(page.errors(), [])
                        if PICTURES:
                            name = state.replace("/", "_")
                            page.screenshot(PICTURES / f"{name}_{width}_{'dark' if dark else 'light'}.png")
        self.assertEqual(papers, {False: "rgb(255, 255, 255)", True: "rgb(13, 17, 23)"})

    def test_the_result_is_in_sight_while_a_slider_moves(self):
        page = self.open("copy_stride/2", width=400, height=800)
        page.focus("[data-key=offset] input[type=range]")
        page.evaluate("document.activeElement.scrollIntoView({block: 'center'})")
        top, bottom = page.evaluate("(({top, bottom}) => [top, bottom])(byId('headline').getBoundingClientRect())")
        self.assertTrue(0 <= top < bottom <= 800, (top, bottom))


if __name__ == "__main__":
    unittest.main()
