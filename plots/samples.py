"""the samples of one kernel and of cuBLAS beside it in time, with the clock: a device that throttles shows here

A dashed line stands between two runs. If there is room, the runs are numbered above the first panel.
"""

from statistics import median

from plots import findings, pick, style

OPTIONS = ("kernel", "size")
PANEL, SPACE = 92, 30  # points: height of a panel, and between two
RUNS = 14  # points that the runs' numbers take above the first panel


def shown(run, kernel=None, size=None):
    rows = pick.timed(run)
    if kernel is not None:
        rows = pick.of_kernel(rows, kernel)
    rows = pick.at_size(rows, size)
    row = max(rows, key=lambda row: (not row.is_reference, row.figures.get("percent_of_cublas", 0)))
    return {
        "finding": findings.of_samples(row),
        "where": pick.where(run, [row]),
        "kernel": pick.name(row),
        "size": list(row.size),
        "runs": row.samples_of_runs or [len(row.samples_ms)],
        "seconds": row.sample_seconds,
        "kernel_ms": row.samples_ms,
        "reference_ms": row.reference_samples_ms,
        "clocks_mhz": row.sample_clocks_mhz,
        "median_clock_mhz": row.figures.get("clock_mhz"),
        "doubts": row.doubts,
    }


def draw(run, kernel=None, size=None):
    values = shown(run, kernel, size)
    panels = _panels(values)
    runs = RUNS if len(values["runs"]) > 1 else 0
    beside = " and of cuBLAS, taking turns" if values["reference_ms"] else ""
    figure = style.figure(
        len(panels) * PANEL + (len(panels) - 1) * SPACE + 56 + runs,
        values["finding"],
        f"Samples of {values['kernel']} at {pick.size_text(values['size'])}{beside}; {values['where']}",
        _notes(values),
    )
    x, borders = places(values["runs"], values["seconds"])
    left = style.MARGIN + 8 + max(style.text_width(text, style.SMALL) for panel in panels for text in _ticks(panel)[1])
    for i, panel in enumerate(panels):
        above = i * (PANEL + SPACE) + 20 + runs
        below = (len(panels) - 1 - i) * (PANEL + SPACE) + 36
        ax = style.axes(figure, left, style.MARGIN + 4, above, below, "y")
        _draw_panel(ax, panel, x, borders, is_last=i == len(panels) - 1, runs=0 if i else runs)
    unit = "seconds since the first sample" if values["seconds"] else "sample"
    more = ", one run after the other" if len(values["runs"]) > 1 else ""
    ax.set_xlabel(unit + more, color=style.color("soft"), size=style.SMALL, labelpad=2)
    return figure


def places(runs, seconds):
    """Returns the place of each sample, and the borders between runs. Each run counts its seconds from its own first sample,
    so the runs are set one behind the other."""
    if not seconds:
        borders = [sum(runs[:i]) + 0.5 for i in range(1, len(runs))]
        return [i + 1 for i in range(sum(runs))], borders
    longest = max(seconds)
    gap = longest * 0.05 or 1.0
    x, borders, begin, first = [], [], 0.0, 0
    for count in runs:
        own = seconds[first : first + count]
        if first:
            borders.append(begin - gap / 2)
        x += [begin + one for one in own]
        begin += max(own) + gap
        first += count
    return x, borders


def _panels(values):
    """Returns the panels from the top down: title, unit, values (None: unknown), and the colour's role."""
    panels = [_times(values["kernel"], values["kernel_ms"], "kernel")]
    if values["reference_ms"]:
        panels.append(_times("cuBLAS", values["reference_ms"], "reference"))
    clocks = [clock or None for clock in values["clocks_mhz"]]
    if any(clocks):
        panels.append({"title": "clock, MHz", "what": "MHz", "values": clocks, "role": "ink"})
    return panels


def _times(name, milliseconds, role):
    short = median(milliseconds) < 0.1
    unit, scale = ("µs", 1000) if short else ("ms", 1)
    title = f"{style.cut(name, style.WIDTH * 0.6)}, {unit}"
    return {"title": title, "what": unit, "values": [one * scale for one in milliseconds], "role": role}


def _ticks(panel):
    """Returns the limits, the ticks' texts and the ticks. The limits are at least 2 % on each side of the median, so that noise
    does not look large."""
    known = [value for value in panel["values"] if value is not None]
    middle = median(known)
    low, high = min([middle * 0.98, *known]), max([middle * 1.02, *known])
    room = (high - low) * 0.08
    low, high = max(0.0, low - room), high + room
    ticks, texts = style.ticks(low, high, 4)
    return (low, high), texts, ticks


def _draw_panel(ax, panel, x, borders, is_last, runs):
    limits, texts, ticks = _ticks(panel)
    ax.set_ylim(*limits)
    ax.set_yticks(ticks, texts)
    span = max(x) - min(x) or 1.0
    ax.set_xlim(min(x) - span * 0.02, max(x) + span * 0.02)
    ax.set_title(
        style.plain(panel["title"]), loc="left", x=0, size=style.BODY, color=style.color(panel["role"]), weight="bold", pad=5 + runs
    )
    if runs:
        _number_runs(ax, borders)
    if not is_last:
        ax.tick_params(labelbottom=False)
    elif all(isinstance(one, int) for one in x):
        from matplotlib.ticker import MaxNLocator

        ax.xaxis.set_major_locator(MaxNLocator(8, integer=True))
    for border in borders:
        ax.axvline(border, color=style.color("soft"), linewidth=0.8, linestyle=(0, (4, 3)), zorder=1.5)
    known = [(place, value) for place, value in zip(x, panel["values"]) if value is not None]
    (marks,) = ax.plot(
        [place for place, _ in known],
        [value for _, value in known],
        linestyle="none",
        marker="o",
        markersize=5 if len(known) <= 40 else 3.6,
        markeredgewidth=0,
        color=style.color(panel["role"]),
        zorder=3,
    )
    style.tip(marks, [f"{pick.number(value, 3)} {panel['what']}" for _, value in known])


def _number_runs(ax, borders):
    """Numbers the runs above the panel, between their borders; draws nothing if a number has no room."""
    low, high = ax.get_xlim()
    edges = [low, *borders, high]
    texts = [f"run {i}" for i in range(1, len(edges))]
    for text, begin, end in zip(texts, edges, edges[1:]):
        if (end - begin) / (high - low) * ax.bbox.width < style.text_width(text, style.SMALL) + 4:
            return
    for text, begin, end in zip(texts, edges, edges[1:]):
        ax.annotate(
            text,
            ((begin + end) / 2, 1),
            xytext=(0, 3),
            xycoords=("data", "axes fraction"),
            textcoords="offset points",
            ha="center",
            size=style.SMALL,
            color=style.color("soft"),
            annotation_clip=False,
        )


def _notes(values):
    notes = ["A dashed line stands between two runs."] if len(values["runs"]) > 1 else []
    if not any(values["clocks_mhz"]):
        clock = values["median_clock_mhz"]
        known = f"; its median was {pick.number(clock, 0)} MHz" if clock else ""
        notes.append(f"The clock was not recorded sample by sample{known}.")
    elif not all(values["clocks_mhz"]):
        notes.append("Where a mark of the clock is missing, it could not be read.")
    if values["doubts"]:
        notes.append(f"{findings.NOTE} Why: {'; '.join(values['doubts'])}.")
    return notes
