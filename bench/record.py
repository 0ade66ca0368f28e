#!/usr/bin/env python3
"""Records the runs in bench/baselines, with which tests compare and which README.md quotes.

    bench/record.py counters             simulator.json: the counters of every rung and lab on the simulated GPU
    bench/record.py device               nvidia-h200.json: the time of every rung on this machine's GPU (a quarter of an hour)
    bench/record.py dram                 its rows at 4096 get the bytes of DRAM that Nsight Compute counts
    bench/record.py labs                 nvidia-h200-labs.json: the time of every lab's variants on this machine's GPU
    bench/record.py device --resume      the rows that an interrupted call did not reach
    bench/record.py device --only 1-3    some of the groups that `record.py device --help` lists
    bench/record.py device --kernels 14  one rung's rows, after a change to it

A row that is measured anew replaces the one of its kernel and size; each row has its own date and says how it was
measured. A file never mixes rows of several devices, drivers, or versions of CUDA or cuBLAS. Afterwards tools/docs/ladder_table.py puts the
table into README.md.
"""

import argparse
import csv
import itertools
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))  # where plots/ is
from plots import program, results  # noqa: E402
from plots.program import Refused  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
BASELINES = ROOT / "bench/baselines"
WRONG, FAILURE, INTERRUPTED = 1, 70, 130  # exit codes, of sgemm_runner and of this program

# In order: whole tiles, on which rungs 11 and 12 agree; a K that rung 12 divides; few rows; few columns; few rows, then
# few columns, with rows of A and B that do not begin at a multiple of 16 bytes; no whole tile.
COUNTED_SIZES = "256,64x64x2048,4x256x256,256x4x256,4x255x61,255x4x61,65x63x61"
# These fields differ by machine and moment, or stand in another file. In a review they would be noise.
NOT_RECORDED_OF_COUNTERS = (
    *("date", "command_line", "commit", "uncommitted_changes", "memory_bytes", "simulation_seconds", "lines"),
    *("labs", "idea"),
)


@dataclass(frozen=True)
class Group:
    """Kernels and sizes that are measured in one call of the program."""

    kernels: str
    sizes: str
    options: tuple[str, ...]
    runs: int = 3  # how often the group is measured, each time by a new process

    def __str__(self):
        return f"{self.kernels} --size {self.sizes} {' '.join(self.options)}, {self.runs} run{'s' if self.runs > 1 else ''}"


SKINNY = "128x160x7168,64x64x65536,256x256x16384,1x4096x4096,4x4096x4096,16x4096x4096,16x16384x16384,4096x4096x16,16384x1x16384"
# The larger a problem, the longer a sample; the slow rungs at the largest size run once, naive for a quarter of a minute. The rungs that
# multiply FP16 parts also tell their energy at some sizes.
GROUPS = (
    Group("all", f"128,256,512,1000,1536,2049,2560,{SKINNY}", ("--time", "0.1", "--errors")),
    Group("0-13", "1024,2048", ("--time", "0.1", "--errors")),
    Group("all", "3072,4095", ("--time", "0.5", "--errors")),
    Group("0-13", "4096", ("--time", "0.5", "--errors")),
    Group("all", "6144", ("--time", "0.7", "--errors")),
    Group("0-13", "8192", ("--time", "0.7", "--errors")),
    Group("14-16", "1024,2048,4096,8192", ("--time", "0.7", "--errors", "--energy")),
    Group("0,10-13", "16384", ("--time", "1.5", "--errors")),
    Group("14-16", "16384", ("--time", "1.5", "--errors", "--energy")),
    Group("2-9", "16384", ("--once",), runs=1),
    Group("1", "16384", ("--once",), runs=1),
)


def say(text):
    print(f"record: {text}", file=sys.stderr, flush=True)


