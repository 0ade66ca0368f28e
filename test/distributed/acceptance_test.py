#!/usr/bin/env python3
"""Runs sgemm_acceptance with mpirun: on runs that a stand-in for sgemm_runner makes of recorded ones, and on simulated GPUs.

acceptance_test.py MPIRUN PROGRAM RUNNER
"""

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

MPIRUN, PROGRAM, RUNNER = sys.argv[1:4]
RECORDED = Path(__file__).resolve().parents[2] / "bench/baselines/nvidia-h200.json"
ENVIRONMENT = {key: value for key, value in os.environ.items() if key not in ("CUDA_VISIBLE_DEVICES", "CUDA_DEVICE_ORDER", "COLUMNS")}
ENVIRONMENT |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "LC_ALL": "C.UTF-8"}

# Stands in for sgemm_runner. FAULTS has the faults of ranks: {"1": "slow"}.
STAND_IN = '''#!/usr/bin/env python3
import json, os, sys, time
from pathlib import Path
command, file, *words = sys.argv[1:]
assert command == "save"
rank, folder = os.environ["OMPI_COMM_WORLD_RANK"], Path(__file__).parent
fault = json.loads(os.environ.get("FAULTS", "{}")).get(rank, "")
run = json.loads((folder / "base.json").read_text())
(folder / f"called-{rank}").write_text(" ".join([*words, os.environ["CUDA_VISIBLE_DEVICES"], os.environ.get("CUDA_DEVICE_ORDER", "-")]))
if fault == "slow":
    for row in run["benchmarks"]:
        factor = 1.08 if row["kernel_id"] == 12 else 1.05
        row["samples_ms"] = [ms * factor for ms in row["samples_ms"]]
        row["clocks_mhz"] = [1800, 1815, 1830]
elif fault == "hot":
    run["benchmarks"][1]["slowdowns"] = ["thermal slowdown"]
elif fault == "other":
    run["context"]["device"] = "NVIDIA H100"
elif fault == "wrong":
    print("\\u2717 12 stream_k at 4096x4096x4096: C[0][0] is 1, should be 2;\\n", file=sys.stderr)
    sys.exit("sgemm_runner: sgemm/12_stream_k/4096x4096x4096 is not right; nothing was saved")  # with exit code 1
elif fault == "fails":
    print("sgemm_runner: CUDA: an \\033[31muncorrectable ECC error", file=sys.stderr)
    sys.exit(70)
elif fault == "refuses":
    print("sgemm_runner: there is no kernel 'nave'", file=sys.stderr)
    sys.exit(2)
elif fault == "removes":
    (folder / "results").rmdir()
elif fault == "sleeps":
    (folder / f"pid-{rank}").write_text(str(os.getpid()))
    time.sleep(600)
Path(file).write_text("{" if fault == "half" else json.dumps(run))
'''


