#!/usr/bin/env python3
"""Measures products, transposes, strided copies and lookups in PyTorch's terms, on a machine with a GPU.

    pip install ./python
    bench/pytorch.py                 four tables
    bench/pytorch.py products        one of them: products, transposes, copies, lookups
    bench/pytorch.py --size 1024     other matrices than 4096 x 4096

All variants of a table are measured in turns, several rounds, and each figure is the median of the rounds. Without a GPU the package of the
simulated GPU runs the same program, slowly, and its times mean nothing.
"""

import argparse
import statistics
import sys
import time

import torch

import sgemm_ladder

DEVICE = "cpu" if sgemm_ladder.ON_HOST else "cuda"
LEAST_SECONDS = 0.0 if sgemm_ladder.ON_HOST else 0.005  # of a sample
FLOAT_BYTES = 4


def seconds_of(function, times):
    """Returns the seconds of a call on the device, of `times` calls in a row."""
    if DEVICE == "cpu":
        begin = time.perf_counter()
        for _ in range(times):
            function()
        return (time.perf_counter() - begin) / times
    begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
    begin.record()
    for _ in range(times):
        function()
    end.record()
    end.synchronize()
    return begin.elapsed_time(end) / 1000 / times


def in_turns(functions, rounds):
    """Returns the median seconds of each function. Each round measures all of them, so a change of the clock meets all."""
    times = {}
    for name, function in functions.items():
        function()  # warms up
        times[name] = max(1, round(LEAST_SECONDS / max(1e-7, seconds_of(function, 3 if DEVICE == "cuda" else 1))))
    samples = {name: [] for name in functions}
    for _ in range(rounds):
        for name, function in functions.items():
            samples[name].append(seconds_of(function, times[name]))
    return {name: statistics.median(some) for name, some in samples.items()}


def error_of(product, a, b):
    """Returns the relative error of a product in the Frobenius norm, against FP64."""
    want = a.double() @ b.double()
    return ((product.double() - want).norm() / want.norm()).item()


def random(*shape):
    return torch.rand(*shape, device=DEVICE) * 2 - 1


def allow_tf32(allowed):
    torch.backends.cuda.matmul.allow_tf32 = allowed


def with_tf32(a, b):
    allow_tf32(True)
    c = torch.mm(a, b)
    allow_tf32(False)
    return c


def products(size, rounds):
    """sgemm_ladder.mm beside torch.mm: times and errors."""
    yield f"{'product':<34} {'us':>9} {'TFLOP/s':>8} {'x torch.mm':>10} {'error':>9}"
    for n in sorted({size // 8, size // 4, size // 2, size, 2 * size}):
        a, b = random(n, n), random(n, n)
        functions = {"torch.mm": torch.mm, "sgemm_ladder.mm": sgemm_ladder.mm, "torch.mm, TF32 allowed": with_tf32}
        seconds = in_turns({name: (lambda f=f: f(a, b)) for name, f in functions.items()}, rounds)
        for name, f in functions.items():
            error = error_of(f(a, b), a, b)
            yield (
                f"{f'{name}, {n} cubed':<34} {seconds[name] * 1e6:>9.1f} {2 * n**3 / seconds[name] / 1e12:>8.1f}"
                f" {seconds['torch.mm'] / seconds[name]:>10.2f} {error:>9.1e}"
            )


def transposes(size, rounds):
    """A transposed factor is a view: the product reads it as it lies. contiguous() is a copy."""
    a, b = random(size, size), random(size, size)
    variants = {}
    for name, mm in (("torch.mm", torch.mm), ("sgemm_ladder.mm", sgemm_ladder.mm)):
        variants[f"{name}(a, b)"] = lambda mm=mm: mm(a, b)
        variants[f"{name}(a, b.t())"] = lambda mm=mm: mm(a, b.t())
        variants[f"{name}(a, b.t().contiguous())"] = lambda mm=mm: mm(a, b.t().contiguous())
    variants["b.t()"] = lambda: b.t()
    variants["b.t().contiguous()"] = lambda: b.t().contiguous()
    yield f"{f'{size} x {size}':<40} {'us':>9}"
    for name, seconds in in_turns(variants, rounds).items():
        yield f"{name:<40} {seconds * 1e6:>9.1f}"


def copies(size, rounds):
    """A copy moves sectors of 32 bytes. What it uses of them is its speed."""
    x, wide = random(size, size), random(size, 8 * size)
    views = {
        "x": x,
        "x.t()": x.t(),
        "wide[:, :n]": wide[:, :size],
        "wide[:, ::2][:, :n]": wide[:, ::2][:, :size],
        "wide[:, ::4][:, :n]": wide[:, ::4][:, :size],
        "wide[:, ::8]": wide[:, ::8],
    }
    target = torch.empty(size, size, device=DEVICE)
    seconds = in_turns({name: (lambda view=view: target.copy_(view)) for name, view in views.items()}, rounds)
    yield f"{f'copy of {size} x {size}':<30} {'strides':>14} {'us':>9} {'GB/s used':>10}"
    for name, view in views.items():
        used = 2 * size * size * FLOAT_BYTES / seconds[name] / 1e9
        yield f"{name:<30} {str(view.stride()):>14} {seconds[name] * 1e6:>9.1f} {used:>10.0f}"


def lookups(size, rounds):
    """A lookup reads whole rows of a table. Short rows use a part of each sector."""
    elements = size * size
    yield f"{f'{elements} floats looked up':<36} {'us':>9} {'GB/s used':>10}"
    for width in (1, 2, 8, 32, 256):
        rows = elements // width
        table = random(rows, width)
        out = torch.empty(rows, width, device=DEVICE)
        orders = {"in order": torch.arange(rows, device=DEVICE), "at random": torch.randperm(rows, device=DEVICE)}
        functions = {name: (lambda ids=ids: torch.index_select(table, 0, ids, out=out)) for name, ids in orders.items()}
        for name, seconds in in_turns(functions, rounds).items():
            used = (2 * elements * FLOAT_BYTES + 8 * rows) / seconds / 1e9
            yield f"{f'rows of {width} floats, {name}':<36} {seconds * 1e6:>9.1f} {used:>10.0f}"


TABLES = {table.__name__: table for table in (products, transposes, copies, lookups)}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("tables", nargs="*", choices=[*TABLES, []], metavar="TABLE", help=", ".join(TABLES))
    parser.add_argument("--size", type=int, default=4096, help="rows and columns of the matrices")
    parser.add_argument("--rounds", type=int, default=9)
    options = parser.parse_args()
    if options.size < 8 or options.rounds < 1:
        parser.error("--size is at least 8, and --rounds at least 1")
    torch.manual_seed(1)
    allow_tf32(False)
    if DEVICE == "cuda":
        print(f"{torch.cuda.get_device_name()}, PyTorch {torch.__version__}, CUDA {torch.version.cuda}, sgemm_ladder {sgemm_ladder.__version__}")
    try:
        for name in options.tables or TABLES:
            print(f"\n{name}: {TABLES[name].__doc__}\n", flush=True)
            for line in TABLES[name](options.size, options.rounds):
                print(line, flush=True)
    except KeyboardInterrupt:
        return 130
    return 0


if __name__ == "__main__":
    sys.exit(main())
