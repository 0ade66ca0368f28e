#!/usr/bin/env python3
"""Writes the table of labs of docs/memory.md from a recorded run.

    tools/docs/lab_table.py            puts the table between the markers in the document
    tools/docs/lab_table.py --check    exits 1 if the document does not hold the table of the recorded run

The run is bench/baselines/nvidia-h200-labs.json, as bench/record.py labs writes it on a GPU.
"""

import sys

import ladder_table
from plots import program
from plots.program import Refused

BEGIN = "<!-- lab table: made by tools/docs/lab_table.py -->"
END = "<!-- end of the lab table -->"


def table(run):
    """Returns the Markdown table: each lab's question, and its slowest and its fastest variant."""
    labs = {}
    for row in run.rows:
        if row.set == "lab" and row.is_right and "median_ms" in row.figures:
            labs.setdefault(row.kernel, []).append(row)
    if not labs:
        raise Refused("the run has no times of labs; record them with 'bench/record.py labs'")
    questions = {lab["lab"]: lab["question"] for lab in run.context.json["labs"]}
    dates = sorted({row.date[:10] for rows in labs.values() for row in rows})
    lines = [
        f"Measured on one {run.context.device} on {' and '.join(dates)}. A figure is the variant's speed in per cent of a "
        "device-to-device copy of as many bytes; variant and copy took turns. If a lab is not about bytes moved, the figure is a time.",
        "",
        "| lab | asks | slowest variant | fastest |",
        "| --- | --- | --- | --- |",
    ]
    for lab, rows in labs.items():
        by_time = sorted(rows, key=lambda row: row.figures.get("percent_of_copy", -row.figures["median_ms"]))
        lines.append(f"| `{lab}` | {questions[lab]} | {cell(by_time[0])} | {cell(by_time[-1])} |")
    return "\n".join(lines)


def cell(row):
    doubt = "" if row.trusted else " ?"
    if "percent_of_copy" in row.figures:
        return f"{row.json['variant']}: {row.figures['percent_of_copy']:.0f} %{doubt}"
    return f"{row.json['variant']}: {row.figures['median_ms']:.3g} ms{doubt}"


def main():
    return ladder_table.write_table("lab_table", "nvidia-h200-labs.json", "docs/memory.md", table, BEGIN, END)


if __name__ == "__main__":
    sys.exit(program.run("lab_table", main))
