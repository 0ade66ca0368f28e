"""What kernels move of global memory, as a table of bars: what a run has to show that was not timed."""

from math import floor, log10

from plots import pick
from plots.report import words
from plots.report.markup import element


def rows_of(run):
    """A row of each kernel at one size, the usual one; none if accesses were not counted."""
    counted = [row for row in pick.kernels(run) if row.correct and row.figures.get("global_sectors", 0) > 0]
    if not counted:
        return []
    first_of_each = {row.label: row for row in reversed(pick.at_size(counted, None))}
    return [row for row in counted if first_of_each.get(row.label) is row]


def figure(run):
    """The bars; None if accesses were not counted."""
    rows = rows_of(run)
    if not rows:
        return None
    sectors = [row.figures["global_sectors"] for row in rows]
    decades = floor(log10(min(sectors)))
    span = max(log10(max(sectors)) - decades, 1e-9)
    body = [_row(row, 100 * (log10(row.figures["global_sectors"]) - decades) / span) for row in rows]
    heads = ("kernel", "sectors of global memory", "bytes used of those fetched")
    note = (
        f"Counted on the simulated GPU at {words.size(rows[0])}. A sector is 32 bytes. The left bars are logarithmic: one ten times as "
        "large is longer by the same length everywhere."
    )
    table = element(
        "table",
        element("caption", f"Sectors, and the share of their bytes that was used, at {words.size(rows[0])}"),
        element("thead", element("tr", [element("th", text, scope="col") for text in heads])),
        element("tbody", body),
        class_="bars",
    )
    scroll = element("div", table, class_="scroll", tabindex=0, role="region", aria_label="Sectors and bytes used")
    return element("figure", scroll, element("p", note, class_="where"), id="plot-traffic")


def _row(row, length):
    sectors = row.figures["global_sectors"]
    used = row.figures.get("bytes_used_over_fetched")
    return element(
        "tr",
        element("th", words.kernel_with_number(row), scope="row"),
        element("td", _bar(length, "kernel"), element("span", words.whole(round(sectors)))),
        element("td", [_bar(100 * used, "used"), element("span", f"{words.decimal(100 * used, 1)} %")] if used is not None else ""),
    )


def _bar(per_cent, kind):
    return element("div", class_=f"bar of-{kind}", style=f"width: {max(per_cent, 1):.1f}%", aria_hidden="true")
