#!/usr/bin/env python3
"""Tests nvcc's code where GPUs differ: rung 3's blocks on a multiprocessor, cp.async, and wgmma.

    architectures_test.py NVCC SOURCE_FOLDER    exits 1 and says what it found if a kernel is not as it should be

Rung 3 asks for as many blocks as each architecture that this nvcc knows can hold: the assembler refuses more. Before compute
capability 8.0, rung 10's kernel is an empty one that holds none of the instructions that the architecture lacks. The same holds for rung 15
and every architecture but Hopper's own, 90a.
"""

import re
import subprocess
import sys
import tempfile
from pathlib import Path

ASYNC_COPY = 80  # the first architecture that has cp.async
WGMMA = "90a"  # the only architecture that has wgmma
WGMMA_RUNGS = (15,)


def compiled(nvcc, source, rung, what, architecture):
    """Returns the text or bytes that nvcc makes of a rung; `what` is "-ptx" or "-cubin"."""
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "output"
        subprocess.run([nvcc, "-std=c++20", "-O3", "-Werror", "all-warnings", f"-I{source}", what, f"-arch=sm_{architecture}",
                        "-o", output, next(source.glob(f"kernels/{rung:02}_*.cu"))], check=True)
        return output.read_bytes()


def complaints(nvcc, source):
    listed = subprocess.run([nvcc, "--list-gpu-arch"], check=True, capture_output=True, text=True).stdout
    architectures = [int(number) for number in re.findall(r"compute_(\d+)$", listed, re.MULTILINE)]
    least = int(re.search(r"int compute_capability = (\d+);", (source / "kernels/ladder.hpp").read_text())[1])
    if least not in architectures:
        yield f"the ladder is for compute capability {least} and later, and nvcc knows {architectures}"
    for architecture in (a for a in architectures if a >= least):
        try:
            asked = compiled(nvcc, source, 3, "-ptx", architecture).decode()
            compiled(nvcc, source, 3, "-cubin", architecture)
        except subprocess.CalledProcessError:
            yield f"rung 3 does not compile for {architecture}"
            continue
        blocks = re.search(r"[.]minnctapersm (\d)", asked)[1]
        print(f"{architecture}: rung 3 with {blocks} to a multiprocessor")
        pipeline = compiled(nvcc, source, 10, "-ptx", architecture).decode()
        if ("cp.async" in pipeline) != (architecture >= ASYNC_COPY):
            yield f"rung 10 for {architecture}: cp.async is {'there' if 'cp.async' in pipeline else 'missing'}"
        if architecture < ASYNC_COPY and "fma.rn.f32" in pipeline:
            yield f"rung 10 for {architecture}: a kernel that nobody launches is compiled whole"
    for rung in WGMMA_RUNGS:
        for architecture in (least, 90, architectures[-1], WGMMA):
            try:
                product = compiled(nvcc, source, rung, "-ptx", architecture).decode()
                compiled(nvcc, source, rung, "-cubin", architecture)
            except subprocess.CalledProcessError:
                yield f"rung {rung} does not compile for {architecture}"
                continue
            if ("wgmma.mma_async" in product) != (architecture == WGMMA):
                yield f"rung {rung} for {architecture}: wgmma is {'there' if architecture != WGMMA else 'missing'}"


def main():
    found = list(complaints(sys.argv[1], Path(sys.argv[2])))
    for complaint in found:
        print(complaint, file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
