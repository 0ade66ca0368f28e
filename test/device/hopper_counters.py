#!/usr/bin/env python3
"""Compares the simulated GPU's counters of whole programs with Nsight Compute's: TMA, tensor cores, shared and global memory.

    test/device/hopper_counters.py record RAW.csv                     on a GPU: compiles with nvcc, then counts with ncu
    test/device/hopper_counters.py keep RAW.csv COUNTERS.csv          keeps only the metrics that `compare` reads
    test/device/hopper_counters.py compare COUNTERS.csv               anywhere, with the programs of the sim build

The programs are those of test/data/hopper_idioms. `record` compiles their sources, and `compare` runs them on the simulated
GPU. `record` asks ncu for the metrics of the lists below that it knows; --also asks for all others whose names match, and
--names keeps the list of all names. Each program runs once under ncu, for at most a minute.

A file of counters is a CSV with a row for each kernel of each program. A figure is the sum over all launches of the kernel; an
empty one was not counted.
Exit codes: 0 all figures are equal, or differ for a stated reason; 1 a figure differs, or a program was not counted; 2 usage;
77 no ncu or no nvcc.
"""

import argparse
import concurrent.futures
import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter as Multiset
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT))

from plots import program  # noqa: E402
from plots.program import Refused  # noqa: E402

SOURCES = ROOT / "test/data/hopper_idioms"
PROGRAMS = ROOT / "build/sim/bin/hopper_idioms"
PROFILED = ROOT / "src/runner/inspect/nsight.cpp"
NVCC = ("-std=c++17", "-gencode", "arch=compute_90a,code=sm_90a", "-Wno-deprecated-gpu-targets")
WHERE = "/usr/local/cuda/bin"
SECONDS = 60  # of one program; ncu runs a kernel again for each group of metrics
DIFFERENT, NO_DEVICE = 1, 77


# ---- The simulated GPU's figures: sums over the rows of a launch in its JSON report (docs/simulator.md).


def accesses(what, *paths, by=""):
    """Returns a function of a launch: the sum of `what` over the accesses on these paths by instructions that match `by`."""

    def counted(launch):
        rows = [row for row in launch["accesses"] if row["access"] in paths and re.search(by, row["instruction"])]
        return sum(row[what] for row in rows)

    return counted


def products(what, instruction, form=""):
    """Returns a function of a launch: the sum of `what` over products by these instructions, in this format or in all."""

    def counted(launch):
        rows = [row for row in launch["tensor"] if row["instruction"].startswith(instruction)]
        return sum(row[what] for row in rows if form in ("", row["format"]))

    return counted


# ---- The lists of counters.


@dataclass(frozen=True)
class Counter:
    name: str
    simulated: object  # a function of a launch
    # Tuples of metrics that add up to the counter. The names differ between versions of ncu; the first known tuple is taken.
    metrics: tuple
    may_differ: str = ""  # the reason for a difference; empty if there must be none


LOADS = ("global load", "cp.async read")  # the device counts cp.async as a load
SHARED_LOADS = ("shared load", "shared matrix load")

# The figures for the counters that `sgemm_runner profile` reads; src/runner/inspect/nsight.cpp has their metrics.
PROFILED_FIGURES = {
    "LOAD_REQUESTS": accesses("requests", *LOADS),
    "LOAD_SECTORS": accesses("sectors", *LOADS),
    "LOAD_LINES": accesses("lines", *LOADS),
    "STORE_REQUESTS": accesses("requests", "global store"),
    "STORE_SECTORS": accesses("sectors", "global store"),
    "SHARED_LOADS": accesses("requests", "shared load"),
    "SHARED_LOAD_WAVEFRONTS": accesses("wavefronts", *SHARED_LOADS),
    "SHARED_LOAD_CONFLICTS": accesses("bank_conflicts", *SHARED_LOADS),
    "SHARED_STORES": accesses("requests", "shared store"),
    "SHARED_STORE_WAVEFRONTS": accesses("wavefronts", "shared store"),
    "SHARED_STORE_CONFLICTS": accesses("bank_conflicts", "shared store"),
    "ASYNC_COPIES": accesses("requests", "cp.async read"),
    "FFMA": lambda launch: launch["counters"]["ffma"],
    "LOCAL_BYTES": accesses("bytes_asked", "local load", "local store"),
}