class Runner:
    """Runs sgemm_runner and hands Ctrl-C and similar signals on to it. It then prints its finished results and ends."""

    def __init__(self, command):
        self.command = command
        self.child = None
        self.stopped = False
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup ignores it
                signal.signal(number, self._stop)

    def _stop(self, number, _):
        self.stopped = True
        if self.child is not None:
            self._hand_on(number)

    def _hand_on(self, number):
        try:
            os.killpg(self.child.pid, number)
        except ProcessLookupError:
            pass  # it has just ended

    def output(self, *words):
        """Runs the program with these words. Returns its exit code and its stdout."""
        if self.stopped:
            raise Refused("interrupted", INTERRUPTED)
        try:
            # In a session of its own, so that the terminal's Ctrl-C reaches it through _stop alone.
            self.child = subprocess.Popen([*self.command, *words], stdout=subprocess.PIPE, start_new_session=True)
        except OSError as error:
            raise Refused(f"cannot run '{self.command[0]}': {error.strerror}") from None
        if self.stopped:  # the signal came before there was a child
            self._hand_on(signal.SIGINT)
        output = self.child.communicate()[0]
        code = self.child.returncode
        self.child = None
        return code, output

    def run(self, *words):
        """Returns the run that the program prints; after an interrupt, its whole rows, or None. Refuses rows that are not right."""
        # The last row of an interrupted run may be incomplete.
        return self._result_of((*words, "--json"), lambda run: run.rows[:-1])

    def save(self, runs, *words):
        """Does what run() does, for several runs that the program puts together."""
        return self._result_of(("save", "/dev/stdout", *words, "--runs", str(runs)), lambda run: run.rows)

    def _result_of(self, words, whole_rows):
        say(" ".join([*self.command, *words]))
        code, output = self.output(*words)
        if self.stopped or code == INTERRUPTED:
            self.stopped = True
            return rows_done(output, whole_rows)
        try:
            run = results.parse(output)
        except results.Unusable as unusable:
            if code != 0:
                raise Refused(
                    f"'{self.command[0]}' {ending(code)} without a result; nothing of this call was recorded", exit_code(code)
                ) from None
            raise Refused(f"the output of '{self.command[0]}' cannot be used: {unusable}", FAILURE) from None
        refuse_what_is_wrong(run)
        if code != 0:
            raise Refused(f"'{self.command[0]}' {ending(code)}; nothing of this call was recorded", exit_code(code))
        return run


def ending(code):
    return f"ended with {code}" if code >= 0 else f"was ended by signal {-code}"


def exit_code(code):
    return code if code > 0 else FAILURE


def rows_done(output, whole_rows):
    """Returns a run that was cut short, with its whole rows; None if its output cannot be read."""
    try:
        run = results.parse(output)
    except results.Unusable:
        return None
    run = replace(run, rows=whole_rows(run))
    refuse_what_is_wrong(run)
    return run


def refuse_what_is_wrong(run):
    def fault(row):
        if not row.correct:
            return f"{row.name} is wrong"
        return f"{row.name} broke its promise" if not row.promise_kept else f"{row.name} is not right"

    faults = [fault(row) for row in run.rows if not row.is_right]
    if faults:
        raise Refused(f"{', '.join(faults)}; nothing of this call was recorded", WRONG)


def record_counters(arguments):
    path = arguments.output or BASELINES / "simulator.json"
    program.check_writable(path)
    runner = Runner(arguments.runner or [str(ROOT / "sgemm_runner"), "--build", "sim"])
    runs = [runner.run("all", "--size", COUNTED_SIZES)]
    refuse_if_interrupted(runner)
    refuse_all_but_the_simulator(runs[0])
    for words in calls_of_labs(runner):
        runs.append(runner.run("lab", *words))
        refuse_if_interrupted(runner)

    def recorded(part):
        return {key: value for key, value in part.items() if key not in NOT_RECORDED_OF_COUNTERS}

    document = {"context": recorded(runs[0].context.json), "benchmarks": [recorded(row.json) for run in runs for row in run.rows]}
    results.write(path, results.from_document(document))


def refuse_if_interrupted(runner):
    if runner.stopped:
        raise Refused("interrupted; nothing was recorded", INTERRUPTED)


def refuse_all_but_the_simulator(run):
    if run.context.machine != "simulator":
        raise Refused(
            f"the simulated GPU counts, and this is a build for {run.context.device}: give the runner of build/sim"
        )


