"""the kernels at one size below both roofs, measured in the same run

Each point has its kernel's number in the ladder; a kernel without one has a letter. The key below has their names.

FLOP per byte is of DRAM. Its bytes are those that Nsight Compute counted, if the row has them (counts.dram_bytes), else the
least that any kernel must read and write. The simulated GPU counts sectors of L1. L1 has a roof of its own that no run
measures, so a simulated run has nothing to draw here.
"""

from math import atan2, degrees, log10
from string import ascii_lowercase

from plots import findings, labels, pick, style
from plots.program import Refused

OPTIONS = ("size",)
ROOFS = ("copy_gbytes_per_second", "fp32_gflops")
LOWEST = 246  # the least height of the axes, in points
ABOVE = 20  # points above the roofs, for their texts
NUMBER_GAP = 12  # points from one number to the next
BESIDE = 14  # points from the rightmost point of a group to its numbers
APART = 34  # points from a group of points to the next
KEY_LINE = 15  # points from line to line of the key
LEAST, MOST = 1e-9, 1e15  # limits of the figures drawn; a file with others was damaged, or edited


def shown(run, size=None):
    rows = [row for row in pick.timed(run) if _can_be_shown(row)]
    if not rows:
        raise Refused("no kernel of this run has 'gflops' and 'gbytes_per_second', which its place below the roofs needs")
    missing = [key for key in ROOFS if not LEAST <= run.context.roofs.get(key, 0) <= MOST]
    if missing:
        raise Refused(f"this run has no roofs: context.roofs lacks {' and '.join(missing)}; a run on a GPU measures them")
    rows = pick.at_size(rows, size)
    copy, peak = (run.context.roofs[key] for key in ROOFS)
    points = [_point(row) for row in rows]
    facts = [
        findings.BelowRoofs(findings.who(row), row.is_reference, point["gflops"], point["flop_per_byte"] * copy, peak, row.trusted)
        for row, point in zip(rows, points)
    ]
    return {
        "finding": findings.of_roofline(facts, findings.size_text(rows[0].size)),
        "where": pick.where(run, rows),
        "size": list(rows[0].size),
        "roofs": {key: run.context.roofs[key] for key in ROOFS},
        "points": points,
    }


def _can_be_shown(row):
    keys = ("gflops", "gbytes_per_second", "median_ms")
    return row.is_right and all(LEAST <= row.figures.get(key, 0) <= MOST for key in keys)


def _point(row):
    gflops, dram = row.figures["gflops"], row.counts.get("dram_bytes")
    if isinstance(dram, int) and dram > 0:
        intensity = gflops * row.figures["median_ms"] * 1e6 / dram
    else:
        intensity = gflops / row.figures["gbytes_per_second"]
    return {
        "kernel": pick.name(row),
        "number": row.number,
        "reference": row.is_reference,
        "flop_per_byte": intensity,
        "gflops": gflops,
        "bytes": "DRAM" if isinstance(dram, int) and dram > 0 else "least",
        "trusted": row.trusted,
    }


def draw(run, size=None):
    values = shown(run, size)
    height = max(LOWEST, (len(values["points"]) + 1) * NUMBER_GAP + ABOVE)
    while (figure := _drawn(values, height)) is None:
        height *= 1.25
    return figure


