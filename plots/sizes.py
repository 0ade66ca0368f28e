"""every kernel over the size of square products: per cent of cuBLAS"""

from plots import labels, pick, style
from plots.program import Refused

OPTIONS = ()
GAP = 14  # points from label to label
DASHES = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (9, 3)))  # a dash for each round of colours


def shown(run):
    rows = [row for row in pick.compared_with_cublas(run) if pick.square(row) and row.is_right and not row.is_reference]
    if not rows:
        raise Refused("this run has no square product of a kernel beside cuBLAS, right and timed, to draw over N")
    names = dict.fromkeys(pick.name(row) for row in rows)
    return {
        "where": pick.where(run, rows),
        "kernels": [{"kernel": name, "points": [_point(row) for row in _by_size(rows, name)]} for name in names],
    }


def _by_size(rows, name):
    return sorted((row for row in rows if pick.name(row) == name), key=pick.square)


def _point(row):
    return {"n": pick.square(row), "percent": row.figures["percent_of_cublas"], "trusted": row.trusted}


def draw(run):
    values = shown(run)
    kernels = values["kernels"]
    points = [point for kernel in kernels for point in kernel["points"]]
    notes = ["A hollow mark is one that the measurement itself does not trust."] if not all(p["trusted"] for p in points) else []
    figure = style.figure(
        max(290, (len(kernels) + 1) * GAP + 40),
        "Per cent of cuBLAS over N",
        f"{values['where']}; M = N = K, kernel and cuBLAS taking turns",
        notes,
    )
    names = [style.cut(kernel["kernel"], style.WIDTH * 0.36, style.SMALL) for kernel in kernels] + ["cuBLAS"]
    right = style.MARGIN + 20 + max(style.text_width(name, style.SMALL) for name in names)
    ax = style.axes(figure, 40, right, 4, 32, "y")
    _set_scales(ax, points)
    ax.axhline(100, color=style.color("reference"), linewidth=1.2, zorder=1.5)
    colors = []
    for i, kernel in enumerate(kernels):
        colors.append(style.color(style.LINES[i % len(style.LINES)]))
        _draw_line(ax, kernel, colors[-1], DASHES[i // len(style.LINES) % len(DASHES)])
    ends = [(kernel["points"][-1]["n"], kernel["points"][-1]["percent"]) for kernel in kernels]
    labels.column(
        ax,
        [*ends, (ax.get_xlim()[1], 100)],
        [style.plain(name) for name in names],
        [*colors, style.color("reference")],
        14,
        GAP,
        style.SMALL,
    )
    return figure


def _set_scales(ax, points):
    from matplotlib.ticker import NullLocator

    sizes = [point["n"] for point in points]
    low, high = min(sizes), max(sizes)
    ax.set_xscale("log", base=2)
    ax.set_xlim(low / 1.15, high * 1.15)
    ax.set_ylim(0, max([105.0, *(point["percent"] * 1.04 for point in points)]))
    powers = [2**i for i in range(64) if low / 1.15 <= 2**i <= high * 1.15] or sorted({low, high})
    room = max(1, int(ax.bbox.width / (style.text_width(str(powers[-1]), style.SMALL) + 8)))
    ticks = powers[:: -(-len(powers) // room)]
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [str(n) for n in ticks])
    ax.set_xlabel("N", color=style.color("soft"), size=style.SMALL, labelpad=2)
    ax.set_ylabel("per cent of cuBLAS", color=style.color("soft"), size=style.SMALL, labelpad=2)


def _draw_line(ax, kernel, color, dashes):
    across = [point["n"] for point in kernel["points"]]
    up = [point["percent"] for point in kernel["points"]]
    ax.plot(across, up, color=color, linewidth=1.4, linestyle=dashes, zorder=2)
    for trusted in (True, False):
        some = [point for point in kernel["points"] if point["trusted"] == trusted]
        if not some:
            continue
        (marks,) = ax.plot(
            [point["n"] for point in some],
            [point["percent"] for point in some],
            linestyle="none",
            marker="o",
            markersize=4,
            markeredgewidth=1.2,
            markeredgecolor=color,
            markerfacecolor=color if trusted else style.color("paper"),
            zorder=3,
        )
        style.tip(marks, [f"{kernel['kernel']} at {p['n']}³: {pick.number(p['percent'])} % of cuBLAS" for p in some])
