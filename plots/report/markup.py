"""Puts HTML together so that a text never becomes markup: every value that is not a Markup is escaped."""

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
    """<name attributes>parts</name>. Attributes: class_ is class, aria_label is aria-label; True stands without a value,
    None and False are left out."""
    return Markup(f"<{name}{_attributes(attributes)}>{markup(parts)}</{name}>")


def void(name, /, **attributes):
    """Returns an element without contents and end, such as <input>."""
    return Markup(f"<{name}{_attributes(attributes)}>")


def script(text, /, **attributes):
    """Returns a script. Its text is not escaped, so it must not contain the script's end."""
    if "</script" in text.lower() or "<!--" in text:
        raise ValueError("a script's text must not contain the end of a script")
    return Markup(f"<script{_attributes(attributes)}>{text}</script>")


def json_script(value, /, **attributes):
    """Returns a script with a value for the page's scripts, as compact JSON. Raises ValueError for an infinity, which JSON cannot write.

    Every "<" in it is part of a text. There \\u003c means the same and cannot end the script.
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