class Acceptance(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        recorded = json.loads(RECORDED.read_text())
        names = ("sgemm/00_cuBLAS/4096x4096x4096", "sgemm/12_stream_k/4096x4096x4096", "sgemm/16_tensor_fp32/8192x8192x8192")
        recorded["benchmarks"] = [row for row in recorded["benchmarks"] if row["name"] in names]
        self.assertEqual(len(recorded["benchmarks"]), 3)
        (self.folder / "base.json").write_text(json.dumps(recorded))
        self.runner = self.folder / "sgemm_runner"
        self.runner.write_text(STAND_IN)
        self.runner.chmod(0o755)

    def command(self, processes, *arguments):
        return [MPIRUN, "--oversubscribe", "-n", str(processes), PROGRAM, "--runner", str(self.runner), *arguments]

    def run_on(self, processes, faults, *arguments, **variables):
        """Runs the program with faults by rank, and notes the lines that it wrote to stderr."""
        done = subprocess.run(self.command(processes, *arguments), capture_output=True, text=True, timeout=120,
                              env=ENVIRONMENT | {"FAULTS": json.dumps(faults), "TMPDIR": str(self.folder)} | variables)
        done.told = [line.removeprefix("sgemm_acceptance: ") for line in done.stderr.splitlines() if line.startswith("sgemm_acceptance: ")]
        self.assertEqual([one.name for one in self.folder.glob("sgemm_runner.*")], [], "temporary files are left")
        return done

    def gpus(self, processes, faults):
        """Returns the exit code, the lines on stderr, and the GPUs of the file."""
        file = self.folder / "cluster.json"
        done = self.run_on(processes, faults, "--json", str(file), "--replace")
        self.context = json.loads(file.read_text())["context"]
        return done.returncode, done.told, self.context["acceptance"]

    def test_passes_equal_gpus(self):
        code, told, gpus = self.gpus(3, {})
        self.assertEqual((code, told), (0, []))
        self.assertEqual([(gpu["rank"], gpu["gpu"], gpu["verdict"], gpu["device"]) for gpu in gpus],
                         [(rank, str(rank), "OK", "NVIDIA H200") for rank in range(3)])
        self.assertEqual([[row["verdict"] for row in gpu["rows"]] for gpu in gpus], [["SAME"] * 3] * 3)
        self.assertEqual([self.context[key] for key in ("machine", "device")], ["cuda", "NVIDIA H200"])
        self.assertIn("sgemm_acceptance ", self.context["executable"])
        self.assertEqual(self.context["command_line"][0], PROGRAM)

    def test_names_each_gpu_that_does_not_pass(self):
        code, told, gpus = self.gpus(8, {"1": "slow", "2": "hot", "3": "wrong", "4": "fails", "5": "other", "6": "half", "7": "refuses"})
        self.assertEqual(code, 3)
        verdicts = ["OK", "SLOWER", "THROTTLED", "WRONG", "FAILED", "OTHER", "FAILED", "FAILED"]
        self.assertEqual([gpu["verdict"] for gpu in gpus], verdicts)
        host = gpus[0]["host"]
        names = ", ".join(f"rank {rank} ({host}, GPU {rank}) is {verdicts[rank]}" for rank in range(1, 8))
        self.assertEqual(told, [f"7 of 8 GPUs do not pass: {names}"])
        reasons = ["; ".join(gpu["reasons"]) for gpu in gpus]
        self.assertRegex(reasons[1], r"^12 stream_k at 4096x4096x4096 is 7\.4 % slower than on rank \d, the median GPU \(threshold 3\.0 %, p = [\de-]+\); "
                                     r"3 rows are slower: .*; its clock was 1815 MHz, and 1980 MHz on rank \d$")
        self.assertEqual(reasons[2], "thermal slowdown during 1 of 3 rows: 12 stream_k at 4096x4096x4096")
        self.assertEqual(reasons[3], "✗ 12 stream_k at 4096x4096x4096: C[0][0] is 1, should be 2; "
                                     "sgemm/12_stream_k/4096x4096x4096 is not right; nothing was saved")
        self.assertEqual(reasons[4], "CUDA: an [31muncorrectable ECC error; sgemm_runner save ended with 70")
        self.assertRegex(reasons[5], r"^its device is NVIDIA H100 sm_90, and NVIDIA H200 sm_90 on rank 0$")
        self.assertRegex(reasons[6], r"run\.json' cannot be used: it is not whole")
        self.assertEqual(reasons[7], "there is no kernel 'nave'")
        slow = {row["kernel"]: row for row in gpus[1]["rows"]}["12 stream_k"]
        self.assertAlmostEqual(slow["change_percent"], 100 / 1.08 - 100)
        self.assertAlmostEqual(slow["quartiles_ms"][1], 1.08 * slow["base_ms"])

    def test_is_not_certain_of_a_gpu_alone(self):
        code, told, (gpu,) = self.gpus(1, {})
        self.assertEqual((code, gpu["verdict"]), (0, "UNSURE"))
        self.assertEqual(told, [f"the verdict on 1 of 1 GPU is not certain: rank 0 ({gpu['host']}, GPU 0) is UNSURE"])
        self.assertEqual(gpu["reasons"], ["there is nothing to compare it with: no other GPU like it has right results"])

    def test_does_not_pass_if_no_gpu_has_a_result(self):
        code, _, gpus = self.gpus(2, {"0": "fails", "1": "fails"})
        self.assertEqual((code, [gpu["verdict"] for gpu in gpus]), (3, ["FAILED", "FAILED"]))
        self.assertEqual(self.context["machine"], "simulator", "the machine of this build")

    def test_gives_each_process_a_gpu_of_its_own(self):
        self.run_on(2, {}, "12", "--size", "4096", "--", "--replace")
        self.assertEqual([(self.folder / f"called-{rank}").read_text() for rank in range(2)],
                         [f"12 --size 4096 --replace {rank} PCI_BUS_ID" for rank in range(2)])
        done = self.run_on(2, {}, CUDA_VISIBLE_DEVICES="5,GPU-8f2c")
        self.assertEqual([(self.folder / f"called-{rank}").read_text() for rank in range(2)], ["5 -", "GPU-8f2c -"])
        self.assertIn(" GPU-8f2c ", done.stdout)

    def test_shows_a_table(self):
        file = self.folder / "cluster.json"
        done = self.run_on(3, {"2": "slow"}, "--json", str(file), COLUMNS="80")
        self.assertEqual(done.returncode, 3)
        title, names, *lines = done.stdout.splitlines()
        self.assertRegex(title, r"^NVIDIA H200 · 3 GPUs on 1 host · 2 OK, 1 SLOWER$")
        self.assertEqual((names.split()[0], names.split()[-1]), ("rank", "verdict"))
        self.assertEqual([(line.split()[0], line.split()[-1]) for line in lines[:3]], [("0", "OK"), ("1", "OK"), ("2", "SLOWER")])
        self.assertIn("is SLOWER: 12 stream_k at 4096x4096x4096 is 7.4 % slower", " ".join(" ".join(lines[3:]).split()))
        self.assertLessEqual(max(len(line) for line in done.stdout.splitlines()), 80)
        shown = subprocess.run([RUNNER, "table", str(file)], capture_output=True, text=True, env=ENVIRONMENT | {"COLUMNS": "80"})
        self.assertEqual(shown.stdout, done.stdout)

    def test_refuses_in_one_line(self):
        everyone = {str(rank): "refuses" for rank in range(2)}
        for arguments, faults, message in (
            ([], everyone, "there is no kernel 'nave'"),
            (["--runner"], {}, "--runner: 1 required PATH missing (see --help)"),
            (["--json", "/nowhere/x.json"], {}, "cannot write to '/nowhere/x.json': No such file or directory"),
            (["--json", str(self.runner)], {}, f"'{self.runner}' is there already: --replace writes over it"),
        ):
            with self.subTest(arguments=arguments):
                done = self.run_on(2, faults, *arguments)
                self.assertEqual((done.returncode, done.told, done.stdout), (2, [message], ""))
        self.runner.unlink()
        done = self.run_on(2, {})
        self.assertEqual((done.returncode, len(done.told)), (2, 1))
        self.assertIn("No such file or directory", done.told[0])

    def test_tells_the_verdicts_even_if_the_file_cannot_be_written(self):
        (self.folder / "results").mkdir()
        done = self.run_on(2, {"0": "removes"}, "--json", str(self.folder / "results/cluster.json"))
        self.assertEqual((done.returncode, done.told), (70, [f"cannot write to '{self.folder}/results/cluster.json': No such file or directory"]))
        self.assertIn("2 OK", done.stdout)

    def test_refuses_different_arguments(self):
        words = self.command(1, "12") + [":", "-n", "1", PROGRAM, "--runner", str(self.runner), "16"]
        done = subprocess.run(words, capture_output=True, text=True, env=ENVIRONMENT, timeout=120)
        self.assertEqual(done.returncode, 2)
        self.assertIn("sgemm_acceptance: the processes have different arguments or versions", done.stderr)
        self.assertEqual(list(self.folder.glob("called-*")), [])

    def test_ends_its_measurements_if_it_is_interrupted(self):
        environment = ENVIRONMENT | {"FAULTS": json.dumps({"0": "sleeps", "1": "sleeps"}), "TMPDIR": str(self.folder)}
        for interrupted in ("mpirun", "one process"):
            with self.subTest(interrupted=interrupted):
                mpirun = subprocess.Popen(self.command(2), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment)
                self.addCleanup(mpirun.kill)
                pids = self.pids_of_stand_ins(2)
                if interrupted == "mpirun":
                    mpirun.send_signal(signal.SIGINT)
                    self.assertNotEqual(mpirun.wait(timeout=30), 0)
                else:
                    status = Path(f"/proc/{pids[0]}/status").read_text()
                    (process,) = (line.split()[1] for line in status.splitlines() if line.startswith("PPid:"))
                    os.kill(int(process), signal.SIGTERM)
                    self.assertEqual(mpirun.wait(timeout=30), 130)
                self.wait_until(lambda pids=pids: not any(Path(f"/proc/{pid}").exists() for pid in pids))
                self.assertEqual(list(self.folder.glob("sgemm_runner.*")), [])

    def pids_of_stand_ins(self, count):
        """Returns the processes of stand-ins that sleep, once there are so many."""
        def files():
            return [file for file in self.folder.glob("pid-*") if file.read_text()]
        self.wait_until(lambda: len(files()) == count)
        pids = [int(file.read_text()) for file in files()]
        for file in files():
            file.unlink()
        return pids

    def wait_until(self, condition):
        deadline = time.monotonic() + 60
        while not condition():
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.05)

    def test_counts_on_simulated_gpus(self):
        self.runner = RUNNER
        file = self.folder / "cluster.json"
        done = self.run_on(2, {}, "1", "2", "--size", "64", "--json", str(file))
        self.assertEqual((done.returncode, done.told), (0, []), done.stdout + done.stderr)
        self.assertIn("2 GPUs on 1 host · 64³ · 2 OK", done.stdout)
        self.assertIn("the rows were counted and not timed", done.stdout)
        gpus = json.loads(file.read_text())["context"]["acceptance"]
        self.assertEqual([[row["name"] for row in gpu["rows"]] for gpu in gpus], [["sgemm/01_naive/64x64x64", "sgemm/02_coalesced/64x64x64"]] * 2)
        done = self.run_on(2, {}, "nave")
        self.assertEqual(done.returncode, 2)
        self.assertRegex("".join(done.told), "^there is no kernel 'nave'")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
