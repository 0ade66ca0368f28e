"""one kernel over the shapes of products: per cent of cuBLAS, shape by shape

Few shapes are a list, the fastest beside cuBLAS first. Many are a grid: rows and columns are two of M, N and K. A cell with
several shapes has a figure for each value of the third. Squares have a plot of their own (sizes). So a square stands in the
grid only if other shapes have its row and its column, and in the list only if there are no other shapes.
"""

from bisect import bisect

from plots import bars, findings, pick, style
from plots.program import Refused

OPTIONS = ("kernel", "axes")
AXES = {"MxN": (0, 1, 2), "MxK": (0, 2, 1), "NxK": (1, 2, 0)}  # rows, columns, and the one that remains
LETTERS = "MNK"
FEW = 24  # shapes that are a list, unless axes were asked for
EDGES = (50, 75, 90, 98, 102, 111, 133, 200)  # per cent; the ratios below 100 mirror those above
SHADES = ("below4", "below3", "below2", "below1", "equal", "above1", "above2", "above3", "above4")
CELL = 46  # points, at least


def shown(run, kernel=None, axes=None):
    if axes is not None and axes not in AXES:
        raise Refused(f"'{axes}' are no axes: {', '.join(AXES)} are")
    timed = [row for row in pick.compared_with_cublas(run) if not row.is_reference]
    right = [row for row in timed if row.is_right]
    if not right:
        raise Refused("no kernel of this run was right and timed beside cuBLAS")
    chosen = pick.of_kernel(right, kernel)[0] if kernel is not None else _best(right, timed)
    timed = [row for row in timed if _kernel(row) == _kernel(chosen)]
    listed = [row for row in timed if pick.square(row) is None]
    if not any(row.is_right for row in listed):
        listed = timed
    is_list = axes is None and len(listed) <= FEW
    axes = axes or "MxN"
    first, second, third = AXES[axes]
    if not is_list:
        across, down = {row.size[second] for row in listed}, {row.size[first] for row in listed}
        listed = [row for row in timed if row.size[first] in down and row.size[second] in across]
    rows = [row for row in listed if row.is_right]
    values = {
        "finding": findings.over_products(findings.series([rows], listed), listed, "shape", "on"),
        "where": pick.where(run, rows),
        "kernel": pick.name(chosen),
    }
    if is_list:
        shapes = [bars.of(row, pick.size_text(row.size)) for row in sorted(listed, key=lambda row: row.size)]
        return values | {"bars": sorted(shapes, key=lambda bar: -1 if bar["percent"] is None else bar["percent"], reverse=True)}
    return values | {
        "axes": axes,
        "cells": [
            {
                "row": row.size[first],
                "column": row.size[second],
                "third": row.size[third],
                "percent": row.figures["percent_of_cublas"],
                "trusted": row.trusted,
            }
            for row in sorted(rows, key=lambda row: row.size)
        ],
    }


def _kernel(row):
    return row.set, row.label


def _best(right, timed):
    """Returns a row of the kernel that passes cuBLAS on most shapes."""
    kernels = {}
    for row in right:
        kernels.setdefault(_kernel(row), []).append(row)
    series = findings.series(list(kernels.values()), timed)
    return list(kernels.values())[series.index(findings.best_series(series))][0]


def shade(percent):
    """Returns the role of the colour for this per cent."""
    return SHADES[bisect(EDGES, percent)]


