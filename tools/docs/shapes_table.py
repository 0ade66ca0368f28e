#!/usr/bin/env python3
"""Writes the table of groups of shapes of docs/shapes.md from recorded times.

    tools/docs/shapes_table.py            puts the table between the markers in the document
    tools/docs/shapes_table.py --check    exits 1 if the document does not hold the table of the recorded times

The times are bench/baselines/nvidia-h200-shapes-seed3.csv, as bench/shapes.py --times writes them on a GPU.
"""

import sys

import ladder_table
from plots import program, shape_times
from plots.findings import CLOSE
from plots.program import Refused

BEGIN = "<!-- shapes table: made by tools/docs/shapes_table.py -->"
END = "<!-- end of the shapes table -->"


def table(recorded):
    """Returns the Markdown table: for each group of shapes the mean, the worst and the number of losses of each kernel."""
    kernels = {name: shape_times.summaries(times) for name, times in recorded.kernels.items()}
    if len({frozenset(time.size for time in times) for times in recorded.kernels.values()}) > 1:
        raise Refused("the kernels were not all measured on the same shapes; record them in one call of bench/shapes.py")
    command = f"bench/shapes.py --seed {recorded.seed} --kernels {','.join(_word(times[0]) for times in recorded.kernels.values())}"
    lines = [
        f"Measured on one {recorded.device} on {recorded.date} with `{command}`, in per cent of `cublasSgemm`, launches in graphs. "
        "The figure below a kernel's name is the geometric mean.",
        "",
        "| shapes | count | " + " | ".join(f"{name} | its worst | below {CLOSE}" for name in kernels) + " |",
        "| --- | ---: | " + " | ".join("---: | ---: | ---:" for _ in kernels) + " |",
    ]
    for group, first in next(iter(kernels.values())).items():
        cells = [f"{of[group].mean:.0f} | {of[group].worst.percent:.0f} | {of[group].below(CLOSE)}" for of in kernels.values()]
        lines.append(f"| {group} | {len(first.times)} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def _word(time):
    return time.kernel if time.number is None else str(time.number)


def main():
    return ladder_table.write_table(
        "shapes_table", "nvidia-h200-shapes-seed3.csv", "docs/shapes.md", table, BEGIN, END, shape_times.read
    )


if __name__ == "__main__":
    sys.exit(program.run("shapes_table", main))
