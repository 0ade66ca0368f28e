#!/usr/bin/env python3
"""Changes one thing in a kernel, and tests whether the checks that a user has notice the change.

    test/mutants/mutants.py                     all of the list
    test/mutants/mutants.py --class index       the mutants of one class
    test/mutants/mutants.py --file 10_async     the mutants of files with that in their names
    test/mutants/mutants.py --every 8           every eighth mutant, for a quick look

The list is mutants.toml. An entry has a file, a text that stands in it once, the text that replaces it, and a class. Each mutant
is compiled alone. try_kernel.cpp runs the checks that a user has on it, up to the first check that it fails. A rung gets the
checks of `sgemm_runner N --kernel FILE`: the whole contract, the measured size, its promise, and a search for hazards in all of
them. (A header is changed in a folder of its own, which the compiler searches first: docs/your_kernel.md.) A lab gets a check of
every word at several sizes, and of its promise.

A user who brings a kernel has no original to compare it with. So a mutant that passes all these checks is caught only "beside
its original": its counters at other sizes differ from the original's, or another order of warps and blocks shows the fault.
The list marks such mutants ("beside_the_original"). A mutant that no check catches is a hole in the checks. A mutant that
changes nothing says why ("equivalent") and must pass.

Rungs 11 and 12 are compiled with a few rows of their tables of tiles, since all rows take half a minute. Exits 1 if the outcome
for a mutant differs from the list, and 2 if the list does not fit the sources.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
LIST = Path(__file__).resolve().parent / "mutants.toml"
SOURCES = ("src/kernels", "src/device", "src/labs")  # the sources of kernels

USERS_SIZE = "256"  # the size that sgemm_runner measures by default

# Sizes in addition to the promise's sizes: no whole tile, few rows, few columns, a long K.
SIZES = ("65x63x61", "4x100x100", "100x4x100", "64x64x1024")
# A tile without slices reaches beyond C; a tile has more than 48 KiB; a block works on parts of two tiles, or K is short. A ring goes round within a
# tile; a block works on two tiles of 128 x 128. Rung 16 also has tiles of 192 rows.
OWN_SIZES = {
    "11_tuned": ("1350x1351x50", "400x401x70"),
    "12_stream_k": ("300x200x1000", "70x131x3"),
    "15_tensor_wgmma": ("64x64x448", "1x17024x67"),
    "16_tensor_fp32": ("64x128x448", "16x17024x67", "1920x1152x64"),
}
TABLE_ROWS_KEPT = (0, 5, 9, 11)  # a large tile, one without slices, one with eight, the smallest
SECONDS = 600  # limit for a mutant; a single launch has LAUNCH_SECONDS
LAUNCH_SECONDS = 30
OTHER_ORDERS = (1, 2)
COMPILER_DEPENDENT = ("warp_instructions", "lane_instructions")


class Unusable(Exception):
    """Raised if the list does not fit the sources."""


def include_closure(tree, file):
    """Returns the files of the tree that a file includes, itself among them."""
    found, todo = set(), [file]
    while todo:
        name = todo.pop()
        if name in found or not (tree / name).exists():
            continue
        found.add(name)
        text = (tree / name).read_text(encoding="utf-8")
        todo += ["src/" + header for header in re.findall(r'^#include "([^"]+)"', text, re.MULTILINE)]
    return found


def kernels_with(file):
    """Returns the rungs and labs whose code a file is part of, the cheapest to compile first."""
    places = ("src/kernels/[0-9][0-9]_*.cu", "src/labs/*.cu")
    kernels = [path.relative_to(ROOT).as_posix() for place in places for path in sorted(ROOT.glob(place))]
    return [kernel for kernel in kernels if file in include_closure(ROOT, kernel)]


def is_lab(kernel):
    return kernel.startswith("src/labs/")


def copy_of_sources(folder):
    for source in SOURCES:
        shutil.copytree(ROOT / source, folder / source)
    for name in ("tile_table.hpp", "tile_us.hpp"):
        cut_tables(folder / "src/kernels/tuned" / name)


def cut_tables(path):
    """Leaves a few rows of each table of tiles, or of their times."""
    lines, row = [], 0
    for line in path.read_text(encoding="utf-8").splitlines(keepends=True):
        if re.match(r"\s+\{", line):
            row += 1
            if row - 1 not in TABLE_ROWS_KEPT:
                continue
        else:
            row = 0
        lines.append(line)
    path.write_text("".join(lines), encoding="utf-8")


def changed(mutant, folder):
    """Returns the changed text of the mutant's file in the folder. Refuses a mutant that does not fit it."""
    text = (folder / mutant["file"]).read_text(encoding="utf-8")
    if text.count(mutant["old"]) != 1:
        raise Unusable(f"{mutant['file']}: {mutant['old']!r} stands there {text.count(mutant['old'])} times, not once")
    return text.replace(mutant["old"], mutant["new"])