def draw(run, kernel=None, axes=None):
    values = shown(run, kernel, axes)
    what = f"{values['kernel']}: per cent of cuBLAS"
    if "bars" in values:
        return bars.draw(values["bars"], values["finding"], f"{what} by M × N × K, taking turns with it; {values['where']}")
    cells, (first, second, third) = values["cells"], AXES[values["axes"]]
    down = sorted({cell["row"] for cell in cells})
    across = sorted({cell["column"] for cell in cells})
    thirds = sorted({cell["third"] for cell in cells})
    at = {}
    for cell in cells:
        at.setdefault((cell["row"], cell["column"]), []).append(cell)
    many = len(thirds) > 1
    line = 31 if many else 22  # points of a figure in its cell
    left = style.MARGIN + 24 + max(style.text_width(str(n), style.SMALL) for n in down)
    texts = [_text(cell) for cell in cells] + [f"{LETTERS[third]} {n}" for n in thirds if many] + [str(n) for n in across]
    wide = max(CELL, 8 + max(style.text_width(text) for text in texts))
    width = max(style.WIDTH, left + style.MARGIN + len(across) * wide)
    heights = [line * max(len(at.get((row, column), [])) for column in across) + 3 for row in down]
    constant = f"; {LETTERS[third]} = {thirds[0]}" if not many else ""
    figure = style.figure(
        sum(heights) + 92,
        values["finding"],
        f"{what}, shape by shape; {values['where']}{constant}",
        [findings.NOTE] if not all(cell["trusted"] for cell in cells) else [],
        width=width,
    )
    ax = style.axes(figure, left, style.MARGIN, 4, 88, None)
    ax.set_xlim(0, len(across))
    ax.set_ylim(sum(heights), 0)
    tops = [sum(heights[:i]) for i in range(len(down))]
    for (row, column), here in at.items():
        y, height = tops[down.index(row)], heights[down.index(row)]
        for i, cell in enumerate(here):
            part = height / len(here)
            _draw_cell(ax, across.index(column), y + i * part, part, cell, LETTERS[third] if many else "")
    ax.set_xticks([i + 0.5 for i in range(len(across))], [str(n) for n in across])
    ax.set_yticks([y + height / 2 for y, height in zip(tops, heights)], [str(n) for n in down])
    ax.set_xlabel(LETTERS[second], color=style.color("ink"), size=style.SMALL, labelpad=1)
    ax.set_ylabel(LETTERS[first], color=style.color("ink"), size=style.SMALL, labelpad=1)
    _draw_key(figure)
    return figure


def _text(cell):
    return f"{pick.number(cell['percent'])}{'' if cell['trusted'] else ' ?'}"


def _draw_cell(ax, x, y, height, cell, letter):
    from matplotlib.patches import Rectangle

    fill = style.color(shade(cell["percent"]))
    box = Rectangle((x, y), 1, height, facecolor=fill, edgecolor=style.color("paper"), linewidth=1.5)
    ax.add_patch(box)
    where = f" at {letter} {cell['third']}" if letter else ""
    style.tip(box, f"{cell['row']} by {cell['column']}{where}: {_text(cell)} % of cuBLAS")
    inside = {"ha": "center", "va": "center_baseline", "color": style.color("ink")}
    if not letter:
        ax.text(x + 0.5, y + height / 2, _text(cell), size=style.BODY, **inside)
        return
    ax.text(x + 0.5, y + height / 2 - 6.5, _text(cell), size=style.BODY, **inside)
    ax.text(x + 0.5, y + height / 2 + 7.5, f"{letter} {cell['third']}", size=style.SMALL, **inside)


def _draw_key(figure):
    """Draws the colours and the per cent at which one ends and the next begins."""
    from matplotlib.patches import Rectangle

    height = figure.get_size_inches()[1] * 72 - figure.top - figure.bottom
    ax = style.axes(figure, style.MARGIN, style.MARGIN, height - 40, 24, None)
    ax.set_xlim(0, len(SHADES))
    ax.set_ylim(0, 1)
    for i, role in enumerate(SHADES):
        ax.add_patch(Rectangle((i, 0), 1, 1, facecolor=style.color(role), edgecolor=style.color("grid"), linewidth=0.6))
    ax.set_yticks([])
    ax.set_xticks(range(1, len(SHADES)), [str(edge) for edge in EDGES])
    ax.set_xlabel("per cent of cuBLAS", color=style.color("soft"), size=style.SMALL, labelpad=2)
