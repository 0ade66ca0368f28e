"""Picks the rows that plots show from a run, their size, and the quartiles of their samples. Needs no matplotlib."""

import re
from statistics import quantiles

from plots.program import Refused

USUAL_SQUARE = (4096, 4096, 4096)  # the size that README.md quotes


def kernels(run):
    """Returns the rows of rungs and of the user's kernels on uniform data, in the order of the ladder. Refused rows are left
    out."""
    return [row for row in on_any_data(run) if row.data == "uniform"]


def on_any_data(run):
    """Returns the same rows as kernels(), on data of any kind. Batches of products are left out."""
    rows = [row for row in run.rows if row.set in ("sgemm", "kernel") and row.size and not row.refusal and row.batch == 1]
    return sorted(rows, key=lambda row: (row.number is None, row.number or 0, row.kernel))


def timed(run):
    """Returns the rows with a time: those with a warm L2, or the cold ones if the run has no others. Times with the host's share are left
    out."""
    rows = [row for row in kernels(run) if row.samples_ms and not row.no_graph]
    if not rows:
        if run.context.machine == "simulator":
            raise Refused(
                "this is a run on the simulated GPU, which has counts and no times: "
                "a run on a GPU is wanted, such as bench/baselines/nvidia-h200.json"
            )
        raise Refused("no kernel was timed in this run: './sgemm_runner all --json=FILE' on a GPU makes one")
    return [row for row in rows if not row.cold] or rows


def compared_with_cublas(run):
    """Returns the rows that were timed beside cuBLAS."""
    rows = [row for row in timed(run) if "percent_of_cublas" in row.figures]
    if not rows:
        raise Refused("no kernel of this run was timed beside cuBLAS: its rows have no 'percent_of_cublas'")
    return rows


def is_rung_0(row):
    """True if it is the ladder's reference, timed or not."""
    return row.is_reference or (row.set == "sgemm" and row.number == 0)


def square(row):
    """Returns N of an N x N x N product, and None for any other."""
    return row.size[0] if row.size and len(set(row.size)) == 1 else None


def at_size(rows, size):
    """Returns the rows of a size: "4096" or "128x160x7168". Without a size, it takes the usual square, else the largest square
    that most kernels have, else the largest size that most kernels have."""
    counted = {}
    for row in rows:
        counted[row.size] = counted.get(row.size, 0) + 1
    if size is None:
        most = max(counted.values())
        common = [one for one, count in counted.items() if count == most]
        squares = [one for one in common if len(set(one)) == 1]
        wanted = USUAL_SQUARE if USUAL_SQUARE in common else max(squares or common)
    else:
        wanted = parse_size(size)
        if wanted not in counted:
            known = ", ".join(size_text(one, "x", "") for one in sorted(counted))
            raise Refused(f"no kernel ran at {size} in this run; there are {known}")
    return [row for row in rows if row.size == wanted]


def of_kernel(rows, kernel):
    """Returns the rows of the kernel with this number, name or both, as in 02_coalesced."""
    found = [row for row in rows if kernel in (row.label, row.kernel, str(row.number))]
    if not found:
        known = ", ".join(dict.fromkeys(row.label for row in rows))
        raise Refused(f"this run has no kernel '{kernel}'; it has {known}")
    return found


def parse_size(text):
    """Returns (M, N, K) of "4096" or "128x160x7168"."""
    if not re.fullmatch(r"\d{1,12}(x\d{1,12}x\d{1,12})?", text):
        raise Refused(f"'{text}' is no size: it is N, or MxNxK, such as 4096 or 128x160x7168")
    sizes = [int(part) for part in text.split("x")]
    return tuple(sizes if len(sizes) == 3 else sizes * 3)


def size_text(size, times=" × ", cube="³"):
    """Returns "4096³" or "128 × 160 × 7168"."""
    return f"{size[0]}{cube}" if len(set(size)) == 1 else times.join(str(n) for n in size)


def paired_percent(row):
    """Returns per cent of the reference for each pair of neighbouring samples."""
    return [100 * reference / sample for sample, reference in zip(row.samples_ms, row.reference_samples_ms)]


def quartiles(values):
    """Returns the quartiles by linear interpolation, as src/results/values/statistics.cpp does; None for no values."""
    if len(values) < 2:
        return [values[0]] * 3 if values else None
    return quantiles(values, n=4, method="inclusive")


def name(row):
    """Returns "11 tuned" or "mine", with the arithmetic of a kernel that is less accurate than FP32."""
    text = row.kernel if row.number is None else f"{row.number} {row.kernel}"
    return f"{text} ({row.below_fp32})" if row.below_fp32 else text


def where(run, rows):
    """Returns "NVIDIA H200, 2026-11-22, warm"."""
    return ", ".join(part for part in (run.context.device, days(run, rows), "cold L2" if rows[0].cold else "warm") if part)


def days(run, rows):
    """Returns the day of the rows' measurement, "2026-11-22", or "2026-11-20 to 2026-11-22"."""
    dates = sorted({row.date[:10] for row in rows if row.date}) or [run.context.date[:10]]
    return dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"


def number(value, digits=1):
    """Returns "53 459.2"."""
    return f"{value:,.{digits}f}".replace(",", " ")
