#!/usr/bin/env python3
"""Writes the ladder table of README.md from a recorded run.

    bench/ladder_table.py            puts the table between the markers in README.md
    bench/ladder_table.py --check    exits 1 if README.md does not hold the table of the recorded run

The run is bench/baselines/nvidia-h200.json, as bench/record.py writes it on a GPU.
"""

import argparse
import json
import os
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN = "<!-- ladder table: made by bench/ladder_table.py -->"
END = "<!-- end of the ladder table -->"
SQUARE_SIZES_SHOWN = (256, 1024, 2048, 4096, 8192)


def row_size(row):
    return row["m"], row["n"], row["k"]


def table(run):
    """The Markdown table: per cent of cuBLAS for each rung and size, and GFLOP/s at 4096."""
    rows = {(row["kernel_id"], row_size(row)): row for row in run["benchmarks"]}
    kernels = sorted({(row["kernel_id"], row["kernel"]) for row in run["benchmarks"]})
    sizes = [(n, n, n) for n in SQUARE_SIZES_SHOWN if any((k, (n, n, n)) in rows for k, _ in kernels)]
    shown = [row for row in run["benchmarks"] if row_size(row) in sizes]
    dates = sorted({row["date"][:10] for row in shown})
    lines = [
        f"Measured on one {run['context']['device']} on {' and '.join(dates)}: per cent of cuBLAS (`cublasSgemm`, pedantic FP32), "
        "kernel and cuBLAS taking turns, warm.",
        "",
        "| # | kernel | " + " | ".join(f"{m}³" for m, _, _ in sizes) + " | GFLOP/s at 4096³ |",
        "| ---: | --- | " + " | ".join("---:" for _ in sizes) + " | ---: |",
    ]
    for number, name in kernels:
        cells = [cell(rows.get((number, size))) for size in sizes]
        at_4096 = rows.get((number, (4096, 4096, 4096)))
        gflops = f"{at_4096['gflops']:,.0f}".replace(",", " ") if at_4096 else "–"
        lines.append(f"| {number} | {name} | " + " | ".join(cells) + f" | {gflops} |")
    return "\n".join(lines)


def cell(row):
    if row is None or row.get("percent_of_cublas") is None:
        return "–"
    doubt = "" if row.get("trusted", True) else " ?"
    return f"{row['percent_of_cublas']:.1f}{doubt}"


def with_table(readme, text):
    if readme.count(BEGIN) != 1 or readme.count(END) != 1 or readme.index(BEGIN) > readme.index(END):
        sys.exit(f"README.md must hold the line '{BEGIN}' once and '{END}' once after it")
    before, rest = readme.split(BEGIN)
    _, after = rest.split(END)
    return f"{before}{BEGIN}\n{text}\n{END}{after}"


def replace_file(path, text):
    """Puts the text into the file at once, so that nobody meets half of it."""
    handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=path.name)
    with os.fdopen(handle, "w", encoding="utf-8") as file:
        file.write(text)
    os.chmod(temporary, path.stat().st_mode if path.exists() else 0o644)
    os.replace(temporary, path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if README.md differs")
    parser.add_argument("--run", type=Path, default=ROOT / "bench/baselines/nvidia-h200.json", help="the recorded run")
    parser.add_argument("--readme", type=Path, default=ROOT / "README.md", help="the file with the markers")
    arguments = parser.parse_args()

    run = json.loads(arguments.run.read_text(encoding="utf-8"))
    readme = arguments.readme.read_text(encoding="utf-8")
    wanted = with_table(readme, table(run))
    if wanted == readme:
        return 0
    if arguments.check:
        print(f"{arguments.readme} does not hold the table of {arguments.run}; run bench/ladder_table.py", file=sys.stderr)
        return 1
    replace_file(arguments.readme, wanted)
    return 0


if __name__ == "__main__":
    sys.exit(main())