def calls_of_labs(runner):
    """Yields the words of two calls for each lab: at the sizes that are counted, and at odd sizes, which give its arrays ragged ends."""
    code, listed = runner.output("lab", "--json")
    try:
        labs = json.loads(listed)
        for lab in labs:
            for size in ("counted", "odd"):
                options = ((f"--{p['name']}", str(p[size])) for p in lab["parameters"])
                yield lab["lab"], *itertools.chain.from_iterable(options)
    except (ValueError, KeyError, TypeError):
        raise Refused(f"'{runner.command[0]} lab --json' {ending(code)}, and printed no list of labs", exit_code(code)) from None


def record_labs(arguments):
    path = arguments.output or BASELINES / "nvidia-h200-labs.json"
    program.check_writable(path)
    runner = Runner(arguments.runner or [str(ROOT / "sgemm_runner"), "--build", "cuda"])
    # One short launch tells which device this is, before minutes are spent on the rest.
    first = runner.run("0", "--size", "128", "--once")
    refuse_if_interrupted(runner)
    refuse_all_but_a_gpu(first)
    run = runner.run("lab", "all")
    refuse_if_interrupted(runner)
    context = {key: value for key, value in run.context.json.items() if key != "command_line"}
    results.write(path, replace(run, context=replace(run.context, json=context)))


def refuse_all_but_a_gpu(first):
    if first.context.machine != "cuda":
        raise Refused(
            f"only a GPU has times, and this is the {first.context.device}: give the runner of build/cuda, on a machine with a GPU"
        )


def record_device(arguments):
    path = arguments.output or BASELINES / "nvidia-h200.json"
    program.check_writable(path)
    runner = Runner(arguments.runner or [str(ROOT / "sgemm_runner"), "--build", "cuda"])
    saved = read_saved(path) if path.exists() and not arguments.fresh else None
    # One short launch tells the device and the commit, before minutes are spent on the rest.
    first = runner.run("0", "--size", "128", "--once")
    if first is None:
        raise Refused("interrupted; nothing was recorded", INTERRUPTED)
    refuse_all_but_a_gpu(first)
    if first.context.commit is None and arguments.resume:
        raise Refused("--resume keeps rows of this commit only, and the commit is unknown (no repository here): set SGEMM_COMMIT")
    if first.context.commit is None:
        say("the commit is unknown (no repository here); SGEMM_COMMIT can tell it")
    rows = {}
    if saved is not None:
        refuse_to_mix(path, saved.context, first.context)
        rows = {subject(row): row for row in saved.rows}
    same_recording = goes_on(saved, first.context)
    recording = saved.context if same_recording else first.context
    done = rows_since(recording.date, rows) if arguments.resume and same_recording else set()

    listed = listed_kernels(runner) if done or arguments.kernels else []
    wanted = numbers_of(arguments.kernels or "all", listed)
    if arguments.kernels and not wanted:
        raise Refused(f"there is no rung '{arguments.kernels}'; './sgemm_runner list' lists them")
    for number in arguments.only or range(1, len(GROUPS) + 1):
        say(f"group {number} of {len(GROUPS)}")
        group = GROUPS[number - 1]
        for kernels, sizes in calls_of(group, wanted, done) if listed else [(group.kernels, group.sizes)]:
            new = runner.save(group.runs, kernels, "--size", sizes, *group.options)
            if new is not None:
                refuse_to_mix(path, recording, new.context)
                # cuBLAS heads every table, asked for or not. Its row of a --once run must not replace a timed one.
                rows |= {subject(row): row for row in new.rows if not (row.is_reference and row.once)}
                write_device(path, recording, rows)
            if runner.stopped:
                raise Refused(f"interrupted; '{path}' has the finished groups, and --resume goes on from there", INTERRUPTED)


DRAM_METRICS = ("dram__bytes_read.sum", "dram__bytes_write.sum")
DRAM_SIZE = "4096"


