"""Tests plots as files: SVGs follow the reader's scheme, carry their values and are the same each time; .png and .pdf; the
documents' plots drawn anew. Needs matplotlib."""

import re
import shlex
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree as xml
from pathlib import Path

import runs
from plots import catalogue, compare, errors, results, style, timeline

TAG = "{http://www.w3.org/2000/svg}"
SIZES = ("128", "1000", "1024", "4096", "64x128x64")


def every_svg(**options):
    """Returns each plot of a made-up run as an SVG's text, by name."""
    run = runs.ladder(13, SIZES)
    of = dict.fromkeys(catalogue.PLOTS, run) | {"compare": runs.every_verdict(), "timeline": runs.of_products(runs.distributed())}
    return {name: catalogue.svg(name, run, **options) for name, run in of.items()}


def call(*words):
    command = [sys.executable, "-B", "-m", "plots", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, cwd=runs.ROOT)


class Svg(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.svgs = every_svg()

    def test_every_colour_is_one_of_both_schemes(self):
        for name, text in self.svgs.items():
            root = xml.fromstring(text)
            for element in root.iter():
                for attribute in ("style", "fill", "stroke"):
                    for color in re.findall(r"(?<!, )#[0-9a-fA-F]{3,6}\b(?![^(]*\))", element.get(attribute, "")):
                        self.fail(f"{name}: {element.tag} has {color}, which is that of no role")
            self.assertTrue("prefers-color-scheme: dark" in text, name)
            for role in set(re.findall(r"var\(--plot-(\w+)", text)):
                self.assertEqual(text.count(f"--plot-{role}: "), 2, role)
            self.assertTrue("var(--plot-paper" in text and "var(--plot-ink" in text, name)

    def test_text_is_text_in_the_readers_font(self):
        for name, text in self.svgs.items():
            texts = [element for element in xml.fromstring(text).iter(f"{TAG}text")]
            self.assertGreater(len(texts), 5, name)
            for element in texts:
                self.assertIn("system-ui", element.get("style"))
                self.assertNotIn("DejaVu", element.get("style"))

    def test_says_what_it_shows_to_who_cannot_see_it(self):
        for name, text in self.svgs.items():
            root = xml.fromstring(text)
            self.assertEqual(root.get("role"), "img")
            self.assertTrue(root.get("aria-label").startswith(root.find(f"{TAG}title").text))
            self.assertEqual(root.find(f"{TAG}desc").text, root.get("aria-label"))

    def test_tips_stand_on_marks(self):
        root = xml.fromstring(self.svgs["sizes"])
        said = [mark.find(f"{TAG}title").text for mark in root.iter(f"{TAG}use") if mark.find(f"{TAG}title") is not None]
        self.assertEqual(len(said), 13 * 4)  # of four squares
        self.assertIn("13 rung_13 at 1000³: 95.7 % of cuBLAS", said)
        self.assertEqual("".join(self.svgs.values()).count("tip:"), 0)

    def test_is_the_same_each_time_and_has_no_date(self):
        self.assertTrue(every_svg() == self.svgs)
        for text in self.svgs.values():
            self.assertEqual((text.count("dc:date"), text.count("Matplotlib")), (0, 0))

    def test_carries_its_values(self):
        run = runs.ladder(13, SIZES)
        self.assertEqual(
            style.carried(catalogue.svg("ladder", run, size="1024")),
            {"plot": "ladder", "options": {"size": "1024"}, "shown": catalogue.PLOTS["ladder"].shown(run, size="1024")},
        )

    def test_several_can_stand_in_one_page(self):
        pieces = every_svg(embedded=True)
        used, drawn = set(), []
        for name, text in pieces.items():
            self.assertTrue(text.startswith("<svg "), text[:40])
            self.assertEqual(text.count("<style"), 0, name)
            root = xml.fromstring(text)
            drawn.append(root)
            for element in root.iter():
                if element.get("id"):
                    self.assertNotIn(element.get("id"), used, name)
                    used.add(element.get("id"))
            for element in root.iter():
                for value in element.attrib.values():
                    for wanted in re.findall(r"^#(.+)|url\(#(.+?)\)", value):
                        self.assertIn("".join(wanted), used, name)
        self.assertIn("svg.plot {", style.css())
        self.assertTrue(all(root.get("class") == "plot" for root in drawn))

    def test_whatever_the_user_has_set_for_matplotlib_changes_nothing(self):
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "matplotlibrc").write_text("patch.force_edgecolor: True\nfont.size: 30\nsvg.fonttype: path\n")
            script = (
                "import sys; sys.path.insert(0, sys.argv[1]); import runs; from plots import catalogue; "
                f"sys.stdout.write(catalogue.svg('ladder', runs.ladder(13, {SIZES})))"
            )
            called = [sys.executable, "-B", "-c", script, str(runs.ROOT / "test/plots")]
            made = subprocess.run(called, capture_output=True, text=True, encoding="utf-8", env={"MATPLOTLIBRC": folder})
        self.assertTrue(made.stdout == self.svgs["ladder"], made.stderr)


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.run_file = self.folder / "run.json"
        self.run_file.write_text(runs.samples.text_of(runs.samples.document(runs.ladder_rows(3))))

    def test_several_at_once(self):
        paths = [self.folder / f"ladder{suffix}" for suffix in style.SUFFIXES]
        ended = call("ladder", self.run_file, "-o", *paths)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (0, "", ""))
        begins = (b"<?xml", b"\x89PNG", b"%PDF")
        for path, begin in zip(paths, begins):
            self.assertEqual(path.read_bytes()[: len(begin)], begin)
        before = [path.read_bytes() for path in paths]
        call("ladder", self.run_file, "-o", *paths)
        self.assertEqual([path.read_bytes() for path in paths], before)
        self.assertEqual(sorted(self.folder.iterdir()), sorted([*paths, self.run_file]))

    def test_what_is_drawn_passes_its_own_check(self):
        svg = self.folder / "roofline.svg"
        self.assertEqual(call("roofline", self.run_file, "-o", svg).returncode, 0)
        self.assertEqual(call("roofline", self.run_file, "-o", svg, "--check").returncode, 0)
        self.run_file.write_text(runs.samples.text_of(runs.samples.document(runs.ladder_rows(4))))
        self.assertEqual(call("roofline", self.run_file, "-o", svg, "--check").returncode, 1)

    def test_a_timeline_passes_its_own_check(self):
        def write(**more):
            product = runs.distributed(size="4096", **more)
            self.run_file.write_text(runs.samples.text_of(runs.samples.document([], distributed=[product])))

        write()
        svg = self.folder / "timeline.svg"
        for words in ((), ("--size", "4096")):
            self.assertEqual(call("timeline", self.run_file, "-o", svg, *words).returncode, 0)
            self.assertEqual(call("timeline", self.run_file, "-o", svg, "--check", *words).returncode, 0)
        write(seconds=1.6)
        self.assertEqual(call("timeline", self.run_file, "-o", svg, "--check", "--size", "4096").returncode, 1)

    def test_a_refusal_leaves_what_was_there(self):
        svg = self.folder / "plot.svg"
        svg.write_text("mine")
        for words in (("--size", "5"), ("--size", "x")):
            ended = call("ladder", self.run_file, "-o", svg, self.folder / "other.png", *words)
            self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 1), ended.stderr)
        self.assertEqual(svg.read_text(), "mine")
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["plot.svg", "run.json"])


