#!/usr/bin/env python3
"""Runs sgemm_distributed with mpirun: results, and what it refuses.

program_test.py MPIRUN PROGRAM
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

MPIRUN, PROGRAM = sys.argv[1:3]
ENVIRONMENT = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def run(*arguments, processes=2, **variables):
    words = [MPIRUN, "--oversubscribe", "-n", str(processes), PROGRAM, *arguments]
    return subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT | variables, timeout=120)


def told(done):
    """Returns the lines that the program wrote to stderr. The others are mpirun's."""
    return [line for line in done.stderr.splitlines() if line.startswith("sgemm_distributed: ")]


def product(*arguments, processes=2):
    """Returns the product of a run as its file has it."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "run.json"
        done = run(*arguments, "--json", str(file), processes=processes)
        assert done.returncode == 0, done.stdout + done.stderr
        (only,) = json.loads(file.read_text())["context"]["distributed"]
        return only


def children(process):
    """Returns the processes that a process has started."""
    try:
        return [int(word) for task in Path(f"/proc/{process}/task").iterdir() for word in (task / "children").read_text().split()]
    except OSError:  # it has ended
        return []


class Program(unittest.TestCase):
    def test_checks_and_times_products(self):
        for processes, arguments in ((2, ["--trans-a", "--beta", "0.5"]), (4, ["--trans-b", "--kernel", "12"])):
            done = run("--size", "70x90x110,100", "--block", "16", "--panel", "30", *arguments, processes=processes)
            self.assertEqual(done.returncode, 0, done.stderr)
            heading, names, *lines = done.stdout.splitlines()
            self.assertEqual(heading.split(" · ")[:3], ["grid 1x2" if processes == 2 else "grid 2x2", "best" if processes == 2 else "12 stream_k", "MPI"])
            self.assertEqual(names.split()[-1], "right")
            self.assertEqual([(line.split()[0], line.split()[-1]) for line in lines[::2]], [("70x90x110", "yes"), ("100", "yes")])
            self.assertTrue(all("panels of 30, blocks of 16" in note for note in lines[1::2]))
            self.assertTrue(all(len(line) <= 80 for line in [heading, names, *lines]))

    def test_predicts_and_multiplies_nothing(self):
        done = run("--size", "65536,131072", "--predict", "2x2,8x8", "--network", "25", processes=1)
        self.assertEqual(done.returncode, 0, done.stderr)
        heading, names, *lines = done.stdout.splitlines()
        self.assertIn("a model, not a measurement: GPUs of 175 TFLOP/s, 360 GB/s within a host of 8, 25 GB/s", heading)
        self.assertEqual([line.split()[:2] for line in lines], [[size, grid] for size in ("65536", "131072") for grid in ("2x2", "8x8")])

    def test_writes_all_processes_into_one_file(self):
        with tempfile.TemporaryDirectory() as folder:
            file = Path(folder) / "run.json"
            arguments = ["--size", "90,100", "--block", "16", "--panel", "30", "--json", str(file)]
            self.assertEqual(run(*arguments, processes=4).returncode, 0)
            whole, product = json.loads(file.read_text())["context"]["distributed"]
            self.assertEqual((whole["m"], product["m"], product["grid_rows"], product["panel"]), (90, 100, 2, 30))
            self.assertTrue(product["correct"])
            self.assertEqual(len(product["samples_s"]), 3)
            self.assertEqual([process["rank"] for process in product["processes"]], [0, 1, 2, 3])
            for process in product["processes"]:
                self.assertEqual([(s["is_product"], s["panel"]) for s in sorted(process["spans"], key=lambda s: (s["is_product"], s["panel"]))],
                                 [(of, panel) for of in (False, True) for panel in range(4)])
                self.assertGreater(process["product_s"], 0)
            # Each process lacks half of its rows of A and half of its columns of B. The sums of messages come on top.
            self.assertEqual(product["least_bytes"], 2 * 100 * 100 * 4)
            received = sum(process["received_bytes"] for process in product["processes"])
            self.assertEqual(received, product["received_bytes"])
            self.assertTrue(product["least_bytes"] <= received < 1.05 * product["least_bytes"])

            before = file.read_text()
            done = run(*arguments)
            self.assertEqual(done.returncode, 2)
            self.assertIn("--replace", "".join(told(done)))
            self.assertEqual(file.read_text(), before)

    def test_refuses_what_does_not_fit_into_memory_with_the_sum(self):
        done = run("--size", "1000000")
        self.assertEqual(done.returncode, 2)
        self.assertRegex("\n".join(told(done)), r"^sgemm_distributed: rank \d needs 5\d{3}\.\d GiB for its parts of A, B and C and .* GiB for panels, and "
                         r"its GPU has [\d.]+ GiB free; take more processes, a smaller --panel, or --device-memory$")

    def test_ends_with_rank_and_cause_if_a_process_fails(self):
        for call, rank, cause in (
            ("memory", 1, "CUDA: out of memory (cudaErrorMemoryAllocation)"),
            ("product", 1, "CUDA: unspecified launch failure (cudaErrorLaunchFailure)"),
            ("send:2", 1, "a message cannot be sent (planted)"),
            ("silence", 0, "nothing has come for 2 seconds, and rank 1 does not answer"),
            ("wire", 1, "a message of rank 0 for the row 0 of the grid changed on its way: element 624 of 1248"),
            ("panel:3", 1, "panel 1 of A changed in memory while it was multiplied: element (33, 53)"),
        ):
            with self.subTest(call=call):
                begin = time.monotonic()
                done = run("--size", "100", "--block", "16", "--panel", "40", "--timeout", "2", processes=4, SGEMM_FAULT=f"1:{call}")
                self.assertEqual(done.returncode, 70)
                self.assertEqual(told(done), [f"sgemm_distributed: rank {rank}: {cause}"])
                self.assertLess(time.monotonic() - begin, 30)

    def test_names_a_silent_process_0(self):
        done = run("--size", "100", "--block", "16", "--panel", "40", "--timeout", "1", SGEMM_FAULT="0:silence:2")
        self.assertEqual(done.returncode, 70)
        self.assertEqual(told(done), ["sgemm_distributed: rank 1: nothing has come for 1 seconds, and rank 0 does not answer"])

    def test_ends_if_a_process_is_killed(self):
        done = run("--size", "100", "--block", "16", "--panel", "40", processes=4, SGEMM_FAULT="2:kill:3")
        self.assertNotEqual(done.returncode, 0)
        self.assertRegex(done.stderr, r"process rank 2 .* exited on signal 9")

    def test_refuses_in_one_line(self):
        for arguments, message in {
            ("--grid", "2x2"): "--grid 2x2 has 4 processes, and mpirun started 2",
            ("--grid", "2"): "--grid is '2'; it must be PxQ, such as 2x2",
            ("--size", "100x200"): "--size is '100x200'; it must be N or MxNxK, or several with commas between",
            ("--reproducible", "--block", "30"): "--block 30 does not fit: with --reproducible it must be a multiple of 4",
            ("--checkpoint", "x", "--size", "64,65"): "--checkpoint takes one --size",
            ("--device-memory", "40X"): "--device-memory is '40X'; it must be a number of bytes, such as 40G (K, M, G or T)",
            ("--timeout", "0"): "--timeout 0 does not fit: it must be from 1 to 86400",
            ("--block", "0"): "--block 0 does not fit: it must be from 1 to 2147483648",
            ("--carrier", "pigeon"): "--carrier is 'pigeon'; it must be nccl or mpi",
            ("--kernel", "5"): "--kernel is '5'; it must be best, 12 or 16",
        }.items():
            with self.subTest(arguments=arguments):
                done = run(*arguments)
                self.assertEqual(done.returncode, 2)
                self.assertEqual(told(done), [f"sgemm_distributed: {message}"])
                self.assertEqual(done.stdout, "")

    def test_has_the_same_bits_on_every_grid_if_it_is_reproducible(self):
        for kernel in ("12", "16"):
            bits = {}
            for rows, cols in ((1, 1), (2, 1), (1, 3), (2, 2)):
                arguments = ["--size", "201x230x150", "--grid", f"{rows}x{cols}", "--panel", "64", "--kernel", kernel, "--repeat", "1", "--no-one-gpu"]
                bits[rows, cols] = product(*arguments, "--reproducible", processes=rows * cols)["bits"]
            self.assertEqual(len(set(bits.values())), 1, bits)

    def test_computes_in_tiles_what_the_gpu_cannot_hold(self):
        for arguments in (["--trans-a"], ["--trans-b", "--beta", "0.5"]):
            shape = ["--size", "301x300x299", "--panel", "64", "--block", "32", "--repeat", "1", "--no-one-gpu", *arguments]
            whole, tiled = product(*shape, processes=4), product(*shape, "--device-memory", "300K", processes=4)
            self.assertEqual(whole["tiles"] if "tiles" in whole else 1, 1)
            self.assertGreater(tiled["tiles"], 3)
            self.assertEqual(tiled["device_bytes"], 300 * 1024)
        done = run("--size", "300", "--block", "32", "--panel", "64", "--device-memory", "100K", processes=4)
        self.assertEqual(done.returncode, 2)
        self.assertRegex("".join(told(done)), r"--device-memory 102400: a tile of one block needs \d+ bytes; allow more, or take a smaller --panel or --block$")

    def test_goes_on_from_a_checkpoint(self):
        shape = ["--size", "300", "--panel", "64", "--no-one-gpu"]
        bits = product(*shape, "--reproducible", "--repeat", "1")["bits"]
        with tempfile.TemporaryDirectory() as folder:
            shape += ["--checkpoint", f"{folder}/saved"]
            self.assertEqual(product(*shape)["bits"], bits)
            tiles = Path(folder) / "saved"
            self.assertEqual({file.name for file in tiles.iterdir()}, {"product", *(f"tile-{i}{end}" for i in range(3) for end in ("", ".sums"))})
            with (tiles / "tile-1").open("r+b") as file:  # damage
                file.seek(1000)
                file.write(b"x")
            (tiles / "tile-2.sums").unlink()
            again = product(*shape, processes=3)
            self.assertEqual((again["bits"], again["tiles_found"]), (bits, 1))
            self.assertEqual(product(*shape, "--grid", "2x1")["tiles_found"], 3)
            done = run(*shape, "--seed", "2")
            self.assertEqual(done.returncode, 2)
            self.assertEqual(told(done), [f"sgemm_distributed: --checkpoint {tiles}: it is of another product, whose seed is 1, not 2; "
                                          "take another folder, or remove it"])
            self.assertEqual(done.stdout, "")

    def test_survives_kills_at_random_moments(self):
        shape = ["--size", "420x400x300", "--panel", "64", "--no-one-gpu"]
        bits = product(*shape, "--reproducible", "--repeat", "1")["bits"]
        dice = random.Random(1)
        with tempfile.TemporaryDirectory() as folder:
            shape += ["--checkpoint", f"{folder}/saved"]
            for _ in range(20):
                processes = dice.choice((1, 2, 3, 4))
                words = [MPIRUN, "--oversubscribe", "-n", str(processes), PROGRAM, *shape]
                with subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT) as mpirun:
                    time.sleep(dice.uniform(0.2, 2.5))
                    mine = children(mpirun.pid)
                    if mine:
                        os.kill(dice.choice(mine), signal.SIGKILL)
                    mpirun.wait(timeout=30)
            self.assertEqual(product(*shape, processes=4)["bits"], bits)

    def test_refuses_a_fault_that_it_does_not_know(self):
        for fault in ("1", "1:", "x:send", "1:send:0", "-1:send", "1:send:2:3"):
            done = run("--size", "64", SGEMM_FAULT=fault)
            self.assertEqual(done.returncode, 2)
            self.assertEqual(told(done), [f"sgemm_distributed: SGEMM_FAULT is '{fault}'; it must be RANK:CALL or RANK:CALL:N, and CALL one of memory, "
                                          "product, send, silence, kill, wire, panel"])

    def test_refuses_different_arguments(self):
        words = [MPIRUN, "--oversubscribe", "-n", "1", PROGRAM, "--size", "64", ":", "-n", "1", PROGRAM, "--size", "65"]
        done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("sgemm_distributed: the processes have different arguments or versions", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
