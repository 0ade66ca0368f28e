#!/usr/bin/python3 -IS
"""Writes what only nvcc takes as clang takes it: `k<< <grid, block>> >(...)` as `k<<<grid, block>>>(...)`; in inline PTX a register's
`%clock64` as `%%clock64`; in a function `extern __shared__ Tile tile;` as an array and a reference to its first element; `__shared__ Complex
tile[64];`, if the class has a constructor, as a reference to raw memory, because nothing calls it; Eigen without its code for nvcc.

    nvcc_spellings.py OVERLAY SOURCE OPTION...   makes a copy of each file with such places beside OVERLAY, and writes into OVERLAY that
                                                 clang reads the copies in place of the files; exits 1 if no file has one

The files are the source and those that it includes from its own folder or from the folders of the options -I, -iquote, -isystem and
-idirafter and of CPATH. The copies have the same lines. A program's `A<B<C> >`, `x >> y`, `operator<< <T>` and `printf("%c")` stay.
"""

import json
import os
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
CLASS = re.compile(r"\b(?:struct|class)\s+(?:(?:__align__|alignas)\([^()]*\)\s*)?(?P<name>\w+)\b[^;{}()<>]*\{")
ALIAS = re.compile(r"\busing\s+(?P<name>\w+)\s*=(?P<of>[^;]*);|\btypedef\s+(?P<of_old>[^;]*?)\b(?P<old>\w+)\s*;")
PARAMETER = re.compile(r"\b(?:typename|class)\s+(\w+)\s*[,>=]")
SHARED = re.compile(
    r"""\b(?P<before>extern[ \t]+)?(?:static[ \t]+)?__shared__[ \t]+
        (?P<alignment>(?:__align__|alignas)\([^()]*\)[ \t]*)?
        (?P<type>[\w:]+(?:<[^;{}()]*>)?)[ \t]+
        (?P<names>\w+(?:\[[^;{}]*\])*(?:\s*,\s*\w+(?:\[[^;{}]*\])*)*)[ \t]*;""",
    re.VERBOSE,
)
PLAIN = {"bool", "char", "double", "float", "int", "long", "short", "signed", "unsigned"}
VARIABLE = re.compile(r"(?P<name>\w+)(?P<extents>(?:\[[^\[\]]*\])*)")
MOST_FILES = 1000  # a program that reads more has a library of others among them


def body_at(text, start):
    """Returns the text from a class's brace to the one that ends it."""
    depth = 0
    for brace in re.compile(r"[{}]").finditer(text, start):
        depth += 1 if brace[0] == "{" else -1
        if depth == 0:
            return text[start : brace.end()]
    return ""


def constructed_types(texts):
    """Returns the names of types whose variables begin with a call of a constructor, as far as the texts show. A template's parameters may
    be such types, if device code can call one's constructor."""
    bodies = {found["name"]: body_at(text, found.end() - 1) for text in texts for found in CLASS.finditer(text)}
    found = set()
    for name, body in bodies.items():
        is_empty = re.search(rf"\b{name}\s*\(\s*\)\s*(?:\{{\s*\}}|=\s*default)", body)
        declarations = re.sub(r"\([^()]*\)\s*(?:const\s*)?\{[^{}]*\}", "", body)
        sets_members = re.search(r"\b\w+\s*(?:\[[^\]]*\]\s*)?(?:=\s*[^=;(){}]+|\{[^{};]*\});", declarations)
        if sets_members or (not is_empty and re.search(rf"(?<![~\w]){name}\s*\(", body)):
            found.add(name)
    contents = list(bodies.items())
    for text in texts:
        contents += [(alias["name"] or alias["old"], alias["of"] or alias["of_old"] or "") for alias in ALIAS.finditer(text)]
    mentioned = [(name, set(re.findall(r"\w+", content))) for name, content in contents]
    while further := {name for name, words in mentioned if name not in found and words & found}:
        found |= further
    if any("__device__" in bodies.get(name, "") for name in found):
        found |= {name for text in texts for name in PARAMETER.findall(text)}
    return found


def without_construction(text, types):
    """Returns the text with shared variables of these types as references to raw memory."""

    def raw(found):
        if found["before"] or not types & set(re.findall(r"\w+", found["type"])):
            return found[0]
        variables = []
        for variable in VARIABLE.finditer(found["names"]):
            name, extents, of = variable["name"], variable["extents"], found["type"]
            variables.append(
                f"__shared__ {found['alignment'] or ''}__simulator_raw<{of}{extents}> {name}_raw; "
                f"{of} (&{name}){extents} = reinterpret_cast<{of} (&){extents}>({name}_raw);"
            )
        lines = found[0].count("\n")
        return " ".join(variables) + "\n" * lines

    return SHARED.sub(raw, text)


def respelled(text, constructed):
    if "EIGEN_COMP_NVCC" in text:  # Eigen takes clang for a compiler of CUDA too, unless this macro says that it is nvcc
        text = text.replace("__NVCC__", "__NVCC_ITSELF__")
    if constructed:
        text = without_construction(text, constructed)
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
        for name in ("-I", "-iquote", "-isystem", "-idirafter"):
            if option == name:
                folders.append(pathlib.Path(next(following, ".")))
            elif option.startswith(name):
                folders.append(pathlib.Path(option[len(name) :].removeprefix("=")))
    return folders + [pathlib.Path(folder) for folder in os.environ.get("CPATH", "").split(":") if folder]


def texts_of(source, folders):
    """Returns the text of the source and of the files that it includes, by the paths at which clang finds them. A byte is a character."""
    texts = {}
    waiting = [source]
    while waiting and len(texts) < MOST_FILES:
        path = waiting.pop()
        if path in texts:
            continue
        texts[path] = path.read_bytes().decode("latin-1")
        for quoted, angled in INCLUDE.findall(texts[path]):
            beside = [path.parent] if quoted else []
            for folder in beside + folders:
                if (folder / (quoted or angled)).is_file():
                    waiting.append(without_detours(folder / (quoted or angled)))
                    break
    return texts


def without_detours(path):
    """Returns the path without `folder/..`, if it is the same file: through links it may be another."""
    plain = pathlib.Path(os.path.normpath(path))
    return plain if plain.exists() and plain.samefile(path) else path


def names_of(path):
    """Returns the absolute names of a file: without the links in it, as it is, and as seen from where the shell says that we are."""
    return {str(path.resolve()), os.path.abspath(path), os.path.normpath(os.path.join(os.environ.get("PWD", "/"), path))}


def main():
    overlay = pathlib.Path(sys.argv[1])
    copies = {}
    texts = texts_of(pathlib.Path(sys.argv[2]), folders_of(sys.argv[3:]))
    of_shared = {found["type"] for text in texts.values() if "__shared__" in text for found in SHARED.finditer(text)}
    constructed = constructed_types(texts.values()) if of_shared - PLAIN else set()
    for path, text in texts.items():
        new = respelled(text, constructed)
        if new != text:
            copy = overlay.with_name(f"respelled{len(copies)}{path.suffix}")
            copy.write_bytes(new.encode("latin-1"))
            copies |= {name: str(copy.resolve()) for name in names_of(path)}
    if not copies:
        return 1
    roots = [{"name": name, "type": "file", "external-contents": copy} for name, copy in copies.items()]
    # The file keeps its name in messages and in line tables.
    overlay.write_text(json.dumps({"version": 0, "use-external-names": False, "roots": roots}))
    return 0


if __name__ == "__main__":
    sys.exit(main())
