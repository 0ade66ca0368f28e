"""Builds HTML in which a text can never become markup: everything that is not Markup already is escaped."""

import json
from html import escape


class Markup(str):
    """A text that is HTML already."""


def markup(part):
    """Returns the part as HTML. None becomes nothing; the parts of a list follow each other."""
    if part is None:
        return Markup()
    if isinstance(part, Markup):
        return part
    if isinstance(part, (list, tuple)):
        return Markup("".join(markup(one) for one in part))
    return Markup(escape(_printable(str(part))))


def element(name, /, *parts, **attributes):
    """Returns <name attributes>parts</name>. class_ becomes class, aria_label becomes aria-label. An attribute that is True
    has no value; None and False are left out."""
    return Markup(f"<{name}{_attributes(attributes)}>{markup(parts)}</{name}>")


def void(name, /, **attributes):
    """Returns an element without contents and end tag, such as <input>."""
    return Markup(f"<{name}{_attributes(attributes)}>")


def script(text, /, **attributes):
    """Returns a script. ValueError if the text could end it, since nothing is escaped within a script."""
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError("a script's text must not contain the end of a script")
    return Markup(f"<script{_attributes(attributes)}>{text}</script>")


def json_script(value, /, **attributes):
    """Returns a value for the page's scripts, as compact JSON. ValueError if it holds an infinity, which JSON lacks.

    Every "<" stands in a text, so it becomes \\u003c, which means the same and ends no script.
    """
    text = json.dumps(value, separators=(",", ":"), allow_nan=False)
    return script(text.replace("<", "\\u003c"), type="application/json", **attributes)


def _attributes(attributes):
    text = ""
    for name, value in attributes.items():
        if value is None or value is False:
            continue
        text += " " + name.rstrip("_").replace("_", "-")
        if value is not True:
            text += f'="{escape(_printable(str(value)))}"'
    return text


# HTML has no way to write control characters, and half of a surrogate pair cannot be written at all.
def _printable(text):
    return "".join(c for c in text if c.isprintable() or c in "\n\t\u00a0")
