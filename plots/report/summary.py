"""The report's summary: how many rows are right, the verdicts of a comparison, and the program's findings."""

from plots import results
from plots.report import words
from plots.report.markup import element
from plots.report.rows import finding

# The meaning of each verdict, the gravest first.
MEANINGS = {
    "WRONG": "wrong in this run, right or wrong in the base",
    "SLOWER": "slower than before",
    "CHANGED": "its counters, path or launches are others",
    "UNSURE": "too little is known to say",
    "FASTER": "faster than before",
    "SAME": "no difference beyond the scatter of the measurements",
}
assert sorted(MEANINGS) == sorted(results.VERDICTS)


def section(run):
    return [_counts(run), _verdicts(run), _findings(run)]


def _counts(run):
    """Returns "312 results: 290 right, 22 not trusted"."""
    found = [words.judged(row) for row in run.rows]
    order = [kind for kind in ("wrong", "not trusted", "refused", "right") if kind in found]
    counted = [element("li", finding(kind), f" {words.whole(found.count(kind))}") for kind in order]
    total = words.whole(len(run.rows))
    kernels = words.whole(len({(row.set, row.label, row.variant) for row in run.rows}))
    counts = element("ul", counted, class_="counts") if counted else None
    return [element("p", f"Results: {total}, of {kernels} kernels."), counts]


def _verdicts(run):
    compared = [row for row in run.rows if row.comparison]
    other = run.context.compared_with
    if not compared and other is None:
        return None
    parts = [element("h3", "Beside the other run")]
    if other is not None:
        commit = f", commit {other.commit[:12]}" if other.commit else ""
        parts.append(element("p", "Held against ", element("code", other.file), f" of {_day(other.date)}{commit}."))
        if other.notes:
            parts.append(element("ul", [element("li", note) for note in other.notes]))
    found = [row.comparison.verdict for row in compared]
    body = [
        element("tr", element("th", finding(verdict), scope="row"), element("td", found.count(verdict), class_="number"),
                element("td", meaning))
        for verdict, meaning in MEANINGS.items() if verdict in found
    ]  # fmt: skip
    head = element("tr", [element("th", text, scope="col") for text in ("verdict", "rows", "what it means")])
    parts.append(_table("Verdicts", head, body))
    order = list(MEANINGS)
    differing = [row for row in compared if row.comparison.verdict != "SAME"]
    if differing:
        differing.sort(key=lambda row: order.index(row.comparison.verdict))
        texts = ("verdict", "kernel", "size", "change, %", "needed, %", "reasons")
        head = element("tr", [element("th", text, scope="col", class_="number" if "%" in text else None) for text in texts])
        parts.append(_table("Rows that are not the same", head, [_difference(row) for row in differing]))
    return parts


def _difference(row):
    c = row.comparison
    change = "" if c.change_percent is None else words.signed(c.change_percent, 1)
    threshold = "" if c.threshold_percent is None else words.decimal(c.threshold_percent, 1)
    return element(
        "tr",
        element("td", finding(c.verdict)),
        element("th", words.kernel_with_number(row), scope="row"),
        element("td", words.size(row)),
        element("td", change, class_="number"),
        element("td", threshold, class_="number"),
        element("td", "; ".join(c.reasons)),
    )


def _findings(run):
    """Returns the rows that are wrong, not trusted or refused, in groups that a reader can open."""
    parts = []
    for kind, heading in (("wrong", "Wrong"), ("not trusted", "Not trusted"), ("refused", "Refused")):
        rows = [row for row in run.rows if words.judged(row) == kind]
        if not rows:
            continue
        head = element("tr", [element("th", text, scope="col") for text in ("kernel", "size", "what the program says")])
        body = [
            element("tr", element("th", words.kernel_with_number(row), scope="row"), element("td", words.size(row)),
                    element("td", "; ".join(words.why(row))))
            for row in rows
        ]  # fmt: skip
        summary = element("summary", element("h3", heading), " ", element("span", len(rows), class_="where"))
        parts.append(element("details", summary, _table(f"{heading}, and why", head, body), open=kind == "wrong"))
    return parts


def _table(caption, head, body):
    table = element("table", element("caption", caption), element("thead", head), element("tbody", body))
    return element("div", table, class_="scroll", tabindex=0, role="region", aria_label=caption)


def _day(date):
    return date[:10] or "an unknown day"
