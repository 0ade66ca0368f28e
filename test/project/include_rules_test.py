#!/usr/bin/env python3
"""Checks the sources' includes against the table of the files that each folder may know (house.toml).

    include_rules_test.py             the tests
    include_rules_test.py --write     writes the table into CONTRIBUTING.md
"""

import ast
import re
import sys
import tomllib
import unittest
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src"
HOUSE = tomllib.loads((Path(__file__).parent / "house.toml").read_text())
CODE = {".cpp", ".hpp", ".cu", ".cuh", ".h", ".def"}
MOST_FILES = 25  # in one folder, at most

INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


class Rule:
    """The headers that the files of one folder, or of one of its rooms, may include."""

    def __init__(self, folder, room=None, before=()):
        base = folder["path"]
        self.path = base if room is None else f"{base}/{room}"
        self.knows = list(folder.get("knows", []))
        self.libraries = folder.get("libraries", [])
        self.siblings = folder.get("siblings", False)
        self.rooms_before = [f"{base}/{name}" for name in before]
        self.base = base

    def may_include(self, header):
        owner = rule_of(header)
        if owner is not None and owner.path in (self.path, *self.rooms_before):
            return True
        if self.path != self.base and owner is not None and owner.path == self.base:
            return True  # files in the folder itself are open to every room
        if self.siblings and owner is None:
            return True
        return is_named(header, self.knows)

    def may_include_library(self, header):
        of_the_standard = re.fullmatch(r"[a-z_0-9]+", header)
        return bool(of_the_standard) or any(re.fullmatch(known, header) for known in self.libraries)


def rooms_of(folder):
    return [entry.split(":")[0] for entry in folder.get("rooms", [])]


@cache
def rules():
    found = []
    for folder in HOUSE["folder"]:
        found.append(Rule(folder))
        rooms = rooms_of(folder)
        found += [Rule(folder, room, rooms[:i]) for i, room in enumerate(rooms)]
    return found


def rule_of(path):
    """Returns the rule of the innermost folder that holds a file; None outside the table."""
    holds = [rule for rule in rules() if path.startswith(rule.path + "/")]
    return max(holds, key=lambda rule: len(rule.path), default=None)


def is_named(header, known):
    return any(header.startswith(one) if one.endswith("/") else header == one for one in known)


def complaint(file, line):
    """Returns the error in a line of a file below src/; empty if there is none."""
    match = INCLUDE.match(line)
    if match is None:
        return ""
    rule = rule_of(file)
    if rule is None:
        return f"{file} lies in no folder of the table"
    header = match[1] or match[2]
    if match[1] is None:
        fits = rule.may_include_library(header)
    else:
        fits = rule.may_include(header)
        exceptions = [one["knows"] for one in HOUSE.get("exception", []) if one["file"] == file]
        fits = fits or any(is_named(header, known) for known in exceptions)
    return "" if fits else f"{file} includes {header}, which {rule.path} may not know"


def python_complaint(package, file, tree):
    """Returns the errors in the imports of a module of a package; empty if there are none."""
    own = {path.stem for path in (ROOT / package["path"]).glob("*.py")}
    known = set(package.get("knows", [])) | {package["path"].split("/")[0]}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.level == 0:  # else of the package itself
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        else:
            continue
        for name in names:
            top = name.split(".")[0]
            if top in sys.stdlib_module_names or top in own:
                continue
            inner = [other["path"] for other in HOUSE["package"] if other["path"].startswith(package["path"] + "/")]
            reached = [path for path in inner if f"{name}.".startswith(path.replace("/", ".") + ".")]
            may_reach_in = any(one["file"] == file.relative_to(ROOT).as_posix() for one in HOUSE["exception"])
            if top not in known or (reached and not may_reach_in):
                return f"{file.relative_to(ROOT)} imports {name}, which {package['path']} may not know"
    return ""


def files_below(folder):
    return sorted(path for path in (SOURCE / folder).rglob("*") if path.suffix in CODE)