def profiled_counters():
    """Returns the counters of `sgemm_runner profile` that have a figure here."""
    text = PROFILED.read_text(encoding="utf-8")
    reasons = dict(re.findall(r'constexpr const char\* (\w+) =\s*"([^"]*)";', text))
    metrics, counters = {}, {}
    for metric, key, name, reason in re.findall(r'\{"([^"]+)",\s*counts::(\w+),\s*"([^"]+)",\s*(\w+)\}', text):
        if key in PROFILED_FIGURES:
            metrics[key] = (*metrics.get(key, ()), metric)
            counters[key] = Counter(name, PROFILED_FIGURES[key], (metrics[key],), reasons.get(reason, ""))
    lacking = PROFILED_FIGURES.keys() - counters.keys()
    if lacking:
        raise Refused(f"{PROFILED} has no metric of {', '.join(sorted(lacking))}")
    return tuple(counters.values())


def named(*names):
    """Returns these metrics' sums, as alternatives."""
    return tuple((f"{name}.sum",) for name in names)


def operations(source):
    """Returns the metrics of the operations of products with factors in this format."""
    return named(f"sm__ops_path_tensor_src_{source}_dst_fp32", f"sm__ops_path_tensor_src_{source}")


def instructions(op):
    """Returns the metrics of the warp instructions of this kind. Those without "sass" count an instruction that no lane executes, too."""
    return named(f"smsp__sass_inst_executed_op_{op}", f"smsp__inst_executed_op_{op}")


CLUSTER = "shared::cluster"

HOPPER_COUNTERS = (
    Counter("TMA loads", accesses("requests", "bulk load"), instructions("tma_ld")),
    Counter(
        "TMA load sectors", accesses("sectors", "bulk load"), named("l1tex__m_xbar2l1tex_read_sectors_mem_global_op_tma_ld")
    ),
    Counter("TMA stores", accesses("requests", "bulk store"), instructions("tma_st")),
    Counter(
        "TMA store sectors",
        accesses("sectors", "bulk store"),
        named("l1tex__m_l1tex2xbar_write_sectors_mem_global_op_tma_st"),
    ),
    Counter("wgmma", products("warps", "wgmma"), named("sm__inst_executed_pipe_tensor_op_gmma")),
    Counter("wgmma with shared operands", products("warps", "wgmma"), instructions("shared_gmma")),
    Counter("FP16 operations", products("flops", "", "f16"), operations("fp16")),
    Counter("BF16 operations", products("flops", "", "bf16"), operations("bf16")),
    Counter("TF32 operations", products("flops", "", "tf32"), operations("tf32")),
    Counter("shared atomics", accesses("requests", "shared atomic"), instructions("shared_atom")),
    Counter("cluster loads", accesses("requests", "shared load", by=CLUSTER), instructions("dshared_ld")),
    Counter("cluster stores", accesses("requests", "shared store", by=f"^st.{CLUSTER}"), instructions("dshared_st")),
    Counter("st.async", accesses("requests", "shared store", by="^st.async"), instructions("dshared_stas")),
)


# Programs of which some counters differ: these counters, and the reason.
EXCUSED = {
    "split_operands": (("load requests", "load sectors", "load lines"), "LLVM reads the members of a copied float2 one by one"),
}


def all_counters():
    return (*HOPPER_COUNTERS, *profiled_counters())


# ---- A file of counters.

KEYS = ("program", "kernel", "launches")


def short_name(kernel):
    """Returns a kernel's name without its type, namespaces, template arguments and parameters."""
    kernel = kernel.replace("(anonymous namespace)", "").replace("<unnamed>", "")
    while (shorter := re.sub(r"<[^<>]*>|\([^()]*\)", "", kernel)) != kernel:
        kernel = shorter
    return kernel.split("::")[-1].split()[-1]


def table_text(rows):
    """Returns the CSV of rows (program, kernel) -> {metric: figure}; "launches" is a metric too."""
    metrics = sorted({metric for row in rows.values() for metric in row} - {"launches"})
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*KEYS, *metrics])
    for (name, kernel), row in sorted(rows.items()):
        writer.writerow([name, kernel, row["launches"], *(row.get(metric, "") for metric in metrics)])
    return text.getvalue()


