"""Pictures of one request of a warp by each kernel: the lanes, and the sectors of memory that they touch."""

import base64

from plots.report import runner, sources, words
from plots.report.markup import element, void

MATRICES = ("A", "B")


def section(run, program):
    """Returns a picture for each matrix that a kernel loads, the first kernel's unfolded; None if the program draws none."""
    rungs = [row for row in sources.subjects_of(run) if row.set == "sgemm" and sources.NAME.fullmatch(words.kernel(row))]
    parts = []
    try:
        if rungs:
            runner.prepare(program)
        for row in rungs:
            heading = element("summary", element("h3", words.kernel_with_number(row)))
            parts.append(element("details", heading, [_figure(program, row, matrix) for matrix in MATRICES], open=not parts))
    except runner.Unavailable:  # the section of sources says why
        pass
    if not parts:
        return None
    note = (
        "A warp has 32 lanes. One load of theirs is a request, and memory answers it in sectors of 32 bytes. Each picture is the "
        "first request of a kernel for a matrix, as the simulated GPU counts it."
    )
    return [element("p", note), parts]


def _figure(program, row, matrix):
    svg, sentence = runner.picture_of(program, words.kernel(row), matrix)
    data = "data:image/svg+xml;base64," + base64.b64encode(svg).decode()
    caption = element("figcaption", f"Load of {matrix}: {sentence}", class_="where")
    return element("figure", void("img", src=data, alt=f"Load of {matrix} by {words.kernel_with_number(row)}"), caption)
