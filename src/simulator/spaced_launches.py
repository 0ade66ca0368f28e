#!/usr/bin/env python3
"""Writes `k<< <grid, block>> >(...)` as `k<<<grid, block>>>(...)`, which is the same to nvcc. clang knows only the second.

    spaced_launches.py OVERLAY FILE...   makes a copy of each file with such launches beside OVERLAY, and writes into OVERLAY that clang
                                         reads the copies in place of the files; exits 1 if no file has one

The copies have the same lines. A program's `A<B<C> >`, `x >> y` and `operator<< <T>` stay.
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


def joined(text):
    return LAUNCH.sub(lambda launch: f"<<<{launch['settings']}>>>", text)


def main():
    overlay = pathlib.Path(sys.argv[1])
    replaced = []
    for name in sys.argv[2:]:
        path = pathlib.Path(name).resolve()
        text = path.read_bytes().decode("latin-1")  # any bytes, unchanged
        new = joined(text)
        if new != text:
            copy = overlay.with_name(f"joined{len(replaced)}{path.suffix}")
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
