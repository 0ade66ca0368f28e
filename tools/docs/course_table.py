#!/usr/bin/env python3
"""Writes the table of exercises of docs/workshop.md.

    tools/docs/course_table.py            puts the table between the markers in docs/workshop.md
    tools/docs/course_table.py --check    exits 1 if docs/workshop.md does not hold the table of today's exercises

The list of exercises is exercises/course.txt. Titles and questions come from the exercises' texts. Minutes are computed, not timed.
The minutes of reading are words / 200: the words of the task for a learner, the words of all texts for a teacher. A learner also
needs some minutes to write and think before each check. The number of checks is the number that a person needed who had not seen
the exercise before. It is a comment at the end of the exercise's line in the list, `# 6 checks`.
"""

import argparse
import math
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))  # where plots/ is
from plots import program  # noqa: E402
from plots.program import Refused  # noqa: E402

ROOT = Path(__file__).resolve().parents[2]
BEGIN = "<!-- course table: made by tools/docs/course_table.py -->\n"
END = "<!-- end of the course table -->\n"
WORDS_A_MINUTE = 200
TEXTS = ("README.md", "hints.md", "wrong_answers.md", "answers.md")
MINUTES_A_CHECK = 3
UNKNOWN = "not tried yet"


def text_of(file):
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, ValueError) as error:
        raise Refused(f"'{file}' cannot be read: {error}") from None


def course(exercises):
    """Returns the exercises' names in order, each with its number of checks, or None."""
    lines = (re.fullmatch(r"([^\s#]+)[^#]*(?:#\s*(\d+) checks?)?.*", line) for line in text_of(exercises / "course.txt").splitlines())
    return [(line[1], line[2] and int(line[2])) for line in lines if line]


def reading(exercises, name, texts):
    """Returns the minutes that it takes to read these texts of an exercise."""
    return sum(len(text_of(exercises / name / text).split()) for text in texts) / WORDS_A_MINUTE


def minutes(exercises, name, checks):
    """Returns a learner's minutes, rounded to a multiple of five."""
    return 5 * max(1, round((reading(exercises, name, TEXTS[:1]) + MINUTES_A_CHECK * checks) / 5))


def title_of(exercises, name):
    """Returns ('2 coalesced', 'the same threads, renumbered') for the title '# 2 coalesced: the same threads, renumbered'."""
    first = text_of(exercises / name / "README.md").partition("\n")[0]
    title = re.fullmatch(r"# ([^:]+): (.+)", first)
    if not title:
        raise Refused(f"{exercises / name / 'README.md'}:1: '{first}' should read '# NAME: what it is about'")
    return title[1], title[2]


def table(exercises):
    lines = ["| exercise | what it is about | texts | questions answered | the task | all texts | minutes |",
             "| --- | --- | --- | --- | ---: | ---: | ---: |"]
    for name, checks in course(exercises):
        called, about = title_of(exercises, name)
        folder = f"../exercises/{name}"
        task, all_texts = (math.ceil(reading(exercises, name, texts)) for texts in (TEXTS[:1], TEXTS))
        lines.append(f"| {called} | {about} | [task]({folder}/README.md), [hints]({folder}/hints.md), "
                     f"[wrong answers]({folder}/wrong_answers.md) | [before and after]({folder}/answers.md) | {task} | {all_texts} | "
                     f"{UNKNOWN if checks is None else minutes(exercises, name, checks)} |")
    return "\n".join(lines) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; exit 1 if the table is not up to date")
    parser.add_argument("--exercises", type=Path, default=ROOT / "exercises")
    parser.add_argument("--document", type=Path, default=ROOT / "docs/workshop.md")
    options = parser.parse_args()
    text = text_of(options.document)
    if text.count(BEGIN) != 1 or text.count(END) != 1:
        raise Refused(f"'{options.document}' should have the lines '{BEGIN.strip()}' and '{END.strip()}', each once")
    head, rest = text.split(BEGIN)
    wanted = head + BEGIN + table(options.exercises) + END + rest.split(END)[1]
    if wanted == text:
        return 0
    if options.check:
        print(f"{options.document} has another table of exercises than tools/docs/course_table.py makes today", file=sys.stderr)
        return 1
    options.document.write_text(wanted, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(program.run("course_table", main))
