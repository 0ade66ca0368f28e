"""every kernel over the size of square products: per cent of cuBLAS

Two lines have colours: that of the kernel that passes cuBLAS most often, and that of the chosen kernel, or of the ladder's
first. All others are grey.
"""

from plots import findings, labels, pick, style
from plots.program import Refused

OPTIONS = ("kernel",)
WHOLE = 64  # a line joins the sizes that are multiples of this: tiles end there, and neighbours may be far apart
OTHERS = "soft"  # the role of the lines that are grey
NOTES = {
    "cross": f"×: N is no multiple of {WHOLE}, so some tiles are not full.",
    "hollow": f"○: {findings.NOISY}",
    "noisy cross": f"+: N is no multiple of {WHOLE}, and {findings.NOISY}",
}


def shown(run, kernel=None):
    timed = [row for row in pick.compared_with_cublas(run) if pick.square(row) and not row.is_reference]
    rows = [row for row in timed if row.is_right]
    if not rows:
        raise Refused("this run has no square product of a kernel beside cuBLAS, right and timed, to draw over N")
    chosen = pick.of_kernel(rows, kernel) if kernel is not None else rows
    kernels = {}
    for row in sorted(rows, key=pick.square):
        kernels.setdefault(pick.name(row), []).append(row)
    names = list(dict.fromkeys(pick.name(row) for row in rows))
    series = findings.series([kernels[name] for name in names], timed)
    best = findings.best_series(series)
    return {
        "finding": findings.over_products(series, timed, "size", "at"),
        "where": pick.where(run, rows),
        "best": names[series.index(best)],
        "chosen": pick.name(chosen[0]),
        "kernels": [{"kernel": name, "points": [_point(row) for row in kernels[name]]} for name in names],
    }


def _point(row):
    return {"n": pick.square(row), "percent": row.figures["percent_of_cublas"], "trusted": row.trusted}


def draw(run, kernel=None):
    values = shown(run, kernel)
    kernels = values["kernels"]
    points = [point for kernel in kernels for point in kernel["points"]]
    marks = {_mark(point, _joined(kernel)) for kernel in kernels for point in kernel["points"]}
    notes = [text for mark, text in NOTES.items() if mark in marks]
    figure = style.figure(
        max(290, (len(kernels) + 1) * labels.GAP + 40),
        values["finding"],
        f"Per cent of cuBLAS over N, with M = N = K, kernel and cuBLAS taking turns; {values['where']}",
        notes,
    )
    names = [style.cut(kernel["kernel"], style.WIDTH * 0.36, style.SMALL, "bold") for kernel in kernels] + ["cuBLAS"]
    right = style.MARGIN + 20 + max(style.text_width(name, style.SMALL, "bold") for name in names)
    ax = style.axes(figure, 40, right, 4, 32, "y")
    _set_scales(ax, points)
    ax.axhline(100, color=style.color("reference"), linewidth=1.2, zorder=1.5)
    roles = [_role(kernel["kernel"], values) for kernel in kernels] + ["reference"]
    for kernel, role in zip(kernels, roles):
        _draw_line(ax, kernel, role)
    ends = [(_joined(kernel)[-1]["n"], _joined(kernel)[-1]["percent"]) for kernel in kernels]
    labels.column(
        ax,
        [*ends, (ax.get_xlim()[1], 100)],
        [style.plain(name) for name in names],
        [style.color(role) for role in roles],
        14,
        style.SMALL,
        ["normal" if role == OTHERS else "bold" for role in roles],
    )
    return figure


def _role(name, values):
    return "better" if name == values["best"] else "kernel" if name == values["chosen"] else OTHERS


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
    """Returns the points of the kernel's line: those at multiples of WHOLE, or all points if fewer than two are."""
    some = [point for point in kernel["points"] if point["n"] % WHOLE == 0]
    return some if len(some) > 1 else kernel["points"]


def _draw_line(ax, kernel, role):
    joined, color, is_grey = _joined(kernel), style.color(role), role == OTHERS
    line = {"color": color, "linewidth": 0.9 if is_grey else 2, "alpha": 0.6 if is_grey else 1, "zorder": 2 if is_grey else 2.6}
    ax.plot([point["n"] for point in joined], [point["percent"] for point in joined], **line)
    marks = {
        "full": {"marker": "o", "markerfacecolor": color},
        "hollow": {"marker": "o", "markerfacecolor": style.color("paper")},
        "cross": {"marker": "x"},
        "noisy cross": {"marker": "+"},
    }
    alike = {"linestyle": "none", "color": color, "markersize": 3 if is_grey else 5, "markeredgewidth": 0.8 if is_grey else 1.2}
    alike |= {"markeredgecolor": color, "alpha": line["alpha"], "zorder": line["zorder"] + 0.1}
    for kind, look in marks.items():
        some = [point for point in kernel["points"] if _mark(point, joined) == kind]
        if not some:
            continue
        (drawn,) = ax.plot([point["n"] for point in some], [point["percent"] for point in some], **alike | look)
        style.tip(drawn, [f"{kernel['kernel']} at {p['n']}³: {pick.number(p['percent'])} % of cuBLAS" for p in some])


def _mark(point, joined):
    if point not in joined:
        return "cross" if point["trusted"] else "noisy cross"
    return "full" if point["trusted"] else "hollow"
