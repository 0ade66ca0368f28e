#!/usr/bin/env python3
"""Runs compute-sanitizer's four tools over all rungs and labs on a GPU.

    cmake --preset cuda && cmake --build --preset cuda        once
    test/device/sanitize.py                                   all of it: some minutes on a GPU with 16 processor cores
    test/device/sanitize.py --tool racecheck --only 10_async  one tool, and what has that in its name
    test/device/sanitize.py --keep logs                       what the tools wrote, a file for each run

Under each of memcheck, racecheck, initcheck and synccheck it runs each rung at an odd size and at one of whole tiles, rung
12 at the shapes of its other kernels too, and each lab with all its variants at small sizes. A run is `sgemm_workbench
profile NAME --once`: the kernel alone, launched once on data that it may read, without cuBLAS and without the verifier. So
every finding is this project's. The runs share the GPU; --jobs says how many at a time.

It prints a table last: a line for each tool, and one for each finding with the kernel and the line of its source. Exit
codes: 0 nothing found, 1 something found, or a run that did not end as it should, 2 usage, 77 no compute-sanitizer, no GPU,
or a program that is not built for one.
"""

import argparse
import concurrent.futures
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent

TOOLS = ("memcheck", "racecheck", "initcheck", "synccheck")
SIZES = ("129x67x65", "256")
OTHER_KERNELS = {"stream_k": ("4x300x512", "300x4x512", "70x130x5", "64x48x1500")}  # few rows, few columns, a short K, tiles that are shared
FOUND = 86  # the exit code that compute-sanitizer is told to use for a finding
WHERE = ("/usr/local/cuda/bin", "/usr/local/cuda/compute-sanitizer")
# Many runs at a time start slowly, and ask for a port each. Not every version has these options.
OPTIONS = {"--launch-timeout": "300", "--max-connections": "256"}
MOST_JOBS = 12  # a context takes half a gigabyte of a GPU


class Missing(Exception):
    """Raised if there is no program to run, no compute-sanitizer or no GPU."""


@dataclass
class Finding:
    """A complaint of a tool, once for each kind and place."""

    what: str  # "Invalid __global__ read of size 4 bytes"
    where: str  # "naive_kernel(...) in 01_naive.cu:28", or empty
    times: int = 1


@dataclass
class Report:
    """The findings of a tool in one run."""

    findings: list = field(default_factory=list)
    errors: int | None = None  # the count of the tool's summary; None without a summary


@dataclass
class Outcome:
    name: str
    tool: str
    code: int | None  # None: it ran out of time
    report: Report
    said: str

    def complaint(self):
        """Returns why the run says nothing about the kernel, or an empty text."""
        if self.code is None:
            return "did not end in time"
        if self.report.errors is None:
            last = [line for line in self.said.strip().splitlines() if line.strip()][-1:]
            return f"ended with {self.code} and without a summary" + (f": {last[0].strip()}" if last else "")
        if self.code not in (0, FOUND) and self.report.errors == 0:
            return f"ended with {self.code}"
        return ""


# ---- compute-sanitizer's output. Each of its lines begins with "=========". A complaint follows after one space, its
# details after several.

LINE = re.compile(r"^=========(?P<indent> *)(?P<text>.*)$")
SUMMARY = re.compile(r"^(?:ERROR|RACECHECK) SUMMARY: (\d+) (?:error|hazard)s?\b(?! were)")
NO_COMPLAINT = re.compile(
    r"^(COMPUTE-SANITIZER|Target application|This tool|ERROR SUMMARY|RACECHECK SUMMARY|LEAK SUMMARY|Process|Version)"
)
PLACE = re.compile(r"(?:^|\s)(?:at|by) (?P<kernel>.+?)(?:\+0x[0-9a-f]+)? in (?P<file>\S+?):(?P<line>\d+)")
VARIABLE = re.compile(r"\+?0x[0-9a-f]+|\[\d+ hazards\]|by thread \([^)]*\) in block \([^)]*\)")


