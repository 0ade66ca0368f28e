#!/usr/bin/python3 -IS
"""Writes what only nvcc takes as clang takes it: `k<< <grid, block>> >(...)` as `k<<<grid, block>>>(...)`; in inline PTX a register's
`%clock64` as `%%clock64`; in a function `extern __shared__ Tile tile;` as an array and a reference to its first element.

    nvcc_spellings.py OVERLAY SOURCE OPTION...   makes a copy of each file with such places beside OVERLAY, and writes into OVERLAY that
                                                 clang reads the copies in place of the files; exits 1 if no file has one

The files are the source and those that it includes from its own folder or from the folders of the options -I, -iquote and -isystem. The
copies have the same lines. A program's `A<B<C> >`, `x >> y`, `operator<< <T>` and `printf("%c")` stay.
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
DYNAMIC = re.compile(
    r"""^(?P<indent>[ \t]+)extern[ \t]+__shared__[ \t]+
        (?P<alignment>(?:__align__|alignas)\([^()]*\)[ \t]*)?
        (?P<type>[\w:<>,*\ \t]*?[\w>*])[ \t]+
        (?P<name>\w+)[ \t]*;""",
    re.VERBOSE | re.MULTILINE,
)
INCLUDE = re.compile(r"""^[ \t]*\#[ \t]*include[ \t]*(?:"([^"\n]+)"|<([^>\n]+)>)""", re.VERBOSE | re.MULTILINE)
MOST_FILES = 1000  # a program that reads more has a library of others among them


def respelled(text):
    text = LAUNCH.sub(lambda launch: f"<<<{launch['settings']}>>>", text)
    text = DYNAMIC.sub(
        lambda found: f"{found['indent']}extern __shared__ {found['alignment'] or ''}{found['type']} {found['name']}_dynamic[]; "
        f"{found['type']}& {found['name']} = {found['name']}_dynamic[0];",
        text,
    )
    return ASM.sub(lambda asm: REGISTER.sub("%%", asm[0]), text)


def folders_of(options):
    """Returns the folders that the options name for headers."""
    folders = []
    following = iter(options)
    for option in following:
        for name in ("-I", "-iquote", "-isystem"):
            if option == name:
                folders.append(pathlib.Path(next(following, ".")))
            elif option.startswith(name):
                folders.append(pathlib.Path(option[len(name) :].removeprefix("=")))
    return folders


def texts_of(source, folders):
    """Returns the text of the source and of the files that it includes, by their paths. A byte is a character."""
    texts = {}
    waiting = [source.resolve()]
    while waiting and len(texts) < MOST_FILES:
        path = waiting.pop()
        if path in texts:
            continue
        texts[path] = path.read_bytes().decode("latin-1")
        for quoted, angled in INCLUDE.findall(texts[path]):
            beside = [path.parent] if quoted else []
            for folder in beside + folders:
                if (folder / (quoted or angled)).is_file():
                    waiting.append((folder / (quoted or angled)).resolve())
                    break
    return texts


def main():
    overlay = pathlib.Path(sys.argv[1])
    replaced = []
    for path, text in texts_of(pathlib.Path(sys.argv[2]), folders_of(sys.argv[3:])).items():
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