def read_table(path):
    """Returns the rows of a file of counters."""
    try:
        with open(path, encoding="utf-8", newline="") as file:
            reader = csv.DictReader(file)
            if tuple(reader.fieldnames or ())[: len(KEYS)] != KEYS:
                raise Refused(f"'{path}' is no file of counters: its first line must begin with {','.join(KEYS)}")
            return {
                (row["program"], row["kernel"]): {
                    metric: int(value) for metric, value in row.items() if metric not in KEYS[:2] and value
                }
                for row in reader
            }
    except OSError as error:
        raise Refused(f"cannot read '{path}': {error.strerror}") from None
    except ValueError as error:
        raise Refused(f"'{path}' is no file of counters: {error}") from None


# ---- record: the device.


def find_tool(name):
    found = shutil.which(name) or shutil.which(name, path=WHERE)
    if not found:
        raise Refused(f"there is no {name}; it comes with the CUDA toolkit", NO_DEVICE)
    return found


def output_of(command, seconds):
    """Returns a command's exit code (None if it ran out of time) and all that it wrote."""
    with tempfile.TemporaryFile() as output:
        try:
            code = subprocess.run(command, stdout=output, stderr=subprocess.STDOUT, timeout=seconds, check=False).returncode
        except subprocess.TimeoutExpired:
            code = None
        output.seek(0)
        return code, output.read().decode(errors="replace")


def known_names(ncu):
    """Returns the names of the metrics that count events, as ncu lists them for Hopper, without a suffix; none if it lists none."""
    text = output_of([ncu, "--query-metrics", "--chips", "gh100"], SECONDS)[1]
    return set(re.findall(r"^(\w+__\w+)\s+Counter\b", text, re.MULTILINE))


def metrics_to_ask(names, also):
    """Returns the metrics of the lists, and those that match `also`. Without a list of known names, all of the lists."""
    asked = {
        metric: None
        for counter in all_counters()
        for metrics in counter.metrics
        for metric in metrics
        if not names or metric.removesuffix(".sum") in names
    }
    if also:
        asked |= {f"{name}.sum": None for name in sorted(names) if re.search(also, name)}
    return list(asked)


def figures_in(text):
    """Returns {kernel: {metric: sum}} of ncu's CSV, with the number of launches; None if there is no table."""
    lines = text.splitlines()
    header = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if header is None:
        return None
    kernels, launches = {}, set()
    for row in csv.DictReader(line for line in lines[header:] if line.startswith('"')):
        sums = kernels.setdefault(short_name(row["Kernel Name"]), Multiset())
        if row["ID"] not in launches:
            launches.add(row["ID"])
            sums["launches"] += 1
        value = (row["Metric Value"] or "").replace(",", "")
        if re.fullmatch(r"\d+(\.0*)?", value):
            sums[row["Metric Name"]] += int(value.split(".")[0])
    return kernels


def first_complaint(text):
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    marked = [line for line in lines if "==ERROR==" in line or "error" in line]
    return (marked or lines or ["it wrote nothing"])[0]


def count(ncu, binary, metrics):
    """Returns ncu's figures of a program, or a text with the reason why there are none. Removes metrics that ncu refuses."""
    while True:
        command = [ncu, "--clock-control", "none", "--cache-control", "none", "--csv", "--print-units", "base"]
        code, text = output_of([*command, "--metrics", ",".join(metrics), binary], SECONDS)
        if code is None:
            return f"not done after {SECONDS} s"
        kernels = figures_in(text)
        if kernels and code == 0:
            return kernels
        refused = [metric for metric in metrics if metric in refusals(text)]
        if not refused or len(refused) == len(metrics):
            return f"ncu ended with {code}: {first_complaint(text)}"
        for metric in refused:
            metrics.remove(metric)
        say(f"ncu has no {', '.join(refused)}")


def refusals(text):
    """Returns the words of ncu's lines about errors."""
    lines = [line for line in text.splitlines() if line.startswith(("==ERROR==", "==WARNING=="))]
    return set(re.findall(r"\w+__[\w.]*\w", "\n".join(lines)))


def say(text):
    print(f"hopper_counters: {text}", file=sys.stderr, flush=True)


def sources(folder, only):
    found = sorted(path for path in folder.glob("*.cu") if re.search(only, path.stem))
    if not found:
        raise Refused(f"'{folder}' has no program{f' whose name matches {only}' if only else ''}")
    return found


