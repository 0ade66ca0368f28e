#!/usr/bin/env python3
"""Writes README.md's table of the rungs: each one's idea, as its source states it, and its speed in a recorded run.

    tools/docs/rung_table.py            puts the table between the markers in README.md
    tools/docs/rung_table.py --check    exits 1 if README.md does not hold the table

The run is bench/baselines/nvidia-h200.json, as bench/record.py writes it on a GPU.
"""

import re
import sys

import ladder_table
from ladder_table import ROOT
from plots import pick, program
from plots.program import Refused

BEGIN = "<!-- rung table: made by tools/docs/rung_table.py -->"
END = "<!-- end of the rung table -->"
IDEA = re.compile(r'\.idea\s*=\s*((?:"[^"]*"\s*)+),')
SIZE = 4096


def idea_of(source):
    """Returns the idea that the rung in src/kernels/`source` states."""
    match = IDEA.search((ROOT / "src/kernels" / source).read_text(encoding="utf-8"))
    if match is None:
        raise Refused(f"src/kernels/{source} has no '.idea = \"...\"'")
    return "".join(re.findall(r'"([^"]*)"', match[1]))


def table(run):
    """Returns the Markdown table: a line for each rung, from the first up. A rung without a figure has a dash."""
    rungs = {
        row.number: row
        for row in run.rows
        if row.set == "sgemm" and row.number and pick.square(row) == SIZE and ladder_table.fit_for_table(row)
    }
    if not rungs:
        raise Refused(f"the run has no warm figures of rungs at {SIZE}³; record them with 'bench/record.py device'")
    lines = [f"| # | rung | idea | % of cuBLAS at {SIZE}³ |", "| ---: | --- | --- | ---: |"]
    for path in sorted((ROOT / "src/kernels").glob("[0-9][0-9]_*.cu")):
        number, kernel = int(path.stem[:2]), path.stem[3:]
        row = rungs.get(number)
        link = f"[{kernel}](src/kernels/{path.name})"
        link = link if row is None else ladder_table.marked(row, link)
        lines.append(f"| {number} | {link} | {idea_of(path.name)} | {ladder_table.percent_of_cublas(row)} |")
    return "\n".join(lines)


def main():
    return ladder_table.write_table("rung_table", "nvidia-h200.json", "README.md", table, BEGIN, END)


if __name__ == "__main__":
    sys.exit(program.run("rung_table", main))
