#!/usr/bin/env python3
"""Writes README.md's table of the rungs: each one's idea, as its source states it, and its speed in a recorded run.

    tools/docs/rung_table.py            puts the table between the markers in README.md
    tools/docs/rung_table.py --check    exits 1 if README.md does not hold the table

The run is bench/baselines/nvidia-h200.json, as bench/record.py writes it on a GPU. A rung that it lacks has its speed on another GPU, beside
cuBLAS there, from bench/baselines/nvidia-h100.json; the table says so.
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


def short_name(run):
    """Returns "H100" for a run on an "NVIDIA H100 80GB HBM3"."""
    return run.context.device.removeprefix("NVIDIA ").split()[0]


def rungs_of(run):
    """Returns the rungs' rows at the table's size, by number."""
    return {
        row.number: row
        for row in run.rows
        if row.set == "sgemm" and row.number and pick.square(row) == SIZE and ladder_table.fit_for_table(row)
    }


def table(run, beside=None):
    """Returns the Markdown table: a line for each rung, from the first up. `beside`: a run of another device."""
    rungs = rungs_of(run)
    elsewhere = {number: row for number, row in rungs_of(beside).items() if number not in rungs} if beside else {}
    if not rungs:
        raise Refused(f"the run has no warm figures of rungs at {SIZE}³; record them with 'bench/record.py device'")
    lines = [f"| # | rung | idea | % of cuBLAS at {SIZE}³ |", "| ---: | --- | --- | ---: |"]
    for number, row in sorted((rungs | elsewhere).items()):
        source = f"{number:02}_{row.kernel}.cu"
        link = ladder_table.marked(row, f"[{row.kernel}](src/kernels/{source})")
        where = f" ({short_name(beside)})" if number in elsewhere else ""
        lines.append(f"| {number} | {link} | {idea_of(source)} | {ladder_table.percent_of_cublas(row)}{where} |")
    return "\n".join(lines)


def main():
    return ladder_table.write_table("rung_table", "nvidia-h200.json", "README.md", table, BEGIN, END, beside="nvidia-h100.json")


if __name__ == "__main__":
    sys.exit(program.run("rung_table", main))
