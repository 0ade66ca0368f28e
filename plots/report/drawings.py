"""The plots of the report: each plot of the catalogue that the run has figures for."""

from plots import catalogue, style
from plots.program import Refused
from plots.report import traffic, words
from plots.report.markup import Markup, element

LEFT_OUT = ("samples",)  # drawn by the page itself, for the row that the reader chooses


def css():
    """Returns the colours of the plots; on paper the light ones."""
    light = " ".join(f"--plot-{role}: {colors[0]};" for role, colors in style.ROLES.items())
    return style.css() + f"@media print {{ svg.plot {{ {light} }} }}\n"


def section(run):
    """Returns a figure for each plot, then the reasons why plots are missing, folded if there is any figure."""
    counted = traffic.figure(run)
    figures, missing = [counted] if counted is not None else [], []
    for name in catalogue.PLOTS:
        if name in LEFT_OUT:
            continue
        try:
            svg = catalogue.svg(name, run, embedded=True)
        except Refused as why:
            missing.append(element("li", f"{name}: {why}"))
            continue
        about = catalogue.about(name)
        heading = element("h3", about[0].upper() + about[1:], class_="unseen")  # the drawing shows a heading itself
        figures.append(element("figure", heading, Markup(svg), id=f"plot-{name}"))
    if missing:
        summary = element("summary", "Plots that this run has no figures for")
        figures.append(element("details", summary, element("ul", missing), open=not figures))
    return figures


def samples(run):
    """Returns the place in which the page draws the samples of the chosen row; None if no row was timed."""
    rows = [(i, row) for i, row in enumerate(run.rows) if row.samples_ms]
    if not rows:
        return None
    chosen = min(rows, key=lambda one: _interest(one[1]))[0]
    options = [element("option", _name(row), value=i, selected=i == chosen) for i, row in rows]
    select = element("select", options, id="row-of-samples")
    return [
        element("p", "Each sample of a kernel, in the order of time, and of the reference that took turns with it. ",
                "With the pointer or, once the drawing has the focus, the arrow keys each sample tells its figures."),
        element("p", element("label", "Row ", select), id="choose-samples", hidden=True),
        element("div", element("p", "Drawing samples needs JavaScript.", class_="missing"), id="samples-drawing"),
    ]  # fmt: skip


def _interest(row):
    """Returns a sort key, lowest for the row to look into first: a row that differs, then one that is not trusted."""
    differs = row.comparison is not None and row.comparison.verdict != "SAME"
    return (not differs, row.trusted, row.is_reference)


def _name(row):
    return ", ".join(part for part in (words.kernel_with_number(row), words.size(row), words.options(row), row.path) if part)
