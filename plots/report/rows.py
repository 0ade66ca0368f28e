"""The table of all rows: its columns, and the text of each cell."""

from dataclasses import dataclass

from plots import pick
from plots.findings import NOTE
from plots.report import metrics, words
from plots.report.markup import element, void

# The metrics that have a column, if any row has the figure.
SHOWN = (
    "load_sectors_per_request",
    "store_sectors_per_request",
    "bytes_used_over_fetched",
    "flops_per_global_byte",
    "shared_wavefronts_per_ffma",
    "shared_bank_conflicts",
    "frobenius_error",
    "reference_frobenius_error",
    "largest_error",
    "reference_largest_error",
    "median_ms",
    "spread",
    "gflops",
    "percent_of_peak",
    "percent_of_fp16_roof",
    "joules",
    "reference_joules",
    "percent_of_cublas",
    "gbytes_per_second",
    "percent_of_copy",
)
LONG = 30  # rows; a longer run of several sizes shows one size first
MATRICES = ("load A", "load B", "load C", "store C")  # of a product: a column each, in place of the sums


@dataclass(frozen=True)
class Column:
    heading: str
    meaning: str  # empty if the heading is clear
    text: object  # returns a row's cell; empty for no text
    value: object  # returns a row's sort key, a number or a text; None for none
    kind: str  # "number", "text", "name" of the row, or "finding", which has a colour


def columns(run):
    """The columns of the run's table, without those that would be empty."""
    rows = run.rows
    found = []
    if any(row.number is not None for row in rows):
        found.append(Column("#", "", _number, lambda row: row.number, "number"))
    found.append(Column("kernel", "", words.kernel, words.kernel, "name"))
    found.append(Column("size", "M × N × K; one figure if all three are the same", words.size, _volume, "number"))
    if any(_how(row) for row in rows):
        meaning = "how the lanes of a lab's variant walk; the code path taken, if there are several; options that are not at their default"
        found.append(Column("how", meaning, _how, lambda row: _how(row) or None, "text"))
    found += _figures(rows)
    meaning = f"the program's finding: right, wrong, not trusted, refused. {NOTE}"
    found.append(Column("result", meaning, words.judged, words.judged, "finding"))
    if any(row.comparison for row in rows):
        meaning = "the result of the comparison with the other run"
        found.append(Column("verdict", meaning, _verdict, lambda row: _verdict(row) or None, "finding"))
        if any(_change(row) is not None for row in rows):
            meaning = "the change of the median ratio to the reference against the other run; below 0 is slower"
            found.append(Column("change, %", meaning, _change_text, _change, "number"))
    return found


def table(run):
    """Returns the table with all rows; rows that are not trusted come last. data-row is the row's number in the run."""
    shown = columns(run)
    with_samples = any(row.samples_ms for row in run.rows)
    heads = [_head(column) for column in shown]
    if with_samples:
        heads.append(element("th", "samples", scope="col", class_="controls"))
    in_order = sorted(enumerate(run.rows), key=lambda one: words.judged(one[1]) == words.NOT_TRUSTED)
    body = [_row(i, row, shown, with_samples) for i, row in in_order]
    return element(
        "table",
        element("caption", "All results of the run"),
        element("thead", element("tr", heads)),
        element("tbody", body),
        id="rows",
    )


def legend(run):
    """Returns the meanings of the columns."""
    explained = [column for column in columns(run) if column.meaning]
    meanings = [[element("dt", column.heading), element("dd", column.meaning)] for column in explained]
    return element("dl", meanings, class_="legend")


def filters(run):
    """Returns the controls that choose rows. They stay hidden until the page's script shows them."""
    rows = run.rows
    choices = [
        ("kernel", [(words.kernel(row), words.kernel_with_number(row)) for row in rows]),
        ("size", [(words.size(row), words.size(row)) for row in sorted(rows, key=lambda row: _volume(row) or 0)]),
        ("result", [(words.judged(row), words.judged(row)) for row in rows]),
        ("verdict", [(_verdict(row), _verdict(row)) for row in rows]),
    ]
    controls = [element("label", "Text ", void("input", type="search", name="text", autocomplete="off"))]
    for name, values in choices:
        values = dict((value, text) for value, text in values if value)
        if name != "kernel" and name != "size" and not values:
            continue
        options = [element("option", "all", value="")]
        options += [element("option", text, value=value) for value, text in values.items()]
        controls.append(element("label", f"{name.capitalize()} ", element("select", options, name=name)))
    controls.append(element("button", "Show all", type="reset"))
    return element("form", controls, id="filters", role="search", aria_label="Choose rows", hidden=True, data_first=_first_size(rows))


