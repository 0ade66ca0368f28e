"""THE list of plots, their options, and their pictures as files."""

import json

from plots import compare, errors, heatmap, ladder, losses, results, roofline, samples, shape_times, shapes, sizes, style, timeline
from plots.program import Refused

PLOTS = {
    "ladder": ladder,
    "roofline": roofline,
    "sizes": sizes,
    "samples": samples,
    "heatmap": heatmap,
    "shapes": shapes,
    "losses": losses,
    "errors": errors,
    "timeline": timeline,
    "compare": compare,
}

# for each option: the name of its value on the command line, and its help
OPTIONS = {
    "size": ("N|MxNxK", "draw products of this size (default: 4096, or the largest square that most kernels have; for timeline the largest)"),
    "kernel": ("KERNEL", "draw the kernel with this number or name (default: the best; for sizes and shapes the first)"),
    "data": ("NAME", "draw results with this kind of data in A and B (default: uniform, or the first kind in the run)"),
    "axes": ("|".join(heatmap.AXES), "draw a grid with these rows and columns (default: MxN, or a list if there are few shapes)"),
}


OF_SHAPES = ("shapes", "losses")  # the plots that also draw a file of bench/shapes.py --times


def about(plot):
    """Returns a line that describes a plot."""
    return PLOTS[plot].__doc__.splitlines()[0]


def read(plot, path):
    """Returns the run in a file; for a plot of OF_SHAPES also the times in a .csv."""
    return shape_times.read(path) if plot in OF_SHAPES and path.suffix == ".csv" else results.read(path)


def carried(plot, run, **options):
    """Returns the metadata of the plot's SVG: its name, its options, and each value that it shows."""
    given = {key: value for key, value in options.items() if value is not None}
    return {"plot": plot, "options": given, "shown": PLOTS[plot].shown(run, **options)}


def svg(plot, run, embedded=False, **options):
    """Returns the plot as the text of an SVG; see style.svg."""
    return style.svg(PLOTS[plot].draw(run, **options), carried(plot, run, **options), embedded)


def file_of(plot, run, suffix, **options):
    """Returns the plot as a file's text (.svg) or bytes."""
    if suffix == ".svg":
        return svg(plot, run, **options)
    return style.pixels(PLOTS[plot].draw(run, **options), suffix)


def check(path, plot, run, **options):
    """Refuses a .svg that does not show the run as it is now. Needs no matplotlib."""
    try:
        there = style.carried(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise Refused(f"'{path}' cannot be read: {error}") from None
    if there != json.loads(json.dumps(carried(plot, run, **options))):
        raise Refused(f"'{path}' does not show the run as it is now", 1)
