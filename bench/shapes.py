#!/usr/bin/env python3
"""Measures kernels on random shapes, so that nobody can choose shapes to please. Prints a table.

    bench/shapes.py                       rung 12 on the shapes of seed 1
    bench/shapes.py --seed 2 --kernels 12,16
    bench/shapes.py --list                the shapes, a line each; measures nothing
    bench/shapes.py --kernels 12,16 --times bench/baselines/nvidia-h200-shapes.csv    what bench/fit_times reads

M, N and K are drawn log-uniformly from 64 to 8192. Every third shape is rounded to multiples of 64. For every five of these shapes
there is one more with an M from 1 to 64, one with such an N, and one with such a K. The table has a line for each of these five groups. Its
figures are percentages of cuBLAS's speed, measured in turns.

Seed 1 is there to tune on. Nobody tunes on the others.
"""

import argparse
import math
import random
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # where plots/ is
from plots import program, results  # noqa: E402
from plots.program import Refused  # noqa: E402

import record  # noqa: E402

LEAST, MOST, FEW = 64, 8192, 64
GROUPS = ("any", "multiples of 64", "M up to 64", "N up to 64", "K up to 64")


@dataclass(frozen=True)
class Shape:
    group: str  # one of GROUPS
    size: tuple[int, int, int]  # M, N, K

    def __str__(self):
        return "x".join(map(str, self.size))


def draw(seed, count):
    """Returns `count` shapes of the first two groups, and a fifth as many of each other group. The same seed draws the same shapes; a
    smaller count does not draw a part of them."""
    source = random.Random(seed)

    def number(least, most):
        return min(most, int(math.exp(source.uniform(math.log(least), math.log(most + 1)))))

    def size():
        return tuple(number(LEAST, MOST) for _ in range(3))

    shapes = {}  # by size: no size is drawn twice

    def add(group, draw_one):
        drawn = draw_one()
        while drawn in shapes:
            drawn = draw_one()
        shapes[drawn] = Shape(group, drawn)

    def few(place):
        return tuple(number(1, FEW) if i == place else n for i, n in enumerate(size()))

    for i in range(count):
        if i % 3 == 2:
            add(GROUPS[1], lambda: tuple(max(64, round(n / 64) * 64) for n in size()))
        else:
            add(GROUPS[0], size)
    for place, group in enumerate(GROUPS[2:]):
        for _ in range(count // 5):
            add(group, lambda place=place: few(place))
    return list(shapes.values())


def geometric_mean(values):
    return math.exp(sum(map(math.log, values)) / len(values))


def lines_of(kernel, shapes, percent):
    """Returns the table's lines of a kernel. `percent`: by size."""
    for group in (*GROUPS, "all"):
        seen = {shape.size: percent[shape.size] for shape in shapes if group in (shape.group, "all") and shape.size in percent}
        if not seen:
            continue
        worst = min(seen, key=seen.get)
        counts = Counter(limit for value in seen.values() for limit in (90, 95, 100) if value < limit)
        yield (
            f"{kernel:<16} {group:<16} {len(seen):>6} {geometric_mean(seen.values()):>6.0f} {seen[worst]:>6.0f}"
            f" {counts[90]:>5} {counts[95]:>5} {counts[100]:>5}   {'x'.join(map(str, worst))}"
        )


def table(run, shapes, seed):
    """Returns the table of a run. Refuses a run in which a row has no figure: all of none is no result."""
    by_kernel = {}
    for row in run.rows:
        if row.is_reference:
            continue
        if row.refusal:
            raise Refused(f"{row.label} was not measured: {row.refusal}", 77)
        if "percent_of_cublas" not in row.figures:
            raise Refused(f"{row.label} has no time at {'x'.join(map(str, row.size))}: shapes are measured on a GPU, beside cuBLAS", 77)
        by_kernel.setdefault(row.label, {})[row.size] = row.figures["percent_of_cublas"]
    if not by_kernel:
        raise Refused("nothing was measured", record.FAILURE)
    lines = [
        f"the shapes of seed {seed} on {run.context.device}, % of cuBLAS",
        "",
        f"{'kernel':<16} {'shapes':<16} {'count':>6} {'mean':>6} {'worst':>6} {'<90':>5} {'<95':>5} {'<100':>5}   worst at",
    ]
    for kernel, percent in by_kernel.items():
        lines += lines_of(kernel, shapes, percent)
    return "\n".join(lines) + "\n"


def times(run, seed):
    """Returns the run's times as CSV: a line for each kernel and shape."""
    lines = [
        f"# {run.context.device}, {run.rows[0].date[:10]}: bench/shapes.py --seed {seed}; medians in microseconds",
        "kernel,m,n,k,us,cublas_us",
    ]
    for row in run.rows:
        if not row.is_reference:
            us = 1e3 * row.figures["median_ms"]
            lines.append(f"{row.number},{','.join(map(str, row.size))},{us:.2f},{us * row.figures['percent_of_cublas'] / 100:.2f}")
    return "\n".join(lines) + "\n"


def parse_command_line():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seed", type=int, default=1, help="of the shapes (default 1)")
    parser.add_argument("--count", type=int, default=300, help="shapes of the first two groups (default 300); at least 5")
    parser.add_argument("--kernels", default="12", help="as for sgemm_runner (default 12)")
    parser.add_argument("--time", default="0.03", help="seconds for a kernel and a shape at most (default 0.03)")
    parser.add_argument("--list", action="store_true", help="print the shapes and measure nothing")
    parser.add_argument("--times", type=Path, metavar="FILE", help="also write the times to a file, as CSV")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write the run to a file")
    parser.add_argument(
        "--runner", nargs="+", default=[str(record.ROOT / "sgemm_runner"), "--build", "cuda"], help="the program (default: sgemm_runner)"
    )
    return parser.parse_args()


def main():
    arguments = parse_command_line()
    if arguments.count < 5:
        raise Refused(f"--count {arguments.count}: every group needs a shape, so at least 5")
    shapes = draw(arguments.seed, arguments.count)
    if arguments.list:
        program.show("".join(f"{shape}  {shape.group}\n" for shape in shapes))
        return 0
    for file in filter(None, (arguments.json, arguments.times)):
        program.check_writable(file)
    runner = record.Runner(arguments.runner)
    run = runner.run(arguments.kernels, "--size", ",".join(map(str, shapes)), "--time", arguments.time)
    if run is None or all(row.is_reference for row in run.rows) and runner.stopped:
        raise Refused("interrupted before a shape was measured", record.INTERRUPTED)
    if arguments.json:
        results.write(arguments.json, run)
    text = table(run, shapes, arguments.seed)
    if arguments.times:
        program.replace_file(arguments.times, times(run, arguments.seed))
    program.show(text)
    return record.INTERRUPTED if runner.stopped else 0


if __name__ == "__main__":
    sys.exit(program.run("shapes", main))
