"""Tests tools/docs/course_table.py: its table and its --check."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tree import DOCS

BEGIN = "<!-- course table: made by tools/docs/course_table.py -->"
END = "<!-- end of the course table -->"
DOCUMENT = f"# The workshop\n\n{BEGIN}\nold\n{END}\n\nMore.\n"
COURSE = "# In order.\nstrides           # 1 check\n01_naive  -  A    # 6 checks, with hole a\n02_remap  01_naive  A\n"
TABLE = """\
| exercise | what it is about | texts | questions answered | the task | all texts | minutes |
| --- | --- | --- | --- | ---: | ---: | ---: |
"""


def row(folder, called, about, minutes):
    texts = ", ".join(f"[{text}](../exercises/{folder}/{file}.md)" for text, file in
                      (("task", "README"), ("hints", "hints"), ("wrong answers", "wrong_answers")))
    return f"| {called} | {about} | {texts} | [before and after](../exercises/{folder}/answers.md) | 5 | 8 | {minutes} |\n"


class CourseTable(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.exercises = Path(folder.name) / "exercises"
        self.document = Path(folder.name) / "workshop.md"
        self.document.write_text(DOCUMENT, encoding="utf-8")
        for name, title in (("strides", "strides: what they cost"), ("01_naive", "1 naive: one thread: one element"),
                            ("02_remap", "2 remap: the same, renumbered")):
            (self.exercises / name).mkdir(parents=True)
            (self.exercises / name / "README.md").write_text(f"# {title}\n\n" + "word " * 900, encoding="utf-8")
            for text in ("hints", "wrong_answers", "answers"):
                (self.exercises / name / f"{text}.md").write_text("word " * 200, encoding="utf-8")
        (self.exercises / "course.txt").write_text(COURSE, encoding="utf-8")

    def call(self, *words):
        command = [sys.executable, "-B", DOCS / "course_table.py", "--exercises", self.exercises, "--document",
                   self.document, *words]
        return subprocess.run(command, capture_output=True, text=True)

    def test_writes_the_exercises_in_order_with_their_minutes(self):
        self.assertEqual(self.call("--check").returncode, 1)
        self.assertEqual(self.document.read_text(encoding="utf-8"), DOCUMENT)
        self.assertEqual(self.call().returncode, 0)
        table = TABLE + row("strides", "strides", "what they cost", "10") + row(
            "01_naive", "1 naive", "one thread: one element", "25") + row("02_remap", "2 remap", "the same, renumbered", "not tried yet")
        self.assertEqual(self.document.read_text(encoding="utf-8"), DOCUMENT.replace("old\n", table))
        self.assertEqual(self.call("--check").returncode, 0)

    def refused(self, *said):
        ended = self.call()
        self.assertEqual(ended.returncode, 2, ended.stderr)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        for word in said:
            self.assertIn(word, ended.stderr)
        self.assertIn("\nold\n", self.document.read_text(encoding="utf-8"))

    def test_says_what_it_cannot_use(self):
        (self.exercises / "02_remap/README.md").write_text("## No title\n", encoding="utf-8")
        self.refused("02_remap/README.md:1", "should read '# NAME: what it is about'")
        (self.exercises / "02_remap/README.md").unlink()
        self.refused("02_remap/README.md' cannot be read")
        (self.exercises / "course.txt").unlink()
        self.refused("course.txt' cannot be read")

    def test_a_document_without_markers_is_refused(self):
        self.document.write_text(DOCUMENT.replace(END, "") + "old\n", encoding="utf-8")
        self.refused(END)


if __name__ == "__main__":
    unittest.main(verbosity=2)
