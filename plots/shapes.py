"""every shape of a run, from each kernel's slowest to its fastest: per cent of cuBLAS

A line for each kernel: its shapes stand side by side in the order of its own figures, so a line shows on which share of the shapes the
kernel passes cuBLAS, and how far the slowest ones are behind. Two lines have colours, as in the plot sizes. A label has the geometric mean.
"""

from math import exp, log

from plots import findings, labels, pick, style
from plots.program import Refused

OPTIONS = ("kernel",)
OTHERS = "soft"  # the role of the lines that are grey
TICKS = (1, 2, 5, 10, 25, 50, 100, 200, 400, 800, 1600)


def shown(run, kernel=None):
    timed = [row for row in pick.compared_with_cublas(run) if not row.is_reference]
    rows = [row for row in timed if row.is_right]
    if not rows:
        raise Refused("this run has no kernel beside cuBLAS, right and timed, whose shapes could be drawn")
    chosen = pick.of_kernel(rows, kernel) if kernel is not None else rows
    kernels = {}
    for row in rows:
        kernels.setdefault(pick.name(row), []).append(row)
    series = findings.series(list(kernels.values()), timed)
    return {
        "finding": findings.over_products(series, timed, "shape", "on"),
        "where": pick.where(run, rows),
        "best": list(kernels)[series.index(findings.best_series(series))],
        "chosen": pick.name(chosen[0]),
        "kernels": [
            {"kernel": name, "mean": round(_mean(of), 1), "percents": sorted(round(row.figures["percent_of_cublas"], 1) for row in of)}
            for name, of in kernels.items()
        ],
    }


def _mean(rows):
    return exp(sum(log(row.figures["percent_of_cublas"]) for row in rows) / len(rows))


def draw(run, kernel=None):
    values = shown(run, kernel)
    kernels = values["kernels"]
    most = max(len(kernel["percents"]) for kernel in kernels)
    figure = style.figure(
        max(290, (len(kernels) + 1) * labels.GAP + 40),
        values["finding"],
        f"Per cent of cuBLAS of each kernel on {most} shape{'s' if most > 1 else ''}, the slowest first; kernel and cuBLAS taking turns; "
        f"{values['where']}",
        ["The figure beside a name is the geometric mean."],
    )
    names = [
        f"{style.cut(kernel['kernel'], style.WIDTH * 0.36, style.SMALL, 'bold')}: {pick.number(kernel['mean'], 0)} %" for kernel in kernels
    ]
    right = style.MARGIN + 20 + max(style.text_width(name, style.SMALL, "bold") for name in (*names, "cuBLAS"))
    ax = style.axes(figure, 40, right, 4, 32, "y")
    _set_scales(ax, kernels)
    ax.axhline(100, color=style.color("reference"), linewidth=1.2, zorder=1.5)
    roles = [_role(kernel["kernel"], values) for kernel in kernels]
    for kernel, role in zip(kernels, roles):
        is_grey = role == OTHERS
        ax.plot(
            _places(kernel["percents"]),
            kernel["percents"],
            color=style.color(role),
            linewidth=0.9 if is_grey else 2,
            alpha=0.6 if is_grey else 1,
            marker="o" if len(kernel["percents"]) == 1 else None,
            zorder=2 if is_grey else 2.6,
        )
    labels.column(
        ax,
        [*((100, kernel["percents"][-1]) for kernel in kernels), (100, 100)],
        [*(style.plain(name) for name in names), "cuBLAS"],
        [style.color(role) for role in (*roles, "reference")],
        14,
        style.SMALL,
        ["normal" if role == OTHERS else "bold" for role in (*roles, "reference")],
    )
    return figure


def _role(name, values):
    return "better" if name == values["best"] else "kernel" if name == values["chosen"] else OTHERS


def _places(percents):
    """Returns where on the axis the shapes stand: from 0 to 100."""
    last = max(1, len(percents) - 1)
    return [100 * i / last for i in range(len(percents))]


def _set_scales(ax, kernels):
    from matplotlib.ticker import NullLocator

    low = min([90.0, *(kernel["percents"][0] for kernel in kernels)]) / 1.08
    high = max([110.0, *(kernel["percents"][-1] for kernel in kernels)]) * 1.08
    ax.set_xlim(0, 100)
    ax.set_yscale("log")
    ax.set_ylim(low, high)
    ticks = [tick for tick in TICKS if low <= tick <= high]
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_yticks(ticks, [str(tick) for tick in ticks])
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.set_xlabel("shapes that are no faster, in per cent", color=style.color("soft"), size=style.SMALL, labelpad=2)
    ax.set_ylabel("per cent of cuBLAS", color=style.color("soft"), size=style.SMALL, labelpad=2)
