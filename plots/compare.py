"""a run beside the one it was compared with: quartiles of both and the verdict, row by row

sgemm_runner compare wrote the verdicts into the run. Ratios to cuBLAS are drawn as per cent of the base's
median, so that rows of any speed can be seen side by side.
"""

from plots import findings, pick, style
from plots.program import Refused

OPTIONS = ()
ROW = 25  # points from row to row
MOST_SAME = 40  # with more rows than this, rows that are the SAME are counted, not drawn
WIDEST = 30  # per cent that the axis goes to at most

# verdict, the gravest first: mark, role
VERDICTS = {
    "WRONG": ("X", "worse"),
    "SLOWER": ("v", "worse"),
    "CHANGED": ("s", "unsure"),
    "UNSURE": ("D", "unsure"),
    "FASTER": ("^", "better"),
    "SAME": ("o", "soft"),
}


def shown(run):
    against = run.context.compared_with
    rows = [row for row in run.rows if row.comparison]
    if against is None or not rows:
        raise Refused("this run holds no comparison: 'sgemm_runner compare BASE RUN --json=FILE' writes one")
    finding = findings.of_comparison(rows)
    order = list(VERDICTS)
    rows.sort(key=lambda row: order.index(row.comparison.verdict))
    counts = {verdict: sum(row.comparison.verdict == verdict for row in rows) for verdict in order}
    if len(rows) > MOST_SAME:
        rows = [row for row in rows if row.comparison.verdict != "SAME"]
    return {
        "finding": finding,
        "where": ", ".join(part for part in (run.context.device, run.context.date[:10]) if part),
        "base": {"file": against.file, "date": against.date, "commit": against.commit, "notes": against.notes},
        "verdicts": {verdict: count for verdict, count in counts.items() if count},
        "rows": [_row(row) for row in rows],
    }


def _row(row):
    found = row.comparison
    return {
        "row": _name(row),
        "verdict": found.verdict,
        "reasons": found.reasons,
        "change": found.change_percent,
        "threshold": found.threshold_percent,
        "base": found.base_percent,
        "new": _quartiles_now(row),
    }


def _quartiles_now(row):
    """Returns the quartiles of the new run. The median is the one that the program wrote, which for several runs is not that
    of all samples."""
    quartiles = pick.quartiles(pick.paired_percent(row)) if row.is_right else None
    if not quartiles:
        return []
    median = row.figures.get("percent_of_cublas", row.figures.get("percent_of_copy", quartiles[1]))
    return [quartiles[0], median, quartiles[2]]


def _name(row):
    """Returns "11 tuned 4096³"; for a lab, the row's name without "lab/"."""
    if row.size:
        return f"{pick.name(row)} {pick.size_text(row.size, '×')}{' cold' if row.cold else ''}"
    return row.name.removeprefix("lab/")


def draw(run):
    values = shown(run)
    rows = values["rows"]
    base = values["base"]
    counts = ", ".join(f"{count} {verdict}" for verdict, count in values["verdicts"].items())
    date = f" of {base['date'][:10]}" if base["date"] else ""
    commit = f", commit {base['commit'][:10]}" if base["commit"] else ""
    figure = style.figure(
        len(rows) * ROW + (28 if rows else 0),
        values["finding"],
        f"{counts}: {values['where']}, against {base['file']}{date}{commit}",
        _notes(values),
    )
    if not rows:
        return figure
    names = [style.cut(row["row"], style.WIDTH * 0.34, style.SMALL) for row in rows]
    left = style.MARGIN + 8 + max(style.text_width(name, style.SMALL) for name in names)
    right = style.MARGIN + 10 + max(style.text_width(_text(row), style.SMALL, "bold") for row in rows)
    measured = [row for row in rows if _is_measured(row)]
    ax = style.axes(figure, left, right, 0, 28 if measured else 4, "x" if measured else None)
    most = _reach(measured)
    ax.set_xlim(-most, most)
    ax.set_ylim(len(rows) - 0.5, -0.5)
    if measured:
        ax.locator_params(axis="x", nbins=5)
        ax.axvline(0, color=style.color("soft"), linewidth=1, zorder=1.5)
        ax.xaxis.set_major_formatter(lambda value, _: f"{value:+g} %".replace("-", "−") if value else "0")
        ax.set_xlabel("ratio to cuBLAS against the base's median", color=style.color("soft"), size=style.SMALL, labelpad=2)
    else:
        ax.set_xticks([])
    ax.set_yticks(range(len(rows)), [style.plain(name) for name in names], color=style.color("ink"))
    for y, row in enumerate(rows):
        if _is_measured(row):
            _draw_row(ax, y, row, most)
        else:
            room = ax.bbox.width - 6
            reason = style.cut("; ".join(row["reasons"]) or "no time beside cuBLAS in both runs", room, style.SMALL)
            ax.text(
                -most,
                y,
                style.plain(reason),
                size=style.SMALL,
                color=style.color("soft"),
                va="center_baseline",
                bbox={"facecolor": style.color("paper"), "edgecolor": "none", "pad": 1},
            )
        _draw_verdict(ax, y, row)
    return figure


