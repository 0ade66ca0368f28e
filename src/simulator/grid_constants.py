#!/usr/bin/python3 -IS
"""Keeps kernels' __grid_constant__ parameters in place.

usage: grid_constants.py IN.ll OUT.ll    on LLVM IR as clang's front end writes it

nvcc does not copy a parameter marked __grid_constant__ if a kernel takes its address: all threads use the parameter itself.
clang 19 does not know the word, and LLVM copies such a parameter into each thread's local memory. A tensor copy would then
get an address in local memory. LLVM's code generator does know a mark for it, in the module's notes on kernels. So the
headers annotate these parameters, and this program makes notes of the annotations.
"""

import re
import sys

TEXT = re.compile(r'^(@[\w.$]+) = .*c"grid_constant\\00", section "llvm\.metadata"', re.M)
FUNCTION = re.compile(r"^define [^@\n]*(@(?:[\w.$]+|\"[^\"]+\"))\(.*\n(?:.*\n)*?}", re.M)
PARAMETER = re.compile(r"%\d+(?=,|\))")
ANNOTATION = re.compile(r"^  call void @llvm\.var\.annotation[\w.]*\(ptr (%\d+), ptr (@[\w.$]+), .*\n", re.M)
NOTES = re.compile(r"^!nvvm\.annotations = !{(.*)}$", re.M)
NUMBER = re.compile(r"^!(\d+) = ", re.M)


def carry(ir):
    """Returns the IR with a note for each kernel that has such parameters, and without the annotations."""
    texts = set(TEXT.findall(ir))
    marked = {}  # kernel -> numbers of its parameters, from 1 on

    def without_annotations(function):
        head = function[0].partition("\n")[0]
        parameters = PARAMETER.findall(head)

        def note(annotation):
            value, text = annotation.groups()
            if text not in texts or value not in parameters:
                return annotation[0]
            marked.setdefault(function[1], []).append(parameters.index(value) + 1)
            return ""

        return ANNOTATION.sub(note, function[0])

    ir = FUNCTION.sub(without_annotations, ir)
    notes = NOTES.search(ir)
    if not marked or notes is None:
        return ir
    number = max(map(int, NUMBER.findall(ir)), default=-1) + 1
    lines, names = [], []
    for kernel, parameters in marked.items():
        listed = ", ".join(f"i32 {p}" for p in sorted(parameters))
        lines.append(f'!{number} = !{{ptr {kernel}, !"grid_constant", !{number + 1}}}\n!{number + 1} = !{{{listed}}}\n')
        names.append(f"!{number}")
        number += 2
    ir = ir[: notes.end(1)] + ", " + ", ".join(names) + ir[notes.end(1) :]
    return ir.rstrip("\n") + "\n" + "".join(lines)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__.split("\n\n")[1])
    with open(sys.argv[1], encoding="utf-8", errors="surrogateescape") as file:
        ir = file.read()
    with open(sys.argv[2], "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(carry(ir))


if __name__ == "__main__":
    main()
