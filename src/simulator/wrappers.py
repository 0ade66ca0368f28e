#!/usr/bin/python3 -IS
"""Lets the instructions of a header's wrappers count for the line that calls the wrapper.

usage: wrappers.py IN.ll OUT.ll    on LLVM IR as clang's front end writes it

A wrapper is a short function of a header with inline assembly: a name for an instruction, such as a tensor copy or a wgmma. So is
a function of two or three lines that calls a wrapper, such as a loop that waits for an mbarrier. A message about line 142 of wgmma.cuh says little: the reader looks for the call. PTX holds no calls that were inlined. But LLVM
gives the instructions of a function without lines the line of its call. So this program takes the lines from wrappers.
"""

import os.path
import re
import sys

# A longer function has lines worth naming.
MOST_BLOCKS = 8  # with inline assembly
MOST_LINES = 3  # with a call of a wrapper

FUNCTION = re.compile(r"^define [^@\n]*(@[^(\n]+)\([^\n]* !dbg !(\d+) \{\n(?:.*\n)*?}", re.M)
KERNEL = re.compile(r'= !\{ptr (@[^,\n]+), !"kernel", i32 1\}')
BLOCK = re.compile(r"^\d+:|^[\w.]+:", re.M)
CALL = re.compile(r"\bcall [^@\n]*(@[^(\n]+)\(")
ASSEMBLY = re.compile(r'\basm (?:sideeffect )?"(?!")')
LINE = re.compile(r",? !dbg !(\d+)")
LOCATION = re.compile(r"^!(\d+) = !DILocation\(line: (\d+),", re.M)
UNIT = re.compile(r"!DICompileUnit\([^\n]*?\bfile: !(\d+)")
FILE = re.compile(r'^!(\d+) = !DIFile\(filename: "([^"]*)", directory: "([^"]*)"', re.M)
SUBPROGRAM = re.compile(r"^!(\d+) = distinct !DISubprogram\([^\n]*?\bfile: !(\d+)", re.M)


def without_lines_of_wrappers(ir):
    """Returns the IR in which wrappers of headers have no lines."""
    unit = UNIT.search(ir)
    if unit is None:
        return ir
    # A file may have several notes.
    paths = {number: os.path.normpath(os.path.join(folder, name)) for number, name, folder in FILE.findall(ir)}
    file_of = {function: paths.get(number) for function, number in SUBPROGRAM.findall(ir)}
    own, kernels = paths.get(unit[1]), set(KERNEL.findall(ir))
    line_of = dict(LOCATION.findall(ir))
    of_headers = [
        function
        for function in FUNCTION.finditer(ir)
        if file_of.get(function[2], own) != own and function[1] not in kernels
    ]

    def lines(text):
        return {line_of[number] for number in LINE.findall(text) if number in line_of}

    wrappers = {
        name
        for text, name in ((function[0], function[1]) for function in of_headers)
        if ASSEMBLY.search(text) and len(BLOCK.findall(text)) < MOST_BLOCKS
    }
    found = True
    while found:  # callers of callers, too
        found = {
            function[1]
            for function in of_headers
            if function[1] not in wrappers
            and not wrappers.isdisjoint(CALL.findall(function[0]))
            and len(lines(function[0])) <= MOST_LINES
        }
        wrappers |= found

    def stripped(function):
        return LINE.sub("", function[0]) if function[1] in wrappers else function[0]

    return FUNCTION.sub(stripped, ir)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as file:
        ir = file.read()
    with open(sys.argv[2], "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(without_lines_of_wrappers(ir))


if __name__ == "__main__":
    main()
