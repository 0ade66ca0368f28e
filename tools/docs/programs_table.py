#!/usr/bin/env python3
"""Writes the table of how public programs fare on the simulated GPU into docs/simulator.md, from recorded outcomes.

    tools/docs/programs_table.py            puts the table between the markers in the document
    tools/docs/programs_table.py --check    exits 1 if the document does not hold the table of the recorded outcomes

The outcomes are bench/baselines/simulator-public-programs.csv, one line for each program:

    collection   where the program is from
    program      its name there
    repository, commit
    command      how it was compiled; OBJ/ holds what gcc made of the program's C files
    arguments    of the program, and before them its environment
    outcome      one of OUTCOMES
    lacks        of a refused program: the part of CUDA that the simulated GPU does not have, by the name in the message
    message      the first line that says why the outcome is not `right`
    compile_s, run_s    seconds on two cores; without a number if the program was not run
"""

import csv
import statistics
import sys

import ladder_table
from plots import program
from plots.program import Refused

BEGIN = "<!-- programs table: made by tools/docs/programs_table.py -->"
END = "<!-- end of the programs table -->"
OUTCOMES = {
    "right": "right within 60 s",
    "slow": "still running after 60 s",
    "refused": "refused in one line",
    "unclear": "refused less clearly",
    "fault": "its own fault was named",
    "wrong": "failed",
    "no input": "its input is not published",
    "not CUDA 13": "nvcc 13 refuses it",
}
# Parts that the simulated GPU leaves out for good.
LEFT_OUT = ("Thrust", "CUB", "cuRAND", "cuFFT", "surfaces", "dynamic parallelism", "-rdc=true")


def read(file):
    """Returns the recorded outcomes, a dictionary for each program."""
    try:
        with open(file, encoding="utf-8", newline="") as text:
            rows = list(csv.DictReader(text))
    except (OSError, ValueError) as error:
        raise Refused(f"'{file}' cannot be read: {error}") from None
    for row in rows:
        if row["outcome"] not in OUTCOMES:
            raise Refused(f"'{file}': {row['program']}: the outcome '{row['outcome']}' is none of {', '.join(OUTCOMES)}")
    if not rows:
        raise Refused(f"'{file}' holds no program")
    return rows


def table(rows):
    """Returns the Markdown table: for each collection the number of programs by outcome, and below it the share of right ones."""
    shown = [outcome for outcome in OUTCOMES if any(row["outcome"] == outcome for row in rows)]
    lines = ["| programs | all | " + " | ".join(OUTCOMES[outcome] for outcome in shown) + " |", "| --- | ---: |" + " ---: |" * len(shown)]
    collections = list(dict.fromkeys(row["collection"] for row in rows))
    for name, of in [(name, [row for row in rows if row["collection"] == name]) for name in collections] + [("all", rows)]:
        counts = [sum(row["outcome"] == outcome for row in of) for outcome in shown]
        lines.append(f"| {name} | {len(of)} | " + " | ".join(map(str, counts)) + " |")
    asked = [row for row in rows if row["outcome"] not in ("no input", "not CUDA 13") and row["lacks"] not in LEFT_OUT]
    right = [row for row in asked if row["outcome"] == "right"]
    seconds = [float(row["compile_s"]) + float(row["run_s"] or 0) for row in rows if row["outcome"] in ("right", "slow")]
    lines += [
        "",
        f"{len(asked)} of them have their input, compile with nvcc 13, and need none of {', '.join(LEFT_OUT[:-1])} or `{LEFT_OUT[-1]}`. "
        f"Of these, {len(right)} "
        f"({100 * len(right) / len(asked):.0f} %) gave the right result within 60 s. Half of the programs that run took less than "
        f"{statistics.median(seconds):.1f} s on two cores, to compile and to run.",
    ]
    return "\n".join(lines)


def main():
    return ladder_table.write_table("programs_table", "simulator-public-programs.csv", "docs/simulator.md", table, BEGIN, END, read=read)


if __name__ == "__main__":
    sys.exit(program.run("programs_table", main))
