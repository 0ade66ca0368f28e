"""every kernel over the size of square products: per cent of cuBLAS"""

from plots import labels, pick, style
from plots.program import Refused

OPTIONS = ()
WHOLE = 64  # a line joins the sizes that are multiples of this: tiles end there, and neighbours may be far apart
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
    notes = []
    if any(len(_joined(kernel)) < len(kernel["points"]) for kernel in kernels):
        notes.append(f"× stands at an N that is no multiple of {WHOLE}, where tiles are not filled.")
    if not all(point["trusted"] for point in points):
        notes.append("A hollow mark is one that the measurement itself does not trust.")
    figure = style.figure(
        max(290, (len(kernels) + 1) * labels.GAP + 40),
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
    ends = [(_joined(kernel)[-1]["n"], _joined(kernel)[-1]["percent"]) for kernel in kernels]
    labels.column(
        ax,
        [*ends, (ax.get_xlim()[1], 100)],
        [style.plain(name) for name in names],
        [*colors, style.color("reference")],
        14,
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


def _joined(kernel):
    """The points of its line: all, where too few are at multiples of WHOLE for one."""
    some = [point for point in kernel["points"] if point["n"] % WHOLE == 0]
    return some if len(some) > 1 else kernel["points"]


def _draw_line(ax, kernel, color, dashes):
    joined = _joined(kernel)
    line = {"color": color, "linewidth": 1.4, "linestyle": dashes, "zorder": 2}
    ax.plot([point["n"] for point in joined], [point["percent"] for point in joined], **line)
    marks = {
        "full": {"marker": "o", "markerfacecolor": color},
        "hollow": {"marker": "o", "markerfacecolor": style.color("paper")},
        "cross": {"marker": "x"},
    }
    alike = {"linestyle": "none", "color": color, "markersize": 4, "markeredgewidth": 1.2, "markeredgecolor": color, "zorder": 3}
    for kind, look in marks.items():
        some = [point for point in kernel["points"] if _mark(point, joined) == kind]
        if not some:
            continue
        (drawn,) = ax.plot([point["n"] for point in some], [point["percent"] for point in some], **alike, **look)
        style.tip(drawn, [f"{kernel['kernel']} at {p['n']}³: {pick.number(p['percent'])} % of cuBLAS" for p in some])


def _mark(point, joined):
    if point not in joined:
        return "cross"
    return "full" if point["trusted"] else "hollow"
