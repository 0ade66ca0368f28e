"""Tests tools/docs/doc_outputs.py and tools/docs/figures.py: documents that show outputs and drawings."""

import json
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree
from pathlib import Path

from tree import DOCS, samples  # which puts plots/ on the path
from plots import catalogue, results

# A stand-in for the runner: prints its words, and draws into the file of --svg.
PROGRAM = """
import os, sys
words = sys.argv[1:]
if words[0] == "fail":
    sys.exit("no such lab")
if words[0] == "worse":
    print("it got worse")
    sys.exit(3)
for word in words:
    if word.startswith("--svg="):
        open(word[6:], "w").write("<svg>" + words[0] + "</svg>")
print("words:", *words[:1], os.environ["COLUMNS"])
"""
DOCUMENT = """# Title
<!-- printed by: ./sgemm_runner one -->
```
old
```
between
<!-- printed by: ./sgemm_runner two -->
```
```
"""


class Documents(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.program = Path(folder.name) / "program.py"
        self.program.write_text(PROGRAM, encoding="utf-8")
        self.document = Path(folder.name) / "document.md"
        self.figure = Path(folder.name) / "figure.svg"

    def call(self, text, *words):
        self.document.write_text(text, encoding="utf-8")
        command = [sys.executable, "-B", DOCS / "doc_outputs.py", self.document, *words]
        command += ["--runner", sys.executable, self.program]
        return subprocess.run(command, capture_output=True, text=True)

    def refused(self, code, text, *words):
        ended = self.call(text, *words)
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertEqual(self.document.read_text(encoding="utf-8"), text)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        return ended.stderr


class DocOutputs(Documents):
    def test_puts_outputs_between_the_markers_and_leaves_the_rest(self):
        self.assertEqual(self.call(DOCUMENT).returncode, 0)
        text = self.document.read_text(encoding="utf-8")
        self.assertIn("one -->\n```\n$ ./sgemm_runner one\nwords: one 104\n```\nbetween\n", text)
        self.assertIn("two -->\n```\n$ ./sgemm_runner two\nwords: two 104\n```\n", text)
        self.assertNotIn("old", text)
        self.assertEqual(self.call(text, "--check").returncode, 0)

    def test_check_names_a_document_that_shows_something_else(self):
        self.assertIn("document.md", self.refused(1, DOCUMENT, "--check"))

    def test_draws_a_figure_and_check_sees_that_it_changed(self):
        text = f"<!-- drawn by: ./sgemm_runner bus --svg={self.figure} -->\n"
        self.assertIn("figure.svg", self.refused(1, text, "--check"))
        self.assertFalse(self.figure.exists())
        self.assertEqual(self.call(text).returncode, 0)
        self.assertEqual(self.figure.read_text(encoding="utf-8"), "<svg>bus</svg>")
        self.assertEqual(self.call(text, "--check").returncode, 0)
        self.figure.write_text("<svg>edited</svg>", encoding="utf-8")
        self.assertIn("figure.svg", self.refused(1, text, "--check"))

    def test_a_command_ends_as_the_document_says(self):
        text = "<!-- printed by, ending with 3: ./sgemm_runner worse -->\n```\n```\n"
        self.assertEqual(self.call(text).returncode, 0)
        self.assertIn("$ ./sgemm_runner worse\nit got worse\n", self.document.read_text(encoding="utf-8"))
        self.assertIn("ended with 3", self.refused(70, text.replace(", ending with 3", "")))
        self.assertIn("ended with 0", self.refused(70, text.replace("worse -->", "well -->")))

    def test_shows_a_file_as_it_is(self):
        shown = Path(self.document.parent) / "shown.yml"
        shown.write_text("on: push\n", encoding="utf-8")
        text = f"before\n<!-- text of: {shown} -->\n```yaml\non: pull_request\n```\nafter\n"
        self.assertIn("document.md", self.refused(1, text, "--check"))
        self.assertEqual(self.call(text).returncode, 0)
        right = text.replace("pull_request", "push")
        self.assertEqual(self.document.read_text(encoding="utf-8"), right)
        self.assertEqual(self.call(right, "--check").returncode, 0)
        shown.unlink()
        self.assertIn("shown.yml', which a document shows, cannot be read", self.refused(2, right, "--check"))
        self.assertIn("```yaml", self.refused(2, "<!-- text of: x.yml -->\nno block\n", "--check"))

    def bug_on_a_device(self, answer):
        """Returns the folder of a bug for which one of the device's tools gives this answer."""
        answers = f"program,memcheck,racecheck\na_bug,nothing,{answer}\n"
        (self.document.parent / "compute_sanitizer.csv").write_text(answers, encoding="utf-8")
        bug = self.document.parent / "a_bug"
        bug.mkdir()
        return bug

    def test_shows_a_bug_with_what_mends_it(self):
        bug = self.bug_on_a_device("nothing")
        (bug / "message.txt").write_text("simulated GPU: too early\n  at wrong.cu:7\n  try: between lines 3 and 4\n", encoding="utf-8")
        for name, comment, change in (("wrong", "No f().", []), ("mended", "f(), `g()`.", ["f();"])):
            lines = [f"// {comment}", "a", "b", "c", "d", *change, "e", "g"]
            (bug / f"{name}.cu").write_text("\n".join(lines) + "\n", encoding="utf-8")
        text = f"before\n<!-- bug in: {bug} -->\nold\n<!-- end of bug -->\nafter\n"
        self.assertIn("document.md", self.refused(1, text, "--check"))
        self.assertEqual(self.call(text).returncode, 0)
        shown = (
            "### a_bug\n\nNo `f()`.\n\n```diff\n    3 b\n    4 c\n    5 d\n+     f();\n    6 e\n    7 g\n```\n"
            "```text\nsimulated GPU: too early\n  at wrong.cu:7\n  try: between lines 3 and 4\n```\n\nMended: `f()`, `g()`.\n"
            "\ncompute-sanitizer on an H200: nothing.\n"
        )
        right = text.replace("old\n", shown)
        self.assertEqual(self.document.read_text(encoding="utf-8"), right)
        self.assertEqual(self.call(right, "--check").returncode, 0)
        (bug / "message.txt").unlink()
        self.assertIn("a_bug', which a document shows, cannot be read", self.refused(2, right, "--check"))
        self.assertIn("end of bug", self.refused(2, f"<!-- bug in: {bug} -->\n"))

    def test_shows_of_a_bug_no_lines_that_say_nothing(self):
        bug = self.bug_on_a_device("found")
        (bug / "message.txt").write_text("simulated GPU: never\n", encoding="utf-8")
        for name, line in (("wrong", "x"), ("mended", "y")):
            (bug / f"{name}.cu").write_text(f"// {name}.\na\nb\n{line}\nc\nd\n", encoding="utf-8")
        self.assertEqual(self.call(f"<!-- bug in: {bug} -->\n<!-- end of bug -->\n").returncode, 0)
        shown = self.document.read_text(encoding="utf-8")
        self.assertIn("```diff\n    3 b\n-   4 x\n+     y\n    5 c\n```\n", shown)
        self.assertIn("compute-sanitizer on an H200: racecheck.\n", shown)

    def test_refuses_what_it_does_not_understand(self):
        self.assertIn("no such lab", self.refused(70, DOCUMENT.replace("two", "fail")))
        self.assertIn("'rm'", self.refused(2, DOCUMENT.replace("./sgemm_runner two", "rm -rf x")))
        self.assertIn("comes a line with ``` alone", self.refused(2, DOCUMENT.replace("between\n", "between\n<!-- printed by: ./sgemm_runner -->\n")))
        self.assertIn("names no .svg", self.refused(2, "<!-- drawn by: ./sgemm_runner bus -->\n"))
        self.assertIn("drew nothing", self.refused(70, "<!-- drawn by: ./sgemm_runner bus x.svg -->\n"))


class Plots(Documents):
    """A document's plot of a recorded run is compared with the run without matplotlib."""

    def setUp(self):
        super().setUp()
        self.run_file = Path(self.document.parent) / "run.json"
        self.record(10.0)
        self.put_figure()
        self.text = f"<!-- drawn by: python3 -m plots ladder {self.run_file} -o {self.figure} -->\n"

    def record(self, percent):
        rows = [samples.timed_row(0, "256"), samples.timed_row(1, "256", percent_of_cublas=percent)]
        self.run_file.write_text(samples.text_of(samples.document(rows)), encoding="utf-8")

    def put_figure(self):
        carried = json.dumps(catalogue.carried("ladder", results.read(self.run_file)))
        text = f'<svg xmlns="http://www.w3.org/2000/svg"><metadata>{carried}</metadata></svg>'
        self.figure.write_text(text, encoding="utf-8")

    def test_shows_its_run(self):
        ended = self.call(self.text, "--check")
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))

    def test_is_named_where_the_run_was_recorded_anew(self):
        self.record(10.1)
        self.assertIn("figure.svg: not what is printed and drawn today", self.refused(1, self.text, "--check"))
        self.put_figure()
        self.assertEqual(self.call(self.text, "--check").returncode, 0)

    def test_is_named_where_it_is_not_there(self):
        self.figure.unlink()
        self.assertIn("figure.svg", self.refused(1, self.text, "--check"))

    def test_of_a_run_that_cannot_be_used(self):
        self.run_file.write_text("{}", encoding="utf-8")
        self.assertIn("it is no run of sgemm_runner", self.refused(70, self.text, "--check"))


class Figures(unittest.TestCase):
    def test_are_well_formed_and_right_on_dark_and_light(self):
        with tempfile.TemporaryDirectory() as folder:
            figure = Path(folder) / "bursts.svg"
            subprocess.run([sys.executable, "-B", DOCS / "figures.py", "bursts", figure], check=True)
            text = figure.read_text(encoding="utf-8")
            xml.etree.ElementTree.fromstring(text)
            self.assertIn("prefers-color-scheme: dark", text)

    def test_go_nowhere_but_where_they_can(self):
        ended = subprocess.run(
            [sys.executable, "-B", DOCS / "figures.py", "bursts", "/nonexistent/x.svg"], capture_output=True, text=True
        )
        self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 1), ended.stderr)


if __name__ == "__main__":
    unittest.main()