def parse(text):
    """Returns the tool's report in its output."""
    report, complaint = Report(), []

    def end():
        if not complaint:
            return
        finding = finding_of(complaint)
        for known in report.findings:
            if (known.what, known.where) == (finding.what, finding.where):
                known.times += 1
                break
        else:
            report.findings.append(finding)
        complaint.clear()

    for line in text.splitlines():
        match = LINE.match(line)
        if not match:
            continue
        indent, said = len(match["indent"]), match["text"]
        if summary := SUMMARY.match(said):
            report.errors = int(summary[1])
        if not said or NO_COMPLAINT.match(said):
            end()
        elif indent == 1:
            end()
            complaint.append(said)
        elif complaint:
            complaint.append(said)
    end()
    return report


def finding_of(lines):
    """Returns a complaint's kind, without details that differ between launches, and the first place in a source that it names."""
    what, where = [lines[0]], ""
    if lines[0].startswith("Error: Race") or "hazard" in lines[0]:  # the other access is told on lines of its own
        what += [line for line in lines[1:] if line.startswith("and ")]
    else:
        for line in lines[1:]:
            if place := PLACE.search(line):
                where = f"{place['kernel']} in {Path(place['file']).name}:{place['line']}"
                break
    said = re.sub(r"\S*/", "", " ".join(VARIABLE.sub("", part) for part in what))
    return Finding(" ".join(said.split()), where)


# ---- The runs.


def find_sanitizer(asked):
    found = shutil.which(asked or "compute-sanitizer")
    for folder in () if asked else WHERE:
        found = found or shutil.which("compute-sanitizer", path=folder)
    if not found:
        raise Missing(f"there is no {asked or 'compute-sanitizer'}: it comes with the CUDA toolkit, and --sanitizer says where it is")
    return found


def options_of(sanitizer):
    """Returns the words of OPTIONS that this version knows."""
    done = subprocess.run([sanitizer, "--help"], capture_output=True, text=True, check=False)
    known = done.stdout + done.stderr
    return [word for option, value in OPTIONS.items() if option in known for word in (option, value)]


def answer_of(command):
    try:
        return subprocess.run(command, capture_output=True, text=True, check=False)
    except OSError as error:
        raise Missing(f"cannot run {command[0]}: {error.strerror}; build it first: cmake --build --preset cuda") from None


def refuse_without_device(workbench, runner):
    version = answer_of([runner, "--version"]).stdout.strip()
    if not version.endswith("(cuda)"):
        raise Missing(f"{runner} runs kernels on the simulated GPU, which looks for hazards itself: sgemm_runner all --hazards")
    tried = answer_of([workbench, "profile", "1", "--size", "32", "--once"])
    if tried.returncode != 0:
        raise Missing(f"no kernel can be launched here: {tried.stderr.strip() or f'exit code {tried.returncode}'}")


def subjects(runner, workbench):
    """Returns {name: the words that choose it} for each rung and lab."""
    chosen = {}
    for rung in json.loads(answer_of([runner, "list", "--json"]).stdout):
        if rung["kernel_id"] == 0:  # the reference is a library's kernel
            continue
        for size in (*SIZES, *OTHER_KERNELS.get(rung["kernel"], ())):
            chosen[f"{rung['label']} at {size}"] = [rung["kernel"], "--size", size]
    for lab in json.loads(answer_of([workbench, "lab", "--json"]).stdout):
        for which in ("counted", "odd"):
            sizes = [(parameter["name"], str(parameter[which])) for parameter in lab["parameters"]]
            words = [lab["lab"], *(word for name, size in sizes for word in (f"--{name}", size))]
            chosen[f"lab {lab['lab']} at {', '.join(' '.join(size) for size in sizes)}"] = words
    return chosen