class Programs:
    """The programs that compile and check a mutant."""

    def __init__(self, build):
        runner, self.try_kernel, self.compile = (str(build / name) for name in ("bin/sgemm_runner", "bin/try_kernel", "compile_kernel"))
        for program in (runner, self.try_kernel, self.compile):
            if not os.access(program, os.X_OK):
                raise Unusable(f"{program} is not built")
        listed = subprocess.run([runner, "list", "--json"], check=True, stdout=subprocess.PIPE, text=True)
        self.tiles = {rung["label"]: rung["whole_tiles"] for rung in json.loads(listed.stdout)}

    def sizes(self, rung):
        stem = Path(rung).stem
        return ",".join((str(self.tiles[stem]), *SIZES, *OWN_SIZES.get(stem, ())))

    def ask_as_user(self, folder, kernel):
        """Runs the checks of `sgemm_runner N --kernel FILE`. Returns what ask() does."""
        return self.ask(folder, kernel, sizes=USERS_SIZE, with_contract=True)

    def ask(self, folder, kernel, order=0, sizes=None, with_contract=False):
        """Returns the exit code, JSON and stderr of a run of the kernel in the folder; the code is None if it did not end."""
        flags = f"{os.environ.get('SGEMM_KERNEL_FLAGS', '')} -I{folder / 'src'}"
        environment = {**os.environ, "SGEMM_KERNEL_FLAGS": flags, "SIMULATOR_TIMEOUT": str(LAUNCH_SECONDS)}
        command = [self.try_kernel, "rung" if with_contract else "sizes", str(folder / kernel), str(order)]
        try:
            if is_lab(kernel):
                library = folder / "lab.so"
                done = run([self.compile, str(folder / kernel), str(library)], environment)
                if done.returncode != 0:
                    return done.returncode, {}, "it does not compile\n" + done.stderr
                command = [self.try_kernel, "lab", str(library), Path(kernel).stem, str(order)]
            else:
                command.append(sizes or self.sizes(kernel))
            done = run(command, environment)
        except subprocess.TimeoutExpired:
            return None, {}, ""
        try:
            return done.returncode, json.loads(done.stdout), done.stderr
        except json.JSONDecodeError:
            return done.returncode, {}, done.stderr


def run(command, environment):
    return subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, env=environment, check=False)


def what_is_compared(run):
    """Returns the facts of each row that a mutant must not change unseen."""
    rows = {}
    for row in run.get("benchmarks", []):
        counts = {key: value for key, value in row.get("counts", {}).items() if key not in COMPILER_DEPENDENT}
        promise = [(claim["counter"], claim["buffer"], claim["relation"], claim["value"]) for claim in row.get("promise", [])]
        kernels = [(kernel["grid"], kernel["block"], kernel["shared_bytes"]) for kernel in row.get("kernels", [])]
        rows[row["name"]] = {"counters": counts, "promise": promise, "path": row.get("path"), "launch shape": kernels}
    return rows


def difference(before, after):
    """Returns the first difference between two runs; empty if there is none."""
    for name, facts in before.items():
        for fact, value in facts.items():
            if name not in after:
                return "a result is missing"
            if after[name][fact] != value:
                return f"{fact} changed at {name.rsplit('/', 1)[-1]}"
    return None


class Originals:
    """Each rung and lab as it is, run once for its counters. (That it keeps the contract is for kernels_test to say.)"""

    def __init__(self, programs, folder):
        self.programs, self.folder, self.runs = programs, folder, {}
        copy_of_sources(folder)

    def prepare(self, kernels, pool):
        for kernel, (code, run, said) in zip(kernels, pool.map(lambda k: self.programs.ask(self.folder, k), kernels)):
            if code != 0:
                raise Unusable(f"{kernel} as it is ends with {code}:\n{said}")
            self.runs[kernel] = what_is_compared(run)


