#!/usr/bin/env python3
"""Puts what programs print and draw into the documents that show it.

    bench/doc_outputs.py                 README.md and docs/*.md: every output and every figure anew
    bench/doc_outputs.py --check         exits 1 if a document shows something else than is printed or drawn today
    bench/doc_outputs.py docs/memory.md  of this document alone

A document says what it shows, and the program does the rest:

    <!-- printed by: ./sgemm_runner lab copy_stride -->
    ```
    (the output is put here)
    ```
    <!-- drawn by: ./sgemm_runner show copy_stride/8 --picture --svg=docs/figures/stride_8.svg -->

Commands run in the root of the tree on the simulated GPU, 104 columns wide, without colour, and must end with 0.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # where plots/ is
from plots import program  # noqa: E402
from plots.program import Refused  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PRINTED = re.compile(r"(<!-- printed by: (?P<command>.+?) -->\n```\n)(?P<shown>.*?)(?<=\n)(```\n)", re.DOTALL)
DRAWN = re.compile(r"<!-- drawn by: (?P<command>.+?) -->")
MARKERS = re.compile(r"<!-- (printed|drawn) by:")
COLUMNS = "104"


class Commands:
    """The programs that a document may name, and how they are run."""

    def __init__(self, runner):
        self.programs = {
            "./sgemm_runner": runner,
            "bench/figures.py": [sys.executable, "-B", str(ROOT / "bench/figures.py")],
        }
        self.answers = {}

    def run(self, command, words):
        if words[0] not in self.programs:
            raise Refused(f"'{command}': a document may show what {' or '.join(self.programs)} does, not '{words[0]}'")
        environment = {**os.environ, "COLUMNS": COLUMNS, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        ended = subprocess.run(
            [*self.programs[words[0]], *words[1:]], cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8"
        )
        if ended.returncode != 0:
            raise Refused(f"'{command}' ended with {ended.returncode}: {ended.stderr.strip() or ended.stdout.strip()}", 70)
        return ended.stdout

    def printed(self, command):
        """What the command prints, run once however often it is shown."""
        if command not in self.answers:
            self.answers[command] = self.run(command, shlex.split(command))
        return self.answers[command]

    def drawn(self, command):
        """The file that the command writes, relative to the root, and what is in it; the file itself stays as it is."""
        words = shlex.split(command)
        at = next((i for i, word in enumerate(words) if word.endswith(".svg")), None)
        if at is None:
            raise Refused(f"'{command}' names no .svg that it draws")
        option, _, name = words[at].rpartition("=")
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "figure.svg"
            words[at] = f"{option}={target}" if option else str(target)
            self.run(command, words)
            if not target.is_file():
                raise Refused(f"'{command}' drew nothing", 70)
            return Path(name), target.read_text(encoding="utf-8")


def shown_today(text, commands):
    """The document with today's outputs."""

    def replaced(match):
        command = match["command"]
        return f"{match[1]}$ {command}\n{commands.printed(command)}{match[4]}"

    return PRINTED.sub(replaced, text)


def check_markers(path, text):
    understood = len(PRINTED.findall(text)) + len(DRAWN.findall(text))
    if len(MARKERS.findall(text)) != understood:
        raise Refused(f"{path}: behind a line '<!-- printed by: COMMAND -->' stands ``` alone on its line, and ``` ends it")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="compare only; exit 1 if a document or a figure differs")
    parser.add_argument("--runner", nargs="+", default=[str(ROOT / "build/sim/bin/sgemm_runner")], help="the program")
    parser.add_argument("documents", nargs="*", type=Path, help="(default: README.md and docs/*.md)")
    arguments = parser.parse_args()

    commands = Commands(arguments.runner)
    differing = []
    for path in arguments.documents or [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]:
        try:
            text = path.read_text(encoding="utf-8")
        except (OSError, ValueError) as error:
            raise Refused(f"'{path}' cannot be read: {error}") from None
        check_markers(path, text)
        wanted = {path: shown_today(text, commands)}
        for match in DRAWN.finditer(text):
            name, figure = commands.drawn(match["command"])
            wanted[ROOT / name] = figure
        for file, content in wanted.items():
            if file.is_file() and file.read_text(encoding="utf-8") == content:
                continue
            differing.append(os.path.relpath(file, ROOT))
            if not arguments.check:
                file.parent.mkdir(exist_ok=True)
                program.replace_file(file, content)
    if arguments.check and differing:
        raise Refused(f"{', '.join(differing)}: not what is printed and drawn today; run bench/doc_outputs.py", 1)
    for file in differing:
        print(f"written anew: {file}")
    return 0


if __name__ == "__main__":
    sys.exit(program.run("doc_outputs", main))
