"""Small runs, as sgemm_runner writes them, for the tests of bench/, tools/docs/ and plots/."""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
BENCH = ROOT / "bench"
sys.path[:0] = [str(BENCH), str(BENCH.parent)]  # bench/, and the folder that holds plots/

LADDER = {0: "cuBLAS", 1: "naive", 2: "coalesced", 3: "shared_tile"}
# The labs, each with its parameter and the value at which it is counted.
LABS = {"copy_stride": ("elements", 16384), "transpose": ("rows", 20)}
TODAY = "2026-11-22"


def document(rows, **context):
    """Returns a run on a GPU, or on the simulated GPU if machine="simulator"."""
    known = {
        "schema": 2,
        "date": f"{TODAY}T10:00:00+00:00",
        "executable": "sgemm_runner 0.1.0",
        "commit": "c0ffee",
        "uncommitted_changes": None,
        "command_line": ["sgemm_runner"],
        "machine": "cuda",
        "device": "NVIDIA X",
        "device_detail": "sm_90",
        "multiprocessors": 132,
        "memory_bytes": 1 << 36,
        "driver": "570.1",
        "cuda": "12.8",
        "cublas": "12.8.4",
        "power_limit_watts": 700.0,
        "clock_limit_mhz": 1980.0,
        "ecc": True,
        "roofs": {"copy_gbytes_per_second": 4000.0, "fp32_gflops": 60000.0},
    }
    return {"context": known | context, "benchmarks": rows}


def row_of(number, size, **more):
    """Returns the fields that both machines write for a kernel at a size such as "256" or "64x64x128"."""
    sizes = [int(n) for n in size.split("x")] * (1 if "x" in size else 3)
    m, n, k = sizes
    kernel = more.get("kernel") or LADDER[number]
    row = {
        "set": "sgemm",
        "kernel_id": number,
        "kernel": kernel,
        **{"m": m, "n": n, "k": k, "lda": k, "ldb": n, "ldc": n, "alpha": 1.0, "beta": 0.0, "seed": 1},
        "date": f"{TODAY}T10:00:05+00:00",
        "correct": True,
        "max_abs_error": 1e-6,
        "error_over_bound": 0.01,
        "elements_compared": m * n,
    } | more
    label = kernel if row["kernel_id"] is None else f"{number:02}_{kernel}"
    parts = [row["set"], label, row.get("variant"), f"{m}x{n}x{k}", *(f"{k}={v}" for k, v in row.get("parameters", {}).items())]
    return {"name": "/".join(filter(None, parts))} | row


# Fields on how a time was taken, which are not figures.
HOW = {
    "seconds_at_most": 2.0,
    "samples_at_most": 200,
    "target_spread": 0.002,
    "launches_per_sample": 1,
    "steady": True,
    "clocks_mhz": [1965.0, 1965.0, 1980.0],
    "slowdowns": [],
}


def timed_row(number, size, **more):
    timing = {
        "trusted": True,
        "doubts": [],
        "median_ms": 2.0,
        "gflops": 1234.5 * (number + 1),
        "percent_of_cublas": 100.0 if number == 0 else 10.04 * number,
        "l2": "warm",
        "once": False,
        "is_reference": number == 0,
        "samples_ms": [2.0, 2.5],
        "reference_samples_ms": [] if number == 0 else [1.0, 1.0],
    }
    return row_of(number, size, **(HOW | timing | more))


def line_of(file, line, **more):
    counts = dict.fromkeys(("requests", "sectors", "lines", "wavefronts", "bank_conflicts"), 0)
    return {"file": file, "line": line, "instruction": "ld.global.f32", "buffer": "A", **counts} | more


def counted_row(number, size, **more):
    counting = {
        "machine": "simulator",
        "promise_kept": True,
        "promise": [
            {"counter": "load_sectors_per_request", "buffer": "A", "relation": "=", "value": 32.0, "counted": 32.0, "kept": True}
        ],
        "load_sectors_per_request": 16.5,
        "sectors_per_request": {"load A": 32.0},
        "counts": {"load_requests": {"A": 8, "B": 8}, "launches": 1},
        "simulation_seconds": 0.5,
        "lines": [line_of("01_naive.cu", 20)],
    }
    return row_of(number, size, **(counting | more))


def list_of_labs():
    """Returns the list that `sgemm_runner lab --json` prints."""

    def parameter(name, counted):
        return {"name": name, "counted": counted, "timed": 1 << 24, "odd": counted // 2 + 13, "least": 1, "most": 1 << 27}

    return [{"lab": lab, "parameters": [parameter(*sizes)]} for lab, sizes in LABS.items()]


def lab_rows(lab, size, machine, **more):
    """Returns the rows of a lab's two variants: one that ran and one that refused."""
    name = LABS[lab][0]

    def row(variant):
        return {
            "name": f"lab/{lab}/{variant}/{name}={size}",
            "set": "lab",
            "kernel_id": None,
            "kernel": lab,
            "variant": variant,
            "parameters": {name: size},
            "machine": machine,
            "date": f"{TODAY}T10:00:05+00:00",
            "idea": "neighbours",
        }

    said = {"correct": True, "max_abs_error": 0.0, "error_over_bound": 0.0, "elements_compared": size, "useful_bytes": 8 * size}
    counted = {"promise_kept": True, "counts": {"load_requests": {"in": 8}, "launches": 1}}
    timed = HOW | {"doubts": [], "percent_of_copy": 98.5, "l2": "warm", "once": False, "is_reference": False, "reference": "copy"}
    timed |= {"samples_ms": [2.0, 2.5], "reference_samples_ms": [2.0, 2.0]}
    ran = row("1") | said | (timed if machine == "cuda" else counted)
    return [ran | more, row("float4") | {"skipped": True, "skip_message": "a float4 must lie at a multiple of 16 bytes"}]


def text_of(document):
    return json.dumps(document)