def _drawn(values, height):
    """Returns the figure with axes of this height; None if the numbers have no room below the roofs."""
    points, signs = values["points"], _signs(values["points"])
    copy, peak = (values["roofs"][key] / 1000 for key in ROOFS)
    is_below = all(_tera(point) <= min(peak, copy * point["flop_per_byte"]) for point in points)
    notes = _notes(points)
    above = [point for point in points if _tera(point) > peak]
    if above and len(above) < len(points):
        notes.append("Points above the roof are faster than FP32's multiply-adds, as kernels on tensor cores can be.")
    if not is_below:
        notes.append(f"The roofs: {_copy_text(copy)}; {_peak_text(peak)}.")
    width, lines = _key_layout(points, signs)
    key = KEY_LINE * (lines + 1)
    figure = style.figure(
        height + 42 + key,
        values["finding"],
        f"TFLOP/s at {pick.size_text(values['size'])} below both roofs, which were measured in the same run; {values['where']}",
        notes,
    )
    ax = style.axes(figure, 52, 2 * style.MARGIN, 4, 38 + key, "both")
    _set_scales(ax, copy, peak, points)
    ax.set_xlabel("FLOP per byte of DRAM", color=style.color("soft"), size=style.SMALL, labelpad=2)
    ax.set_ylabel("TFLOP/s", color=style.color("soft"), size=style.SMALL, labelpad=2)
    _draw_roofs(ax, copy, peak, is_below)
    for point in points:
        _draw_point(ax, point)
    _draw_key(figure, points, signs, width, lines)
    return figure if _draw_numbers(ax, points, signs, copy, peak, is_below) else None


def _tera(point):
    return point["gflops"] / 1000


