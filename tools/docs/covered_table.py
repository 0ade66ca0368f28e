#!/usr/bin/env python3
"""Writes the table of what the simulated GPU has of CUDA into docs/simulator.md, from src/simulator/subset.toml.

    tools/docs/covered_table.py            puts the table between the markers in the document
    tools/docs/covered_table.py --check    exits 1 if the document does not hold the table
"""

import sys

import ladder_table
from plots import program

sys.path.insert(0, str(ladder_table.ROOT / "src/simulator"))
import subset  # noqa: E402

BEGIN = "<!-- covered table: made by tools/docs/covered_table.py -->"
END = "<!-- end of the covered table -->"


def table(rows):
    return "\n".join(["| | |", "| --- | --- |"] + [f"| {topic} | {has} |" for topic, has in rows])


def main():
    return ladder_table.write_table("covered_table", subset.FILE, "docs/simulator.md", table, BEGIN, END, read=subset.covered_rows)


if __name__ == "__main__":
    sys.exit(program.run("covered_table", main))
