"""A table of bars with the sectors of global memory that kernels move. A run without times has this to show."""

from math import floor, log10

from plots import pick, results
from plots.program import Refused
from plots.report import runner, words
from plots.report.markup import element


def rows_of(run):
    """Returns a row of each kernel at the usual size; none if accesses were not counted."""
    counted = [row for row in pick.kernels(run) if row.correct and row.figures.get("global_sectors", 0) > 0]
    if not counted:
        return []
    first_of_each = {row.label: row for row in reversed(pick.at_size(counted, None))}
    return [row for row in counted if first_of_each.get(row.label) is row]


def figure(run):
    """Returns the bars; None if accesses were not counted."""
    rows = rows_of(run)
    if not rows:
        return None
    sectors = [row.figures["global_sectors"] for row in rows]
    decades = floor(log10(min(sectors)))
    span = max(log10(max(sectors)) - decades, 1e-9)
    recorded, where = _recorded()
    body = [_row(row, 100 * (log10(row.figures["global_sectors"]) - decades) / span, recorded) for row in rows]
    heads = ["kernel", "sectors of global memory", "bytes used of those fetched"] + (["% of cuBLAS *"] if recorded else [])
    note = (
        f"Counted on the simulated GPU at {words.size(rows[0])}. A sector is 32 bytes. The left bars are logarithmic: a value ten times "
        "as large makes a bar longer by the same length everywhere."
    )
    if recorded:
        note += f" * measured on an {where}, not in this run."
    table = element(
        "table",
        element("caption", f"Sectors, and the share of their bytes that was used, at {words.size(rows[0])}"),
        element("thead", element("tr", [element("th", text, scope="col") for text in heads])),
        element("tbody", body),
        class_="bars",
    )
    scroll = element("div", table, class_="scroll", tabindex=0, role="region", aria_label="Sectors and bytes used")
    return element("figure", scroll, element("p", note, class_="where"), id="plot-traffic")


def _recorded():
    """Returns the recorded per cent of cuBLAS of each rung at the usual size, and the device that it was measured on; {} if there is no
    record."""
    try:
        run = results.read(runner.ROOT / "bench/baselines/nvidia-h200.json")
        rows = [row for row in pick.compared_with_cublas(run) if row.size == pick.USUAL_SQUARE]
    except (results.Unusable, Refused, OSError):
        return {}, ""
    if not rows:
        return {}, ""
    where = f"{run.context.device} on {rows[0].date[:10] or run.context.date[:10]} at {words.size(rows[0])}"
    return {row.label: row.figures["percent_of_cublas"] for row in rows if row.number}, where


def _row(row, length, recorded):
    sectors = row.figures["global_sectors"]
    used = row.figures.get("bytes_used_over_fetched")
    per_cent = recorded.get(row.label)
    widest = max(recorded.values(), default=100)
    return element(
        "tr",
        element("th", words.kernel_with_number(row), scope="row"),
        element("td", _bar(length, "kernel"), element("span", words.whole(round(sectors)))),
        element("td", [_bar(100 * used, "used"), element("span", f"{words.decimal(100 * used, 1)} %")] if used is not None else ""),
        element("td", [_bar(100 * per_cent / widest, "recorded"), element("span", f"{words.decimal(per_cent, 1)} %")])
        if per_cent is not None
        else (element("td") if recorded else None),
    )


def _bar(per_cent, kind):
    return element("div", class_=f"bar of-{kind}", style=f"width: {max(per_cent, 1):.1f}%", aria_hidden="true")