class Documents(unittest.TestCase):
    """The plots of README.md and docs/, drawn anew, have the same texts and shapes. Other versions of matplotlib may place them
    differently."""

    def structure(self, text):
        root = xml.fromstring(text)
        texts = [element.text for element in root.iter() if element.tag in (f"{TAG}text", f"{TAG}title", f"{TAG}desc")]
        marks = [element.tag for element in root.iter() if element.tag in (f"{TAG}use", f"{TAG}path")]
        return style.carried(text), texts, len(marks), sorted(set(re.findall(r"var\(--plot-\w+", text)))

    def test_plots_are_those_of_today(self):
        drawn = 0
        for document in (runs.ROOT / "README.md", *sorted((runs.ROOT / "docs").glob("*.md"))):
            for command in re.findall(r"<!-- drawn by: python3 -m plots (.+?) -->", document.read_text(encoding="utf-8")):
                words = shlex.split(command)
                at = words.index("-o") + 1
                there = (runs.ROOT / words[at]).read_text(encoding="utf-8")
                with tempfile.TemporaryDirectory() as folder:
                    words[at] = f"{folder}/plot.svg"
                    ended = call(*words)
                    self.assertEqual(ended.returncode, 0, ended.stderr)
                    anew = (Path(folder) / "plot.svg").read_text(encoding="utf-8")
                self.assertEqual(self.structure(there), self.structure(anew), command)
                drawn += 1
        self.assertGreaterEqual(drawn, 2)


    def test_doc_outputs_draws_them_anew(self):
        with tempfile.TemporaryDirectory() as name:
            folder = Path(name)
            run = runs.samples.document(runs.ladder_rows(3))
            (folder / "run.json").write_text(runs.samples.text_of(run))
            (folder / "plot.svg").write_text("<svg/>")
            command = f"python3 -m plots sizes {folder}/run.json -o {folder}/plot.svg"
            (folder / "text.md").write_text(f"<!-- drawn by: {command} -->\n")
            called = [sys.executable, "-B", runs.ROOT / "tools/docs/doc_outputs.py", folder / "text.md"]
            ended = subprocess.run(called, capture_output=True, text=True)
            self.assertEqual(ended.returncode, 0, ended.stderr)
            self.assertIn("plot.svg", ended.stdout)
            drawn = (folder / "plot.svg").read_text(encoding="utf-8")
            self.assertTrue(drawn == catalogue.svg("sizes", results.from_document(run)))


class RecordedRun(unittest.TestCase):
    def test_every_plot_of_it_is_small(self):
        run = results.read(runs.BASELINE)
        for name, module in catalogue.PLOTS.items():
            if module not in (compare, errors, timeline):
                self.assertLess(len(catalogue.svg(name, run)), 250_000, name)


if __name__ == "__main__":
    unittest.main()
