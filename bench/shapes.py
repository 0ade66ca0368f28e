#!/usr/bin/env python3
"""Measures kernels on random shapes, so that nobody can choose shapes to please. Prints a table.

    bench/shapes.py                       rung 12 on the shapes of seed 1
    bench/shapes.py --seed 2 --kernels 12,16
    bench/shapes.py --list                the shapes, a line each; measures nothing
    bench/shapes.py --kernels 12,16 --times bench/baselines/nvidia-h200-shapes.csv                       for bench/fit_times
    bench/shapes.py --seed 3 --kernels 12,16,best --times bench/baselines/nvidia-h200-shapes-seed3.csv   for docs/shapes.md

M, N and K are drawn log-uniformly from 64 to 8192. Every third shape is rounded to multiples of 64. For every five of these shapes
there is one more with an M from 1 to 64, one with such an N, and one with such a K. The table has a line for each group of shapes. Its
figures are percentages of cuBLAS's speed, measured in turns; the mean is geometric. A file of --times is what python3 -m plots shapes and
losses draw, what tools/docs/shapes_table.py makes a table of, and what bench/fit_times reads.

Seed 1 is there to tune on. Nobody tunes on the others.
"""

import argparse
import math
import random
import sys
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # where plots/ is
from plots import program, results, shape_times  # noqa: E402
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


def recorded(run, seed):
    """Returns the times of a run. Refuses a run in which a row has no figure: all of none is no result."""
    measured = [row for row in run.rows if not row.is_reference]
    for row in measured:
        if row.refusal:
            raise Refused(f"{row.label} was not measured: {row.refusal}", 77)
        if "percent_of_cublas" not in row.figures:
            raise Refused(f"{row.label} has no time at {'x'.join(map(str, row.size))}: shapes are measured on a GPU, beside cuBLAS", 77)
    if not measured:
        raise Refused("nothing was measured", record.FAILURE)
    return shape_times.of(run, seed)


def table(times):
    """Returns the table of a run: a line for each kernel and each group of shapes."""
    wide = max(map(len, shape_times.GROUPS))
    lines = [
        f"per cent of cuBLAS, {times.where}",
        "",
        f"{'kernel':<16} {'shapes':<{wide}} {'count':>6} {'mean':>6} {'worst':>6} {'<90':>5} {'<95':>5} {'<100':>5}   worst at",
    ]
    for kernel, of in times.kernels.items():
        for group, summary in shape_times.summaries(of).items():
            below = " ".join(f"{summary.below(limit):>5}" for limit in (90, 95, 100))
            lines.append(
                f"{kernel:<16} {group:<{wide}} {len(summary.times):>6} {summary.mean:>6.0f} {summary.worst.percent:>6.0f}"
                f" {below}   {'x'.join(map(str, summary.worst.size))}"
            )
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
    times = recorded(run, arguments.seed)
    if arguments.times:
        program.replace_file(arguments.times, shape_times.text_of(times))
    program.show(table(times))
    return record.INTERRUPTED if runner.stopped else 0


if __name__ == "__main__":
    sys.exit(program.run("shapes", main))