def _first_size(rows):
    """Returns the size that the page shows first, if a run of several sizes is too long to show whole; otherwise None."""
    sized = [row for row in rows if row.size]
    is_long = len(rows) > LONG and len({row.size for row in sized}) > 1
    return words.size(pick.at_size(sized, None)[0]) if is_long else None


def _head(column):
    """Returns a heading with a button that sorts. Paper does not repeat buttons on each page, so data-heading has the text too."""
    button = element("button", column.heading, type="button")
    return element("th", button, scope="col", data_heading=column.heading, class_="number" if column.kind == "number" else None)


def _row(i, row, shown, with_samples):
    cells = []
    for column in shown:
        text, value = column.text(row), column.value(row)
        if column.kind == "number":
            cells.append(element("td", text, class_="number", data_value=value))
        elif column.kind == "name":
            cells.append(element("th", text, scope="row"))
        elif column.kind == "finding" and text:
            cells.append(element("td", finding(text)))
        else:
            cells.append(element("td", text))
    if with_samples:
        label = f"Draw the samples of {words.kernel_with_number(row)}, {words.size(row)}"
        button = element("button", "draw", type="button", class_="draw", aria_label=label) if row.samples_ms else None
        cells.append(element("td", button, class_="controls"))
    keys = {"data_kernel": words.kernel(row), "data_size": words.size(row), "data_result": words.judged(row)}
    return element("tr", cells, data_row=i, data_verdict=_verdict(row) or None, **keys)


def finding(text):
    """Returns a verdict, or the program's finding on a row, as a word with a colour."""
    return element("span", text, class_=f"finding is-{text.lower().replace(' ', '-')}")


def _figures(rows):
    """Returns a column for each metric of SHOWN that a row has."""
    of_matrices = [key for key in MATRICES if any(key in row.sectors_per_request for row in rows)]
    only_matrices = all(key in MATRICES for row in rows for key in row.sectors_per_request)
    listed = metrics.all_metrics()
    keys = [key for key in SHOWN if any(key in row.figures for row in rows)]
    if of_matrices and only_matrices:
        keys = [key for key in keys if not key.endswith("_sectors_per_request")]
        meaning = "32-byte sectors that a warp's request touches: 4 if its lanes access 32 neighbouring floats from a sector's beginning on"
        for key in of_matrices:
            yield Column(
                f"sectors/request, {key}",
                meaning,
                lambda row, key=key: words.decimal(row.sectors_per_request[key], 1) if key in row.sectors_per_request else "",
                lambda row, key=key: row.sectors_per_request.get(key),
                "number",
            )
    headings = [listed[key].heading for key in keys]
    for key in keys:
        metric = listed[key]
        name = metric.heading if headings.count(metric.heading) == 1 else metric.name
        yield Column(
            f"{name}, {metric.unit}" if metric.unit and metric.unit not in name else name,
            metric.hint if metric.name == name else f"{metric.name}: {metric.hint}",
            lambda row, metric=metric: _figure(row, metric),
            lambda row, key=key: row.figures.get(key),
            "number",
        )


def _figure(row, metric):
    if metric.key not in row.figures:
        return ""
    if metric.unit == "ms":
        return words.milliseconds(row.figures[metric.key])
    return words.decimal(row.figures[metric.key], metric.decimals)


def _volume(row):
    """Returns the number by which sizes are sorted."""
    if not row.size:
        return next(iter(row.parameters.values()), None)
    m, n, k = row.size
    return m * n * k


def _number(row):
    return "" if row.number is None else str(row.number)


def _how(row):
    return ", ".join(text for text in (words.idea(row), row.path, words.options(row)) if text)


def _verdict(row):
    return row.comparison.verdict if row.comparison else ""


def _change(row):
    return row.comparison.change_percent if row.comparison else None


def _change_text(row):
    return "" if _change(row) is None else words.signed(_change(row), 1)
