"""How plots look, and how a Figure becomes a file.

Lengths are points, 1/72 of an inch. A figure is 450 points wide, 600 pixels of a page, unless its text needs more. Its
smallest text can still be read on a page of 400 pixels. Text is laid out with DejaVu Sans, which comes with matplotlib and
is wider than the readers' fonts. So texts that do not touch here do not touch there.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as xml
from math import ceil

from plots import pick
from plots.program import Refused

WIDTH = 450
BODY, SMALL, TITLE = 11.5, 10, 13.5  # sizes of text
MARGIN = 12

# role: (light, dark). Blue and vermillion differ for every eye (Okabe and Ito). Each light colour belongs to one role, since
# svg() finds the role by it.
ROLES = {
    "paper": ("#ffffff", "#0d1117"),
    "ink": ("#1f2328", "#e6edf3"),
    "soft": ("#59636e", "#9da7b3"),
    "grid": ("#d8dee4", "#30363d"),
    "kernel": ("#0072b2", "#56b4e9"),
    "reference": ("#c44e00", "#ff8f50"),
    "better": ("#00795b", "#2bc79a"),
    "worse": ("#bf4600", "#ff8a48"),
    "unsure": ("#a03c80", "#f08cc8"),
    # From far below 100 % to far above; text stands on them.
    "below4": ("#ef9048", "#9a4a06"),
    "below3": ("#f6b07a", "#7a3c08"),
    "below2": ("#fbd0aa", "#59300f"),
    "below1": ("#fde9d7", "#3a2616"),
    "equal": ("#eef0f2", "#262c34"),
    "above1": ("#dcebf7", "#14293d"),
    "above2": ("#b9d9f0", "#123a5c"),
    "above3": ("#8cc3e8", "#0f4c7d"),
    "above4": ("#62aee0", "#0b5c98"),
}
FONTS = 'system-ui, -apple-system, "Segoe UI", Helvetica, Arial, sans-serif'
SETTINGS = {
    "figure.dpi": 72,  # a pixel of the canvas is a point
    "font.family": "DejaVu Sans",
    "font.size": BODY,
    "svg.fonttype": "none",
    "svg.hashsalt": "plots",
    "path.simplify": False,
    "hatch.linewidth": 0.8,
}
SUFFIXES = (".svg", ".png", ".pdf")


def color(role):
    """Returns the role's light colour, which a Figure has."""
    return ROLES[role][0]


# ---- matplotlib, when it is needed


def matplotlib():
    """Returns the module, with our settings alone. Refuses if this Python has no matplotlib."""
    try:
        import matplotlib
        import matplotlib.figure
        from matplotlib.backends.backend_agg import FigureCanvasAgg  # noqa: F401
    except ImportError:
        raise Refused(missing()) from None
    if matplotlib.rcParams["svg.hashsalt"] != SETTINGS["svg.hashsalt"]:
        matplotlib.rcdefaults()
        matplotlib.rcParams.update(SETTINGS)
    return matplotlib


def missing():
    """Returns the advice for a user whose Python cannot draw."""
    found = find_python()
    if found:
        return f"{sys.executable} has no matplotlib, and {found} has: call {found} -m plots"
    return (
        f"drawing needs matplotlib, which {sys.executable} has not: apt-get install python3-matplotlib python3-numpy, "
        "and call /usr/bin/python3 -m plots"
    )


def find_python():
    """Returns a Python that can draw: the running one, else the first on the PATH, else the system's; None if there is none."""
    for candidate in dict.fromkeys((sys.executable, shutil.which("python3"), "/usr/bin/python3")):
        if candidate and os.access(candidate, os.X_OK):
            if subprocess.run([candidate, "-B", "-c", "import matplotlib, numpy"], capture_output=True).returncode == 0:
                return candidate
    return None


# ---- Figures