def record_dram(arguments):
    """Adds to the recorded rows the bytes that one launch of each rung moves between DRAM and a warm L2."""
    path = arguments.output or BASELINES / "nvidia-h200.json"
    program.check_writable(path)
    saved = read_saved(path)
    with tempfile.TemporaryDirectory() as folder:
        seen = Path(folder) / "run.json"
        runner = Runner(arguments.runner or [str(ROOT / "sgemm_runner"), "--build", "cuda"])
        runner.command = [*nsight_command(arguments.ncu), *runner.command]
        words = ("all", "--size", DRAM_SIZE, "--once", "-q", f"--json={seen}")
        say(" ".join([*runner.command, *words]))
        code, output = runner.output(*words)
        refuse_if_interrupted(runner)
        if code != 0:
            raise Refused(f"Nsight Compute {ending(code)}; nothing was recorded: {last_line(output)}", exit_code(code))
        run = results.read(seen)
    refuse_what_is_wrong(run)
    refuse_to_mix(path, saved.context, run.context)
    launches = dram_bytes_of_launches(output)
    bytes_of = {}
    for row in run.rows:
        count = len(row.json["kernels"])
        if len(launches) < count:
            raise Refused(f"Nsight Compute saw fewer kernels than {row.name} launches; nothing was recorded", FAILURE)
        bytes_of[subject(row)] = sum(launches[:count])
        del launches[:count]
    if launches:
        raise Refused("Nsight Compute saw more kernels than were launched; nothing was recorded", FAILURE)

    def with_bytes(row):
        if row.once or subject(row) not in bytes_of:
            return row
        return replace(row, json={**row.json, "counts": {**row.json.get("counts", {}), "dram_bytes": bytes_of[subject(row)]}})

    results.write(path, replace(saved, rows=[with_bytes(row) for row in saved.rows]))


def nsight_command(ncu):
    # The L2 stays as the kernel's own check left it, since the times are of a warm L2 too.
    how = ("--csv", "--print-units", "base", "--clock-control", "none", "--cache-control", "none")
    return (ncu, *how, "--profile-from-start", "off", "--target-processes", "all", "--metrics", ",".join(DRAM_METRICS))


def dram_bytes_of_launches(output):
    """Returns, for each kernel that Nsight Compute saw, the sum of the metrics in its CSV. Skips the lines before the CSV."""
    lines = output.decode(errors="replace").splitlines()
    header = next((i for i, line in enumerate(lines) if line.startswith('"ID"')), None)
    if header is None:
        raise Refused(f"Nsight Compute counted nothing: {last_line(output)}", FAILURE)
    sums = {}
    for row in csv.DictReader(lines[header:]):
        if row["Metric Name"] in DRAM_METRICS:
            sums[row["ID"]] = sums.get(row["ID"], 0) + round(float(row["Metric Value"].replace(",", "")))
    return list(sums.values())


def last_line(output):
    return (output.decode(errors="replace").strip().splitlines() or ["it said nothing"])[-1]


def read_saved(path):
    try:
        return results.read(path)
    except results.Unusable as unusable:
        raise Refused(f"{unusable}; --fresh drops its contents, --output FILE writes another") from None


def subject(row):
    """The identity of a row. A rung keeps it under another name."""
    return row.set, row.kernel if row.number is None else row.number, row.variant, row.size, tuple(row.parameters.items())


def refuse_to_mix(path, saved, new):
    """Refuses figures of another device, driver, CUDA or cuBLAS than in the file, because they cannot be compared. The commit may differ."""
    facts = {"device": "device", "driver": "driver", "cuda": "CUDA", "cublas": "cuBLAS"}
    differing = [
        f"{name} {getattr(saved, key) or 'unknown'} there, {getattr(new, key) or 'unknown'} here"
        for key, name in facts.items()
        if getattr(saved, key) != getattr(new, key)
    ]
    if differing:
        raise Refused(
            f"'{path}' cannot take these figures ({'; '.join(differing)}): --fresh begins it anew, --output FILE writes another"
        )


def goes_on(saved, now):
    """True if the recording in the file was begun today, with this commit."""
    if saved is None or saved.context.commit is None or not saved.context.date:
        return False
    return saved.context.commit == now.commit and saved.context.date[:10] == now.date[:10]


def rows_since(date, rows):
    """Returns the (number, size) of the rows that were measured since `date`. All dates have one form, in UTC."""
    return {(row.number, row.size) for row in rows.values() if row.date >= date}


def listed_kernels(runner):
    code, listed = runner.output("list", "--numbers")
    if code != 0:
        raise Refused(f"'{runner.command[0]} list --numbers' {ending(code)}", exit_code(code))
    return [int(number) for number in listed.split()]


