"""Times of kernels and of cuBLAS on many shapes: a compact file of them, and what they are in groups of shapes.

    recorded = shape_times.read(path)             a file that bench/shapes.py --times wrote
    recorded = shape_times.of(run)                a run of sgemm_runner that was timed beside cuBLAS
    recorded.times[0].percent                     per cent of cuBLAS

The file is CSV. Its first line says where the times come from, its second one names the columns, and each other line is a kernel on a
shape. bench/fit_times reads such files, too. All times are of right results: bench/shapes.py keeps no others.
"""

import re
from dataclasses import dataclass
from math import exp, log
from typing import ClassVar

from plots import pick, results

COLUMNS = ("kernel", "m", "n", "k", "us", "cublas_us", "below_fp32")
LONGEST_FILE = 1 << 24

# for each group of shapes: whether an M x N x K product is in it. A shape is in several groups.
GROUPS = {
    "all": lambda m, n, k: True,
    "M, N, K from 64 on": lambda m, n, k: min(m, n, k) >= 64,
    "M, N, K from 256 on": lambda m, n, k: min(m, n, k) >= 256,
    "N divisible by 4, all above 64": lambda m, n, k: min(m, n, k) > 64 and n % 4 == 0,
    "N not divisible by 4, all above 64": lambda m, n, k: min(m, n, k) > 64 and n % 4 != 0,
    "K up to 64": lambda m, n, k: k <= 64,
    "M or N up to 64, K above": lambda m, n, k: min(m, n) <= 64 < k,
    "17 to 64 columns": lambda m, n, k: 17 <= n <= 64,
    "up to 8 rows": lambda m, n, k: m <= 8,
    "up to 8 columns": lambda m, n, k: n <= 8,
}


@dataclass(frozen=True)
class Time:
    """The median times of a kernel and of cuBLAS on one shape, in microseconds. A kernel is named as in results.Row."""

    number: int | None
    kernel: str
    size: tuple[int, int, int]  # M, N, K
    us: float
    cublas_us: float
    below_fp32: str = ""  # its arithmetic if that is less accurate than FP32
    is_reference: ClassVar[bool] = False

    @property
    def label(self):
        """Returns the kernel as in the names of results: 02_coalesced."""
        return self.kernel if self.number is None else f"{self.number:02}_{self.kernel}"

    @property
    def percent(self):
        """Returns per cent of cuBLAS as it is shown, with one decimal, so that a shape shown as 95.0 is not below 95."""
        return round(100 * self.cublas_us / self.us, 1)


@dataclass(frozen=True)
class ShapeTimes:
    device: str
    date: str  # "2026-11-27"
    commit: str | None
    seed: int | None  # of bench/shapes.py
    cold: bool  # the L2
    times: list[Time]

    @property
    def kernels(self):
        """Returns the times of each kernel, by its name."""
        by_name = {}
        for time in self.times:
            by_name.setdefault(pick.name(time), []).append(time)
        return by_name

    @property
    def where(self):
        """Returns "NVIDIA H200, 2026-11-27, warm; the shapes of seed 3"."""
        device = f"{self.device}, {self.date}, {'cold L2' if self.cold else 'warm'}"
        return device if self.seed is None else f"{device}; the shapes of seed {self.seed}"


def of(run, seed=None):
    """Returns the times of a run, kernel by kernel, without results that are wrong. Returns ShapeTimes as they are."""
    if isinstance(run, ShapeTimes):
        return run
    rows = [row for row in pick.compared_with_cublas(run) if row.is_right and not row.is_reference]
    rows = [row for row in rows if row.figures.get("median_ms") and row.figures["percent_of_cublas"] >= 0.05]
    if not rows:
        raise results.Unusable("this run has no kernel beside cuBLAS, right and timed, whose shapes could be shown")

    def time(row):
        us = 1e3 * row.figures["median_ms"]
        return Time(row.number, row.kernel, row.size, us, us * row.figures["percent_of_cublas"] / 100, row.below_fp32)

    return ShapeTimes(run.context.device, pick.days(run, rows), run.context.commit, seed, rows[0].cold, [time(row) for row in rows])


# ---- the file

_ORIGIN = re.compile(
    r"# (?P<device>.+), (?P<date>\d{4}-\d\d-\d\d[^,:]*)(, commit (?P<commit>\w+))?: bench/shapes\.py --seed (?P<seed>\d+);"
    r" medians in microseconds"
)
_LABEL = re.compile(r"((?P<number>\d{1,9})_)?(?P<kernel>\w+)", re.ASCII)