def first_complaint(run, said):
    for row in run.get("benchmarks", []):
        for broken in row.get("contract_broken", []):
            return "the contract: " + broken
        if not row.get("correct", True):
            return row.get("error_message", "wrong")
        for hazard in row.get("hazards", []):
            return f"a hazard ({hazard['kind']}): {hazard['message']}"
        if not row.get("promise_kept", True):
            return "broke its promise"
    return said.strip().splitlines()[0] if said.strip() else "an exit code"


def judge(mutant, originals, programs):
    """Returns how the mutant was caught, or None, and True if that needed its original."""
    kernel = kernel_of(mutant)
    with tempfile.TemporaryDirectory(prefix="mutant.") as name:
        folder = Path(name)
        copy_of_sources(folder)
        (folder / mutant["file"]).write_text(changed(mutant, folder), encoding="utf-8")
        code, run, said = programs.ask_as_user(folder, kernel)
        if "does not compile" in said:
            if mutant["class"] == "static check":
                return "does not compile", False
            raise Unusable(f"{mutant['file']}: {mutant['new']!r} does not compile:\n{said}")
        if code is None:
            return "it did not end", False
        if code != 0:
            return first_complaint(run, said), False
        for order in (0, *OTHER_ORDERS):
            code, run, said = programs.ask(folder, kernel, order)
            if code != 0:
                return f"in order {order}: {first_complaint(run, said)}", True
            found = difference(originals.runs[kernel], what_is_compared(run)) if order == 0 else None
            if found is not None:
                return found, True
        return None, True


def kernel_of(mutant):
    return mutant.get("rung") or mutant["kernels"][0]


def read_list(arguments):
    mutants = tomllib.loads(LIST.read_text(encoding="utf-8"))["mutant"]
    for mutant in mutants:
        mutant["kernels"] = kernels_with(mutant["file"])
        if not mutant["kernels"] and "rung" not in mutant:
            raise Unusable(f"{mutant['file']} is part of no rung and no lab")
        changed(mutant, ROOT)
    if arguments.kind:
        mutants = [mutant for mutant in mutants if arguments.kind in mutant["class"]]
    if arguments.file:
        mutants = [mutant for mutant in mutants if arguments.file in mutant["file"]]
    return mutants[:: arguments.every]


def is_as_listed(mutant, how, with_original):
    if how is None:
        return "equivalent" in mutant
    return "equivalent" not in mutant and with_original == mutant.get("beside_the_original", False)


def report(mutant, how, with_original, width=110):
    text = f"{Path(mutant['file']).name}: {mutant['class']}: {' '.join(mutant['new'].split()) or '(nothing)'}"
    fate = ("survives" if how is None else "beside its original" if with_original else "caught").ljust(19)
    fate = fate if is_as_listed(mutant, how, with_original) else fate.upper()
    print(f"{fate} {text[:width]}" + (f"\n{'':19} by {' '.join(how.split())[:width]}" if how else ""), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--build", type=Path, default=ROOT / "build/sim", help="where sgemm_runner and try_kernel are built")
    parser.add_argument("--class", dest="kind", help="only mutants whose class has this in it")
    parser.add_argument("--file", help="only mutants of files with this in their name")
    parser.add_argument("--every", type=int, default=1, metavar="N", help="only each N-th")
    parser.add_argument("-j", "--jobs", type=int, default=os.cpu_count(), help="how many at a time")
    arguments = parser.parse_args()

    began = time.monotonic()
    mutants = read_list(arguments)
    if not mutants:
        raise Unusable("no mutant is like that")
    wrong = 0
    fates = {"caught": 0, "beside": 0, "same": 0}
    with tempfile.TemporaryDirectory(prefix="original.") as folder, concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        programs = Programs(arguments.build)
        originals = Originals(programs, Path(folder))
        originals.prepare(sorted({kernel_of(mutant) for mutant in mutants}), pool)
        for mutant, (how, with_original) in zip(mutants, pool.map(lambda m: judge(m, originals, programs), mutants)):
            report(mutant, how, with_original)
            wrong += not is_as_listed(mutant, how, with_original)
            fates["same" if how is None else "beside" if with_original else "caught"] += 1
    print(f"{len(mutants)} mutants in {time.monotonic() - began:.0f} s: {fates['caught']} caught, {fates['beside']} beside their "
          f"original, {fates['same']} change nothing; {wrong} not as the list says")  # fmt: skip
    return 1 if wrong else 0


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Unusable as error:
        sys.exit(f"mutants: {error}")
    except KeyboardInterrupt:
        sys.exit(130)