def _short(tera):
    """Writes a number from 10 on with one decimal, a smaller one with three significant digits, at most 9 decimals."""
    digits = 1 if tera >= 10 else 2 - int(log10(tera) // 1)
    return pick.number(tera, min(digits, 9))


def _copy_text(copy):
    return f"a copy, {_short(copy)} TB/s"


def _peak_text(peak):
    return f"multiply-adds, {_short(peak)} TFLOP/s"


def _signs(points):
    """Returns the number of each point's kernel, or a letter."""
    letters = iter([*ascii_lowercase, *(a + b for a in ascii_lowercase for b in ascii_lowercase)])
    return [next(letters, "") if point["number"] is None else str(point["number"]) for point in points]


def _color(point):
    return style.color("reference" if point["reference"] else "kernel")


def _notes(points):
    notes = []
    if any(point["bytes"] == "least" for point in points):
        notes.append(
            "○: the least possible bytes, with A and B read once and C written once. If a kernel moves more, its place is further left."
        )
    if any(point["bytes"] == "DRAM" for point in points):
        notes.append("●: the bytes of DRAM that Nsight Compute counted.")
    if not all(point["trusted"] for point in points):
        notes.append(findings.NOTE)
    return notes


def _set_scales(ax, copy, peak, points):
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    ridge = peak / copy
    across = [log10(point["flop_per_byte"]) for point in points]
    up = [_tera(point) for point in points]
    left = min(log10(ridge / 16), min(across) - 0.6)
    room = ax.bbox.width - BESIDE - 2 * style.SMALL - 6  # the numbers of the rightmost points stand in the rest
    right = max(log10(ridge) + 0.6, left + (max(across) - left) * ax.bbox.width / room)
    low, high = log10(min(up) / 2), log10(max(peak, *up))
    top = low + (high - low) * ax.bbox.height / (ax.bbox.height - ABOVE)
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(10**left, 10**right)
    ax.set_ylim(10**low, 10**top)
    for axis in (ax.xaxis, ax.yaxis):
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(10, (1, 2, 5) if high / low < 150 else (1,)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: pick.number(value, max(0, -int(log10(value) // 1)))))


def _draw_roofs(ax, copy, peak, has_texts):
    """Draws the memory's slope up to the arithmetic's ceiling, and the ceiling. Their texts stand above them."""
    low, high = ax.get_xlim()
    ridge = peak / copy
    bottom = min(low, ridge)
    ax.plot([bottom, ridge, high], [copy * bottom, peak, peak], color=style.color("ink"), linewidth=1.6, zorder=2)
    if not has_texts:
        return
    alike = {"textcoords": "offset points", "size": style.SMALL, "color": style.color("ink")}
    ax.annotate(_peak_text(peak), (high, peak), xytext=(0, 5), ha="right", **alike)
    # The copy's text runs along the slope and ends shortly before the ridge.
    foot = max(bottom, ax.get_ylim()[0] / copy)
    end = foot**0.1 * ridge**0.9
    (x0, y0), (x1, y1) = ax.transData.transform([(foot, copy * foot), (ridge, peak)])
    slope = {"rotation": degrees(atan2(y1 - y0, x1 - x0)), "rotation_mode": "anchor", "ha": "right"}
    ax.annotate(_copy_text(copy), (end, copy * end), xytext=(-5, 5), **slope, **alike)


def _draw_point(ax, point):
    known = point["bytes"] == "DRAM"
    (mark,) = ax.plot(
        [point["flop_per_byte"]],
        [_tera(point)],
        color=_color(point),
        marker="D" if point["reference"] else "o",
        markersize=6,
        markeredgewidth=1.4,
        markeredgecolor=_color(point),
        markerfacecolor=_color(point) if known else style.color("paper"),
        zorder=3,
    )
    bytes_text = "bytes of DRAM counted by Nsight Compute" if known else "least possible bytes"
    intensity = pick.number(point["flop_per_byte"])
    style.tip(mark, f"{point['kernel']}: {_short(_tera(point))} TFLOP/s at {intensity} FLOP per byte, {bytes_text}")


def _draw_numbers(ax, points, signs, copy, peak, is_below):
    """Draws a column of numbers beside each group of points. Returns False if a column has no room. Points below the roofs have
    their numbers there, too, so that no leader crosses a roof or its text."""
    at = [ax.transData.transform((point["flop_per_byte"], _tera(point))) - (ax.bbox.x0, ax.bbox.y0) for point in points]
    order = sorted(range(len(points)), key=lambda i: at[i][0])
    groups = []
    for i in order:
        if groups and at[i][0] - at[groups[-1][-1]][0] < APART:
            groups[-1].append(i)
        else:
            groups.append([i])
    for group in groups:
        x = at[group[-1]][0] + BESIDE
        high = ax.bbox.height - NUMBER_GAP / 2
        if is_below:
            intensity = ax.transData.inverted().transform((ax.bbox.x0 + x, 0))[0]
            high = ax.transData.transform((intensity, min(peak, copy * intensity)))[1] - ax.bbox.y0 - NUMBER_GAP
        if high < (len(group) - 0.5) * NUMBER_GAP:
            return False
        places = labels.spread([at[i][1] for i in group], NUMBER_GAP, NUMBER_GAP / 2, high)
        for i, y in zip(group, places):
            labels.place(ax, at[i], (x, y), signs[i], _color(points[i]), style.SMALL, "bold")
    return True


def _key_layout(points, signs):
    """Returns the width of a column of the key, and its number of lines."""
    texts = [_key_texts(point, sign) for point, sign in zip(points, signs)]
    width = 46 + max(style.text_width(name, style.SMALL) + style.text_width(value, style.SMALL) for _, name, value in texts)
    columns = max(1, min(len(points), int((style.WIDTH - 2 * style.MARGIN + 16) / width)))
    return width, -(-len(points) // columns)


def _key_texts(point, sign):
    name = point["kernel"].removeprefix(f"{sign} ")
    value = f"{_short(_tera(point))}{'' if point['trusted'] else ' ?'}"
    return sign, style.cut(name, style.WIDTH * 0.28, style.SMALL), value


def _draw_key(figure, points, signs, width, lines):
    """Writes the number, the name and TFLOP/s of each point, in the order of the ladder, column by column."""
    wide, high = figure.get_size_inches() * 72

    def write(x, line, text, **more):
        y = figure.bottom + KEY_LINE * (lines - line - 0.5)
        figure.text(x / wide, y / high, style.plain(text), size=style.SMALL, va="center_baseline", **more)

    write(style.MARGIN, -1, "Point, kernel, TFLOP/s:", color=style.color("soft"))
    for i, (point, sign) in enumerate(zip(points, signs)):
        sign, name, value = _key_texts(point, sign)
        left, line = style.MARGIN + i // lines * width, i % lines
        write(left + 16, line, sign, color=_color(point), weight="bold", ha="right")
        write(left + 22, line, name, color=style.color("ink"))
        write(left + width - 16, line, value, color=style.color("ink"), ha="right")