def text_of(recorded):
    """Returns the file's text."""
    commit = f", commit {recorded.commit}" if recorded.commit else ""
    lines = [
        f"# {recorded.device}, {recorded.date}{commit}: bench/shapes.py --seed {recorded.seed}; medians in microseconds",
        ",".join(COLUMNS),
    ]
    for time in recorded.times:
        lines.append(f"{time.label},{','.join(map(str, time.size))},{time.us:.4f},{time.cublas_us:.4f},{time.below_fp32}")
    return "\n".join(lines) + "\n"


def read(path):
    """Returns the times in a file. Raises results.Unusable, naming the file and the line."""
    try:
        with path.open("rb") as file:
            content = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise results.Unusable(f"'{path}' cannot be read: {error.strerror}") from None
    try:
        if len(content) > LONGEST_FILE:
            raise results.Unusable("it is too long for times of shapes")
        return parse(content.decode("utf-8", errors="replace"))
    except results.Unusable as unusable:
        raise results.Unusable(f"'{path}' cannot be used: {unusable}") from None


def parse(text):
    """Returns the times in a file's text. Raises results.Unusable, naming the line."""
    lines = text.split("\n")
    if lines.pop():
        raise results.Unusable("its last line is not whole")
    found = _ORIGIN.fullmatch(lines[0]) if lines else None
    if not found:
        raise results.Unusable("line 1: does not say where the times come from, as bench/shapes.py --times writes it")
    if lines[1:2] != [",".join(COLUMNS)]:
        raise results.Unusable(f"line 2: the columns are not {','.join(COLUMNS)}; record it anew (bench/shapes.py --times)")
    times, known = [], set()
    for number, line in enumerate(lines[2:], 3):
        time = _time(line, f"line {number}")
        if (time.label, time.size) in known:
            raise results.Unusable(f"line {number}: {time.label} has this shape in an earlier line, too")
        known.add((time.label, time.size))
        times.append(time)
    if not times:
        raise results.Unusable("it has no times")
    return ShapeTimes(found["device"], found["date"], found["commit"], int(found["seed"]), False, times)


def _time(line, place):
    values = line.split(",")
    if len(values) != len(COLUMNS):
        raise results.Unusable(f"{place}: has {len(values)} values, not {len(COLUMNS)}")
    label, *size, us, cublas_us, below_fp32 = values
    named = _LABEL.fullmatch(label)
    if not named:
        raise results.Unusable(f"{place}: '{label}' names no kernel, such as 12_stream_k")
    for n in size:
        if not re.fullmatch(r"[1-9][0-9]{0,11}", n):
            raise results.Unusable(f"{place}: '{n}' is no size: M, N and K are whole numbers from 1")
    for one in (us, cublas_us):
        if not re.fullmatch(r"[0-9]{1,12}(\.[0-9]{1,9})?", one) or float(one) == 0:
            raise results.Unusable(f"{place}: '{one}' is no time in microseconds")
    if float(cublas_us) < 5e-4 * float(us):
        raise results.Unusable(f"{place}: {us} µs is more than 2000 times cuBLAS's {cublas_us}")
    number = None if named["number"] is None else int(named["number"])
    return Time(number, named["kernel"], tuple(map(int, size)), float(us), float(cublas_us), below_fp32)


# ---- groups


@dataclass(frozen=True)
class Summary:
    """A kernel on several shapes."""

    times: list[Time]

    @property
    def mean(self):
        """Returns the geometric mean of the percentages."""
        return exp(sum(log(time.percent) for time in self.times) / len(self.times))

    @property
    def worst(self):
        return min(self.times, key=lambda time: time.percent)

    def below(self, limit):
        """Returns the number of shapes that are below `limit` per cent."""
        return sum(time.percent < limit for time in self.times)


def in_group(times, group):
    return [time for time in times if GROUPS[group](*time.size)]


def summaries(times):
    """Returns a Summary of each group that has a shape, by its name."""
    of_groups = {group: in_group(times, group) for group in GROUPS}
    return {group: Summary(some) for group, some in of_groups.items() if some}


def best_kernel(recorded):
    """Returns the name of the kernel with the highest mean. A kernel that is less accurate than FP32 counts only if there is no
    other."""
    kernels = recorded.kernels
    in_race = {name: times for name, times in kernels.items() if not times[0].below_fp32} or kernels
    return max(in_race, key=lambda name: Summary(in_race[name]).mean)