def _is_measured(row):
    return bool(row["base"] and row["new"] and row["base"][1] > 0)


def _relative(row, quartiles):
    return [100 * (one / row["base"][1] - 1) for one in quartiles]


def _reach(rows):
    values = [abs(value) for row in rows for value in (*_relative(row, row["base"]), *_relative(row, row["new"]))]
    values += [row["threshold"] for row in rows if row["threshold"] is not None]
    return max([5.0, *(value * 1.1 for value in values if value <= WIDEST), WIDEST if any(v > WIDEST for v in values) else 0])


def _text(row):
    change = "" if row["change"] is None else f" {row['change']:+.1f} %".replace("-", "−")
    return f"{row['verdict']}{change}"


def _draw_row(ax, y, row, most):
    mark, role = VERDICTS[row["verdict"]]
    base, new = _relative(row, row["base"]), _relative(row, row["new"])
    ax.plot(_within(base, most), [y - 0.2] * 3, color=style.color("soft"), linewidth=3, marker="|", markersize=8, zorder=2)
    if row["threshold"] is not None:
        for edge in (-row["threshold"], row["threshold"]):
            ax.plot([edge, edge], [y - 0.36, y + 0.36], color=style.color("soft"), linewidth=0.9, linestyle=(0, (2, 1.5)))
    color = style.color(role)
    middle = new[1]
    ax.plot(_within([new[0], new[2]], most), [y + 0.2] * 2, color=color, linewidth=3, solid_capstyle="butt", zorder=3)
    beyond = abs(middle) > most
    shape = (">" if middle > 0 else "<") if beyond else mark
    (point,) = ax.plot(
        _within([middle], most), [y + 0.2], marker=shape, markersize=7, color=color, markeredgewidth=0, zorder=4, clip_on=False
    )
    said = f"{row['row']}: {row['verdict']}. Base {_spell(row['base'])}, new {_spell(row['new'])} % of cuBLAS."
    style.tip(point, " ".join([said, *row["reasons"]]))


def _within(values, most):
    return [min(max(value, -most), most) for value in values]


def _spell(quartiles):
    return f"{quartiles[1]:.2f} ({quartiles[0]:.2f} to {quartiles[2]:.2f})"


def _draw_verdict(ax, y, row):
    role = VERDICTS[row["verdict"]][1]
    ax.annotate(
        _text(row),
        (1, y),
        xytext=(10, 0),
        xycoords=("axes fraction", "data"),
        textcoords="offset points",
        va="center_baseline",
        size=style.SMALL,
        weight="bold" if row["verdict"] != "SAME" else "normal",
        color=style.color(role),
        annotation_clip=False,
    )


def _notes(values):
    notes = []
    left_out = sum(values["verdicts"].values()) - len(values["rows"])
    if left_out:
        notes.append(f"The {left_out} rows that are the SAME are not drawn.")
    if any(_is_measured(row) for row in values["rows"]):
        notes.append("Upper bar: the base's quartiles; lower bar: the new run's; dotted: the threshold.")
    return notes + [f"{note}." if not note.endswith(".") else note for note in values["base"]["notes"]]
