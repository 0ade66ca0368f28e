#!/usr/bin/env python3
"""Writes what only nvcc takes as clang takes it: `k<< <grid, block>> >(...)` as `k<<<grid, block>>>(...)`, and in inline PTX a register's
`%clock64` as `%%clock64`.

    nvcc_spellings.py OVERLAY FILE...   makes a copy of each file with such places beside OVERLAY, and writes into OVERLAY that clang
                                        reads the copies in place of the files; exits 1 if no file has one

The copies have the same lines. A program's `A<B<C> >`, `x >> y`, `operator<< <T>` and `printf("%c")` stay.
"""

import json
import pathlib
import re
import sys

LAUNCH = re.compile(
    r"""(?<!operator)             # operator<< <T>(...)
        (?:<<[ \t]+<|<[ \t]+<<|<<<)
        (?P<settings>[^;{}]*?)
        (?:>>[ \t]+>|>[ \t]+>>|>>>)
        (?=\s*\()""",
    re.VERBOSE,
)


ASM = re.compile(r'''\b(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*\((?:\s*"(?:[^"\\\n]|\\.)*")+''')
REGISTER = re.compile(r"(?<!%)%(?=[a-zA-Z_])")


def respelled(text):
    text = LAUNCH.sub(lambda launch: f"<<<{launch['settings']}>>>", text)
    return ASM.sub(lambda asm: REGISTER.sub("%%", asm[0]), text)


def main():
    overlay = pathlib.Path(sys.argv[1])
    replaced = []
    for name in sys.argv[2:]:
        path = pathlib.Path(name).resolve()
        text = path.read_bytes().decode("latin-1")  # any bytes, unchanged
        new = respelled(text)
        if new != text:
            copy = overlay.with_name(f"respelled{len(replaced)}{path.suffix}")
            copy.write_bytes(new.encode("latin-1"))
            replaced.append({"name": path.name, "type": "file", "external-contents": str(copy.resolve())})
            replaced[-1]["folder"] = str(path.parent)
    if not replaced:
        return 1
    roots = [{"name": file.pop("folder"), "type": "directory", "contents": [file]} for file in replaced]
    # The file keeps its name in messages and in line tables.
    overlay.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
