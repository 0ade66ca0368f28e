#!/usr/bin/env python3
"""Records what Nsight Compute counts of every rung on this machine's GPU: what the simulator's tests compare with.

    bench/device_counters.py            test/data/rung_counters_h200.csv, in about two minutes

One product of each rung at each size, the first launch of its kernel. Stores to shared memory carry conflicts that the
device's arbitration adds at random; everything else repeats exactly.
"""

import argparse
import csv
import io
import subprocess
import sys
from pathlib import Path

import program

ROOT = Path(__file__).resolve().parent.parent
SIZES = ("256", "65x63x61")

# Column of the file -> metric of Nsight Compute.
METRICS = {
    "global_load_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum",
    "global_load_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
    "global_load_lines": "l1tex__t_set_accesses_pipe_lsu_mem_global_op_ld.sum",
    "global_store_requests": "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum",
    "global_store_sectors": "l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
    "shared_loads": "smsp__inst_executed_op_shared_ld.sum",
    "shared_load_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
    "shared_load_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
    "shared_stores": "smsp__inst_executed_op_shared_st.sum",
    "shared_store_wavefronts": "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
    "shared_store_conflicts": "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
    "async_copies": "smsp__inst_executed_op_ldgsts.sum",
    "async_copy_wavefronts": "sm__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts.sum",
    "async_copy_conflicts": "sm__sass_l1tex_data_bank_conflicts_pipe_lsu_mem_shared_op_ldgsts.sum",
    "ffma": "smsp__sass_thread_inst_executed_op_ffma_pred_on.sum",
}


def profile(runner, rung, size):
    """The metrics of the rung's first launch."""
    command = [
        "ncu", "--clock-control", "none", "--csv", "--print-units", "base", "--profile-from-start", "off",
        "--launch-count", "1", "--kernel-name-base", "mangled", "--kernel-name", "regex:ladder", "--metrics", ",".join(METRICS.values()),
        *runner, rung, "--size", size, "--once",
    ]  # fmt: skip
    print("device_counters:", rung, size, file=sys.stderr)
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout
    rows = csv.DictReader(io.StringIO(text[text.index('"ID"') :]))
    found = {row["Metric Name"]: row["Metric Value"].replace(",", "") for row in rows}
    return {column: found.get(metric, "") for column, metric in METRICS.items()}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runner", nargs="+", default=[str(ROOT / "build/cuda/bin/sgemm_runner")], help="the program")
    parser.add_argument("--output", type=Path, default=ROOT / "test/data/rung_counters_h200.csv", help="the file")
    arguments = parser.parse_args()

    listed = subprocess.run([*arguments.runner, "list", "--numbers"], check=True, stdout=subprocess.PIPE, text=True)
    numbers = [number for number in listed.stdout.split() if number != "0"]
    lines = [",".join(["rung", "size", *METRICS])]
    for size in SIZES:
        for number in numbers:
            counted = profile(arguments.runner, number, size)
            lines.append(",".join([number, size, *counted.values()]))
    program.replace_file(arguments.output, "\n".join(lines) + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(program.run("device_counters", main))