def compile_program(nvcc, source, binary):
    """Returns the reason why a program was not compiled, or an empty text."""
    first = source.read_text(encoding="utf-8").split("\n", 1)[0]
    flags = first.removeprefix("// flags:").split() if first.startswith("// flags:") else []
    code, text = output_of([nvcc, *NVCC, *flags, source, "-o", binary], 10 * SECONDS)
    return "" if code == 0 else f"does not compile: {first_complaint(text)}"


def record(arguments):
    program.check_writable(arguments.output)
    nvcc, ncu = find_tool("nvcc"), find_tool("ncu")
    chosen = sources(arguments.sources, arguments.only)
    names = known_names(ncu)
    if arguments.names:
        program.replace_file(arguments.names, "".join(f"{name}\n" for name in sorted(names)))
    metrics = metrics_to_ask(names, arguments.also)
    say(f"{len(chosen)} programs, {len(metrics)} metrics of {len(names)} that ncu lists")
    rows, failures = {}, []
    with tempfile.TemporaryDirectory(prefix="counters.") as folder:
        binaries = [Path(folder) / source.stem for source in chosen]
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            complaints = list(pool.map(lambda pair: compile_program(nvcc, *pair), zip(chosen, binaries)))
        for binary, complaint in zip(binaries, complaints):
            kernels = complaint or count(ncu, binary, metrics)
            if isinstance(kernels, str):
                failures.append(f"{binary.name}: {kernels}")
                say(failures[-1])
                continue
            rows |= {(binary.name, kernel): sums for kernel, sums in kernels.items()}
            program.replace_file(arguments.output, table_text(rows))  # after each program, because the next one may hang
    if not rows:
        raise Refused("nothing was counted", DIFFERENT)
    print(f"{len(chosen)} programs, {len(failures)} not counted, {len(rows)} kernels, {len(metrics)} metrics")
    return DIFFERENT if failures else 0


def keep(arguments):
    program.check_writable(arguments.output)
    rows = read_table(arguments.counters)
    columns = set().union(*rows.values())
    kept = {"launches"}
    for counter in all_counters():
        kept |= set(metrics_of(counter, columns) or ())
    program.replace_file(
        arguments.output,
        table_text({key: {metric: row[metric] for metric in row if metric in kept} for key, row in rows.items()}),
    )
    return 0


def metrics_of(counter, columns):
    """Returns the metrics of a counter that the file has; None if it lacks them."""
    return next((metrics for metrics in counter.metrics if columns.issuperset(metrics)), None)


# ---- compare: the simulated GPU.


