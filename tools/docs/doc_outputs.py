#!/usr/bin/env python3
"""Puts the outputs and drawings of programs, and the text of files, into the documents that show them.

    tools/docs/doc_outputs.py                 writes every output and every figure of README.md and docs/*.md anew
    tools/docs/doc_outputs.py --check         exits 1 if a document does not show today's outputs and drawings
    tools/docs/doc_outputs.py docs/memory.md  does this for one document only

A document names its outputs, and this program fills them in:

    <!-- printed by: ./sgemm_runner lab copy_stride -->
    ```
    (the output is put here)
    ```
    <!-- drawn by: ./sgemm_runner show copy_stride/8 --picture --svg=docs/figures/stride_8.svg -->
    <!-- text of: docs/ci/counters.yml -->
    ```yaml
    (the file is put here)
    ```
    <!-- bug in: test/data/bugs/double_free -->
    (the bug's section is put here)
    <!-- end of bug -->

Commands run in the root of the tree on the simulated GPU, 104 columns wide, without colour, and must end with 0. The
document names the exit code of any other command:

    <!-- printed by, ending with 3: ./sgemm_runner compare base.json new.json -->

A plot of python3 -m plots carries the values that it shows. So it is checked without being drawn, even on machines without
matplotlib, and drawn anew by a Python that has matplotlib.
"""

import argparse
import os
import re
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path

import bug_section

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # where plots/ is
from plots import program, style  # noqa: E402
from plots.program import Refused  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
PRINTED = re.compile(
    r"(?P<head><!-- printed by(?:, ending with (?P<code>\d+))?: (?P<command>.+?) -->\n```\n)(?P<shown>.*?)(?<=\n)(?P<end>```\n)",
    re.DOTALL,
)
DRAWN = re.compile(r"<!-- drawn by: (?P<command>.+?) -->")
TEXT = re.compile(r"(?P<head><!-- text of: (?P<file>.+?) -->\n```\w*\n)(?P<shown>.*?)(?<=\n)(?P<end>```\n)", re.DOTALL)
BUG = re.compile(r"(?P<head><!-- bug in: (?P<folder>\S+) -->\n)(?P<shown>.*?)(?P<end><!-- end of bug -->\n)", re.DOTALL)
MARKERS = re.compile(r"<!-- (printed by|drawn by|text of|bug in)")
COLUMNS = "104"
PLOTS = "python3 -m plots"


class Commands:
    """The programs that a document may name, and how they are run."""

    def __init__(self, runner):
        self.programs = {
            "./sgemm_runner": runner,
            "tools/docs/figures.py": [sys.executable, "-B", str(ROOT / "tools/docs/figures.py")],
            "tools/docs/check_picture.py": [sys.executable, "-B", str(ROOT / "tools/docs/check_picture.py"), "--runner", *runner],
            PLOTS: [sys.executable, "-B", "-m", "plots"],
        }
        self.answers = {}

    def run(self, command, words, code=0, may_differ=False):
        """Returns the output of the command, which must end with `code`. None if `may_differ` and the command finds a difference."""
        name = next((name for name in self.programs if words[: len(name.split())] == name.split()), None)
        if name is None:
            raise Refused(f"'{command}': a document may show the output of {' or '.join(self.programs)}, not of '{words[0]}'")
        environment = {**os.environ, "COLUMNS": COLUMNS, "LC_ALL": "C.UTF-8", "NO_COLOR": "1"}
        called = [*self.programs[name], *words[len(name.split()) :]]
        ended = subprocess.run(called, cwd=ROOT, env=environment, capture_output=True, text=True, encoding="utf-8")
        if may_differ and ended.returncode == 1:
            return None
        if ended.returncode != code:
            raise Refused(f"'{command}' ended with {ended.returncode}: {ended.stderr.strip() or ended.stdout.strip()}", 70)
        return ended.stdout

    def printed(self, command, code):
        """Returns the output of the command, which runs once even if documents show it several times."""
        if (command, code) not in self.answers:
            self.answers[command, code] = self.run(command, shlex.split(command), code)
        return self.answers[command, code]

    def drawn(self, command, check):
        """Returns the file that the command draws, relative to the root, and its right contents. A check does not draw: its contents
        are None if the file shows another plot. The file itself is not written."""
        words = shlex.split(command)
        at = next((i for i, word in enumerate(words) if word.endswith(".svg")), None)
        if at is None:
            raise Refused(f"'{command}' names no .svg that it draws")
        option, _, name = words[at].rpartition("=")
        if command.startswith(PLOTS + " "):
            python = None if check else style.find_python()
            if not python:
                if self.shows_its_run(command, words, name):
                    return Path(name), (ROOT / name).read_text(encoding="utf-8")
                if check:
                    return Path(name), None
                raise Refused(style.missing())
            self.programs[PLOTS][0] = python
        with tempfile.TemporaryDirectory() as folder:
            target = Path(folder) / "figure.svg"
            words[at] = f"{option}={target}" if option else str(target)
            self.run(command, words)
            if not target.is_file():
                raise Refused(f"'{command}' drew nothing", 70)
            return Path(name), target.read_text(encoding="utf-8")


    def shows_its_run(self, command, words, name):
        return (ROOT / name).is_file() and self.run(command, [*words, "--check"], may_differ=True) is not None


def text_of(file):
    try:
        return (ROOT / file).read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refused(f"'{file}', which a document shows, cannot be read: {error}") from None


def bug_in(folder):
    try:
        return bug_section.section(ROOT / folder)
    except (OSError, ValueError) as error:
        raise Refused(f"the bug in '{folder}', which a document shows, cannot be read: {error}") from None


def shown_today(text, commands):
    """Returns the document with today's outputs and files."""

    def replaced(match):
        command = match["command"]
        shown = commands.printed(command, int(match["code"] or 0))
        return f"{match['head']}$ {command}\n{shown}{match['end']}"

    text = PRINTED.sub(replaced, text)
    text = TEXT.sub(lambda match: match["head"] + text_of(match["file"]) + match["end"], text)
    return BUG.sub(lambda match: match["head"] + bug_in(match["folder"]) + match["end"], text)


def check_markers(path, text):
    understood = sum(len(kind.findall(text)) for kind in (PRINTED, DRAWN, TEXT, BUG))
    if len(MARKERS.findall(text)) != understood:
        raise Refused(
            f"{path}: a marker is not followed by the block that it needs. After '<!-- printed by: COMMAND -->' comes a line with ``` "
            "alone; after '<!-- text of: FILE -->' a line with ``` or ```yaml. ``` closes both blocks. '<!-- end of bug -->' closes "
            "'<!-- bug in: FOLDER -->'."
        )


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
            name, figure = commands.drawn(match["command"], arguments.check)
            wanted[ROOT / name] = figure
        for file, content in wanted.items():
            if file.is_file() and file.read_text(encoding="utf-8") == content:
                continue
            differing.append(os.path.relpath(file, ROOT))
            if not arguments.check:
                file.parent.mkdir(exist_ok=True)
                program.replace_file(file, content)
    if arguments.check and differing:
        raise Refused(f"{', '.join(differing)}: not what is printed and drawn today; run tools/docs/doc_outputs.py", 1)
    for file in differing:
        print(f"written anew: {file}")
    return 0


if __name__ == "__main__":
    sys.exit(program.run("doc_outputs", main))