def run(command, name, tool, seconds):
    # A session of its own, so that the program can be ended together with the tool that watches it.
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace",
                          start_new_session=True) as started:  # fmt: skip
        try:
            said, _ = started.communicate(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(started.pid, signal.SIGKILL)
            said, _ = started.communicate()
            return Outcome(name, tool, None, Report(), said)
    return Outcome(name, tool, started.returncode, parse(said), said)


# ---- The table.


def table(outcomes, seconds):
    """Returns a line for each tool and each finding, and True if all is well."""
    lines = [f"{'tool':<10} {'runs':>5} {'clean':>6} {'errors':>7}"]
    findings, complaints = {}, []
    for tool in TOOLS:
        those = [outcome for outcome in outcomes if outcome.tool == tool]
        if not those:
            continue
        clean = sum(outcome.report.errors == 0 and not outcome.complaint() for outcome in those)
        errors = sum(outcome.report.errors or 0 for outcome in those)
        lines.append(f"{tool:<10} {len(those):>5} {clean:>6} {errors:>7}")
        for outcome in those:
            if complaint := outcome.complaint():
                complaints.append(f"{tool}: {outcome.name} {complaint}")
            for finding in outcome.report.findings:
                findings.setdefault((tool, finding.what, finding.where), []).append((outcome.name, finding.times))
    for (tool, what, where), seen in findings.items():
        times = sum(count for _, count in seen)
        more = f" and {len(seen) - 1} more" if len(seen) > 1 else ""
        lines.append(f"{tool}: {what}{': ' + where if where else ''} ({times} times: {seen[0][0]}{more})")
    is_well = not findings and not complaints and all(outcome.report.errors == 0 for outcome in outcomes)
    lines += complaints
    lines.append(f"{len(outcomes)} runs in {seconds:.0f} s: {'nothing found' if is_well else 'not all is well'}")
    return "\n".join(lines), is_well


def name_of_file(name, tool):
    return re.sub(r"[^\w.-]+", "_", f"{name}.{tool}") + ".txt"


def main():
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n\n")[0], epilog="\n\n".join(__doc__.strip().split("\n\n")[1:]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    parser.add_argument("--build", type=Path, default=ROOT / "build/cuda", help="where the programs are built (default build/cuda)")
    parser.add_argument("--sanitizer", metavar="PROGRAM", help="compute-sanitizer, if it is not where it usually lies")
    parser.add_argument("--tool", action="append", choices=TOOLS, help="only this one; several times for several")
    parser.add_argument("--only", default="", metavar="TEXT", help="only runs with this in their name: 10_async, lab banks, 256")
    parser.add_argument("--jobs", type=int, default=min(MOST_JOBS, os.cpu_count() or 1), help="runs at a time (default %(default)s)")
    parser.add_argument("--seconds", type=float, default=240, help="that a run may take (default %(default)s)")
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what the tools wrote there")
    arguments = parser.parse_args()
    if arguments.jobs < 1:
        parser.error("--jobs must be 1 or more")

    runner, workbench = (str(arguments.build / "bin" / name) for name in ("sgemm_runner", "sgemm_workbench"))
    sanitizer = find_sanitizer(arguments.sanitizer)
    refuse_without_device(workbench, runner)
    options = options_of(sanitizer)
    tasks = [
        (name, tool, [sanitizer, "--tool", tool, "--error-exitcode", str(FOUND), *options, workbench, "profile", *words, "--once"])
        for tool in arguments.tool or ("racecheck", *(tool for tool in TOOLS if tool != "racecheck"))  # the slowest first
        for name, words in subjects(runner, workbench).items()
        if arguments.only in name
    ]
    if not tasks:
        parser.error(f"no run has '{arguments.only}' in its name")
    if arguments.keep:
        arguments.keep.mkdir(parents=True, exist_ok=True)

    start, outcomes = time.monotonic(), []
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        waiting = [pool.submit(run, command, name, tool, arguments.seconds) for name, tool, command in tasks]
        for done in concurrent.futures.as_completed(waiting):
            outcome = done.result()
            outcomes.append(outcome)
            if arguments.keep:
                (arguments.keep / name_of_file(outcome.name, outcome.tool)).write_text(outcome.said, encoding="utf-8")
            if sys.stderr.isatty():
                print(f"\r{len(outcomes)} of {len(tasks)}", end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r", end="", file=sys.stderr)
    outcomes.sort(key=lambda outcome: (outcome.name, outcome.tool))
    text, is_well = table(outcomes, time.monotonic() - start)
    print(text)
    return 0 if is_well else 1


if __name__ == "__main__":
    try:
        sys.exit(main())
    except Missing as missing:
        print(f"sanitize: {missing}", file=sys.stderr)
        sys.exit(77)
    except KeyboardInterrupt:
        sys.exit(130)
