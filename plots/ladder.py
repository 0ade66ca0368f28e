"""the kernels at one size: per cent of cuBLAS, with quartiles

The rung's idea stands below its name.
"""

from plots import bars, findings, ideas, pick

OPTIONS = ("size",)


def shown(run, size=None):
    rows = pick.at_size(pick.compared_with_cublas(run), size)
    beside = [row for row in pick.timed(run) if row.size == rows[0].size]
    return {
        "finding": findings.of_ladder(beside),
        "where": pick.where(run, rows),
        "size": list(rows[0].size),
        "bars": [bars.of(row, pick.name(row), ideas.of(row)) for row in beside],
    }


def draw(run, size=None):
    values = shown(run, size)
    subtitle = f"Per cent of cuBLAS at {pick.size_text(values['size'])}, kernel and cuBLAS taking turns; {values['where']}"
    return bars.draw(values["bars"], values["finding"], subtitle)
