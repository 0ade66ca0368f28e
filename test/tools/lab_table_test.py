"""Tests tools/docs/lab_table.py: its table and its --check."""

import json
import unittest

import document_table
from tree import samples

BEGIN = "<!-- lab table: made by tools/docs/lab_table.py -->"
END = "<!-- end of the lab table -->"
DOCUMENT = f"# A ladder\n\n{BEGIN}\nold\n{END}\n\nMore.\n"


def row(lab, variant, ms, percent=None, **more):
    timed = samples.timed_row(1, "256", set="lab", kernel_id=None, kernel=lab, variant=variant, median_ms=ms, **more)
    del timed["percent_of_cublas"]
    if percent is not None:
        timed["percent_of_copy"] = percent
    return timed


RUN = samples.document(
    [
        row("copy", "float", 0.4, 66.0),
        row("copy", "float4", 0.25, 101.3),
        row("copy", "chunk", 3.3, 11.2, doubts=["few samples"]),
        row("copy", "wrong", 0.1, 150.0, correct=False),
        row("banks", "32", 16.7241),
        row("banks", "1", 0.6574),
        samples.timed_row(2, "256"),  # a rung is no lab
    ],
    labs=[{"lab": "copy", "question": "how wide?", "answer": "16"}, {"lab": "banks", "question": "which?", "answer": "odd"}],
)
TABLE = """\
Measured on one NVIDIA X on 2026-11-22. A figure is the variant's speed in per cent of a device-to-device copy of as many bytes; \
variant and copy took turns. If a lab is not about bytes moved, the figure is a time.

| lab | asks | slowest variant | fastest |
| --- | --- | --- | --- |
| `copy` | how wide? | chunk: 11 % ? | float4: 101 % |
| `banks` | which? | 32: 16.7 ms | 1: 0.657 ms |"""


class LabTable(document_table.DocumentTable):
    program, document_text, recorded = "lab_table.py", DOCUMENT, RUN

    def test_shows_the_slowest_and_the_fastest_right_variant_of_each_lab(self):
        ended = self.call()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.document.read_text(encoding="utf-8"), DOCUMENT.replace("old", TABLE))
        self.assertEqual(self.call("--check").returncode, 0)

    def test_check_sees_another_table(self):
        self.assertIn("tools/docs/lab_table.py", self.refused(1, "--check"))

    def test_refuses_a_run_without_labs(self):
        self.run_file.write_text(json.dumps(samples.document([samples.timed_row(1, "256")])), encoding="utf-8")
        self.assertIn("bench/record.py labs", self.refused(2))


if __name__ == "__main__":
    unittest.main()
