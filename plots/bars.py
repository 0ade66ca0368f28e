"""Draws bars in per cent of cuBLAS below each other, each with its name, for a ladder and for a list of shapes

A bar is the median that the program wrote. The whisker spans the quartiles of the ratios, sample by sample.
"""

from plots import findings, pick, style

ROW, TALL_ROW = 22, 31  # points from bar to bar; the second if a text stands below a name
BAR = 14  # points that a bar is high
PASSES = ("passes cuBLAS", "passes", "")  # text in a bar that passes: the first that has room left of the line at 100 %


def of(row, name, below=""):
    """Returns a row's bar as plain values. below: a text that stands below its name."""
    has_figure = row.is_right and "percent_of_cublas" in row.figures
    standing = findings.standing(row)
    return {
        "name": name,
        "below": below,
        "reference": row.is_reference,
        "percent": row.figures["percent_of_cublas"] if has_figure else None,
        "quartiles": pick.quartiles(pick.paired_percent(row)) if has_figure else None,
        "samples": len(row.samples_ms),
        "gflops": row.figures.get("gflops") if row.is_right else None,
        "passes": standing is not None and standing.passes,
        "below_fp32": bool(row.below_fp32),
        "trusted": row.trusted,
        "right": row.is_right,
    }


def draw(bars, title, subtitle):
    """Returns the Figure of bars that of() made."""
    names = [style.cut(bar["name"], style.WIDTH * 0.36) for bar in bars]
    below = [style.cut(bar["below"], style.WIDTH * 0.42, style.SMALL) for bar in bars]
    notes = [
        "Each bar is the median of the ratios of neighbouring samples (of several runs: the mean of their medians). "
        "The whisker spans their quartiles."
    ]
    if any(bar["below_fp32"] for bar in bars):
        notes.append("Grey: less accurate than FP32, so it does not race with cuBLAS.")
    if any(bar["right"] and not bar["trusted"] for bar in bars):
        notes.append(findings.NOTE)
    step = TALL_ROW if any(below) else ROW
    figure = style.figure(len(bars) * step + 30, title, subtitle, notes)
    widths = [style.text_width(name) for name in names] + [style.text_width(text, style.SMALL) for text in below if text]
    left = style.MARGIN + max(widths) + 8
    ax = style.axes(figure, left, style.MARGIN, 0, 30)
    ax.set_ylim(len(bars) - 0.5, -0.5)
    _set_scale(ax, bars, style.WIDTH - left - style.MARGIN)
    ax.set_xlabel("per cent of cuBLAS", color=style.color("soft"), size=style.SMALL, labelpad=2)
    ax.axvline(100, color=style.color("reference"), linewidth=1.2, zorder=2.2)
    ax.set_yticks([])
    room = ax.bbox.width * 100 / ax.get_xlim()[1] - 10
    mark = next(text for text in PASSES if not text or style.text_width(text, style.SMALL) <= room)
    for y, (bar, name, text) in enumerate(zip(bars, names, below)):
        _draw_name(ax, y, name, "ink", style.BODY, 6 if text else 0)
        if text:
            _draw_name(ax, y, text, "soft", style.SMALL, -7)
        _draw_bar(ax, y, bar, BAR / step, mark)
    return figure


def _draw_name(ax, y, text, role, size, up):
    ax.annotate(
        style.plain(text),
        (0, y),
        xytext=(-8, up),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        ha="right",
        va="center_baseline",
        size=size,
        color=style.color(role),
        annotation_clip=False,
    )


def _text(bar):
    if not bar["right"]:
        return "wrong result"
    if bar["percent"] is None:
        return "no figure"
    return f"{pick.number(bar['percent'])}{'' if bar['trusted'] else ' ?'}"


def _end(bar):
    return max([bar["percent"] or 0.0, *(bar["quartiles"] or [])])


def _set_scale(ax, bars, room):
    """Sets the scale so that each value has room behind its bar."""
    most = 100.0
    for bar in bars:
        most = max(most, _end(bar) * room / (room - style.text_width(_text(bar), weight=_weight(bar)) - 10))
    ax.set_xlim(0, most)


def _weight(bar):
    return "bold" if bar["passes"] else "normal"


def _role(bar):
    if bar["reference"]:
        return "reference"
    if bar["below_fp32"]:
        return "soft"
    return "better" if bar["passes"] else "kernel"


def _draw_bar(ax, y, bar, height, mark):
    if bar["percent"] is not None:
        (patch,) = ax.barh([y], [bar["percent"]], height=height, color=style.color(_role(bar)), zorder=2)
        style.tip(patch, _tip(bar))
    if bar["passes"]:
        ax.annotate(
            mark,
            (0, y),
            xytext=(6, 0),
            textcoords="offset points",
            va="center_baseline",
            size=style.SMALL,
            color=style.color("paper"),
            zorder=4,
        )
    if bar["quartiles"]:
        q1, _, q3 = bar["quartiles"]
        ax.plot([q1, q3], [y, y], color=style.color("ink"), linewidth=1.2, marker="|", markersize=7, zorder=3)
    ax.annotate(
        _text(bar),
        (_end(bar), y),
        xytext=(6, 0),
        textcoords="offset points",
        va="center_baseline",
        weight=_weight(bar),
        color=style.color("soft" if bar["percent"] is None else _role(bar) if bar["passes"] else "ink"),
        bbox={"facecolor": style.color("paper"), "edgecolor": "none", "pad": 1},
        zorder=2.5,
    )


def _tip(bar):
    said = f"{bar['name']}: {pick.number(bar['percent'])} % of cuBLAS"
    if bar["quartiles"]:
        said += f", quartiles {bar['quartiles'][0]:.2f} and {bar['quartiles'][2]:.2f} of {bar['samples']} samples"
    if bar["gflops"] is not None:
        said += f", {pick.number(bar['gflops'], 0)} GFLOP/s"
    return said
