"""Reads recorded runs and draws them: python3 -m plots --help.

    from pathlib import Path
    from plots import catalogue, results
    run = results.read(Path("run.json"))

    catalogue.PLOTS["ladder"].draw(run, size="4096")                a matplotlib Figure
    catalogue.svg("ladder", run, size="4096")                       a whole SVG file, as text
    catalogue.svg("ladder", run, size="4096", embedded=True)        an <svg> to stand in a page that has style.css() once

Each plot is a module of its own with two functions, whose options are named in its OPTIONS and default to None:

    shown(run, **options)       the values that it draws, as plain JSON, and "finding", its title; needs no matplotlib
    draw(run, **options)        its Figure

Both raise program.Refused if the run has nothing to draw. The list of plots is catalogue.PLOTS.

Colours are named by role (style.ROLES) and are CSS variables in an SVG, --plot-ink and so on, so that dark and light
follow the reader's scheme; a page may set the variables of svg.plot itself. Text stays text. A mark with a tip has a
<title>, and an SVG carries the values that it shows in its <metadata>.

Only style.py imports matplotlib, when the first figure is made. All other modules work without it.
"""
