#!/usr/bin/python3 -IS
"""Carries kernels' __cluster_dims__ and __maxnreg__ to their PTX.

usage: kernel_bounds.py IN.ll IN.ptx OUT.ptx    on LLVM IR as clang's front end writes it, and the PTX made of it

clang 19 does not know these words. So the headers annotate the kernels, and this program writes each annotation into the head of
the kernel's PTX, in the words of nvcc: .explicitcluster and .reqnctapercluster, or .maxnreg.
"""

import re
import sys

TEXT = re.compile(r'^(@[\w.$]+) = .*c"(cluster_dims|maxnreg)\\00", section "llvm\.metadata"', re.M)
NUMBERS = re.compile(r"^(@[\w.$]+) = .*constant { [i\d, ]+ } { (i32 \d+(?:, i32 \d+)*) }, section \"llvm\.metadata\"", re.M)
ANNOTATION = re.compile(r'{ ptr (@[\w.$]+|@"[^"]+"), ptr (@[\w.$]+), ptr @[\w.$]+, i32 \d+, ptr (@[\w.$]+|null) }')
# A declaration ends in a semicolon, and stays as it is.
ENTRY = re.compile(r"^((?:\.visible |\.weak )?\.entry )([\w.$]+)(\s*\([^)]*\))(?=[^;{]*{)", re.M)


def bounds_of_kernels(ir):
    """Returns the annotated words and numbers of each kernel, a list of pairs."""
    words = dict(TEXT.findall(ir))
    numbers = {name: [int(number) for number in re.findall(r"i32 (\d+)", listed)] for name, listed in NUMBERS.findall(ir)}
    found = {}
    for line in ir.splitlines():
        if not line.startswith("@llvm.global.annotations = "):
            continue
        for kernel, text, arguments in ANNOTATION.findall(line):
            if text in words:
                found.setdefault(kernel.lstrip("@").strip('"'), []).append((words[text], numbers.get(arguments, [])))
    return found


def directives(word, numbers):
    if word == "maxnreg":
        return f".maxnreg {numbers[0]}"
    return f".explicitcluster\n.reqnctapercluster {', '.join(map(str, (numbers + [1, 1, 1])[:3]))}"


def carry(ir, ptx):
    bounds = bounds_of_kernels(ir)

    def with_bounds(entry):
        return "\n".join([entry[0]] + [directives(*bound) for bound in bounds.get(entry[2], [])])

    return ENTRY.sub(with_bounds, ptx)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__.split("\n\n")[1])
    texts = []
    for name in sys.argv[1:3]:
        with open(name, encoding="utf-8", errors="surrogateescape") as file:
            texts.append(file.read())
    with open(sys.argv[3], "w", encoding="utf-8", errors="surrogateescape") as file:
        file.write(carry(*texts))


if __name__ == "__main__":
    main()
