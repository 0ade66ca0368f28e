"""Programs that call cuBLAS and know nothing of this project. bench/preload.py runs each with the preloaded library and without.

    bench/preload_demos.py NAME     prints "microseconds error_over_bound", or "missing PACKAGE"

The error is the largest one of some rows, over FP32's bound: at most 1 if all are right.
"""

import statistics
import sys

SIZE = 4096
ROWS = 8  # checked against FP64
SAMPLES, CALLS = 9, 10
EPSILON = 2.0**-23


def cupy_matmul():
    import cupy

    a = cupy.random.default_rng(1).random((SIZE, SIZE), dtype=cupy.float32) - 0.5
    b = cupy.random.default_rng(2).random((SIZE, SIZE), dtype=cupy.float32) - 0.5
    times = []
    for _ in range(SAMPLES):
        begin, end = cupy.cuda.Event(), cupy.cuda.Event()
        begin.record()
        for _ in range(CALLS):
            c = a @ b
        end.record()
        end.synchronize()
        times.append(1e3 * cupy.cuda.get_elapsed_time(begin, end) / CALLS)
    x, y = a[:ROWS].astype(cupy.float64), b.astype(cupy.float64)
    bound = 2 * SIZE * EPSILON * (abs(x) @ abs(y))
    return statistics.median(times), float((abs(c[:ROWS] - x @ y) / bound).max())


def torch_figures(compute, want):
    """Returns the time of compute(), and the error of its first rows. `want()` returns these in FP64, and the sum of magnitudes."""
    import torch

    times = []
    for _ in range(SAMPLES):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        for _ in range(CALLS):
            c = compute()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end) / CALLS)
    exact, magnitude = want()
    error = ((c[:ROWS].double() - exact).abs() / (2 * SIZE * EPSILON * magnitude)).max()
    return statistics.median(times), float(error)


def torch_matrices():
    import torch

    torch.manual_seed(1)
    return [torch.rand(SIZE, SIZE, device="cuda") - 0.5 for _ in range(2)]


def torch_mm():
    import torch

    a, b = torch_matrices()
    x, y = a[:ROWS].double(), b.double()
    return torch_figures(lambda: torch.mm(a, b), lambda: (x @ y, x.abs() @ y.abs()))


def linear():
    import torch

    a, _ = torch_matrices()
    layer = torch.nn.Linear(SIZE, SIZE, device="cuda")
    x, w, bias = a[:ROWS].double(), layer.weight.double(), layer.bias.double()
    with torch.no_grad():
        return torch_figures(lambda: layer(a), lambda: (x @ w.T + bias, x.abs() @ w.T.abs() + bias.abs()))


def gelu():
    """The epilogue GELU, which PyTorch takes for the approximation with tanh."""
    import torch

    a, b = torch_matrices()
    bias = torch.rand(SIZE, device="cuda") - 0.5
    x, y = a[:ROWS].double(), b.double()

    def want():
        exact = torch.nn.functional.gelu(x @ y + bias.double(), approximate="tanh")
        return exact, x.abs() @ y.abs() + bias.abs().double()

    return torch_figures(lambda: torch._addmm_activation(bias, a, b, use_gelu=True), want)


# By the name in the table; bench/preload.py runs all.
DEMOS = {"CuPy a @ b": cupy_matmul, "torch.mm": torch_mm, "torch.nn.Linear": linear, "PyTorch's GELU epilogue": gelu}


def main():
    if len(sys.argv) != 2 or sys.argv[1] not in DEMOS:
        print(f"preload_demos: name one of {', '.join(DEMOS)}", file=sys.stderr)
        return 2
    try:
        us, error = DEMOS[sys.argv[1]]()
    except ModuleNotFoundError as missing:
        print(f"missing {missing.name}")
        return 0
    print(f"{us:.3f} {error:.4f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
