"""every shape of a run, from each kernel's slowest to its fastest: per cent of cuBLAS

A line for each kernel: its shapes stand side by side in the order of its own figures, so a line shows on which share of the shapes the
kernel passes cuBLAS, and how far the slowest ones are behind. Two lines have colours, as in the plot sizes. A label has the geometric mean.
"""

from plots import findings, labels, pick, shape_times, style

OPTIONS = ("kernel",)
OTHERS = "soft"  # the role of the lines that are grey
TICKS = (1, 2, 5, 10, 25, 50, 100, 200, 400, 800, 1600)


def shown(run, kernel=None):
    recorded = shape_times.of(run)
    chosen = pick.of_kernel(recorded.times, kernel) if kernel is not None else recorded.times
    kernels = {name: shape_times.Summary(times) for name, times in recorded.kernels.items()}
    best = shape_times.best_kernel(recorded)
    return {
        "finding": findings.over_shapes(kernels[best]),
        "where": recorded.where,
        "best": best,
        "chosen": pick.name(chosen[0]),
        "kernels": [
            {"kernel": name, "mean": round(of.mean, 1), "percents": sorted(time.percent for time in of.times)}
            for name, of in kernels.items()
        ],
    }


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
    ax.set_xlim(0, 100)
    set_percents(ax, [percent for kernel in kernels for percent in kernel["percents"]])
    ax.set_xticks([0, 25, 50, 75, 100])
    ax.set_xlabel("shapes that are no faster, in per cent", color=style.color("soft"), size=style.SMALL, labelpad=2)
    ax.set_ylabel("per cent of cuBLAS", color=style.color("soft"), size=style.SMALL, labelpad=2)


def set_percents(ax, percents):
    """Makes the y axis logarithmic, with room for these percentages and for 100."""
    from matplotlib.ticker import NullLocator

    low, high = min([90.0, *percents]) / 1.08, max([110.0, *percents]) * 1.08
    ax.set_yscale("log")
    ax.set_ylim(low, high)
    ticks = [tick for tick in TICKS if low <= tick <= high]
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_yticks(ticks, [str(tick) for tick in ticks])
