"""Made-up runs to draw: ladders of any length, a comparison."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "test/bench")]

import samples  # noqa: E402
from plots import results  # noqa: E402

BASELINE = ROOT / "bench/baselines/nvidia-h200.json"
LENGTHS = (1, 3, 13, 30)  # of ladders
LONG = "a_kernel_with_a_name_of_which_nobody_would_say_that_it_is_too_short_for_this"


def timed(number, size, percent, **more):
    """Returns a rung's row at `percent` of a cuBLAS that takes 1 ms. Its samples scatter by one per cent and more."""
    kernel = more.pop("kernel", "cuBLAS" if number == 0 else f"rung_{number}")
    ratios = [percent * factor for factor in (0.98, 0.99, 1.0, 1.02, 1.05)]
    timing = {
        "percent_of_cublas": percent,
        "gflops": 500.0 * percent,
        "gbytes_per_second": 2.0 * percent,
        "median_ms": 100 / percent,
        "samples_ms": [100 / ratio for ratio in ratios],
        "reference_samples_ms": [] if number == 0 else [1.0] * 5,
        **errors(number, size),
    }
    return samples.timed_row(number, size, kernel=kernel, **(timing | more))


def errors(number, size):
    """Returns errors that grow with K and fall from rung to rung. Number 0 is the reference."""
    k = int(size.split("x")[-1])
    reference = 1e-8 * k**0.5
    own = reference * 0.97**number
    figures = {"frobenius_error": own, "largest_error": own / k, "reference_frobenius_error": reference}
    return figures | {"reference_largest_error": reference / k, "wrong_infinities": 0, "reference_wrong_infinities": 0}


def climb(rung, rungs):
    """Returns per cent of cuBLAS of a rung in a ladder of `rungs`. The highest rungs are close to each other."""
    return 104.0 - 103.0 * 0.75 ** (8 * rung / rungs) if rung else 100.0


def ladder_rows(rungs, sizes=("4096",)):
    """Returns the rows of cuBLAS and `rungs` rungs, each at each size."""
    return [timed(i, size, climb(i, rungs) + 2 * j) for i in range(rungs + 1) for j, size in enumerate(sizes)]


def run_of(rows, **context):
    return results.from_document(samples.document(rows, **context))


def ladder(rungs, sizes=("4096",)):
    return run_of(ladder_rows(rungs, sizes))


def comparison(verdict, **more):
    found = {"verdict": verdict, "reasons": [f"because it is {verdict}"], "base_percent": [49.0, 50.0, 51.0]}
    return found | {"base_ms": 2.0, "change_percent": -6.2, "threshold_percent": 3.0, "p_value": 0.001} | more


def compared(rows, notes=("the driver differs: 570.1 and 580.2",), **context):
    against = {"file": "base.json", "date": "2026-11-20T10:00:00+00:00", "commit": "c0ffee" * 6, "notes": list(notes)}
    return run_of(rows, compared_with=against, **context)


def every_verdict():
    """Returns a run with a row of each verdict, one far beyond the others."""
    base = {"SLOWER": 46.9, "FASTER": 56.0, "SAME": 50.2, "UNSURE": 47.5}
    rows = []
    for i, (verdict, percent) in enumerate(base.items(), start=1):
        rows.append(timed(i, "4096", percent, comparison=comparison(verdict, change_percent=2 * percent - 100)))
    rows.append(timed(7, "1024", 150.0, comparison=comparison("FASTER", change_percent=200.0)))
    wrong = {"base_percent": None, "change_percent": None, "threshold_percent": None, "p_value": None}
    rows.append(timed(5, "4096", 50.0, correct=False, comparison=comparison("WRONG", **wrong)))
    rows.append(timed(6, "4096", 50.0, comparison=comparison("CHANGED", **wrong)))
    return compared(rows)


def distributed(size="65536", grid=(2, 2), panels=8, seconds=1.5, **more):
    """Returns a product of sgemm_distributed on a grid of processes. Each process gets a panel while it multiplies the one before."""
    m, n, k = [int(part) for part in size.split("x")] * (1 if "x" in size else 3)
    first, product = seconds * 0.03, seconds * 0.97 / panels  # of the first panel's messages, and of a panel's product
    processes = []
    for rank in range(grid[0] * grid[1]):
        late = 1 + 0.02 * (rank % 3)  # its messages take longer
        spans = [span(False, 0, 0.0, first)]
        for panel in range(panels):
            begin = first + panel * product
            spans.append(span(True, panel, begin, begin + product))
            if panel + 1 < panels:
                spans.append(span(False, panel + 1, begin, begin + late * product / 2))
        processes.append(
            {
                "rank": rank,
                "host": f"node-{1 + rank // 8}",
                "device": "NVIDIA X",
                "whole_s": seconds * 1.005,
                "product_s": seconds * 0.97,
                "messages_s": sum(one["end_s"] - one["begin_s"] for one in spans if not one["is_product"]),
                "received_bytes": 0 if grid == (1, 1) else 1 << 30,
                "spans": spans,
            }
        )
    known = {
        **{"m": m, "n": n, "k": k, "alpha": 1.0, "beta": 0.0, "seed": 1},
        **{"grid_rows": grid[0], "grid_cols": grid[1], "block": 256, "panel": k // panels, "kernel": "best", "carrier": "nccl"},
        **{"correct": True, "error_over_bound": 0.01, "elements_compared": 4096, "samples_s": [seconds]},
        **{"least_bytes": 1 << 30, "seconds": seconds, "hidden_share": 0.9312, "efficiency": 0.953},
        "processes": processes,
    }
    return known | more


def span(is_product, panel, begin, end):
    return {"is_product": is_product, "panel": panel, "begin_s": begin, "end_s": end}


def of_products(*products, **context):
    """Returns a run of sgemm_distributed."""
    return run_of([], distributed=list(products), **context)


def throttled(count=120):
    """Returns a run with one row: two runs with a clock for each sample. The second throttles."""
    seconds = [0.01 * i for i in range(count // 2)] * 2
    clocks = [1980.0] * (count // 2) + [1980.0 - 8 * i for i in range(count // 2)]
    times = [1980 / clock + 0.002 * (i % 7) for i, clock in enumerate(clocks)]
    clocks[3] = 0.0  # this clock could not be read
    more = {"samples_of_runs": [count // 2] * 2, "sample_seconds": seconds, "sample_clocks_mhz": clocks}
    return run_of([timed(3, "4096", 80.0, samples_ms=times, reference_samples_ms=[0.8 * t for t in times], **more)])