def simulate(binary):
    """Returns {kernel: its launches, each as often as it happened} of a program; a text if it failed."""
    with tempfile.TemporaryDirectory(prefix="counters.") as folder:
        report = Path(folder) / "report.json"
        try:
            done = subprocess.run(
                [binary],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
                timeout=SECONDS,
                check=False,
                env={**os.environ, "SIMULATOR_REPORT": str(report)},
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return f"{binary.name}: {error}"
        if done.returncode != 0 or not report.is_file():
            return f"{binary.name}: exit code {done.returncode}: {first_complaint(done.stderr.decode(errors='replace'))}"
        kernels = {}
        for launch in json.loads(report.read_text(encoding="utf-8"))["launches"]:
            kernels.setdefault(short_name(launch["kernel"]), []).append((launch["times"], launch))
        return kernels


@dataclass(frozen=True)
class Line:
    """A figure of a kernel on both."""

    program: str
    kernel: str
    counter: Counter
    simulated: int
    device: int

    def verdict(self):
        if self.simulated == self.device:
            return "equal"
        ratio = f"{self.device / self.simulated:.4g}" if self.simulated else "only the device counts"
        return f"{ratio}: {self.reason()}" if self.reason() else ratio

    def reason(self):
        """Returns the reason for a difference; an empty text if there must be none."""
        counters, reason = EXCUSED.get(self.program, ((), ""))
        return self.counter.may_differ or (reason if self.counter.name in counters else "")

    def is_right(self):
        return self.simulated == self.device or bool(self.reason())


def compare_kernel(key, launches, row, counters):
    """Returns the lines of a kernel, without figures that are 0 on both or were not counted on the device."""
    lines = []
    for counter, metrics in counters:
        if any(metric not in row for metric in metrics):
            continue
        simulated = sum(times * counter.simulated(launch) for times, launch in launches)
        device = sum(row[metric] for metric in metrics)
        if simulated or device:
            lines.append(Line(*key, counter, simulated, device))
    return lines


def laid_out(cells):
    widths = [max(len(row[i]) for row in cells) for i in range(len(cells[0]) - 1)]
    rights = (3, 4)
    return "".join(
        "  ".join(
            [text.rjust(width) if i in rights else text.ljust(width) for i, (text, width) in enumerate(zip(row, widths))]
            + [row[-1]]
        ).rstrip()
        + "\n"
        for row in cells
    )


def summary(lines, lacking):
    """Returns a line for each counter: the number of kernels with equal figures, and of the others."""
    text = ""
    for counter in all_counters():
        own = [line for line in lines if line.counter.name == counter.name]
        if counter.name in lacking:
            text += f"{counter.name}: not in the file\n"
        elif own:
            equal = sum(line.simulated == line.device for line in own)
            text += f"{counter.name}: {equal} of {len(own)} equal"
            if counter.may_differ and equal < len(own):
                text += f" ({counter.may_differ})"
            text += "\n"
    return text


def compare(arguments):
    rows = read_table(arguments.counters)
    columns = set().union(*rows.values()) if rows else set()
    counters = [(counter, metrics_of(counter, columns)) for counter in all_counters()]
    lacking = {counter.name for counter, metrics in counters if metrics is None}
    counters = [pair for pair in counters if pair[1] is not None]
    names = sorted({name for name, _ in rows if re.search(arguments.only, name)})
    if not names:
        raise Refused(f"'{arguments.counters}' has no such program")
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        simulated = dict(zip(names, pool.map(lambda name: simulate(arguments.programs / name), names)))
    lines, wrong = [], []
    for key, row in rows.items():
        if key[0] not in simulated:
            continue
        kernels = simulated[key[0]]
        if isinstance(kernels, str) or key[1] not in kernels:
            wrong.append(kernels if isinstance(kernels, str) else f"{key[0]}: the simulated GPU ran no kernel '{key[1]}'")
            continue
        launches = kernels[key[1]]
        if (number := sum(times for times, _ in launches)) != row["launches"]:
            wrong.append(f"{key[0]}: {number} launches of '{key[1]}', and {row['launches']} on the device")
        lines += compare_kernel(key, launches, row, counters)
    shown = [line for line in lines if not (arguments.differences and line.is_right())]
    cells = [
        [line.program, line.kernel, line.counter.name, str(line.simulated), str(line.device), line.verdict()] for line in shown
    ]
    if cells:
        print(laid_out([["program", "kernel", "counter", "simulated", "device", "device / simulated"], *cells]))
    print(summary(lines, lacking), end="")
    for complaint in wrong:
        print(complaint)
    return DIFFERENT if wrong or not all(line.is_right() for line in lines) else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    one = commands.add_parser("record", help="count with ncu on this machine's GPU")
    one.add_argument("output", type=Path, metavar="RAW.csv")
    one.add_argument("--sources", type=Path, default=SOURCES, help="the folder of the programs' sources")
    one.add_argument("--only", default="", metavar="REGEX", help="count the programs whose names match")
    one.add_argument("--also", default="", metavar="REGEX", help="ask for all metrics whose names match, too")
    one.add_argument("--names", type=Path, metavar="FILE", help="write the names of all metrics that ncu lists")
    one.set_defaults(call=record)
    one = commands.add_parser("keep", help="keep the metrics that compare reads")
    one.add_argument("counters", type=Path, metavar="RAW.csv")
    one.add_argument("output", type=Path, metavar="COUNTERS.csv")
    one.set_defaults(call=keep)
    one = commands.add_parser("compare", help="run the programs on the simulated GPU and compare")
    one.add_argument("counters", type=Path, metavar="COUNTERS.csv")
    one.add_argument("--programs", type=Path, default=PROGRAMS, help="the folder of the programs for the simulated GPU")
    one.add_argument("--only", default="", metavar="REGEX", help="compare the programs whose names match")
    one.add_argument("--differences", action="store_true", help="print only figures that differ without a reason")
    one.set_defaults(call=compare)
    arguments = parser.parse_args()
    return arguments.call(arguments)


if __name__ == "__main__":
    sys.exit(program.run("hopper_counters", main))
