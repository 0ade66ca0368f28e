#!/usr/bin/env python3
"""Draws the figures of docs/ that show an idea instead of a kernel's requests.

    tools/docs/figures.py bursts docs/figures/bursts.svg     why DRAM answers in bursts
    tools/docs/figures.py ideas docs/figures/ideas.svg       the idea of each rung
"""

import argparse
import sys
from pathlib import Path
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # where plots/ is
from plots import program  # noqa: E402
from plots.ideas import IDEAS, KINDS  # noqa: E402

# The colours of both schemes. Shapes name a class.
STYLE = """
  text { font: 14px system-ui, sans-serif; fill: #1f2328; }
  .small { font-size: 12px; }
  .seat { font-size: 12px; fill: #ffffff; }
  .title { font-size: 17px; font-weight: 600; }
  .outline { fill: none; stroke: #59636e; }
  .open { fill: #b6d4fe; stroke: #0550ae; }
  .sent { fill: #0969da; stroke: #0550ae; }
  .arrow { stroke: #59636e; stroke-width: 1.5; fill: none; }
  .head { fill: #59636e; }
  @media (prefers-color-scheme: dark) {
    text { fill: #e6edf3; }
    .seat { fill: #0d1117; }
    .outline, .arrow { stroke: #9198a1; }
    .head { fill: #9198a1; }
    .open { fill: #0c2d6b; stroke: #79c0ff; }
    .sent { fill: #58a6ff; stroke: #79c0ff; }
  }
"""


class Drawing:
    def __init__(self, width, height, title, description):
        self.parts = [
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title description">',
            f'<title id="title">{escape(title)}</title>',
            f'<desc id="description">{escape(description)}</desc>',
            f"<style>{STYLE}</style>",
            '<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto">'
            '<path class="head" d="M0 0 L8 4 L0 8 z"/></marker></defs>',
        ]

    def box(self, x, y, width, height, kind="outline"):
        self.parts.append(f'<rect class="{kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="2"/>')

    def text(self, x, y, text, kind="", anchor="start"):
        self.parts.append(f'<text class="{kind}" x="{x}" y="{y}" text-anchor="{anchor}">{escape(text)}</text>')

    def arrow(self, x1, y1, x2, y2):
        self.parts.append(f'<path class="arrow" d="M{x1} {y1} L{x2} {y2}" marker-end="url(#head)"/>')

    def svg(self):
        return "\n".join([*self.parts, "</svg>"]) + "\n"


def bursts():
    """Draws a DRAM bank: a row is opened as a whole, and then leaves in bursts of 32 bytes.

    HBM3's pseudo channel has 32 data lines and a burst of 8 (JEDEC JESD238); GDDR6's channel 16 lines and a burst of 16.
    """
    d = Drawing(
        760,
        400,
        "Why DRAM answers in bursts",
        "A row of a DRAM bank is copied into the row buffer as a whole, which takes tens of nanoseconds. From there a burst of 32 "
        "bytes goes over the bus at a time: asking for 4 of them moves all 32.",
    )
    d.text(20, 28, "A DRAM bank reads a row as a whole and sends it in bursts", "title")
    cell, columns, top = 14, 32, 58
    left = 210
    for row in range(7):
        for column in range(columns):
            d.box(left + column * cell, top + row * cell, cell - 2, cell - 2, "open" if row == 3 else "outline")
    d.text(20, top + 30, "cells, a capacitor each:")
    d.text(20, top + 48, "reading one drains it, so", "small")
    d.text(20, top + 64, "a whole row is read at once", "small")
    buffer_y = top + 7 * cell + 50
    d.arrow(left + columns * cell / 2, top + 7 * cell + 4, left + columns * cell / 2, buffer_y - 6)
    d.text(left + columns * cell / 2 + 12, top + 7 * cell + 30, "1. open the row: slow, tens of nanoseconds")
    for column in range(columns):
        d.box(left + column * cell, buffer_y, cell - 2, 22, "sent" if 8 <= column < 16 else "open")
    d.text(20, buffer_y + 16, "row buffer")
    bus_y = buffer_y + 80
    d.arrow(left + 12 * cell, buffer_y + 26, left + 12 * cell, bus_y - 6)
    d.text(left + 12 * cell + 12, buffer_y + 58, "2. a burst: 8 transfers of 4 bytes, one after the other")
    for seat in range(8):
        d.box(left + 8 * cell + seat * 26 - 48, bus_y, 24, 24, "sent")
        d.text(left + 8 * cell + seat * 26 - 36, bus_y + 17, str(seat), "seat", "middle")
    d.text(20, bus_y + 16, "on the bus: 32 bytes")
    d.text(20, bus_y + 60, "A burst is the smallest amount that leaves the chip: 32 bytes, a sector. A request for 4 of them pays for 32;")
    d.text(20, bus_y + 80, "the next sectors of an open row come without waiting for step 1 again, so neighbours are cheap twice.")
    return d.svg()


def ideas():
    """Draws the ladder as a climb: a rung brings operands closer, moves more at once, begins earlier, shares work more evenly or keeps
    more bits."""
    column, step, left, top, bottom = 114, 34, 26, 52, 16
    height = top + step * len(IDEAS) + bottom
    d = Drawing(
        left + column * len(KINDS) + 2,
        height,
        "What each rung changes",
        "; ".join(
            f"rung {number}: {idea.words}" + (f" ({idea.kind})" if idea.kind else "")
            for number, idea in enumerate(IDEAS.values(), 1)
        ),
    )
    for at, kind in enumerate(KINDS):
        d.text(left + column * at + column / 2, 28, kind, "title", "middle")
    previous = None
    for number, idea in enumerate(IDEAS.values(), 1):
        y = top + step * (len(IDEAS) - number)
        d.text(left - 8, y + 18, str(number), "small", "end")
        at = KINDS.index(idea.kind) if idea.kind else 0
        width = column - 8 if idea.kind else 2 * column - 8
        middle = left + column * at + (column - 8) / 2
        if previous is not None:
            d.arrow(previous, y + step - 1, middle, y + 27)
        d.box(left + column * at, y, width, 26, "open" if idea.kind else "outline")
        d.text(left + column * at + width / 2, y + 18, idea.words, "small", "middle")
        previous = middle
    return d.svg()


FIGURES = {"bursts": bursts, "ideas": ideas}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("figure", choices=FIGURES, help="the figure to draw")
    parser.add_argument("file", type=Path, help="the file to write")
    arguments = parser.parse_args()
    program.check_writable(arguments.file)
    program.replace_file(arguments.file, FIGURES[arguments.figure]())
    return 0


if __name__ == "__main__":
    sys.exit(program.run("figures", main))
