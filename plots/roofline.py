"""the kernels at one size below both roofs, measured in the same run

FLOP per byte is of DRAM: its bytes are those that Nsight Compute counted where the row has them (counts.dram_bytes), else
the least that any kernel must read and write. What the simulated GPU counts are sectors of L1, which has a roof of its own
that no run measures: such a run has nothing to draw here.
"""

from math import atan2, degrees, log10

from plots import labels, pick, style
from plots.program import Refused

OPTIONS = ("size",)
ROOFS = ("copy_gbytes_per_second", "fp32_gflops")
LEAST, MOST = 1e-9, 1e15  # that a figure is drawn with: beyond, a file was damaged, or edited


def shown(run, size=None):
    rows = [row for row in pick.timed(run) if _can_be_shown(row)]
    if not rows:
        raise Refused("no kernel of this run has 'gflops' and 'gbytes_per_second', which its place below the roofs needs")
    missing = [key for key in ROOFS if not LEAST <= run.context.roofs.get(key, 0) <= MOST]
    if missing:
        raise Refused(f"this run has no roofs: context.roofs lacks {' and '.join(missing)}; a run on a GPU measures them")
    rows = pick.at_size(rows, size)
    return {
        "where": pick.where(run, rows),
        "size": list(rows[0].size),
        "roofs": {key: run.context.roofs[key] for key in ROOFS},
        "points": [_point(row) for row in rows],
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
        "reference": row.is_reference,
        "flop_per_byte": intensity,
        "gflops": gflops,
        "bytes": "DRAM" if isinstance(dram, int) and dram > 0 else "least",
        "trusted": row.trusted,
    }


def draw(run, size=None):
    values = shown(run, size)
    points = values["points"]
    figure = style.figure(
        max(270, len(points) * labels.GAP + 48),
        f"Below the roofs at {pick.size_text(values['size'])}",
        f"{values['where']}; both roofs measured in the same run",
        _notes(points),
    )
    texts = [_text(point) for point in points]
    right = style.MARGIN + 16 + max(style.text_width(text, style.SMALL) for text in texts)
    ax = style.axes(figure, 68, right, 4, 34, "both")
    _set_scales(ax, values)
    ax.set_xlabel("FLOP per byte of DRAM", color=style.color("soft"), size=style.SMALL, labelpad=2)
    ax.set_ylabel("GFLOP/s", color=style.color("soft"), size=style.SMALL, labelpad=2)
    _draw_roofs(ax, values["roofs"])
    for point in points:
        _draw_point(ax, point)
    at = [(point["flop_per_byte"], point["gflops"]) for point in points]
    labels.column(ax, at, [style.plain(text) for text in texts], [_color(point) for point in points], 14, style.SMALL)
    return figure


def _text(point):
    name = style.cut(point["kernel"], style.WIDTH * 0.28, style.SMALL)
    return f"{name} {_short(point['gflops'])}{'' if point['trusted'] else ' ?'}"


def _short(gflops):
    return f"{pick.number(gflops / 1000)} T" if gflops >= 1000 else f"{pick.number(gflops / 1000, 2)} T"


def _color(point):
    return style.color("reference" if point["reference"] else "kernel")


def _notes(points):
    notes = []
    if any(point["bytes"] == "least" for point in points):
        notes.append(
            "○ bytes are the least possible: A and B read once, C written once. A kernel that moves more stands further left."
        )
    if any(point["bytes"] == "DRAM" for point in points):
        notes.append("● bytes are those of DRAM that Nsight Compute counted.")
    unsure = " ? marks what the measurement itself does not trust." if any(not point["trusted"] for point in points) else ""
    return [*notes, f"T is 10¹² FLOP/s.{unsure}"]


def _set_scales(ax, values):
    from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator

    roofs, points = values["roofs"], values["points"]
    ridge = roofs["fp32_gflops"] / roofs["copy_gbytes_per_second"]
    across = [point["flop_per_byte"] for point in points]
    up = [point["gflops"] for point in points]
    ax.set_xscale("log")
    ax.set_yscale("log")
    ax.set_xlim(min(ridge / 16, *(one / 4 for one in across)), max(ridge, *across) * 4)
    ax.set_ylim(min(up) / 2, max(roofs["fp32_gflops"], *up) * 2.6)
    for axis in (ax.xaxis, ax.yaxis):
        low, high = axis.get_view_interval()
        axis.set_major_locator(LogLocator(10, (1, 2, 5) if high / low < 150 else (1,)))
        axis.set_minor_locator(NullLocator())
        axis.set_major_formatter(FuncFormatter(lambda value, _: pick.number(value, max(0, -int(log10(value) // 1)))))


def _draw_roofs(ax, roofs):
    """The memory's slope, up to where the arithmetic's ceiling begins."""
    copy, peak = (roofs[key] for key in ROOFS)
    low, high = ax.get_xlim()
    ridge = peak / copy
    bottom = min(low, ridge)
    ax.plot([bottom, ridge, high], [copy * bottom, peak, peak], color=style.color("ink"), linewidth=1.6, zorder=2)
    ax.annotate(
        f"multiply-adds: {_short(peak)}",
        (ridge, peak),
        xytext=(4, 5),
        textcoords="offset points",
        size=style.SMALL,
        color=style.color("ink"),
    )
    # Along the slope, up to shortly before its end.
    foot = max(bottom, ax.get_ylim()[0] / copy)
    end = foot**0.1 * ridge**0.9
    (x0, y0), (x1, y1) = ax.transData.transform([(foot, copy * foot), (ridge, peak)])
    ax.annotate(
        f"a copy: {pick.number(copy, 0)} GB/s",
        (end, copy * end),
        xytext=(-5, 5),
        textcoords="offset points",
        rotation=degrees(atan2(y1 - y0, x1 - x0)),
        rotation_mode="anchor",
        ha="right",
        size=style.SMALL,
        color=style.color("ink"),
    )


def _draw_point(ax, point):
    known = point["bytes"] == "DRAM"
    (mark,) = ax.plot(
        [point["flop_per_byte"]],
        [point["gflops"]],
        color=_color(point),
        marker="D" if point["reference"] else "o",
        markersize=6,
        markeredgewidth=1.4,
        markeredgecolor=_color(point),
        markerfacecolor=_color(point) if known else style.color("paper"),
        zorder=3,
    )
    bytes_text = "bytes of DRAM counted by Nsight Compute" if known else "least possible bytes"
    rate, intensity = pick.number(point["gflops"], 0), pick.number(point["flop_per_byte"])
    style.tip(mark, f"{point['kernel']}: {rate} GFLOP/s at {intensity} FLOP per byte, {bytes_text}")