def folders_with_code():
    return {path.parent.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*") if path.suffix in CODE}


def table():
    """Returns CONTRIBUTING's table."""
    lines = ["| folder | contents | may know |", "| --- | --- | --- |"]

    def known(entries):
        return ", ".join(f"`{entry.rstrip('/')}`" for entry in entries) or "nobody"

    for folder in HOUSE["folder"]:
        lines.append(f"| `src/{folder['path']}` | {folder['about']} | {known(folder.get('knows', []))} |")
        for entry in folder.get("rooms", []):
            room, about = entry.split(":", 1)
            lines.append(f"| · `{room}` | {about.strip()} | the rooms above |")
    for exception in HOUSE.get("exception", []):
        file = exception["file"] if exception["file"].endswith(".py") else f"src/{exception['file']}"
        lines.append(f"| `{file}` | | {known(exception['knows'])} too |")
    for package in HOUSE["package"]:
        lines.append(f"| `{package['path']}` (Python) | {package['about']} | {known(package.get('knows', []))} |")
    return "\n".join(lines) + "\n"


BEGIN, END = "<!-- house: begin -->\n", "<!-- house: end -->\n"


def with_table(text):
    before, rest = text.split(BEGIN)
    return before + BEGIN + table() + END + rest.split(END)[1]


class IncludeRules(unittest.TestCase):
    def test_hold_for_every_file(self):
        read = 0
        for path in files_below("."):
            for number, line in enumerate(path.read_text().splitlines(), 1):
                self.assertEqual(complaint(path.relative_to(SOURCE).as_posix(), line), "", f"line {number}")
                read += 1
        self.assertGreater(read, 10000, "hardly anything was read")

    def test_name_every_folder_and_no_other(self):
        with_code = folders_with_code()
        named = {rule.path for rule in rules()}
        below = {path for path in with_code if rule_of(path + "/x").path == path}
        of_cuda = {folder for folder in with_code if folder.startswith("simulator/include/")}  # as CUDA names its headers' folders
        self.assertEqual(with_code - below - of_cuda - {"kernels/best", "kernels/tensor", "kernels/tuned"}, set())
        for path in named:
            self.assertTrue(any(f == path or f.startswith(path + "/") for f in with_code), f"src/{path} holds no code")

    def test_no_folder_is_too_full(self):
        named_by_cuda = SOURCE / "simulator/include"
        for folder in sorted({path.parent for path in SOURCE.rglob("*") if path.is_file()} - {named_by_cuda}):
            files = sum(path.is_file() for path in folder.iterdir())
            self.assertLessEqual(files, MOST_FILES, f"{folder} holds {files} files: which rooms are there?")

    def test_hold_for_python(self):
        for package in HOUSE["package"]:
            files = sorted((ROOT / package["path"]).glob("*.py"))
            self.assertTrue(files, package["path"])
            for file in files:
                self.assertEqual(python_complaint(package, file, ast.parse(file.read_text())), "")

    def test_forbid_what_would_turn_an_arrow(self):
        """Tests the rules themselves, on lines that are in no file."""
        forbidden = [
            ("results/tables/table.cpp", '#include "app/error.hpp"'),
            ("results/tables/table.cpp", '#include "kernels/ladder.hpp"'),
            ("results/tables/table.cpp", '#include "promise/promise.hpp"'),
            ("results/tables/table.cpp", "#include <cuda_runtime.h>"),
            ("results/tables/table.cpp", "#include <unistd.h>"),
            ("results/tables/table.cpp", "#include <CLI/CLI.hpp>"),
            ("text/page.hpp", '#include "results/values/run.hpp"'),
            ("lens/picture.cpp", '#include "results/values/run.hpp"'),
            ("lens/picture.cpp", "#include <fmt/format.h>"),
            ("simulator/execute/state/worker.cpp", '#include "lens/picture.hpp"'),
            ("simulator/execute/state/worker.cpp", '#include "simulator/execute/watch/observer.hpp"'),
            ("simulator/execute/watch/observer.hpp", '#include "simulator/execute/level/lanes.hpp"'),
            ("simulator/execute/scalar/mathematics.cpp", '#include "simulator/execute/level/lanes.hpp"'),
            ("simulator/execute/level/lanes.hpp", '#include "simulator/execute/launch/module.hpp"'),
            ("simulator/runtime/api/calls.hpp", '#include "simulator/runtime/host/host_watchers.hpp"'),
            ("simulator/runtime/api/registry.cpp", '#include "simulator/runtime/exit/report.hpp"'),
            ("simulator/runtime/host/host_races.cpp", '#include "simulator/runtime/exit/at_exit.hpp"'),
            ("device/grid.hpp", '#include "kernels/ladder.hpp"'),
            ("device/grid.hpp", "#include <fmt/format.h>"),
            ("kernels/03_shared_tile.cu", '#include "app/error.hpp"'),
            ("kernels/tuned/tile.hpp", '  #  include "simulator/fault.hpp"'),
            ("labs/copy.cu", '#include "kernels/ladder.hpp"'),
            ("runner/run/run.cpp", '#include "kernels/tuned/tile.hpp"'),
            ("runner/run/run.cpp", '#include "device/grid.hpp"'),
            ("runner/run/run.cpp", '#include "simulator/count/counters.hpp"'),
            ("runner/run/run.cpp", '#include "workshop/check.hpp"'),
            ("runner/run/run.cpp", '#include "run.hpp"'),
            ("workshop/commands/check.cpp", '#include "simulator/count/counters.hpp"'),
            ("workshop/commands/check.cpp", '#include "device/grid.hpp"'),
            ("workshop/commands/check.cpp", '#include "kernels/tuned/tile.hpp"'),
            ("lens/prices.cpp", '#include "simulator/execute/level/level.hpp"'),
            ("simulator/decode/decoder.cpp", '#include "lens/prices.hpp"'),
            ("simulator/ptx/ptx.cpp", '#include "simulator/decode/program.hpp"'),
            ("simulator/execute/launch/launch.cpp", '#include "simulator/runtime/api/events.hpp"'),
            ("simulator/runtime/stream.cpp", '#include "simulator/ptx/ptx.hpp"'),
            ("simulator/include/cuda_runtime.h", '#include "simulator/fault.hpp"'),
            ("simulator/fault.hpp", '#include "simulator/memory/memory.hpp"'),
            ("simulator/memory/memory.cpp", '#include "results/values/run.hpp"'),
            ("runner/machine/simulator.cpp", '#include "simulator/count/counters.hpp"'),
            ("elsewhere/file.cpp", '#include "results/values/run.hpp"'),
        ]
        for file, line in forbidden:
            self.assertNotEqual(complaint(file, line), "", f"{file} {line}")
        allowed = [
            ("results/tables/table.cpp", '#include "results/values/run.hpp"'),
            ("results/tables/table.cpp", "#include <optional>"),
            ("results/files/json.cpp", "#include <nlohmann/json.hpp>"),
            ("kernels/tuned/tile.hpp", '#include "kernels/ladder.hpp"'),
            ("runner/trial/judge.cpp", '#include "kernels/ladder.hpp"'),
            ("runner/machine/simulator.cpp", '#include "simulator/simulator.hpp"'),
            ("workshop/commands/check.cpp", '#include "runner/check.hpp"'),
            ("simulator/runtime/stream.cpp", '#include "simulator/fault.hpp"'),
            ("simulator/include/cuda_runtime.h", '#include "host_defines.h"'),
            ("results/tables/table.cpp", '// not an #include "app/error.hpp" at all'),
        ]
        for file, line in allowed:
            self.assertEqual(complaint(file, line), "")

    def test_order_the_rooms_of_a_folder(self):
        """A room may include the room before it in its folder's list, and not the room after it."""
        for folder in HOUSE["folder"]:
            rooms = [f"{folder['path']}/{room}" for room in rooms_of(folder)]
            for lower, upper in zip(rooms, rooms[1:]):
                self.assertEqual(complaint(f"{upper}/a.cpp", f'#include "{lower}/b.hpp"'), "")
                self.assertNotEqual(complaint(f"{lower}/b.cpp", f'#include "{upper}/a.hpp"'), "")

    def test_forbid_imports_of_python(self):
        plots = next(package for package in HOUSE["package"] if package["path"] == "plots")
        file = ROOT / "plots" / "heatmap.py"
        for text in ("import bench", "from plots.report import page", "import yaml", "from bench import record"):
            self.assertNotEqual(python_complaint(plots, file, ast.parse(text)), "", text)
        for text in ("from plots import results", "import numpy", "from math import log"):
            self.assertEqual(python_complaint(plots, file, ast.parse(text)), "", text)


class House(unittest.TestCase):
    def test_no_conditional_compilation_above_the_simulator(self):
        """Code of only one build stands behind an interface, not behind #if."""
        condition = re.compile(r"^\s*#\s*(if|ifdef|ifndef|elif)\b")
        for folder in HOUSE["folder"]:
            if folder["path"].startswith("simulator"):
                continue
            for path in files_below(folder["path"]):
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    # Three conditions are allowed. The widest load of one instruction depends on the device's architecture. A
                    # header whose text an exercise's file may contain is guarded by a name (see cut.hpp). A rung with wgmma
                    # knows whether it is compiled for a device that has it.
                    if "__CUDA_ARCH" in line or line.startswith(("#ifndef LADDER_", "#if defined(SGEMM_WITHOUT_WGMMA)")):
                        continue
                    self.assertIsNone(condition.match(line), f"{path}:{number}: {line}")

    def test_runner_names_no_numbered_kernel(self):
        """The runner knows the list of kernels, and names none of them. (An example in a comment may name one.)"""
        numbered = re.compile(r"\b[0-9]{2}_[a-z]")
        for folder in ("runner", "results", "workshop"):
            for path in files_below(folder):
                for number, line in enumerate(path.read_text().splitlines(), 1):
                    self.assertFalse("//" not in line and numbered.search(line), f"{path}:{number}: {line}")

    def test_stands_in_contributing_as_the_table_has_it(self):
        text = (ROOT / "CONTRIBUTING.md").read_text()
        self.assertEqual(text, with_table(text), "test/project/include_rules_test.py --write puts the table there")


if __name__ == "__main__":
    if sys.argv[1:] == ["--write"]:
        contributing = ROOT / "CONTRIBUTING.md"
        contributing.write_text(with_table(contributing.read_text()))
    else:
        unittest.main()
