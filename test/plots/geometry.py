"""Reads a drawn figure: its texts with their boxes, and the lines that lead to them, in points."""

import json
from unittest import mock

import runs  # noqa: F401  (puts plots/ on the path)
from plots import style


class Text:
    """A text that was drawn."""

    def __init__(self, artist, text):
        self.artist, self.text, self.size, self.box = artist, text, artist.get_size(), artist.get_window_extent()


def drawn_texts(figure):
    """Returns the texts that are drawn, without those that matplotlib only holds, such as ticks beyond the axes."""
    style.matplotlib()
    from matplotlib.backends.backend_agg import RendererAgg

    drawn = []

    def record(self, gc, x, y, s, prop, angle, ismath=False, mtext=None):
        drawn.append(Text(mtext, s))

    with mock.patch.object(RendererAgg, "draw_text", record):
        figure.canvas.draw()
    return [text for text in drawn if text.text.strip()]


def faults(figure):
    """Returns the faults of a figure's texts: a text lies on another, is crossed by a line to a text, is cut off by the figure,
    or is too small to read on a page of 400 pixels."""
    texts = drawn_texts(figure)
    lines = leaders(figure)
    width, height = figure.get_size_inches() * 72
    found = []
    for i, one in enumerate(texts):
        box = one.box
        if box.x0 < 0 or box.y0 < 0 or box.x1 > width or box.y1 > height:
            found.append(f"'{one.text}' is cut off")
        if width <= style.WIDTH and one.size * 400 / width < 8.5:
            found.append(f"'{one.text}' is too small")
        found += [f"a line to a text crosses '{one.text}'" for line in lines if line.intersects_path(outline(one))]
        for other in texts[i + 1 :]:
            if overlap(box, other.box) and outline(one).intersects_path(outline(other)):
                found.append(f"'{one.text}' lies on '{other.text}'")
    return found


def overlap(one, other):
    return min(one.x1, other.x1) - max(one.x0, other.x0) > 0.2 and min(one.y1, other.y1) - max(one.y0, other.y0) > 0.2


def leaders(figure):
    """Returns the lines that join labels to their points. The figure must have been drawn."""
    from matplotlib.text import Annotation

    arrows = [artist.arrow_patch for artist in figure.findobj(Annotation) if artist.arrow_patch is not None]
    return [arrow.get_transform().transform_path(arrow.get_path()) for arrow in arrows]


def outline(text):
    """Returns the rectangle around a text, turned as the text is."""
    from matplotlib.path import Path
    from matplotlib.transforms import Affine2D, Bbox

    artist, angle = text.artist, text.artist.get_rotation()
    if angle:
        artist.set_rotation(0)
    box = artist.get_window_extent()
    artist.set_rotation(angle)
    anchor = artist.get_transform().transform(artist.get_unitless_position())
    box = Path([(box.x0, box.y0), (box.x1, box.y0), (box.x1, box.y1), (box.x0, box.y1), (box.x0, box.y0)])
    if angle and artist.get_rotation_mode() != "anchor":
        return Path(Bbox.corners(text.box)[[0, 1, 3, 2, 0]])
    return Affine2D().rotate_deg_around(*anchor, angle).transform_path(box)


def tips(figure):
    """Returns the artists that have a tip, each with its tip."""
    found = figure.findobj(lambda artist: (artist.get_gid() or "").startswith("tip:"))
    return [(artist, json.loads(artist.get_gid()[4:])) for artist in found]
