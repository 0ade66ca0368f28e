#!/usr/bin/env python3
"""Draws a terminal in which a real run of `check` judges a wrong answer.

    tools/docs/check_picture.py 02_coalesced "The lanes still leap" docs/figures/check.svg

The wrong answer is the section of that title in exercises/02_coalesced/wrong_answers.md.
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from xml.sax.saxutils import escape

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # where plots/ is
from plots import program  # noqa: E402
from plots.program import Refused  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
COLUMNS = 64
WIDTH, HEIGHT, MARGIN = 8, 19, 14  # pixels: a letter's width, a line's height, the margin
STYLE = f"""
  .page {{ fill: #f6f8fa; stroke: #d1d9e0; }}
  text {{ font: 13px ui-monospace, monospace; fill: #1f2328; white-space: pre; }}
  .right {{ fill: #116329; }}
  .wrong {{ fill: #b42318; }}
  @media (prefers-color-scheme: dark) {{
    .page {{ fill: #151b23; stroke: #3d444d; }}
    text {{ fill: #e6edf3; }}
    .right {{ fill: #56d364; }}
    .wrong {{ fill: #ff7b72; }}
  }}
"""


def wrong_answer(exercise, title):
    """Returns the letter of the first hole that the answer fills, and the answer's code."""
    file = ROOT / "exercises" / exercise / "wrong_answers.md"
    try:
        text = file.read_text(encoding="utf-8")
    except OSError as error:
        raise Refused(f"'{file}' cannot be read: {error}") from None
    match = re.search(rf"^## {re.escape(title)}\n\nHole: (\w).*?^```cuda\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)
    if match is None:
        raise Refused(f"{file} has no section '## {title}' with a line 'Hole: a' and a block of code")
    return match[1], match[2]


def said_of(runner, exercise, title):
    """Returns the lines that `check` prints about the wrong answer."""
    hole, code = wrong_answer(exercise, title)
    environment = {**os.environ, "COLUMNS": str(COLUMNS), "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
    with tempfile.TemporaryDirectory() as folder:

        def call(words, code):
            ended = subprocess.run(
                [Path(runner).resolve(), *words, "--folder", "exercises/mine"],
                cwd=folder, env=environment, capture_output=True, text=True, encoding="utf-8",
            )  # fmt: skip
            if ended.returncode != code:
                raise Refused(f"'{' '.join(words)}' ended with {ended.returncode}: {ended.stderr.strip() or ended.stdout.strip()}", 70)
            return ended.stdout

        call(["learn", exercise, "--hole", hole], 0)
        answer = Path(folder) / "answer.txt"
        answer.write_text(code, encoding="utf-8")
        return call(["check", exercise, "--answer", str(answer)], 1).rstrip("\n").split("\n")


def svg(lines, title):
    width, height = max(map(len, lines)) * WIDTH + 2 * MARGIN, len(lines) * HEIGHT + 2 * MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" role="img" aria-labelledby="title description">',
        f'<title id="title">{escape(title)}</title>',
        f'<desc id="description">{escape(" ".join(line.strip() for line in lines))}</desc>',
        f"<style>{STYLE}</style>",
        f'<rect class="page" x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="6"/>',
    ]
    for number, line in enumerate(lines):
        kind = "right" if "✓" in line else "wrong" if "✗" in line else ""
        parts.append(f'<text class="{kind}" x="{MARGIN}" y="{MARGIN + 14 + number * HEIGHT}">{escape(line)}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("exercise", help="a folder of exercises/")
    parser.add_argument("answer", help="the title of its section in wrong_answers.md")
    parser.add_argument("file", type=Path, help="the SVG to write")
    parser.add_argument("--runner", default=str(ROOT / "build/sim/bin/sgemm_runner"), help="the program")
    arguments = parser.parse_args()
    program.check_writable(arguments.file)
    lines = [f"$ ./sgemm_runner check {arguments.exercise}", *said_of(arguments.runner, arguments.exercise, arguments.answer)]
    program.replace_file(arguments.file, svg(lines, f"check, of a wrong answer to exercise {arguments.exercise}"))
    return 0


if __name__ == "__main__":
    sys.exit(program.run("check_picture", main))
