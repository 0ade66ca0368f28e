"""Asks sgemm_runner to compare two runs, to count the memory accesses of a kernel's lines, and to draw requests."""

import re
import subprocess
import tempfile
from functools import cache
from html import unescape
from pathlib import Path

from plots import results
from plots.program import Refused

ROOT = Path(__file__).resolve().parent.parent.parent
LAUNCHER = ROOT / "sgemm_runner"  # it first builds a program that is not up to date
SECONDS_AT_MOST = 600
NOT_COMPARABLE = 4


class Unavailable(Exception):
    """Raised if the program cannot be run, or did not answer. The text says which, in one line."""


def compare(program, base, new):
    """Returns the run in the file `new` with the program's verdicts against the file `base`.

    If the program refuses a file, this refuses it with the program's words.
    """
    with tempfile.TemporaryDirectory() as folder:
        compared = Path(folder) / "compared.json"
        try:
            ended = _run([program, "compare", str(base), str(new), f"--json={compared}"])
        except Unavailable as reason:
            raise Refused(f"'{new}' cannot be compared with '{base}': {reason}") from None
        if not compared.is_file():
            code = ended.returncode if ended.returncode in (2, NOT_COMPARABLE) else 70
            raise Refused(f"'{new}' cannot be compared with '{base}': {_last_line(ended)}", code)
        return results.read(compared)


@cache
def prepare(program):
    """Makes sure that the program answers `show`. The launcher may have to build it, and says so on stderr."""
    _run([program, "show", "--help"], stderr=None)


def lines_of(program, subject):
    """Returns the row of `show SUBJECT --json`, which counts the memory accesses of each line on the simulated GPU."""
    ended = _run([program, "show", subject, "--json"])
    try:
        rows = results.parse(ended.stdout).rows
    except results.Unusable as unusable:
        why = _last_line(ended) if ended.returncode else f"its answer cannot be used: {unusable}"
        raise Unavailable(why) from None
    if len(rows) != 1:
        raise Unavailable(f"its answer has {len(rows)} rows, and not 1")
    return rows[0]


def picture_of(program, subject, buffer):
    """Returns the picture of a kernel's first request for a buffer: (SVG as bytes, its cost as a sentence)."""
    with tempfile.TemporaryDirectory() as folder:
        drawn = Path(folder) / "request.svg"
        ended = _run([program, "show", subject, "--picture", "--buffer", buffer, f"--svg={drawn}"])
        if ended.returncode or not drawn.is_file():
            raise Unavailable(_last_line(ended))
        svg = drawn.read_bytes()
    about = re.search(rb"<desc>[^<]*?request \d+: ([^<]*)</desc>", svg)
    return svg, unescape(about[1].decode("utf-8", "replace")) if about else ""


def _run(words, stderr=subprocess.PIPE):
    try:
        ended = subprocess.run(
            [str(word) for word in words],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=stderr,
            timeout=SECONDS_AT_MOST,
        )
    except OSError as error:
        raise Unavailable(f"'{words[0]}' cannot be run: {error.strerror}") from None
    except subprocess.TimeoutExpired:
        raise Unavailable(f"'{words[0]} {words[1]}' did not end within {SECONDS_AT_MOST} seconds") from None
    if stderr is None and ended.returncode:
        raise Unavailable(f"'{words[0]} {words[1]}' ended with {ended.returncode}")
    return ended


def _last_line(ended):
    """Returns the program's last line on stderr, without its name."""
    lines = ended.stderr.decode("utf-8", "replace").strip().splitlines()
    return lines[-1].removeprefix("sgemm_runner: ") if lines else f"sgemm_runner ended with {ended.returncode} and said nothing"
