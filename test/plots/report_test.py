"""Tests the report as a file: its structure, its contents, and refusals. report_browser_test.py tests its behaviour.

report_test.py SGEMM_RUNNER      of the simulator's build
"""

import argparse
import json
import os
import re
import stat
import subprocess
import sys
import tempfile
import unittest
from html.parser import HTMLParser
from pathlib import Path

import runs
import samples
from plots import report, results, style
from plots.report import metrics, page, words

RUNNER = Path(sys.argv.pop(1)).resolve()
VOID = ("meta", "input", "br", "hr", "img", "link")
MOST_BYTES = 5 << 20


class Page(HTMLParser):
    """The elements of a page with their attributes and texts, in their order."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.elements, self.open, self.errors = [], [], []
        self.feed(text)
        self.close()
        self.errors += [f"<{element['tag']}> is never ended" for element in self.open]

    def handle_starttag(self, tag, attributes):
        inside = [element["tag"] for element in self.open]
        element = {"tag": tag, "attributes": dict(attributes), "text": "", "inside": inside, "within": list(self.open)}
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if not self.open or self.open[-1]["tag"] != tag:
            self.errors.append(f"</{tag}> ends {self.open[-1]['tag'] if self.open else 'nothing'}")
            return
        self.open.pop()

    def handle_data(self, data):
        for element in self.open:
            element["text"] += data

    def all(self, *tags, inside=None):
        return [e for e in self.elements if e["tag"] in tags and (inside is None or self.has_ancestor(e, inside))]

    def has_ancestor(self, element, identity):
        return any(one["attributes"].get("id") == identity for one in element["within"])

    def by_id(self, identity):
        (found,) = [e for e in self.elements if e["attributes"].get("id") == identity]
        return found

    def cells(self):
        """Returns {heading: text} for each row of the table of all rows."""
        heads = [e for e in self.all("th", inside="rows") if "thead" in e["inside"]]
        heads = [e["attributes"].get("data-heading", e["text"]) for e in heads]
        body = [e for e in self.all("tr", inside="rows") if "tbody" in e["inside"]]
        inside = self.all("td", "th", inside="rows")
        of_row = {id(row): [] for row in body}
        for cell in inside:
            for row in cell["within"]:
                if id(row) in of_row:
                    of_row[id(row)].append(cell["text"])
        return [dict(zip(heads, of_row[id(row)], strict=True)) for row in body]


class ReportTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.output = self.folder / "report.html"

    def file(self, content, name="run.json"):
        path = self.folder / name
        if isinstance(content, results.Run):
            content = page.document(content)
        path.write_text(content if isinstance(content, str) else json.dumps(content), encoding="utf-8")
        return path

    def call(self, *words, runner=RUNNER, environment=None):
        command = [sys.executable, "-B", "-m", "plots", "report", *map(str, words), "--runner", str(runner)]
        return subprocess.run(command, cwd=runs.ROOT, capture_output=True, text=True, env={**os.environ, **(environment or {})})

    def page_of(self, content, base=None, name=None, runner=RUNNER):
        """Returns the page of a run. This process makes it, since it has matplotlib loaded already."""
        words = argparse.Namespace(run=self.file(content), base=base, name=name, output=self.output, runner=runner)
        self.assertEqual(report.write(words), 0)
        found = Page(self.output.read_text(encoding="utf-8"))
        self.assertEqual(found.errors, [])
        return found

    def stub(self, script):
        """Makes a stand-in for sgemm_runner, which notes its words and then runs the script."""
        path = self.folder / "stub"
        note = f"open({str(self.folder / 'calls')!r}, 'a').write(json.dumps(sys.argv[1:]) + '\\n')"
        path.write_text(f"#!{sys.executable}\nimport json, sys\n{note}\n{script}\n")
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def calls(self):
        path = self.folder / "calls"
        return [json.loads(line) for line in path.read_text().splitlines()] if path.exists() else []


class RecordedRun(unittest.TestCase):
    """The page of the run that is recorded in the project."""

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        output = Path(cls.folder.name) / "report.html"
        command = [sys.executable, "-B", "-m", "plots", "report", runs.BASELINE, "-o", output, "--runner", RUNNER]
        subprocess.run(command, cwd=runs.ROOT, check=True)
        cls.bytes = output.read_bytes()
        cls.text = cls.bytes.decode("utf-8")
        cls.page = Page(cls.text)
        cls.run_of_file = results.read(runs.BASELINE)

    def test_is_small_enough_to_be_sent(self):
        self.assertLess(len(self.bytes), MOST_BYTES)

    def test_is_well_formed(self):
        self.assertEqual(self.page.errors, [])
        ids = [e["attributes"]["id"] for e in self.page.elements if "id" in e["attributes"]]
        self.assertEqual(sorted(set(ids)), sorted(ids))

    def test_headings_stand_in_order(self):
        levels = [int(e["tag"][1]) for e in self.page.all("h1", "h2", "h3", "h4", "h5", "h6")]
        self.assertEqual(levels[0], 1)
        self.assertEqual(levels.count(1), 1)
        for before, level in zip(levels, levels[1:]):
            self.assertLessEqual(level, before + 1)
        names = [e["text"] for e in self.page.all("h2")]
        self.assertEqual(names, ["Summary", "Plots", "Requests of a warp", "Results", "Samples", "Sources with counters",
                                 "Environment", "Data"])

    def test_has_landmarks_and_a_language(self):
        for tag in ("html", "head", "header", "nav", "main"):
            self.assertEqual(len(self.page.all(tag)), 1, tag)
        titles = [e["text"] for e in self.page.all("title") if e["inside"] == ["html", "head"]]
        self.assertEqual(titles, [self.page.all("h1")[0]["text"]])
        self.assertEqual(self.page.all("html")[0]["attributes"]["lang"], "en")
        for section in self.page.all("section"):
            self.page.by_id(section["attributes"]["aria-labelledby"])
        targets = {f"#{e['attributes']['id']}" for e in self.page.elements if "id" in e["attributes"]}
        links = [e["attributes"]["href"] for e in self.page.all("a") if "href" in e["attributes"]]
        self.assertGreater(len(links), 6)
        self.assertLessEqual(set(links), targets)

    def test_tables_can_be_heard(self):
        for head in self.page.all("th"):
            self.assertIn(head["attributes"].get("scope"), ("col", "row"), head)
        self.assertEqual(len(self.page.all("caption")), len(self.page.all("table")))
        for name in ("button", "select", "input"):
            for control in self.page.all(name):
                named = control["text"] or control["attributes"].get("aria-label") or "label" in control["inside"]
                self.assertTrue(named, control)
        for button in self.page.all("button"):
            self.assertIn(button["attributes"].get("type"), ("button", "reset"))
        for drawing in self.page.all("svg"):
            self.assertEqual(drawing["attributes"]["role"], "img")
            self.assertTrue(drawing["attributes"]["aria-label"])

    def test_needs_nothing_from_outside(self):
        for element in self.page.elements:
            self.assertNotIn(element["tag"], ("link", "iframe", "object", "embed", "base"))
            for name, value in element["attributes"].items():
                if name in ("src", "href", "xlink:href", "action", "data", "poster", "srcset", "formaction"):
                    within = "data:image/svg+xml;base64," if element["tag"] == "img" else "#"
                    self.assertTrue(value.startswith(within), (element["tag"], name, value[:80]))
                self.assertFalse(name.startswith("on"), (element["tag"], name))
                self.assertNotRegex(value or "", r"url\((?!#)")
        for css in self.page.all("style"):
            self.assertNotRegex(css["text"], r"@import|url\(")
        policies = [e["attributes"]["content"] for e in self.page.all("meta") if "http-equiv" in e["attributes"]]
        self.assertTrue(policies[0].startswith("default-src 'none';"))

    def test_holds_the_run_itself(self):
        data = json.loads(self.page.by_id("run")["text"])
        self.assertEqual(data, json.loads(runs.BASELINE.read_bytes()))
        self.assertEqual(self.page.by_id("download")["attributes"]["download"], runs.BASELINE.name)

    def test_shows_every_row_as_the_program_wrote_it(self):
        cells = self.page.cells()
        self.assertEqual(len(cells), len(self.run_of_file.rows))
        for shown, row in zip(cells, sorted(self.run_of_file.rows, key=lambda row: not row.trusted)):
            self.assertEqual((shown["#"], shown["kernel"], shown["size"]), (str(row.number), row.kernel, words.size(row)))
            self.assertEqual(shown["% cuBLAS"], f"{row.figures['percent_of_cublas']:.1f}")
            ms = row.figures["median_ms"]
            self.assertAlmostEqual(float(shown["time, ms"].replace("\u00a0", "")) / ms, 1, delta=0.0005)
            self.assertEqual(shown["result"], "right" if row.trusted else "not trusted")

    def test_tells_what_is_not_trusted_and_why(self):
        told = self.page.by_id("summary")["text"]
        doubtful = [row for row in self.run_of_file.rows if row.doubts]
        self.assertTrue(doubtful)
        for row in doubtful:
            self.assertIn("; ".join(row.doubts), told)

    def test_has_the_plots(self):
        figures = [e["attributes"]["id"] for e in self.page.all("figure", inside="plots")]
        for plot in ("ladder", "roofline", "sizes", "heatmap"):
            self.assertIn(f"plot-{plot}", figures)
            self.assertTrue(self.page.all("svg", inside=f"plot-{plot}"), plot)

    def test_draws_a_request_of_each_rung(self):
        parts = self.page.all("details", inside="requests")
        self.assertEqual(len(parts), len({row.label for row in self.run_of_file.rows if row.number}))
        self.assertTrue(parts[0]["text"].startswith("1 naiveLoad of A: 32 lanes"), parts[0]["text"])
        images = [image["attributes"] for image in self.page.all("img", inside="requests")]
        self.assertEqual(len(images), 2 * len(parts))
        for image in images:
            self.assertTrue(image["src"].startswith("data:image/svg+xml;base64,"))

    def test_shows_each_source_with_its_counters(self):
        shown = [e["text"] for e in self.page.all("caption", inside="sources")]
        own = sorted({f"src/kernels/{row.label}.cu" for row in self.run_of_file.rows if row.number})
        self.assertEqual([name for name in shown if name in own], own)
        counted = json.loads(subprocess.run([RUNNER, "show", "2", "--json"], check=True, capture_output=True).stdout)
        (row,) = counted["benchmarks"]
        (part,) = [e for e in self.page.all("details", inside="sources") if e["text"].startswith("2 coalesced")]
        self.assertTrue(part["text"].startswith("2 coalesced simulated GPU, 256³"))
        source = (runs.ROOT / "src/kernels/02_coalesced.cu").read_text().splitlines()
        rows = [e["text"] for e in self.page.all("tr", inside="sources") if part in e["within"]]
        for line in row["lines"]:
            figures = f"{line['buffer']}{line['instruction']}4{words.whole(line['requests'])}{line['sectors_per_request']:.1f}"
            (found,) = [text for text in rows if figures in text]
            if not found.startswith(line["buffer"]):  # not a line's second access, which stands below its first
                self.assertTrue(found.startswith(f"{line['line']}{source[line['line'] - 1]}"), found)
        for number, text in enumerate(source, 1):
            self.assertTrue(any(one.startswith(f"{number}{text}") for one in rows), number)

    def test_tells_the_environment(self):
        told = self.page.by_id("environment")["text"]
        context = self.run_of_file.context
        roofs = [words.decimal(roof, 1) for roof in context.roofs.values()]
        for value in (context.device, context.driver, context.commit, context.date, *roofs):
            self.assertIn(value, told)

    def test_can_be_read_in_both_schemes(self):
        css = (runs.ROOT / "plots/report/page.css").read_text()
        blocks = re.findall(r":root \{(.*?)\}", css, re.DOTALL)
        light, dark = (dict(re.findall(r"--(\w+): (#\w{6});", block)) for block in blocks)
        self.assertEqual(set(light), set(dark))
        for colors in (light, dark):
            for text in ("ink", "soft", "link", "good", "bad", "doubt", "note"):
                for paper in ("paper", "panel"):
                    self.assertGreaterEqual(contrast(colors[text], colors[paper]), 4.5, (text, paper))
            for paper in ("much", "some"):
                for text in ("ink", "soft"):
                    self.assertGreaterEqual(contrast(colors[text], colors[paper]), 4.5, (text, paper))


def contrast(one, other):
    """Returns the contrast ratio of two colours, as WCAG 2.2 defines it."""

    def luminance(color):
        channels = [int(color[i : i + 2], 16) / 255 for i in (1, 3, 5)]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return sum(weight * c for weight, c in zip((0.2126, 0.7152, 0.0722), linear))

    lights = sorted((luminance(one), luminance(other)))
    return (lights[1] + 0.05) / (lights[0] + 0.05)


class MadeUpRuns(ReportTest):
    def test_of_every_length_are_shown(self):
        for length in runs.LENGTHS:
            cells = self.page_of(runs.ladder(length), runner="/nowhere").cells()
            self.assertEqual(len(cells), length + 1)

    def test_without_rows_is_shown(self):
        found = self.page_of(samples.document([]), runner="/nowhere")
        self.assertIn("Results: 0", found.by_id("summary")["text"])

    def test_a_wrong_row_says_what_is_wrong(self):
        message = "C[0][0] is 1, should be 2"
        wrong = samples.timed_row(1, "256", correct=False, error_occurred=True, error_message=message)
        found = self.page_of(runs.run_of([wrong, samples.timed_row(2, "256", promise_kept=False)]), runner="/nowhere")
        self.assertEqual([row["result"] for row in found.cells()], ["wrong", "wrong"])
        told = found.by_id("summary")["text"]
        self.assertIn(message, told)
        self.assertIn("the promise is not kept", told)

    def test_a_refusal_is_no_failure(self):
        found = self.page_of(runs.run_of(samples.lab_rows("copy_stride", 64, "cuda")), runner="/nowhere")
        self.assertEqual([row["result"] for row in found.cells()], ["right", "refused"])
        self.assertIn("a float4 must lie at a multiple of 16 bytes", found.by_id("summary")["text"])

    def test_of_a_simulator_has_counters_and_no_times(self):
        said = subprocess.run([RUNNER, "1,2", "--size", "64", "--json"], check=True, capture_output=True, text=True).stdout
        found = self.page_of(json.loads(said))
        first = found.cells()[0]
        self.assertEqual((first["sectors/request, load A"], first["sectors/request, load B"]), ("32.0", "1.0"))
        self.assertNotIn("time, ms", first)
        self.assertNotIn("Samples", [e["text"] for e in found.all("h2")])
        self.assertIn("no times", found.by_id("plots")["text"])

        # The counts are drawn and are the headline. The reasons why other plots are missing come last, folded.
        [headline] = [e for e in found.all("p") if e["attributes"].get("class") == "headline"]
        self.assertRegex(headline["text"], r"^Rung 2 moves [0-9.]+ times fewer sectors than rung 1 at 64³$")
        rows = [row for row in results.read(runs.BASELINE).rows if row.size == (4096, 4096, 4096) and not row.cold]
        recorded = {row.number: row.figures["percent_of_cublas"] for row in rows}
        cells = [e["text"] for e in found.all("td", inside="plot-traffic")]
        self.assertEqual(len(cells), 6)
        self.assertEqual(cells[1], "12.5 %")
        self.assertEqual(cells[2], f"{recorded[1]:.1f} %")
        bars = [e["attributes"]["style"] for e in found.all("div", inside="plot-traffic") if "bar" in e["attributes"]["class"].split()]
        self.assertEqual((bars[0], bars[1]), ("width: 100.0%", "width: 12.5%"))
        self.assertLess(float(bars[3][7:-1]), 100)
        in_plots = [e for e in found.all("figure", "details") if found.has_ancestor(e, "plots")]
        self.assertEqual([e["tag"] for e in in_plots], ["figure", "details"])
        self.assertNotIn("open", in_plots[-1]["attributes"])

    def test_of_a_gpu_begins_with_what_it_found(self):
        found = self.page_of(runs.ladder(3))
        [headline] = [e for e in found.all("p") if e["attributes"].get("class") == "headline"]
        self.assertIn("cuBLAS at 4096³", headline["text"])
        self.assertFalse([e for e in found.elements if e["attributes"].get("id") == "plot-traffic"])

    def test_of_labs_has_their_questions_and_each_variant(self):
        words_of_lab = [RUNNER, "lab", "copy_stride", "--elements", "1000", "--json"]
        said = json.loads(subprocess.run(words_of_lab, check=True, capture_output=True, text=True).stdout)
        found = self.page_of(said)
        self.assertIn(said["context"]["labs"][0]["question"], found.by_id("labs")["text"])
        self.assertEqual([row["kernel"] for row in found.cells()][0], "copy_stride/1")
        self.assertIn("copy_stride/8", found.by_id("sources")["text"])
        self.assertIn("src/labs/copy_stride.cu", [e["text"] for e in found.all("caption", inside="sources")])


class Texts(ReportTest):
    """A run may have been edited: nothing in it becomes markup, a script or a word of a command line."""

    EVIL = (
        "<script>alert(1)</script>",
        '"><img src=x onerror=alert(1)>',
        "</script><script>alert(2)</script>",
        "<!--",
        "'\"&amp;]]>",
    )

    def test_stay_texts(self):
        rows = []
        for evil in self.EVIL:
            row = samples.timed_row(1, "256", kernel=evil, path=evil, doubts=[evil])
            rows.append(row | {"comparison": runs.comparison("SLOWER", reasons=[evil]), "failure": evil})
        against = {"file": self.EVIL[2], "date": "2026-11-20T10:00:00+00:00", "commit": self.EVIL[0], "notes": list(self.EVIL)}
        facts = {"device": self.EVIL[0], "driver": self.EVIL[2], "commit": self.EVIL[1], self.EVIL[1]: self.EVIL[2]}
        facts |= {"command_line": list(self.EVIL), "compared_with": against}
        facts |= {"labs": [{"lab": self.EVIL[0], "question": self.EVIL[1], "answer": self.EVIL[2]}]}
        document = samples.document(rows, **facts)
        document["benchmarks"][0]["samples_of_runs"] = [2]
        plain = self.page_of(runs.ladder(1), name=self.EVIL[1], runner="/nowhere")
        found = self.page_of(document, name=self.EVIL[1], runner="/nowhere")
        self.assertEqual(len(found.all("script")), len(plain.all("script")))
        self.assertEqual(found.all("img"), [])
        self.assertEqual([e for e in found.elements if any(name.startswith("on") for name in e["attributes"])], [])
        self.assertEqual(json.loads(found.by_id("run")["text"]), document)
        for evil in self.EVIL:
            self.assertIn(evil, [row["kernel"] for row in found.cells()])
            self.assertIn(evil, found.by_id("environment")["text"])
        self.assertEqual(found.by_id("download")["attributes"]["download"], self.EVIL[1])
        self.assertNotIn("<!--", self.output.read_text())

    def test_that_no_file_can_hold_are_left_out(self):
        row = samples.timed_row(1, "256", kernel="na\x07ive\x1b[31m", path="\x00")
        document = samples.document([row], executable="sgemm_\x00runner\x1b")  # no reader has checked this one
        found = self.page_of(document, runner="/nowhere")
        self.assertEqual(found.cells()[0]["kernel"], "naive[31m")
        self.assertIn("sgemm_runner", found.by_id("environment")["text"])
        self.assertEqual(json.loads(found.by_id("run")["text"]), document)

    def test_never_become_words_of_a_command(self):
        names = ["--svg=x", "-h", "a b", "../naive", "naive;ls", "naive"]
        rows = [samples.timed_row(1, "256", kernel=name) for name in names]
        found = self.page_of(samples.document(rows), runner=self.stub("sys.exit(0 if '--help' in sys.argv else 1)"))
        shown = [words[1] for words in self.calls() if words[0] == "show"]
        self.assertEqual(shown, ["--help", "naive", "naive"])  # a picture is asked for, then the lines
        self.assertIn("'--svg=x' is no name of a kernel", found.by_id("sources")["text"])

    def test_show_no_other_file_of_the_machine(self):
        secret = self.file("the secret", "secret.txt")
        for name in (str(secret), "/etc/hostname", str(self.folder), f"{self.folder}/none.cu"):
            row = samples.counted_row(1, "64", set="kernel", kernel="mine", lines=[samples.line_of(name, 1, requests=1)])
            found = self.page_of(samples.document([row], machine="simulator"))
            self.assertIn("is not to be read here", found.by_id("sources")["text"])
            self.assertNotIn("the secret", self.output.read_text())

    def test_of_the_users_own_kernel_are_shown(self):
        mine = self.file("first line\nsecond line\n", "mine.cu")
        line = samples.line_of(str(mine), 2, bytes_per_lane=4, requests=7)
        line |= {"sectors_per_request": 32.0, "bytes_used_over_fetched": 0.125, "waste": "much"}
        row = samples.counted_row(1, "64", set="kernel", kernel="mine", lines=[line])
        found = self.page_of(samples.document([row], machine="simulator"))
        told = found.by_id("sources")["text"]
        self.assertIn("2second lineAld.global.f32 !!moves twice as much as its bytes need, or more4732.012.5 %", told)


class Verdicts(ReportTest):
    """With a base, the program compares and the page shows its verdicts."""

    def answering(self, document, code=0, stderr=""):
        """Makes a stand-in that compares: it writes the document to the file of --json."""
        answer = self.file(document, "answer.json") if document is not None else None
        return self.stub(
            "if sys.argv[1] != 'compare': sys.exit(1)\n"
            f"sys.stderr.write({stderr!r})\n"
            + (f"open(sys.argv[4].split('=', 1)[1], 'w').write(open({str(answer)!r}).read())\n" if answer else "")
            + f"sys.exit({code})"
        )

    def test_are_those_of_the_program(self):
        compared = runs.every_verdict()
        base = self.file(runs.ladder(3), "base.json")
        for code in (0, 3):
            found = self.page_of(runs.ladder(3), base, runner=self.answering(compared, code))
            verdicts = [row["verdict"] for row in found.cells()]
            self.assertEqual(verdicts, [row.comparison.verdict for row in compared.rows])
            told = found.by_id("summary")["text"]
            for row in compared.rows:
                self.assertEqual("; ".join(row.comparison.reasons) in told, row.comparison.verdict != "SAME")
            self.assertIn("the driver differs: 570.1 and 580.2", told)
            self.assertIn("base.json", told)
            self.assertEqual(json.loads(found.by_id("run")["text"]), page.document(compared))
            self.assertTrue(found.all("svg", inside="plot-compare"))
        call = self.calls()[0]
        self.assertEqual(call[:3], ["compare", str(base), str(self.folder / "run.json")])

    def test_in_the_run_itself_are_shown_without_another(self):
        found = self.page_of(runs.every_verdict(), runner="/nowhere")
        self.assertIn("SLOWER", [row["verdict"] for row in found.cells()])
        change = [row["change, %"] for row in found.cells()]
        self.assertIn("\u22126.2", change)
        self.assertIn("+200.0", change)

    def test_that_cannot_be_had_are_refused_in_the_programs_words(self):
        base = self.file(runs.ladder(3), "base.json")
        cases = (
            (4, "sgemm_runner: the device differs: NVIDIA X and NVIDIA Y\n", 4, "the device differs"),
            (2, "sgemm_runner: no\n", 2, "no"),
            (139, "", 70, "ended with 139"),
        )
        for code, stderr, wanted, told in cases:
            ended = self.call(self.file(runs.ladder(3)), base, "-o", self.output, runner=self.answering(None, code, stderr))
            self.assertEqual(ended.returncode, wanted)
            self.assertEqual(ended.stderr.count("\n"), 1)
            self.assertIn(told, ended.stderr)
            self.assertFalse(self.output.exists())

    def test_of_the_program_itself(self):
        base = self.folder / "base.json"
        subprocess.run([RUNNER, "1,2", "--size", "64", f"--json={base}"], check=True, capture_output=True)
        new = json.loads(base.read_text())
        found = self.page_of(new, base)
        self.assertEqual([row["verdict"] for row in found.cells()], ["SAME", "SAME"])
        new["benchmarks"][1]["counts"]["load_sectors"]["A"] += 1
        found = self.page_of(new, base)
        self.assertEqual([row["verdict"] for row in found.cells()], ["SAME", "CHANGED"])
        self.output.unlink()
        other = self.call(runs.BASELINE, base, "-o", self.output)
        self.assertEqual((other.returncode, other.stderr.count("\n")), (4, 1), other.stderr)
        self.assertFalse(self.output.exists())

    def test_need_a_program(self):
        base = self.file(runs.ladder(3), "base.json")
        ended = self.call(self.file(runs.ladder(3)), base, "-o", self.output, runner="/nowhere")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("'/nowhere' cannot be run", ended.stderr)


class Refusals(ReportTest):
    def assert_refused(self, told, *words, **more):
        before = {path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}
        ended = self.call(*words, **more)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr.count("\n")), (2, "", 1), ended.stderr)
        self.assertIn(told, ended.stderr)
        self.assertEqual({path: path.read_bytes() for path in self.folder.iterdir() if path.is_file()}, before)

    def test_of_files_that_are_no_run(self):
        good = json.dumps(samples.document([samples.timed_row(1, "256")]))
        cases = {
            "it is UTF-16, and JSON is UTF-8": ("\0\0",),
            "it is not JSON": (good[: len(good) // 2], "", good.replace("2.5", "NaN")),
            "it is no run of sgemm_runner": ("{}", "[]", '{"context": {}}'),
            "context": ('{"context": {"date": "today"}, "benchmarks": []}', good.replace('"schema": 2', '"schema": 3')),
            "use newer scripts": (good.replace('"schema": 2', '"schema": 3'),),
            "is not between": (good.replace("2.5", "-2.5"), good.replace('"seed": 1', '"seed": 1e999')),
            "a number that JSON has not": (good.replace('"seed": 1', '"seed": 1, "note": [1e999]'),),
        }
        for told, texts in cases.items():
            for text in texts:
                told = "is not a whole number" if "1e999," in text else told
                with self.subTest(told=told, text=text[:40]):
                    self.assert_refused(told, self.file(text), "-o", self.output)
        self.assert_refused("cannot be read", self.folder / "none.json", "-o", self.output)
        self.assert_refused("cannot be read", self.folder, "-o", self.output)

    def test_of_a_base_that_is_no_run(self):
        base = self.file("{", "base.json")
        self.assert_refused("base.json' cannot be used", self.file(runs.ladder(1)), base, "-o", self.output)

    def test_of_places_that_cannot_be_written(self):
        run = self.file(runs.ladder(1))
        self.assert_refused("there is no folder", run, "-o", self.folder / "none" / "report.html")
        self.assert_refused("must end in .html", run, "-o", self.folder / "report.pdf")
        (self.folder / "folder.html").mkdir()
        self.assert_refused("it is a folder", run, "-o", self.folder / "folder.html")

    def test_of_misuse(self):
        self.assert_refused("-o", self.file(runs.ladder(1)))
        self.assert_refused("--colour", self.file(runs.ladder(1)), "-o", self.output, "--colour")

    def test_without_matplotlib(self):
        (self.folder / "path/matplotlib").mkdir(parents=True)
        (self.folder / "path/matplotlib/__init__.py").write_text("raise ImportError")
        environment = {"PYTHONPATH": str(self.folder / "path"), "PATH": "/nowhere"}
        self.assert_refused("matplotlib", self.file(runs.ladder(1)), "-o", self.output, environment=environment)

    def test_leave_what_was_there(self):
        self.output.write_text("an older report")
        self.assert_refused("it is not JSON", self.file("{"), "-o", self.output)


class Program(ReportTest):
    def test_that_cannot_be_run_costs_its_section_alone(self):
        for runner, told in (("/nowhere", "'/nowhere' cannot be run"), (self.stub("sys.exit(70)"), "show' ended with 70")):
            found = self.page_of(runs.ladder(3), runner=runner)
            self.assertIn("No counters: ", found.by_id("sources")["text"])
            self.assertIn(told, found.by_id("sources")["text"])
            self.assertEqual(len(found.cells()), 4)

    def test_that_does_not_know_a_kernel_is_quoted(self):
        found = self.page_of(runs.run_of([samples.timed_row(1, "256", kernel="nobody")]))
        self.assertIn("nobody", found.by_id("sources")["text"])
        self.assertIn("No counters: there is no kernel 'nobody'", found.by_id("sources")["text"])

    def test_that_answers_nonsense_is_not_believed(self):
        for answer in ("", "{}", "[1]", json.dumps(samples.document([]))):
            found = self.page_of(runs.run_of([samples.timed_row(1, "256")]), runner=self.stub(f"print({answer!r})"))
            self.assertIn("No counters: its answer", found.by_id("sources")["text"])


class WithARun(ReportTest):
    """sgemm_runner --html, as a user calls it."""

    def test_comes_the_same_page(self):
        words_of_run = [RUNNER, "1,2", "--size", "64", f"--html={self.output}", f"--json={self.folder / 'run.json'}"]
        subprocess.run(words_of_run, check=True, capture_output=True)
        found = Page(self.output.read_text(encoding="utf-8"))
        self.assertEqual(found.errors, [])
        self.assertEqual(json.loads(found.by_id("run")["text"]), json.loads((self.folder / "run.json").read_text()))
        self.assertEqual([row["kernel"] for row in found.cells()], ["naive", "coalesced"])
        self.assertIn("src/kernels/02_coalesced.cu", [e["text"] for e in found.all("caption", inside="sources")])


class Lists(unittest.TestCase):
    def test_of_metrics_is_the_programs(self):
        listed = metrics.all_metrics()
        self.assertEqual(listed["median_ms"].unit, "ms")
        self.assertEqual(listed["percent_of_cublas"].heading, "% cuBLAS")
        self.assertTrue(listed["gbytes_per_second"].hint.endswith("C once (twice if beta is not 0)"))

    def test_of_colours_is_used_by_the_script(self):
        script = (runs.ROOT / "plots/report/page.js").read_text()
        used = set(re.findall(r"--plot-([a-z]+)", script)) | set(re.findall(r'role: "(\w+)", values', script))
        self.assertTrue(used)
        self.assertLessEqual(used, set(style.ROLES))


class Figures(unittest.TestCase):
    def test_keep_four_digits_of_a_time(self):
        shown = [words.milliseconds(ms) for ms in (2194.5, 275.13, 2.7014, 0.0044072, 1e-9)]
        self.assertEqual(shown, ["2\u00a0194.5", "275.1", "2.701", "0.004407", "0.000000001"])

    def test_have_signs_and_groups(self):
        self.assertEqual(words.decimal(50573.4, 0), "50\u00a0573")
        self.assertEqual([words.signed(value, 1) for value in (-6.25, 0.0, 6.25)], ["\u22126.2", "0.0", "+6.2"])


if __name__ == "__main__":
    unittest.main()
