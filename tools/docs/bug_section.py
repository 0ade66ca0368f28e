"""Writes a page's section on a learner's bug of test/data/bugs: the mistake, the lines that differ, the message, the mend."""

import csv
import difflib
import re
from pathlib import Path

# How a message names lines: "wrong.cu:12", "line 12", "lines 12 and 15".
NAMED = re.compile(r"wrong\.cu:(\d+)|\blines? (\d+)(?: and (\d+))?")


def section(folder):
    """Returns Markdown for the bug in this folder. Raises OSError if one of its files is missing."""
    folder = Path(folder)
    mistake, wrong = commented(folder / "wrong.cu")
    mend, mended = commented(folder / "mended.cu")
    message = (folder / "message.txt").read_text(encoding="utf-8")
    named = {int(number) for match in NAMED.finditer(message) for number in match.groups() if number}
    return (
        f"### {folder.name}\n\n{mistake}\n\n```diff\n{difference(wrong, mended, named)}```\n"
        f"```text\n{message}```\n\nMended: {mend}\n\n{on_a_device(folder)}\n"
    )


def on_a_device(folder):
    """Returns the findings of a device's own tools, as test/data/bugs/record wrote them."""
    with open(folder.parent / "compute_sanitizer.csv", encoding="utf-8", newline="") as file:
        answers = {row.pop("program"): row for row in csv.DictReader(file)}
    if folder.name not in answers:
        raise OSError(f"{folder.parent / 'compute_sanitizer.csv'} has no line for {folder.name}: run test/data/bugs/record on a GPU to add it")
    found = [tool for tool, answer in answers[folder.name].items() if answer == "found"]
    return f"compute-sanitizer on an H200: {' and '.join(found) or 'nothing'}."


def commented(file):
    """Returns the text of the first line, which is a comment, and all lines."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return in_markdown(lines[0].removeprefix("// ")), lines


def in_markdown(sentence):
    """Marks names of functions as code, since Markdown takes __ for bold."""
    return re.sub(r"(?<!`)\b\w+\(\)", r"`\g<0>`", sentence)


def difference(wrong, mended, named):
    """Returns the changed lines of `wrong`, their neighbours, and the lines whose numbers are in `named`, each with its
    number. The lines of `mended` that replace changed lines come with them."""
    rows = []  # sign, number in wrong or None, text; with 1-based numbers
    for tag, first, last, put, until in difflib.SequenceMatcher(None, wrong, mended, autojunk=False).get_opcodes():
        sign = " " if tag == "equal" else "-"
        rows += [(sign, number + 1, wrong[number]) for number in range(first, last)]
        if tag != "equal":
            rows += [("+", None, line) for line in mended[put:until]]
    rows = [row for row in rows[1:] if row[1:] != (None, mended[0])]  # without the comments of the first lines

    changed = [at for at, row in enumerate(rows) if row[0] != " "]
    shown = {at + step for at in changed for step in (-1, 0, 1)} | {at for at, row in enumerate(rows) if row[1] in named}
    text, last = "", None
    for at in sorted(at for at in shown if 0 <= at < len(rows)):
        if last is not None and at > last + 1:
            text += "      ...\n"
        sign, number, line = rows[at]
        text += f"{sign} {number or '':>3} {line}".rstrip() + "\n"
        last = at
    return text
