"""the error of every kernel over K: relative to an FP64 product, beside the reference's

A run with --errors at several K has these errors. The reference is grey. A dotted line is the largest error that a rung
promises, unless the reference's error is larger.
"""

from plots import findings, labels, pick, style
from plots.program import Refused

OPTIONS = ("data",)
ERROR, OF_REFERENCE, FLOOR = "frobenius_error", "reference_frobenius_error", "frobenius_floor"
ROLES = ("kernel", "better", "unsure", "worse")  # of the lines, in the order of the kernels; all others are soft
PROMISES, BELOW = "better", "unsure"  # if kernels promise their errors, or are less accurate than FP32, only their lines are coloured
MARK = "○: less accurate than FP32 by its arithmetic."


def shown(run, data=None):
    rows = _rows(run, data)
    lines = {}
    for row in rows:
        if not pick.is_rung_0(row):
            lines.setdefault(pick.name(row), []).append(row)
    reference = {row.size[2]: row.figures[OF_REFERENCE] for row in rows if row.figures.get(OF_REFERENCE)}
    floors = sorted({row.json[FLOOR] for row in rows if row.json.get(FLOOR)})
    return {
        "finding": findings.of_errors(rows),
        "where": f"{run.context.device}, {rows[0].data} data",
        "kernels": [
            {
                "kernel": name,
                "below_fp32": of[0].below_fp32,
                "promises": bool(of[0].json.get(FLOOR)),
                "points": [_point(row) for row in of],
            }
            for name, of in lines.items()
        ],
        "reference": [{"k": k, "error": error} for k, error in sorted(reference.items())],
        "floors": floors,
    }


def _rows(run, data):
    """Returns the right rows with an error on one kind of data, by K: `data`, else uniform, else the first kind. Of several M
    and N at one K it takes the largest."""
    known = [row for row in pick.on_any_data(run) if row.is_right and row.figures.get(ERROR)]
    if not known:
        raise Refused("no row of this run has an error: './sgemm_runner all --errors --size 64x64x64,64x64x4096 --json=FILE' makes some")
    kinds = list(dict.fromkeys(row.data for row in known))
    if data is not None and data not in kinds:
        raise Refused(f"no row of this run has an error on {data} data; there are {', '.join(kinds)}")
    wanted = data or ("uniform" if "uniform" in kinds else kinds[0])
    largest = {}
    for row in known:
        if row.data == wanted:
            key = (row.set, row.label, row.size[2])
            largest[key] = max(largest.get(key, row), row, key=lambda one: one.size)
    if all(pick.is_rung_0(row) for row in largest.values()):
        raise Refused("this run has errors of the reference only: name other kernels too")
    return sorted(largest.values(), key=lambda row: (row.number is None, row.number or 0, row.kernel, row.size[2]))


def _point(row):
    return {"k": row.size[2], "error": row.figures[ERROR]}


def draw(run, data=None):
    values = shown(run, data)
    kernels = values["kernels"]
    notes = []
    if values["floors"]:
        notes.append("Dotted: the largest error that a rung promises, unless the reference's error is larger.")
    if any(kernel["below_fp32"] for kernel in kernels):
        notes.append(MARK)
    figure = style.figure(
        max(270, (len(kernels) + 1) * labels.GAP + 60),
        values["finding"],
        f"Relative Frobenius error against an FP64 product, over K; {values['where']}",
        notes,
    )
    names = [style.cut(kernel["kernel"], style.WIDTH * 0.36, style.SMALL, "bold") for kernel in kernels]
    lines = [kernel["points"] for kernel in kernels]
    roles = _roles(kernels)
    if values["reference"]:
        names, lines, roles = [*names, "reference"], [*lines, values["reference"]], [*roles, "soft"]
    right = style.MARGIN + 20 + max(style.text_width(name, style.SMALL, "bold") for name in names)
    ax = style.axes(figure, 56, right, 4, 32, "y")
    _set_scales(ax, [point for line in lines for point in line], values["floors"])
    for floor in values["floors"]:
        ax.axhline(floor, color=style.color("soft"), linewidth=1, linestyle=":", zorder=1.5)
    hollow = [bool(kernel["below_fp32"]) for kernel in kernels] + [False]
    for name, line, role, is_hollow in zip(names, lines, roles, hollow):
        _draw_line(ax, name, line, role, is_hollow)
    labels.column(
        ax,
        [(line[-1]["k"], line[-1]["error"]) for line in lines],
        [style.plain(name) for name in names],
        [style.color(role) for role in roles],
        14,
        style.SMALL,
        ["normal" if role == "soft" else "bold" for role in roles],
    )
    return figure


def _roles(kernels):
    """Returns the lines' roles. Kernels that promise their errors or are below FP32 have colours; without any, the first few."""
    special = [PROMISES if kernel["promises"] else BELOW if kernel["below_fp32"] else "soft" for kernel in kernels]
    if any(role != "soft" for role in special):
        return special
    return [ROLES[i] if i < len(ROLES) else "soft" for i in range(len(kernels))]


def _set_scales(ax, points, floors):
    from matplotlib.ticker import NullLocator

    ks = sorted({point["k"] for point in points})
    errors = [point["error"] for point in points] + floors
    ax.set_xscale("log", base=2)
    ax.set_yscale("log")
    ax.set_xlim(ks[0] / 1.15, ks[-1] * 1.15)
    ax.set_ylim(min(errors) / 1.6, max(errors) * 1.6)
    ticks = _apart(ax, ks)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.yaxis.set_minor_locator(NullLocator())
    ax.set_xticks(ticks, [str(k) for k in ticks])
    low, high = ax.get_ylim()
    steps = [factor * 10.0**power for power in range(-20, 20) for factor in (1, 2, 5)]
    inside = [step for step in steps if low <= step <= high]
    tens = [step for step in inside if f"{step:.0e}".startswith("1")]
    shown = tens if len(tens) > 2 else inside
    ax.set_yticks(shown, [f"{step:.0e}".replace("-", "−") for step in shown])
    ax.set_xlabel("K", color=style.color("soft"), size=style.SMALL, labelpad=2)


def _apart(ax, ks):
    """Returns the K, the largest among them, whose labels do not touch."""
    gap = style.text_width(str(ks[-1]), style.SMALL) + 10
    ticks, places = [], []
    for k in reversed(ks):
        place = ax.transData.transform((k, 1))[0]
        if not places or places[-1] - place >= gap:
            ticks.append(k)
            places.append(place)
    return ticks[::-1]


def _draw_line(ax, name, points, role, is_hollow):
    color = style.color(role)
    (drawn,) = ax.plot(
        [point["k"] for point in points],
        [point["error"] for point in points],
        color=color,
        linewidth=1 if role == "soft" else 1.8,
        marker="o",
        markersize=4,
        markeredgecolor=color,
        markerfacecolor=style.color("paper") if is_hollow else color,
        zorder=2.5,
    )
    style.tip(drawn, [f"{name} at K = {point['k']}: error {point['error']:.2g}" for point in points])
