"""the kernels at one size: per cent of cuBLAS, with quartiles

A bar is the median that the program wrote. The whisker spans the quartiles of the ratios, sample by sample. The rung's idea
stands below its name.
"""

from plots import findings, ideas, pick, style

OPTIONS = ("size",)
ROW, ROW_OF_IDEA = 22, 31  # points from bar to bar; the second if an idea stands below a name
BAR = 14  # points that a bar is high
PASSES = "passes cuBLAS"


def shown(run, size=None):
    rows = pick.at_size(pick.compared_with_cublas(run), size)
    beside = [row for row in pick.timed(run) if row.size == rows[0].size]
    return {
        "finding": findings.of_ladder(beside),
        "where": pick.where(run, rows),
        "size": list(rows[0].size),
        "bars": [_bar(row) for row in beside],
    }


def _bar(row):
    has_figure = row.is_right and "percent_of_cublas" in row.figures
    standing = findings.standing(row)
    return {
        "kernel": pick.name(row),
        "idea": ideas.of(row),
        "reference": row.is_reference,
        "percent": row.figures["percent_of_cublas"] if has_figure else None,
        "quartiles": pick.quartiles(pick.paired_percent(row)) if has_figure else None,
        "samples": len(row.samples_ms),
        "gflops": row.figures.get("gflops") if row.is_right else None,
        "passes": standing is not None and standing.passes,
        "trusted": row.trusted,
        "right": row.is_right,
    }


def draw(run, size=None):
    values = shown(run, size)
    bars = values["bars"]
    names = [style.cut(bar["kernel"], style.WIDTH * 0.36) for bar in bars]
    below = [style.cut(bar["idea"], style.WIDTH * 0.42, style.SMALL) for bar in bars]
    notes = [
        "Each bar is the median of the ratios of neighbouring samples (of several runs: the mean of their medians). "
        "The whisker spans their quartiles."
    ]
    if any(bar["right"] and not bar["trusted"] for bar in bars):
        notes.append(findings.NOTE)
    step = ROW_OF_IDEA if any(below) else ROW
    figure = style.figure(
        len(bars) * step + 30,
        values["finding"],
        f"Per cent of cuBLAS at {pick.size_text(values['size'])}, kernel and cuBLAS taking turns; {values['where']}",
        notes,
    )
    widths = [style.text_width(name) for name in names] + [style.text_width(idea, style.SMALL) for idea in below if idea]
    left = style.MARGIN + max(widths) + 8
    ax = style.axes(figure, left, style.MARGIN, 0, 30)
    ax.set_ylim(len(bars) - 0.5, -0.5)
    _set_scale(ax, bars, style.WIDTH - left - style.MARGIN)
    ax.set_xlabel("per cent of cuBLAS", color=style.color("soft"), size=style.SMALL, labelpad=2)
    ax.axvline(100, color=style.color("reference"), linewidth=1.2, zorder=2.2)
    ax.set_yticks([])
    for y, (bar, name, idea) in enumerate(zip(bars, names, below)):
        _draw_name(ax, y, name, "ink", style.BODY, 6 if idea else 0)
        if idea:
            _draw_name(ax, y, idea, "soft", style.SMALL, -7)
        _draw_bar(ax, y, bar, BAR / step)
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
    """So that each value has room behind its bar."""
    most = 100.0
    for bar in bars:
        most = max(most, _end(bar) * room / (room - style.text_width(_text(bar), weight=_weight(bar)) - 10))
    ax.set_xlim(0, most)


def _weight(bar):
    return "bold" if bar["passes"] else "normal"


def _role(bar):
    return "reference" if bar["reference"] else "better" if bar["passes"] else "kernel"


def _draw_bar(ax, y, bar, height):
    if bar["percent"] is not None:
        (patch,) = ax.barh([y], [bar["percent"]], height=height, color=style.color(_role(bar)), zorder=2)
        style.tip(patch, _tip(bar))
    if bar["passes"]:
        ax.annotate(
            PASSES,
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
    said = f"{bar['kernel']}: {pick.number(bar['percent'])} % of cuBLAS"
    if bar["quartiles"]:
        said += f", quartiles {bar['quartiles'][0]:.2f} and {bar['quartiles'][2]:.2f} of {bar['samples']} samples"
    if bar["gflops"] is not None:
        said += f", {pick.number(bar['gflops'], 0)} GFLOP/s"
    return said
