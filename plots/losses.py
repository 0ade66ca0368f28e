"""where a kernel loses: per cent of cuBLAS on every shape over its arithmetic, by kinds of shapes

A panel for each kind of shape, a mark for each shape. Every shape is in one panel.
"""

from plots import findings, pick, shape_times, shapes, style

OPTIONS = ("kernel",)
KINDS = ("N divisible by 4, all above 64", "N not divisible by 4, all above 64", "M or N up to 64, K above", "K up to 64")  # of GROUPS
LARGE = "M, N, K from 256 on"  # of GROUPS: the shapes whose marks are full
HEIGHT, ABOVE, SPACE = 128, 34, 14  # points: of a panel, of the texts above it, between two
LEFT, BETWEEN, BELOW = 40, 14, 32


def shown(run, kernel=None):
    recorded = shape_times.of(run)
    times = pick.of_kernel(recorded.times, kernel) if kernel is not None else recorded.kernels[shape_times.best_kernel(recorded)]
    return {
        "finding": findings.of_losses(shape_times.Summary(times)),
        "where": recorded.where,
        "kernel": pick.name(times[0]),
        "kinds": [_kind(kind, shape_times.in_group(times, kind)) for kind in KINDS],
    }


def _kind(kind, times):
    below = shape_times.Summary(times).below(findings.CLOSE)
    return {"kind": kind, "below": below, "shapes": [{"size": list(time.size), "percent": time.percent} for time in times]}


def draw(run, kernel=None):
    values = shown(run, kernel)
    name = style.cut(values["kernel"], style.WIDTH * 0.36, style.SMALL)
    figure = style.figure(
        2 * (ABOVE + HEIGHT) + SPACE + BELOW,
        values["finding"],
        f"Per cent of cuBLAS of {name} on each shape over its floating-point operations, 2 M N K; kernel and cuBLAS taking turns; "
        f"{values['where']}",
        [f"Full marks: {LARGE}."],
    )
    points = [shape for kind in values["kinds"] for shape in kind["shapes"]]
    width = (style.WIDTH - LEFT - BETWEEN - style.MARGIN) / 2
    for i, kind in enumerate(values["kinds"]):
        column, row = i % 2, i // 2
        left, right = (LEFT, BETWEEN + width + style.MARGIN) if column == 0 else (LEFT + width + BETWEEN, style.MARGIN)
        above, below = (ABOVE, HEIGHT + ABOVE + SPACE + BELOW) if row == 0 else (2 * ABOVE + HEIGHT + SPACE, BELOW)
        ax = style.axes(figure, left, right, above, below, "y")
        _set_scales(ax, points)
        _draw_kind(ax, values["kernel"], kind)
        if column:
            ax.tick_params(labelleft=False)
        else:
            ax.set_ylabel("per cent of cuBLAS", color=style.color("soft"), size=style.SMALL, labelpad=2)
        if row == 0:
            ax.tick_params(labelbottom=False)
        else:
            ax.set_xlabel("floating-point operations", color=style.color("soft"), size=style.SMALL, labelpad=2)
    return figure


def flops(size):
    return 2 * size[0] * size[1] * size[2]


def _set_scales(ax, points):
    from matplotlib.ticker import NullLocator

    shapes.set_percents(ax, [50, *(point["percent"] for point in points)])
    low, high = min(flops(point["size"]) for point in points), max(flops(point["size"]) for point in points)
    ax.set_xscale("log")
    ax.set_xlim(low / 2, high * 2)
    ticks = [(10**power, text) for power, text in ((6, "1 M"), (8, "100 M"), (10, "10 G"), (12, "1 T")) if low / 2 <= 10**power <= high * 2]
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks([tick for tick, _ in ticks], [text for _, text in ticks])


def _draw_kind(ax, kernel, kind):
    count = len(kind["shapes"])
    below = f"{kind['below']} of {count} below {findings.CLOSE} %" if count else "no shape"
    texts = ((kind["kind"], "ink", "bold", 17), (below, "worse" if kind["below"] else "soft", "normal", 4))
    for text, role, weight, y in texts:
        ax.annotate(
            text,
            (0, 1),
            xytext=(0, y),
            xycoords="axes fraction",
            textcoords="offset points",
            size=style.SMALL,
            color=style.color(role),
            weight=weight,
            annotation_clip=False,
        )
    ax.axhline(100, color=style.color("reference"), linewidth=1.2, zorder=1.5)
    for role, is_large in ((role, is_large) for role in ("better", "worse") for is_large in (False, True)):
        some = [shape for shape in kind["shapes"] if (_role(shape), _is_large(shape)) == (role, is_large)]
        if not some:
            continue
        color = style.color(role)
        (marks,) = ax.plot(
            [flops(shape["size"]) for shape in some],
            [shape["percent"] for shape in some],
            linestyle="none",
            marker="o",
            markersize=3.4,
            markeredgewidth=0.8,
            markeredgecolor=color,
            markerfacecolor=color if is_large else style.color("paper"),
            zorder=3 if role == "worse" else 2,
        )
        style.tip(marks, [f"{kernel} on {pick.size_text(shape['size'])}: {pick.number(shape['percent'])} % of cuBLAS" for shape in some])


def _role(shape):
    return "better" if shape["percent"] >= 100 else "worse"


def _is_large(shape):
    return shape_times.GROUPS[LARGE](*shape["size"])
