#!/usr/bin/env python3
"""Tests in x86-64's machine code that no function uses instructions above its level.

    instruction_levels_test.py OBJDUMP PROGRAM_OR_LIBRARY...

Functions of level v3 or v4 have it in their mangled names (src/simulator/execute/level/level.hpp). All others must run
on any x86-64-v2 processor. .ci/processors lets a processor refuse instructions, but only in code that runs there.
"""
import re
import subprocess
import sys

# v4 has registers that AVX2 does not know: 512 bits, numbers from 16 up, masks.
V4 = re.compile(r"%(zmm\d|[xy]mm(1[6-9]|2\d|3[01])\b|k[0-7]\b)")
# v3 is AVX with all its v..., and the additions to the integer instructions. (Not tzcnt: an older processor runs it as
# bsf, and compilers write it for any processor if both give the same.)
V3 = re.compile(r"\s*(v(?!er[rw]\b)[a-z]|(andn|bextr|blsi|blsmsk|blsr|bzhi|lzcnt|movbe|mulx|pdep|pext|rorx|sarx|shlx|shrx)[lqw]?\b)")
NAMES = {2: "x86-64-v2", 3: "x86-64-v3", 4: "x86-64-v4"}


def allowed(function):
    for level in (4, 3):
        if f"9simulator2v{level}" in function:
            return level
    return 2


def main():
    objdump, files = sys.argv[1], sys.argv[2:]
    seen = {2: 0, 3: 0, 4: 0}  # functions at each level that use its own instructions
    leaks = []
    for file in files:
        listing = subprocess.Popen([objdump, "-d", "--no-show-raw-insn", "--no-leading-addr", file],
                                   stdout=subprocess.PIPE, text=True)
        function, level, reported, counted = "", 2, True, True
        for line in listing.stdout:
            if line.startswith("<"):
                function = line[1:line.rindex(">")]
                level, reported, counted = allowed(function), False, False
                continue
            used = 4 if V4.search(line) else 3 if V3.match(line) else 2
            if used > level and not reported:
                leaks.append(f"{file}: {NAMES[used]} in {function}: {' '.join(line.split())}")
                reported = True
            if used == level and not counted:
                seen[level] += 1
                counted = True
        if listing.wait() != 0:
            sys.exit(f"{objdump} cannot read {file}")
    if leaks:
        print(*leaks, sep="\n")
        sys.exit(f"{len(leaks)} functions use what a processor of their level does not have")
    # Otherwise the test has read nothing: another objdump, or names that are mangled differently.
    if not all(seen.values()):
        sys.exit(f"not every level was seen: {seen}")


if __name__ == "__main__":
    main()