def figure(height, title, subtitle="", notes=(), width=WIDTH):
    """Returns a Figure with its heading above and notes below; `height` is left for the plot. .top and .bottom are the room of
    heading and notes. A screen reader says `title` and `subtitle`."""
    mpl = matplotlib()
    made = mpl.figure.Figure(figsize=(width / 72, 1))
    mpl.backends.backend_agg.FigureCanvasAgg(made)
    made.set_facecolor(color("paper"))
    room = width - 2 * MARGIN
    heads = [(line, TITLE, "ink", "bold") for line in wrap(title, room, TITLE, "bold")]
    heads += [(line, SMALL, "soft", "normal") for line in wrap(subtitle, room, SMALL)]
    feet = [line for note in notes for line in wrap(note, room, SMALL)]
    made.top = MARGIN + sum(size * 1.4 for _, size, _, _ in heads) + 6
    made.bottom = (MARGIN + 4 + len(feet) * SMALL * 1.4) if feet else 6
    total = ceil((height + made.top + made.bottom) / 3) * 3  # whole pixels of 4/3 points
    made.top += total - (height + made.top + made.bottom)
    made.set_size_inches(width / 72, total / 72)
    y = total - MARGIN
    for line, size, role, weight in heads:
        made.text(MARGIN / width, y / total, plain(line), size=size, color=color(role), weight=weight, va="top")
        y -= size * 1.4
    y = made.bottom - 4
    for line in feet:
        made.text(MARGIN / width, y / total, plain(line), size=SMALL, color=color("soft"), va="top")
        y -= SMALL * 1.4
    made.set_label(" ".join(part.rstrip(".") + "." for part in (title, subtitle, *notes) if part))
    made.heading = title
    return made


def axes(made, left, right, top, bottom, grid="x"):
    """Returns axes with this room around them, between heading and notes. `grid` is "x", "y", "both" or None."""
    width, height = made.get_size_inches() * 72
    bottom, top = bottom + made.bottom, top + made.top
    ax = made.add_axes([left / width, bottom / height, (width - left - right) / width, (height - top - bottom) / height])
    ax.set_facecolor("none")
    for spine in ax.spines.values():
        spine.set_visible(False)
    ax.tick_params(color=color("grid"), labelcolor=color("soft"), labelsize=SMALL, length=0, pad=4)
    ax.tick_params(which="minor", length=0)
    ax.set_axisbelow(True)
    if grid:
        ax.grid(True, axis=grid, color=color("grid"), linewidth=0.8)
    return ax


def text_width(text, size=BODY, weight="normal"):
    """Returns the width of a line of text in points."""
    mpl = matplotlib()
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    properties = FontProperties(family=mpl.rcParams["font.family"], size=size, weight=weight)
    return TextToPath().get_text_width_height_descent(text.replace("$", r"\$"), properties, ismath=False)[0]


def wrap(text, room, size=BODY, weight="normal"):
    """Returns the text in lines of at most `room` points. A longer word is cut."""
    lines, line = [], ""
    for word in text.split():
        longer = f"{line} {word}".strip()
        if line and text_width(longer, size, weight) > room:
            lines.append(line)
            longer = word
        line = cut(longer, room, size, weight)
    return [*lines, line] if line else lines


def cut(text, room, size=BODY, weight="normal"):
    """Returns the text, with its end left out if it is wider than `room`."""
    if text_width(text, size, weight) <= room:
        return text
    while len(text) > 1 and text_width(text + "…", size, weight) > room:
        text = text[:-1].rstrip()
    return text + "…"


def ticks(low, high, most, room=None):
    """Returns round values from low to high, about `most` of them, and their texts. Fewer if the texts need more than `room` points."""
    from matplotlib.ticker import MaxNLocator

    for count in range(most, 0, -1):
        values = [value for value in MaxNLocator(count).tick_values(low, high) if low <= value <= high]
        step = min((b - a for a, b in zip(values, values[1:])), default=1)
        digits = next((d for d in range(12) if abs(round(step, d) - step) < step * 1e-6), 12)
        texts = [pick.number(value, digits) for value in values]
        if room is None or sum(text_width(text, SMALL) + 8 for text in texts) <= room:
            break
    return values, texts


def plain(text):
    """Returns the text with each $ escaped, so that none begins a formula."""
    return text.replace("$", r"\$")


def tip(artist, text):
    """Gives an artist a tip, which is shown when a reader points at it: one text, or a text for each mark of a line or collection."""
    artist.set_gid(_TIP + json.dumps(text))
    return artist


# ---- Files

_TIP = "tip:"
_SVG = "http://www.w3.org/2000/svg"
_LINK = "{http://www.w3.org/1999/xlink}href"


def css():
    """Returns the colours of an <svg class="plot">."""
    light = " ".join(f"--plot-{role}: {colors[0]};" for role, colors in ROLES.items())
    dark = " ".join(f"--plot-{role}: {colors[1]};" for role, colors in ROLES.items())
    return f"svg.plot {{ {light} }}\n@media (prefers-color-scheme: dark) {{ svg.plot {{ {dark} }} }}\n"