def calls_of(group, numbers, done):
    """Yields the kernels (of `numbers`) and sizes of a group that are not done yet. Neighbouring sizes with the same kernels share a call."""
    numbers = numbers_of(group.kernels, numbers)

    def missing(size):
        # As ranges: the program skips a kernel that the device cannot run, unless it was named alone.
        return ",".join(f"{number}-{number}" for number in numbers if (number, size_of(size)) not in done)

    for kernels, sizes in itertools.groupby(group.sizes.split(","), missing):
        if kernels:
            yield kernels, ",".join(sizes)


def numbers_of(kernels, listed):
    """Returns the numbers of `listed` that a text such as "all" or "0,10-12" stands for."""
    if kernels == "all":
        return listed
    ranges = [[int(end) for end in part.split("-")] for part in kernels.split(",")]
    return [number for number in listed if any(ends[0] <= number <= ends[-1] for ends in ranges)]


def size_of(text):
    """Returns (M, N, K) of "4096" or "128x160x7168"."""
    sizes = [int(size) for size in text.split("x")]
    return tuple(sizes * 3 if len(sizes) == 1 else sizes)


def write_device(path, context, rows):
    """Writes the rows, squares first, by size. They come from several command lines, so the file has none."""

    def order(row):
        size = row.size or (0, 0, 0)
        return not size[0] == size[1] == size[2], size, -1 if row.number is None else row.number, row.name

    context = replace(context, json={key: value for key, value in context.json.items() if key != "command_line"})
    results.write(path, results.Run(context, sorted(rows.values(), key=order)))


def group_numbers(text):
    """Returns the groups that a text such as "1-3,5" stands for. An argparse type."""
    try:
        numbers = numbers_of(text, range(1, len(GROUPS) + 1))
    except ValueError:
        numbers = []
    if not numbers:
        raise argparse.ArgumentTypeError(f"'{text}' names no group: they are numbered 1 to {len(GROUPS)}, as in 1-3,5")
    return numbers


def kernel_numbers(text):
    """Returns the text, if it is numbers and ranges of rungs such as "0,13-14". An argparse type."""
    if not re.fullmatch(r"\d+(-\d+)?(,\d+(-\d+)?)*", text):
        raise argparse.ArgumentTypeError(f"'{text}' names no rungs: give their numbers, as in 13-14 or 3,11-12")
    return text


def parse_command_line():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="what", required=True)
    counters = commands.add_parser("counters", help="the counters of every rung and lab on the simulated GPU")
    counters.set_defaults(record=record_counters)
    device = commands.add_parser(
        "device",
        help="the time of every rung on this machine's GPU",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        epilog="groups:\n" + "\n".join(f"  {number}  {group}" for number, group in enumerate(GROUPS, 1)),
    )
    device.set_defaults(record=record_device)
    labs = commands.add_parser("labs", help="the time of every lab's variants on this machine's GPU")
    labs.set_defaults(record=record_labs)
    dram = commands.add_parser("dram", help=f"the bytes of DRAM of the rungs at {DRAM_SIZE}, into the rows of `device`")
    dram.set_defaults(record=record_dram)
    dram.add_argument("--ncu", default="ncu", help="Nsight Compute (default: ncu)")
    for command in (counters, device, dram, labs):
        command.add_argument("--runner", nargs="+", help="the program (default: ./sgemm_runner and the build that is meant)")
        command.add_argument("--output", type=Path, help="the file (default: in bench/baselines)")
    start = device.add_mutually_exclusive_group()
    start.add_argument("--fresh", action="store_true", help="drop the file's contents")
    start.add_argument(
        "--resume", action="store_true", help="keep its rows of today and of this commit: they are not measured again"
    )
    device.add_argument("--only", type=group_numbers, metavar="GROUPS", help="these groups, as in 1-3,5")
    device.add_argument("--kernels", type=kernel_numbers, help="these rungs of each group, as in 13-14, and cuBLAS beside them")
    return parser.parse_args()


def main():
    arguments = parse_command_line()
    arguments.record(arguments)
    return 0


if __name__ == "__main__":
    sys.exit(program.run("record", main))
