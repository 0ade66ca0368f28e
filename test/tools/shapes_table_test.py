"""Tests tools/docs/shapes_table.py: its table, its --check and its refusals."""

import unittest

import document_table

BEGIN = "<!-- shapes table: made by tools/docs/shapes_table.py -->"
END = "<!-- end of the shapes table -->"
DOCUMENT = f"# Every shape\n\n{BEGIN}\nold\n{END}\n\nMore.\n"
TIMES = """\
# NVIDIA X, 2026-11-22, commit c0ffee: bench/shapes.py --seed 7; medians in microseconds
kernel,m,n,k,us,cublas_us,below_fp32
12_stream_k,100,200,300,10.000,12.500,
12_stream_k,100,201,300,10.000,8.000,
best,100,200,300,5.000,12.500,
best,100,201,300,10.000,9.000,
"""
TABLE = """\
Measured on one NVIDIA X on 2026-11-22 with `bench/shapes.py --seed 7 --kernels 12,best`, in per cent of `cublasSgemm`, launches in \
graphs. The figure below a kernel's name is the geometric mean.

| shapes | count | 12 stream_k | its worst | below 95 | best | its worst | below 95 |
| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |
| all | 2 | 100 | 80 | 1 | 150 | 90 | 1 |
| M, N, K from 64 on | 2 | 100 | 80 | 1 | 150 | 90 | 1 |
| N divisible by 4, all above 64 | 1 | 125 | 125 | 0 | 250 | 250 | 0 |
| N not divisible by 4, all above 64 | 1 | 80 | 80 | 1 | 90 | 90 | 1 |"""


class ShapesTable(document_table.DocumentTable):
    program, document_text = "shapes_table.py", DOCUMENT

    def setUp(self):
        super().setUp()
        self.run_file.write_text(TIMES, encoding="utf-8")

    def test_shows_the_groups_that_have_shapes(self):
        ended = self.call()
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(self.document.read_text(encoding="utf-8"), DOCUMENT.replace("old", TABLE))
        self.assertEqual(self.call("--check").returncode, 0)

    def test_check_sees_another_table(self):
        self.assertIn("tools/docs/shapes_table.py", self.refused(1, "--check"))

    def test_refuses_kernels_on_other_shapes(self):
        for old, new in (("best,100,201", "best,100,205"), ("best,100,201,300,10.000,9.000,\n", "")):
            self.assertEqual(TIMES.count(old), 1)
            self.run_file.write_text(TIMES.replace(old, new), encoding="utf-8")
            self.assertIn("not all measured on the same shapes", self.refused(2))

    def test_refuses_a_damaged_file(self):
        self.run_file.write_text(TIMES[:-10], encoding="utf-8")
        self.assertIn("its last line is not whole", self.refused(2))


if __name__ == "__main__":
    unittest.main()