def svg(made, carried=None, embedded=False):
    """Returns the Figure as the text of an SVG file, the same for the same figure. `carried` goes into its <metadata>, as JSON.
    `embedded`: for a page that has css() itself; its ids begin with the plot's name, carried["plot"]."""
    file = io.BytesIO()
    made.savefig(file, format="svg", metadata={"Date": None, "Creator": None, "Format": None, "Type": None})
    xml.register_namespace("", _SVG)
    xml.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = xml.fromstring(file.getvalue())
    _put_tips(root)
    _drop_idle_ids(root)
    if embedded and carried is not None:
        _begin_ids_with(root, carried["plot"] + "-")
    _take_rule_for_all(root)
    for element in root.iter():
        if "style" in element.attrib:
            element.set("style", _with_variables(element.get("style")))
    width, height = made.get_size_inches() * 72
    root.set("viewBox", f"0 0 {width:g} {height:g}")
    root.set("width", f"{width * 4 / 3:.0f}")
    root.set("height", f"{height * 4 / 3:.0f}")
    root.set("class", "plot")
    root.set("role", "img")
    root.set("aria-label", made.get_label())
    head = [_element("title", made.heading), _element("desc", made.get_label())]
    if carried is not None:
        head.append(_element("metadata", json.dumps(carried, ensure_ascii=False)))
    if not embedded:
        head.append(_element("style", css()))
    for position, element in enumerate(head):
        element.tail = "\n"
        root.insert(position, element)
    text = xml.tostring(root, encoding="unicode")
    return text + "\n" if embedded else f'<?xml version="1.0" encoding="UTF-8"?>\n{text}\n'


def carried(text):
    """Returns the value that svg() put into the metadata of the file's text; None if there is none."""
    try:
        found = xml.fromstring(text).find(f"{{{_SVG}}}metadata")
        return None if found is None else json.loads(found.text or "")
    except (xml.ParseError, ValueError):
        return None


def pixels(made, suffix):
    """Returns the Figure as the bytes of a .png or .pdf file, in the light colours."""
    file = io.BytesIO()
    left_out = {".png": {"Software": None}, ".pdf": {"CreationDate": None, "Creator": None, "Producer": None}}
    made.savefig(file, format=suffix[1:], dpi=200, metadata=left_out[suffix])
    return file.getvalue()


def _element(name, text):
    element = xml.Element(f"{{{_SVG}}}{name}")
    element.text = text
    return element


def _put_tips(root):
    for group in root.iter(f"{{{_SVG}}}g"):
        name = group.get("id", "")
        if not name.startswith(_TIP):
            continue
        del group.attrib["id"]
        said = json.loads(name[len(_TIP) :])
        if isinstance(said, str):
            group.insert(0, _element("title", said))
            continue
        marks = list(group.iter(f"{{{_SVG}}}use"))
        if len(marks) != len(said):
            raise ValueError(f"{len(said)} tips for {len(marks)} marks")
        for mark, text in zip(marks, said):
            mark.append(_element("title", text))


def _take_rule_for_all(root):
    """Moves matplotlib's rule for * to the root, whose children inherit it. In a page it would be a rule for everything."""
    for defs in root.findall(f"{{{_SVG}}}defs"):
        for rule in defs.findall(f"{{{_SVG}}}style"):
            root.set("style", rule.text.removeprefix("*{").removesuffix("}"))
            defs.remove(rule)


def _drop_idle_ids(root):
    """Removes the ids that nothing refers to. matplotlib names everything, and a page with several figures needs unique ids."""
    used = set()
    for element in root.iter():
        for value in (element.get(_LINK, ""), element.get("clip-path", ""), element.get("style", "")):
            used.update(re.findall(r"#([^)\s;\"']+)", value))
    for element in root.iter():
        if element.get("id") and element.get("id") not in used:
            del element.attrib["id"]


def _begin_ids_with(root, prefix):
    """Puts the prefix before each id, so that no two plots of a page share one: matplotlib gives marks that look alike the same id."""
    for element in root.iter():
        for key, value in element.attrib.items():
            if key == "id":
                element.set(key, prefix + value)
            elif key == _LINK:
                element.set(key, value.replace("#", f"#{prefix}", 1))
            elif "url(#" in value:
                element.set(key, value.replace("url(#", f"url(#{prefix}"))


_ROLE_OF = {colors[0]: role for role, colors in ROLES.items()}


def _with_variables(style):
    def variable(match):
        role = _ROLE_OF.get(match[0].lower())
        return f"var(--plot-{role}, {match[0]})" if role else match[0]

    return re.sub(r"#[0-9a-fA-F]{6}\b", variable, style).replace("'DejaVu Sans'", FONTS)
