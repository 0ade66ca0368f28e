#!/usr/bin/env python3
"""Records the runs in bench/baselines: what tests compare with and README.md quotes.

    bench/record.py counters    simulator.json: the counters of every rung on the simulated GPU
    bench/record.py device      nvidia-h200.json: the time of every rung on this machine's GPU (about five minutes)

A row that is measured anew replaces the one of its kernel and size; each row has its own date and says how it was
measured. Rows of another GPU are never mixed in. Afterwards bench/ladder_table.py puts the table into README.md.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

from ladder_table import replace_file, row_size

ROOT = Path(__file__).resolve().parent.parent
BASELINES = ROOT / "bench/baselines"

# Whole tiles, where rungs 11 and 12 agree; a K that rung 12 divides; few rows; few columns; nothing whole.
COUNTED_SIZES = "256,64x64x2048,4x256x256,256x4x256,65x63x61"
# Of one machine and one moment: noise in a review.
UNCOUNTED = ("date", "real_time", "cpu_time", "simulation_seconds", "num_cpus")

SKINNY = "128x160x7168,64x64x65536,256x256x16384,1x4096x4096,4x4096x4096,16x4096x4096,16x16384x16384,4096x4096x16,16384x1x16384"
# Kernels, sizes, options. The larger a problem, the longer a sample; the slow rungs at the largest size run once,
# naive for a quarter of a minute.
DEVICE_RUNS = (
    ("all", f"128,256,512,1000,1024,1536,2048,2049,2560,{SKINNY}", ("--time", "0.3")),
    ("all", "3072,4095,4096", ("--time", "1.5")),
    ("all", "6144,8192", ("--time", "2")),
    ("0,10-12", "16384", ("--time", "4")),
    ("2-9", "16384", ("--once",)),
    ("1", "16384", ("--once",)),
)


def run(runner, kernels, sizes, options=()):
    """What sgemm_runner says as JSON."""
    command = [*runner, kernels, "--size", sizes, *options, "--json"]
    print("record:", " ".join(command), file=sys.stderr)
    return json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)


def write(path, recorded):
    replace_file(path, json.dumps(recorded, indent=2, ensure_ascii=False) + "\n")


def key(row):
    return *row_size(row), row["kernel_id"]


def record_counters(runner, path):
    recorded = run(runner, "all", COUNTED_SIZES)
    for part in (recorded["context"], *recorded["benchmarks"]):
        for name in UNCOUNTED:
            part.pop(name, None)
    write(path, recorded)


def record_device(runner, path):
    recorded = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"benchmarks": []}
    rows = {key(row): row for row in recorded["benchmarks"]}
    for kernels, sizes, options in DEVICE_RUNS:
        new = run(runner, kernels, sizes, options)
        strangers = {row["device"] for row in rows.values()} - {new["context"]["device"]}
        if strangers:
            sys.exit(f"{path} holds a run on {', '.join(strangers)}, and this is {new['context']['device']}: give it a file of its own (--output)")
        for row in new["benchmarks"]:
            # cuBLAS stands at the head of every table, asked for or not: also where it ran only once.
            if row["kernel_id"] != 0 or not row["once"]:
                rows[key(row)] = row
        # Squares first, by size.
        order = sorted(rows, key=lambda k: (not k[0] == k[1] == k[2], k))
        write(path, {"context": new["context"], "benchmarks": [rows[k] for k in order]})


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=("counters", "device"))
    parser.add_argument("--runner", nargs="+", help="the program (default: ./sgemm_runner and the build that is meant)")
    parser.add_argument("--output", type=Path, help="the file (default: in bench/baselines)")
    arguments = parser.parse_args()

    counters = arguments.what == "counters"
    runner = arguments.runner or [str(ROOT / "sgemm_runner"), "--build", "sim" if counters else "cuda"]
    if counters:
        record_counters(runner, arguments.output or BASELINES / "simulator.json")
    else:
        record_device(runner, arguments.output or BASELINES / "nvidia-h200.json")
    return 0


if __name__ == "__main__":
    sys.exit(main())
