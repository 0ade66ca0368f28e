"""Stands in for sgemm_runner in the tests of bench/record.py: prints the run that it is told to print.

    stub_runner.py FOLDER WORDS...

FOLDER/answers.json is a list: the first call gets the first answer, and so on; later calls get the last. Each may have
    machine    "simulator" or "cuda", the default
    context    members of the context to add or replace
    rows       {name of a row: members to add or replace}
    stop_at    the row during which it is interrupted: later rows are left out, and the code is 130
    wait       true: makes FOLDER/waiting and waits for a signal before it prints; without a signal it ends with 70
    text       the output in place of a run
    code       the exit code; -9 to be ended by that signal
    labs       the output of `lab --json`, in place of the list of labs
FOLDER/calls has a line for each call. `list --numbers` and `lab --json` use up no answer.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path

import samples


def kernels_of(words):
    """Returns the numbers that "all" or "0,2-3" stands for; on a GPU the reference is always among them."""
    if words == "all":
        return list(samples.LADDER)
    ranges = [[int(end) for end in part.split("-")] for part in words.split(",")]
    return [n for n in samples.LADDER if any(r[0] <= n <= r[-1] for r in ranges)]


def rows_of_kernels(words, machine):
    kernels = kernels_of(words[0])
    if machine == "cuda" and 0 not in kernels:
        kernels = [0, *kernels]
    once = "--once" in words
    for size in words[words.index("--size") + 1].split(","):
        for kernel in kernels:
            if machine == "cuda":
                yield samples.timed_row(kernel, size, once=once, machine=machine)
            else:
                yield samples.counted_row(kernel, size, machine=machine)


def rows_of_labs(words, machine):
    """Yields the rows of `lab copy_stride --elements 1000`, or of all labs at their default sizes."""
    for lab, (parameter, size) in samples.LABS.items():
        if words[1] in ("all", lab):
            option = f"--{parameter}"
            yield from samples.lab_rows(lab, int(words[words.index(option) + 1]) if option in words else size, machine)


def main():
    folder, words = Path(sys.argv[1]), sys.argv[2:]
    if words == ["list", "--numbers"]:
        print(*samples.LADDER, sep="\n")
        return 0
    if words == ["lab", "--json"]:
        first = json.loads((folder / "answers.json").read_text())[0]
        print(first.get("labs", json.dumps(samples.list_of_labs())))
        return 0
    calls = folder / "calls"
    number = len(calls.read_text().splitlines()) if calls.exists() else 0
    with calls.open("a") as file:
        print(*words, file=file)
    answers = json.loads((folder / "answers.json").read_text())
    answer = answers[min(number, len(answers) - 1)]

    stopped = []
    for signum in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(signum, lambda *_: stopped.append(True))
    if answer.get("wait"):
        (folder / "waiting").touch()
        give_up = time.monotonic() + 20
        while not stopped and time.monotonic() < give_up:
            time.sleep(0.02)
        if not stopped:
            return 70

    saves = words[0] == "save"
    if saves:  # save FILE WORDS --runs N
        words = words[2:-2]
    machine = answer.get("machine", "cuda")
    rows = rows_of_labs(words, machine) if words[0] == "lab" else rows_of_kernels(words, machine)
    rows = [row | {"date": answer.get("date", row["date"])} | answer.get("rows", {}).get(row["name"], {}) for row in rows]
    code = answer.get("code", 0)
    if "stop_at" in answer:  # this row's measurement was cut short
        rows = rows[: [row["name"] for row in rows].index(answer["stop_at"]) + (0 if saves else 1)]
        code = 130
    if saves and (code == 1 or not rows):  # save writes only right rows
        return code
    document = samples.document(rows, machine=machine, **answer.get("context", {}))
    print(answer.get("text", samples.text_of(document)), flush=True)
    if code < 0:
        os.kill(os.getpid(), -code)
    return code


if __name__ == "__main__":
    sys.exit(main())
