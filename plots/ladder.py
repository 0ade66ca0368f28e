"""the kernels at one size: per cent of cuBLAS, with quartiles

A bar is the median that the program wrote. The whisker spans the quartiles of the ratios, sample by sample.
"""

from plots import pick, style

OPTIONS = ("size",)
ROW = 22  # points from bar to bar


def shown(run, size=None):
    rows = pick.at_size(pick.compared_with_cublas(run), size)
    beside = [row for row in pick.timed(run) if row.size == rows[0].size]
    return {
        "where": pick.where(run, rows),
        "size": list(rows[0].size),
        "bars": [_bar(row) for row in beside],
    }


def _bar(row):
    has_figure = row.is_right and "percent_of_cublas" in row.figures
    return {
        "kernel": pick.name(row),
        "reference": row.is_reference,
        "percent": row.figures["percent_of_cublas"] if has_figure else None,
        "quartiles": pick.quartiles(pick.paired_percent(row)) if has_figure else None,
        "samples": len(row.samples_ms),
        "gflops": row.figures.get("gflops") if row.is_right else None,
        "trusted": row.trusted,
        "right": row.is_right,
    }


def draw(run, size=None):
    values = shown(run, size)
    bars = values["bars"]
    names = [style.cut(bar["kernel"], style.WIDTH * 0.36) for bar in bars]
    notes = [
        "A bar is the median of the ratios of neighbouring samples (of several runs: the mean of their medians), "
        "the whisker spans their quartiles."
    ]
    if any(bar["right"] and not bar["trusted"] for bar in bars):
        notes.append("? marks what the measurement itself does not trust.")
    figure = style.figure(
        len(bars) * ROW + 30,
        f"Per cent of cuBLAS at {pick.size_text(values['size'])}",
        f"{values['where']}; kernel and cuBLAS taking turns",
        notes,
    )
    left = style.MARGIN + max(style.text_width(name) for name in names) + 8
    ax = style.axes(figure, left, style.MARGIN, 0, 30)
    ax.set_ylim(len(bars) - 0.5, -0.5)
    _set_scale(ax, bars, style.WIDTH - left - style.MARGIN)
    ax.set_xlabel("per cent of cuBLAS", color=style.color("soft"), size=style.SMALL, labelpad=2)
    ax.axvline(100, color=style.color("reference"), linewidth=1.2, zorder=1.5)
    for y, bar in enumerate(bars):
        _draw_bar(ax, y, bar)
    ax.set_yticks(range(len(bars)), [style.plain(name) for name in names], size=style.BODY, color=style.color("ink"))
    return figure


def _text(bar):
    if not bar["right"]:
        return "wrong result"
    if bar["percent"] is None:
        return "no figure"
    return f"{pick.number(bar['percent'])}{'' if bar['trusted'] else ' ?'}"


def _end(bar):
    return max([bar["percent"] or 0.0, *(bar["quartiles"] or [])])


def _set_scale(ax, bars, room):
    """So that each value has room behind its bar."""
    most = 100.0
    for bar in bars:
        most = max(most, _end(bar) * room / (room - style.text_width(_text(bar)) - 10))
    ax.set_xlim(0, most)


def _draw_bar(ax, y, bar):
    if bar["percent"] is not None:
        role = "reference" if bar["reference"] else "kernel"
        (patch,) = ax.barh([y], [bar["percent"]], height=0.62, color=style.color(role), zorder=2)
        style.tip(patch, _tip(bar))
    if bar["quartiles"]:
        q1, _, q3 = bar["quartiles"]
        ax.plot([q1, q3], [y, y], color=style.color("ink"), linewidth=1.2, marker="|", markersize=7, zorder=3)
    ax.annotate(
        _text(bar),
        (_end(bar), y),
        xytext=(6, 0),
        textcoords="offset points",
        va="center_baseline",
        color=style.color("ink" if bar["percent"] is not None else "soft"),
        bbox={"facecolor": style.color("paper"), "edgecolor": "none", "pad": 1},
        zorder=2.5,
    )


def _tip(bar):
    said = f"{bar['kernel']}: {pick.number(bar['percent'])} % of cuBLAS"
    if bar["quartiles"]:
        said += f", quartiles {bar['quartiles'][0]:.2f} and {bar['quartiles'][2]:.2f} of {bar['samples']} samples"
    if bar["gflops"] is not None:
        said += f", {pick.number(bar['gflops'], 0)} GFLOP/s"
    return said
