#!/usr/bin/python3 -IS
"""Carries kernels' __cluster_dims__ to their PTX.

usage: cluster_dims.py IN.ll IN.ptx OUT.ptx    on LLVM IR as clang's front end writes it, and the PTX made of it

clang 19 does not know the word, and LLVM 19 has no mark for it. So the headers annotate these kernels, and this program writes
each annotation into the head of the kernel's PTX, in the words of nvcc: .explicitcluster and .reqnctapercluster.
"""

import re
import sys

TEXT = re.compile(r'^(@[\w.$]+) = .*c"cluster_dims\\00", section "llvm\.metadata"', re.M)
SIZES = re.compile(r"^(@[\w.$]+) = .*constant { [i\d, ]+ } { (i32 \d+(?:, i32 \d+)*) }, section \"llvm\.metadata\"", re.M)
ANNOTATION = re.compile(r'{ ptr (@[\w.$]+|@"[^"]+"), ptr (@[\w.$]+), ptr @[\w.$]+, i32 \d+, ptr (@[\w.$]+|null) }')
# A declaration ends in a semicolon, and stays as it is.
ENTRY = re.compile(r"^((?:\.visible |\.weak )?\.entry )([\w.$]+)(\s*\([^)]*\))(?=[^;{]*{)", re.M)


def sizes_of_kernels(ir):
    """Returns the annotated sizes of each kernel's clusters: (x, y, z)."""
    texts = set(TEXT.findall(ir))
    sizes = {name: [int(size) for size in re.findall(r"i32 (\d+)", listed)] for name, listed in SIZES.findall(ir)}
    found = {}
    for line in ir.splitlines():
        if not line.startswith("@llvm.global.annotations = "):
            continue
        for kernel, text, arguments in ANNOTATION.findall(line):
            if text in texts:
                found[kernel.lstrip("@").strip('"')] = (sizes.get(arguments, []) + [1, 1, 1])[:3]
    return found


def carry(ir, ptx):
    sizes = sizes_of_kernels(ir)

    def with_sizes(entry):
        if entry[2] not in sizes:
            return entry[0]
        return f"{entry[0]}\n.explicitcluster\n.reqnctapercluster {', '.join(map(str, sizes[entry[2]]))}"

    return ENTRY.sub(with_sizes, ptx)


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
