#!/usr/bin/env python3
"""Writes the ladder's table of docs/measuring.md from a recorded run.

    tools/docs/ladder_table.py            puts the table between the markers in the document
    tools/docs/ladder_table.py --check    exits 1 if the document does not hold the table of the recorded run

The run is bench/baselines/nvidia-h200.json, as bench/record.py writes it on a GPU.
"""

import argparse
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # where plots/ is
from plots import pick, program, results  # noqa: E402
from plots.program import Refused  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- ladder table: made by tools/docs/ladder_table.py -->"
END = "<!-- end of the ladder table -->"
SQUARE_SIZES_SHOWN = (256, 1024, 2048, 4096, 8192)


def marked(row, text):
    """Returns a rung's name in a table, with its arithmetic if that is less accurate than FP32."""
    return f"{text} ({row.below_fp32})" if row.below_fp32 else text


def table(run):
    """Returns the Markdown table: per cent of cuBLAS for each rung and size, and GFLOP/s at 4096."""
    shown = {}
    for row in run.rows:
        n = pick.square(row)
        if row.set == "sgemm" and row.number is not None and n in SQUARE_SIZES_SHOWN and fit_for_table(row):
            shown[row.number, marked(row, row.kernel), n] = row
    if not shown:
        raise Refused("the run has no warm figures of rungs at the sizes of the table; record them with 'bench/record.py device'")
    kernels = sorted({(number, kernel) for number, kernel, _ in shown})
    sizes = sorted({n for _, _, n in shown})
    dates = sorted({row.date[:10] for row in shown.values()})
    lines = [
        f"Measured on one {run.context.device} on {in_words(dates)}, in per cent of cuBLAS (`cublasSgemm`, pedantic FP32). "
        "Kernel and cuBLAS took turns, with warm caches.",
        "",
        "| # | kernel | " + " | ".join(f"{n}³" for n in sizes) + " | GFLOP/s at 4096³ |",
        "| ---: | --- | " + " | ".join("---:" for _ in sizes) + " | ---: |",
    ]
    for number, kernel in kernels:
        cells = [percent_of_cublas(shown.get((number, kernel, n))) for n in sizes]
        cells.append(gflops(shown.get((number, kernel, 4096))))
        lines.append(f"| {number} | {kernel} | " + " | ".join(cells) + " |")
    return "\n".join(lines)


def in_words(items):
    """Returns "a", "a and b", or "a, b and c"."""
    return " and ".join(part for part in (", ".join(items[:-1]), items[-1]) if part)


def fit_for_table(row):
    return row.is_right and not row.cold and not row.no_graph and row.batch == 1 and "percent_of_cublas" in row.figures


def percent_of_cublas(row):
    if row is None:
        return "–"
    return f"{row.figures['percent_of_cublas']:.1f}{'' if row.trusted else ' ?'}"


def gflops(row):
    if row is None or "gflops" not in row.figures:
        return "–"
    return f"{row.figures['gflops']:,.0f}".replace(",", " ")


def with_table(document, file, text, begin, end):
    if document.count(begin) != 1 or document.count(end) != 1 or document.index(begin) > document.index(end):
        raise Refused(f"{file} must hold the line '{begin}' once and '{end}' once after it")
    before, rest = document.split(begin)
    _, after = rest.split(end)
    return f"{before}{begin}\n{text}\n{end}{after}"


def write_table(name, baseline, document, table_of, begin, end, read=results.read):
    """Runs a program that keeps a table in a document. name: the program's name; baseline: a file in bench/baselines; read: its
    reader."""
    parser = argparse.ArgumentParser(description=f"Writes the table between the markers in {document} from {baseline}.")
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if the document differs")
    parser.add_argument("--run", type=Path, default=ROOT / "bench/baselines" / baseline, help="the recorded run")
    parser.add_argument("--document", type=Path, default=ROOT / document, help="the file with the markers")
    arguments = parser.parse_args()

    run = read(arguments.run)
    try:
        text = arguments.document.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refused(f"'{arguments.document}' cannot be read: {error}") from None
    wanted = with_table(text, arguments.document, table_of(run), begin, end)
    if wanted == text:
        return 0
    if arguments.check:
        raise Refused(f"{arguments.document} does not hold the table of {arguments.run}; run tools/docs/{name}.py", 1)
    program.replace_file(arguments.document, wanted)
    return 0


def main():
    return write_table("ladder_table", "nvidia-h200.json", "docs/measuring.md", table, BEGIN, END)


if __name__ == "__main__":
    sys.exit(program.run("ladder_table", main))
