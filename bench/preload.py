#!/usr/bin/env python3
"""Measures programs with the preloaded library and without, in turns, on a machine with a GPU. Prints two tables.

    cmake --preset cuda -DSGEMM_BUILD_BENCHMARKS=ON
    cmake --build --preset cuda --target sgemm_ladder_cublas cublas_calls
    bench/preload.py                     50 shapes of seed 1, then programs in C, with CuPy and with PyTorch
    bench/preload.py --seed 3 --rounds 5

The first table has a line for all shapes: the speed with the library in per cent of cuBLAS's in the same process, the shapes that it left to
cuBLAS, and the cost of a call that it forwards. The second table has a line for each program, which runs with the library and without. A
program whose package is missing is skipped.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # where plots/ is
from plots import program, results  # noqa: E402
from plots.program import Refused  # noqa: E402

import preload_demos  # noqa: E402
import record  # noqa: E402
import shapes  # noqa: E402

LEAST_PERCENT = 97  # of the speed without the library, on every shape
MOST_FORWARDING_NS = 500


@dataclass(frozen=True)
class Figures:
    """Of one shape or program: its time, and its largest error over the bound."""

    us: float
    error: float


class Programs:
    """Starts programs with the preloaded library, or without."""

    def __init__(self, library, calls, python):
        self.library, self.calls, self.python = library, calls, python

    def output(self, words, preloaded, text="", **variables):
        environment = {**os.environ, **variables}
        environment.pop("LD_PRELOAD", None)
        if preloaded:
            environment["LD_PRELOAD"] = str(self.library)
        done = subprocess.run(list(map(str, words)), input=text, capture_output=True, text=True, env=environment)
        if done.returncode != 0:
            raise Refused(f"{Path(words[0]).name} failed: {(done.stderr or done.stdout).strip()[-300:]}", record.FAILURE)
        return done.stdout

    def times(self, sizes):
        """Returns, for each size, the figures without the library and with it."""
        figures = {}
        for line in self.output([self.calls, "times"], True, lines_of(sizes)).splitlines():
            *size, us_of_cublas, us, error = line.split()
            figures[tuple(map(int, size))] = Figures(float(us_of_cublas), 0), Figures(float(us), float(error))
        return figures

    def costs(self):
        """Returns, for each kind of forwarded call, by how many nanoseconds the library makes it longer."""
        lines = self.output([self.calls, "costs"], True).splitlines()
        return {name: float(ns) - float(ns_of_cublas) for name, ns_of_cublas, ns in map(str.split, lines)}

    def forwarded(self, sizes):
        """Returns the sizes that the library leaves to cuBLAS."""
        with tempfile.TemporaryDirectory() as folder:
            log = Path(folder) / "log.json"
            self.output([self.calls, "once"], True, lines_of(sizes), SGEMM_LADDER_LOG=str(log))
            calls = results.read(log).context.calls
        answered = {(c["m"], c["n"], c["k"]) for c in calls if c["outcome"] == "answered"}
        return [size for size in sizes if size not in answered]

    def demo(self, name, preloaded):
        """Returns the figures of a program, or the name of the package that it lacks."""
        script = Path(preload_demos.__file__)
        first, second = self.output([self.python, script, name], preloaded).split()
        return second if first == "missing" else Figures(float(first), float(second))


def lines_of(sizes):
    return "".join(f"{m} {n} {k}\n" for m, n, k in sizes)


def in_turns(rounds, measure):
    """Returns what measure(preloaded) returns, without and with the library, once for each round."""
    without, preloaded = [], []
    for _ in range(rounds):
        without.append(measure(False))
        preloaded.append(measure(True))
    return without, preloaded


def percent(without, preloaded):
    """Returns the speed with the library in per cent of the speed without, from the times of all rounds."""
    return 100 * statistics.median(f.us for f in without) / statistics.median(f.us for f in preloaded)


def percent_in_turns(rounds):
    """Returns the speed with the library in per cent of the speed without, from both figures of each round."""
    return statistics.median(100 * without.us / preloaded.us for without, preloaded in rounds)


def shape_rounds(programs, sizes, count):
    """Returns both figures of each round, by size. A size that seems too slow is measured in three times as many further rounds: of 50
    sizes, some seem so by chance."""
    of_size = {size: [] for size in sizes}

    def measure(some, times):
        for _ in range(times):
            for size, figures in programs.times(some).items():
                of_size[size].append(figures)

    measure(sizes, count)
    doubtful = [size for size in sizes if percent_in_turns(of_size[size]) < LEAST_PERCENT]
    if doubtful:
        measure(doubtful, 3 * count)
    return of_size, doubtful


def shape_lines(rounds, forwarded, doubtful):
    """Returns the table of the shapes. `rounds` holds both figures of each round, by size."""
    sizes = list(rounds)
    of_size = {size: percent_in_turns(rounds[size]) for size in sizes}
    worst = min(of_size, key=of_size.get)
    slower = [size for size in sizes if of_size[size] < LEAST_PERCENT]
    error = max(preloaded.error for one in rounds.values() for _, preloaded in one)
    yield f"{'shapes':>6} {'mean %':>7} {'worst %':>8} {'<' + str(LEAST_PERCENT):>5} {'forwarded':>10} {'error/bound':>12}   worst at"
    yield (
        f"{len(sizes):>6} {statistics.geometric_mean(of_size.values()):>7.0f} {of_size[worst]:>8.1f} {len(slower):>5}"
        f" {len(forwarded):>10} {error:>12.3f}   {'x'.join(map(str, worst))}"
    )
    if doubtful:
        yield f"measured again, because they seemed slower than {LEAST_PERCENT} %: {', '.join('x'.join(map(str, size)) for size in doubtful)}"
    for size in slower:
        yield f"slower: {'x'.join(map(str, size))} at {of_size[size]:.1f} %{', forwarded' if size in forwarded else ''}"


def cost_lines(rounds):
    """Returns a line for each kind of forwarded call."""
    for name in rounds[0]:
        ns = statistics.median(r[name] for r in rounds)
        yield f"a forwarded call ({name}) costs {ns:.0f} ns more{'' if ns < MOST_FORWARDING_NS else ': too much'}"


def demo_line(name, without, preloaded):
    us, with_us = (statistics.median(f.us for f in rounds) for rounds in (without, preloaded))
    error = max(f.error for f in preloaded)
    return f"{name:<26} {us:>10.1f} {with_us:>10.1f} {percent(without, preloaded):>6.0f} {error:>12.3f}"


def demo_lines(programs, rounds):
    """Returns the table of the programs, a line at a time."""
    yield f"{'program, 4096 cubed':<26} {'us without':>10} {'us with':>10} {'%':>6} {'error/bound':>12}"
    size = (4096, 4096, 4096)
    yield demo_line("C, cublasSgemm", *zip(*(programs.times([size])[size] for _ in range(rounds))))
    for name in preload_demos.DEMOS:
        without, preloaded = in_turns(1, lambda with_it, name=name: programs.demo(name, with_it))
        if isinstance(without[0], str):
            yield f"{name:<26} skipped: Python has no {without[0]} here"
            continue
        more = in_turns(rounds - 1, lambda with_it, name=name: programs.demo(name, with_it))
        yield demo_line(name, without + more[0], preloaded + more[1])


def parse_command_line():
    build = record.ROOT / "build/cuda"
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", choices=("all", "shapes", "programs"), default="all", help="which table (default all)")
    parser.add_argument("--seed", type=int, default=1, help="of the shapes (default 1)")
    parser.add_argument("--count", type=int, default=50, help="shapes (default 50)")
    parser.add_argument("--rounds", type=int, default=3, help="processes for each figure (default 3)")
    parser.add_argument("--library", type=Path, default=build / "src/preload/libsgemm_ladder_cublas.so", help="the library to preload")
    parser.add_argument("--calls", type=Path, default=build / "bin/cublas_calls", help="the program in C")
    parser.add_argument("--python", default=sys.executable, help="the Python that has CuPy or PyTorch (default: this one)")
    return parser.parse_args()


def main():
    arguments = parse_command_line()
    if arguments.count < 1 or arguments.rounds < 1:
        raise Refused("--count and --rounds must be at least 1")
    for file in (arguments.library, arguments.calls):
        if not file.is_file():
            raise Refused(f"'{file}' is not there: build sgemm_ladder_cublas and cublas_calls (bench/preload.py --help)")
    programs = Programs(arguments.library.resolve(), arguments.calls.resolve(), arguments.python)
    drawn = shapes.draw(arguments.seed, max(5, arguments.count))
    sizes = [shape.size for shape in drawn[:: max(1, len(drawn) // arguments.count)][: arguments.count]]

    def show(line):
        program.show(line + "\n")

    if arguments.what in ("all", "shapes"):
        rounds, doubtful = shape_rounds(programs, sizes, arguments.rounds)
        for line in shape_lines(rounds, programs.forwarded(sizes), doubtful):
            show(line)
        for line in cost_lines([programs.costs() for _ in range(arguments.rounds)]):
            show(line)
    if arguments.what == "all":
        show("")
    if arguments.what in ("all", "programs"):
        for line in demo_lines(programs, arguments.rounds):
            show(line)
    return 0


if __name__ == "__main__":
    sys.exit(program.run("preload", main))
