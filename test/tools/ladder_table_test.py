"""Tests tools/docs/ladder_table.py: its table and its --check."""

import unittest

import document_table
from tree import samples

BEGIN = "<!-- ladder table: made by tools/docs/ladder_table.py -->"
END = "<!-- end of the ladder table -->"
DOCUMENT = f"# A ladder\n\n{BEGIN}\nold\n{END}\n\nMore.\n"

RUN = samples.document(
    [
        samples.timed_row(0, "256"),
        samples.timed_row(1, "256", doubts=["few samples"]),
        samples.timed_row(2, "256"),
        samples.timed_row(0, "4096", date="2026-11-23T00:00:00+00:00"),
        samples.timed_row(2, "4096", gflops=53531.4, date="2026-11-23T00:00:00+00:00"),
        # Rows that are not in the table: a size that is not shown, no square, a cold run, a wrong result, a user's kernel.
        samples.timed_row(1, "300", date="2020-01-01T00:00:00+00:00"),
        samples.timed_row(1, "256x4096x256"),
        samples.timed_row(1, "1024", l2="cold"),
        samples.timed_row(1, "2048", correct=False),
        samples.timed_row(1, "8192", set="kernel", kernel_id=None),
    ]
)
TABLE = """\
Measured on one NVIDIA X on 2026-11-22 and 2026-11-23, in per cent of cuBLAS (`cublasSgemm`, pedantic FP32). \
Kernel and cuBLAS took turns, with warm caches.

| # | kernel | 256³ | 4096³ | GFLOP/s at 4096³ |
| ---: | --- | ---: | ---: | ---: |
| 0 | cuBLAS | 100.0 | 100.0 | 1 234 |
| 1 | naive | 10.0 ? | – | – |
| 2 | coalesced | 20.1 | 20.1 | 53 531 |"""


class LadderTable(document_table.DocumentTable):
    program, document_text, recorded = "ladder_table.py", DOCUMENT, RUN

    def test_stands_between_the_markers(self):
        ended = self.call()
        self.assertEqual((ended.returncode, ended.stderr), (0, ""))
        self.assertEqual(self.document.read_text(encoding="utf-8"), DOCUMENT.replace("old", TABLE))

    def test_check_compares_and_says_what_to_run(self):
        self.assertIn("run tools/docs/ladder_table.py", self.refused(1, "--check"))
        self.call()
        self.assertEqual(self.call("--check").returncode, 0)
        self.run_file.write_text(samples.text_of(RUN).replace("53531.4", "53532.6"), encoding="utf-8")
        self.assertIn("does not hold the table", self.refused(1, "--check"))

    def test_another_schema_is_refused(self):
        self.run_file.write_text(samples.text_of(samples.document([], schema=None)), encoding="utf-8")
        said = self.refused(2, "--check")
        self.assertIn("has no 'schema'", said)
        self.assertIn("bench/record.py", said)

    def test_a_damaged_file_is_refused(self):
        self.run_file.write_text(samples.text_of(RUN)[:-5], encoding="utf-8")
        self.assertIn(f"'{self.run_file}' cannot be used: it is not JSON", self.refused(2))

    def test_a_run_without_times_is_refused(self):
        self.run_file.write_text(
            samples.text_of(samples.document([samples.counted_row(1, "256")], machine="simulator")), encoding="utf-8"
        )
        self.assertIn("bench/record.py device", self.refused(2))

    def test_markers_must_be_there_once_and_in_order(self):
        for text in ("", DOCUMENT.replace(END, ""), DOCUMENT + BEGIN, f"{END}\n{BEGIN}\n"):
            self.document.write_text(text, encoding="utf-8")
            self.assertIn("must hold the line", self.refused(2))

    def test_a_document_that_is_not_there_is_refused(self):
        ended = self.call("--document", "/nowhere/document.md")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("'/nowhere/document.md' cannot be read", ended.stderr)


if __name__ == "__main__":
    unittest.main()
