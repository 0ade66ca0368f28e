#!/usr/bin/env python3
"""Knows what the simulated GPU has of CUDA. Says in one line that a program needs a part that it does not have.

    subset.py covered                       lists what it has, and what it has not
    subset.py header FILE:LINE HEADER       the line for an #include
    subset.py library NAME                  prints the part that the library of -lNAME belongs to; exits 1 if it is nobody's
    subset.py messages FILE HEADERS         prints clang's messages in FILE, or one line in their place if the first error comes
                                              from a part that is absent; HEADERS is the folder of the simulator's own headers

subset.toml has both lists.
"""

import fnmatch
import pathlib
import re
import shutil
import signal
import sys
import textwrap
import tomllib

FILE = pathlib.Path(__file__).resolve().parent / "subset.toml"
WHERE_TO_READ = "simcc --covered says what it has"
COLOURS = re.compile(r"\033\[[0-9;]*[mK]")
# Where clang's message begins: file, line, column.
PLACE = r"^(?P<file>[^\s:][^:]*):(?P<line>\d+):\d+: "
ERROR = re.compile(PLACE + r"(?:fatal )?error: (?P<text>.*)$")
NOTE = re.compile(PLACE + r"note: in instantiation of ")
MISSING_HEADER = re.compile(r"'([^']+)' file not found")
UNKNOWN_NAMES = [
    re.compile(pattern)
    for pattern in (
        r"use of undeclared (?:identifier|template) '([^']+)'",
        r"unknown type name '([^']+)'",
        r"no template named '([^']+)'",
        r"unknown class name '([^']+)'",
        r"variable has incomplete type '(?:struct |enum )?([^']+)'",
    )
]
KERNEL_IN_DEVICE_CODE = re.compile(r"reference to __global__ function '[^']+' in __(?:global|device)__ function")
HOST_IN_DEVICE_CODE = re.compile(r"reference to __host__ function '(cuda[A-Z]\w*)(?:<.*>)?' in __(?:global|device)__ function")
NO_MATCH = re.compile(r"no matching function for call to '(cuda[A-Z]\w*)'")
HOST_CALLED = re.compile(r"not viable: call to __host__ function from __(?:global|device)__ function")
UNAVAILABLE = re.compile(r"'([^']+)' is unavailable: (.*)$")
ASSERTION = re.compile(r"static assertion failed(?: due to requirement '.*?')?: (.*)$")


def subset(path=FILE):
    """Returns the lists of subset.toml, `covered` and `absent`."""
    with open(path, "rb") as file:
        return tomllib.load(file)


def covered_rows(path=FILE):
    """Returns the pairs of a topic and what the simulated GPU has of it, each as one line of Markdown."""
    return [(row["topic"], " ".join(row["has"].split())) for row in subset(path)["covered"]]


def list_covered():
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)  # a pager may stop reading
    width = min(100, shutil.get_terminal_size().columns)
    print("The simulated GPU has:\n")
    for topic, has in covered_rows():
        print(textwrap.fill(f"{topic}: {has}".replace("`", ""), width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))
    print("\nIt does not have:\n")
    for part in subset()["absent"]:
        known_by = ", ".join(part.get("headers", []) + part.get("names", []))
        print(textwrap.fill(f"{part['part']}: {known_by}", width, subsequent_indent="    ", break_long_words=False, break_on_hyphens=False))


def find_part(kind, name):
    """Returns the first absent part with a pattern of this kind (headers, names, libraries) that fits, or None."""
    for part in subset()["absent"]:
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in part.get(kind, [])):
            return part
    return None


def advice(part):
    return f"; try {part['try']}" if "try" in part else ""


def header_line(place, header):
    part = find_part("headers", header)
    name = part["part"] if part else "this part of CUDA"
    return f"{place} error: {header} is not among the headers of the simulated GPU, which does not have {name}; {WHERE_TO_READ}"


def name_line(place, name):
    """Returns the line for a name that is declared nowhere, or None if it does not look like one of CUDA's."""
    part = find_part("names", name)
    if part:
        return f"{place} error: {name}: the simulated GPU does not have {part['part']}{advice(part)}; {WHERE_TO_READ}"
    if re.match(r"cuda[A-Z]|__cuda|__nv", name):
        return f"{place} error: {name} is declared neither by the program nor by the simulated GPU's headers; {WHERE_TO_READ}"
    return None


def line_for(errors, lines, headers):
    """Returns the line that says more than clang's messages, or None."""
    at, error = errors[0]
    place, text = f"{error['file']}:{error['line']}:", error["text"]
    missing = MISSING_HEADER.search(text)
    if missing:
        if missing[1] == "omp.h":
            return f"{place} error: omp.h: OpenMP for clang is in the package libomp-19-dev"
        return header_line(place, missing[1]) if is_nvidias(missing[1]) else None
    for pattern in UNKNOWN_NAMES:
        unknown = pattern.search(text)
        if unknown:
            return name_line(place, unknown[1])
    if KERNEL_IN_DEVICE_CODE.search(text):
        return f"{place} error: a kernel launches a kernel; the simulated GPU does not have dynamic parallelism; {WHERE_TO_READ}"
    host = HOST_IN_DEVICE_CODE.search(text)
    if not host and any(HOST_CALLED.search(line) for line in lines[at + 1 : at + 8]):
        host = NO_MATCH.search(text)
    if host:
        return f"{place} error: {host[1]} in device code; the simulated GPU does not have dynamic parallelism; {WHERE_TO_READ}"
    unavailable = UNAVAILABLE.search(text)
    if unavailable and any(headers in line for line in lines[at + 1 : at + 8]):
        return f"{place} error: {unavailable[1]}: {unavailable[2]}"
    assertion = ASSERTION.search(text)
    if assertion and error["file"].startswith(headers):
        for line in lines[at + 1 :]:
            note = NOTE.match(line)
            if note and not note["file"].startswith(headers):
                return f"{note['file']}:{note['line']}: error: {assertion[1]}"
    return None


def is_nvidias(header):
    """True if the name is one of a toolkit's headers. Other missing headers are the program's own."""
    return find_part("headers", header) is not None or re.match(r"(cuda|cooperative_groups/|crt/|sm_\d|cu[a-z]+_)", header) is not None


def show_messages(path, headers):
    text = pathlib.Path(path).read_text(errors="replace")
    lines = COLOURS.sub("", text).splitlines()
    errors = [(at, found) for at, found in ((at, ERROR.match(line)) for at, line in enumerate(lines)) if found]
    line = line_for(errors, lines, headers) if errors else None
    sys.stderr.write(f"{line}\n" if line else text)


def main():
    match sys.argv[1:]:
        case ["covered"]:
            list_covered()
        case ["header", place, header]:
            print(header_line(place, header), file=sys.stderr)
        case ["library", name]:
            part = find_part("libraries", name)
            if part is None:
                return 1
            print(part["part"])
        case ["messages", path, headers]:
            show_messages(path, headers)
        case _:
            print(__doc__, file=sys.stderr)
            return 2
    return 0


if __name__ == "__main__":
    sys.exit(main())
