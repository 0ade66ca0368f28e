#!/usr/bin/env python3
"""Tests rung 7's loads in nvcc's code: 32 bytes in one instruction from compute capability 10.0 on, in two before.

    load_width_test.py NVCC SOURCE_FOLDER    exits 1 and says what it found if that does not hold
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

OPERANDS = 2  # A and B


def loads(nvcc, source, target):
    """Counts the loads from global memory of each width in the kernel's vector path."""
    with tempfile.TemporaryDirectory() as folder:
        ptx = Path(folder) / "rung.ptx"
        subprocess.run(
            [nvcc, "-std=c++20", "-O3", f"-I{source}", "-ptx", f"-arch={target}", "-o", ptx, source / "kernels/07_vector_float8.cu"],
            check=True,
        )
        kernels = ptx.read_text(encoding="utf-8").split(".entry")[1:]
    vector_path = [kernel for kernel in kernels if "vector_float8_kernelILb1E" in kernel.splitlines()[0]]
    if len(vector_path) != 1:
        sys.exit(f"{target}: expected one vector_float8_kernel<true>, found {len(vector_path)}")
    found = re.findall(r"ld\.global(?:\.nc)?\.(v\d)\.f32", vector_path[0])
    return {width: found.count(width) for width in ("v4", "v8")}


def main():
    nvcc, source = sys.argv[1], Path(sys.argv[2])
    before, after = loads(nvcc, source, "compute_90a"), loads(nvcc, source, "compute_100")
    as_promised = before["v8"] == 0 and after["v8"] == OPERANDS and before["v4"] - after["v4"] == 2 * OPERANDS
    print(f"compute_90a: {before}, compute_100: {after}")
    if not as_promised:
        print("expected: no v8 before, one for each operand after, and two v4 fewer for each", file=sys.stderr)
    return 0 if as_promised else 1


if __name__ == "__main__":
    sys.exit(main())
