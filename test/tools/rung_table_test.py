"""tools/docs/rung_table.py: README's table of the rungs."""

import unittest

import document_table
from tree import samples

BEGIN = "<!-- rung table: made by tools/docs/rung_table.py -->"
END = "<!-- end of the rung table -->"
DOCUMENT = f"# A ladder\n\n{BEGIN}\nold\n{END}\n\nMore.\n"

RUN = samples.document(
    [
        samples.timed_row(0, "4096"),
        samples.timed_row(2, "4096"),
        samples.timed_row(1, "4096", doubts=["few samples"]),
        samples.timed_row(2, "256"),
    ]
)
TABLE = """\
| # | rung | idea | % of cuBLAS at 4096³ |
| ---: | --- | --- | ---: |
| 1 | [naive](src/kernels/01_naive.cu) | one thread per element of C, threadIdx.x walks down the rows | 10.0 ? |
| 2 | [coalesced](src/kernels/02_coalesced.cu) | the same threads renumbered, so that a warp slides along a row | 20.1 |"""


class RungTable(document_table.DocumentTable):
    program, document_text, recorded = "rung_table.py", DOCUMENT, RUN

    def test_has_each_rungs_idea_and_speed(self):
        ended = self.call()
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        before, after = DOCUMENT.split("old")
        text = self.document.read_text(encoding="utf-8")
        self.assertTrue(text.startswith(before + TABLE) and text.endswith(after), text)
        self.assertEqual(self.call("--check").returncode, 0)

    def test_a_rung_without_a_figure_has_a_dash(self):
        self.call()
        self.assertRegex(self.document.read_text(encoding="utf-8"), r"\n\| 3 \| \[shared_tile\]\(.*\) \| .* \| – \|\n")

    def test_marks_a_rung_that_is_less_accurate_than_fp32(self):
        row = samples.timed_row(2, "4096", below_fp32="TF32")
        self.run_file.write_text(samples.text_of(samples.document([row])), encoding="utf-8")
        self.assertEqual(self.call().returncode, 0)
        self.assertIn("| [coalesced](src/kernels/02_coalesced.cu) (TF32) |", self.document.read_text(encoding="utf-8"))

    def test_check_sees_another_table(self):
        self.assertIn("tools/docs/rung_table.py", self.refused(1, "--check"))

    def test_refuses_a_run_without_the_size(self):
        self.run_file.write_text(samples.text_of(samples.document([samples.timed_row(1, "256")])), encoding="utf-8")
        self.assertIn("bench/record.py device", self.refused(2))


if __name__ == "__main__":
    unittest.main()
