"""Tests bench/record.py with a stand-in for sgemm_runner (stub_runner.py): its records and its refusals."""

import json
import signal
import subprocess
import sys
import tempfile
import time
import unittest
from pathlib import Path

import samples
from plots import results

STUB = Path(__file__).resolve().parent / "stub_runner.py"
SIMULATOR = {"machine": "simulator"}
COMMIT = "c0ffee"


class RecordTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.stub_folder = self.folder / "stub"
        self.stub_folder.mkdir()
        self.output_folder = self.folder / "output"
        self.output_folder.mkdir()
        self.file = self.output_folder / "run.json"
        self.answers({})

    def answers(self, *answers):
        """Sets the stub's answers: the first call gets the first one, and so on; later calls get the last."""
        (self.stub_folder / "answers.json").write_text(json.dumps(answers))
        (self.stub_folder / "calls").unlink(missing_ok=True)

    def calls(self):
        """Returns the kernels and sizes that the program was asked for."""
        path = self.stub_folder / "calls"
        lines = path.read_text().splitlines() if path.exists() else []
        calls = [words[2:] if words[0] == "save" else words for words in map(str.split, lines) if words[0] != "lab"]
        return [(words[0], words[2]) for words in calls]

    def lab_calls(self):
        """Returns the words of the calls for labs, without --json."""
        path = self.stub_folder / "calls"
        return [line.split()[1:-1] for line in path.read_text().splitlines() if line.startswith("lab ")]

    def command(self, *words):
        launcher = self.folder / "runner"
        launcher.write_text(f"#!/bin/sh\nexec '{sys.executable}' -B '{STUB}' '{self.stub_folder}' \"$@\"\n")
        launcher.chmod(0o755)
        return [sys.executable, "-B", samples.BENCH / "record.py", *words, "--runner", launcher, "--output", self.file]

    def call(self, *words):
        ended = subprocess.run(self.command(*words), capture_output=True, text=True)
        self.assertNotIn("Traceback", ended.stderr)
        self.assertEqual(ended.stdout, "")
        left = {path.name for path in self.output_folder.iterdir()}
        self.assertLessEqual(left, {"run.json"}, "something half-written was left")
        return ended

    def recorded(self, *words):
        """Returns the rows of the file after a call that goes well."""
        ended = self.call(*words)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        return results.read(self.file).rows

    def refused(self, code, *words):
        """Returns the last line of a call that must fail and leave the file as it was."""
        before = self.file.read_bytes() if self.file.exists() else None
        ended = self.call(*words)
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertEqual(self.file.read_bytes() if self.file.exists() else None, before)
        return ended.stderr.splitlines()[-1]

    def save(self, *rows, **context):
        self.file.write_text(samples.text_of(samples.document(list(rows), **context)))


class Counters(RecordTest):
    def setUp(self):
        super().setUp()
        self.answers(SIMULATOR)
        self.save()

    def test_of_every_rung_at_every_size(self):
        rows = self.recorded("counters")
        self.assertEqual(len(self.calls()), 1)
        sizes = {row.size for row in rows if row.set == "sgemm"}
        self.assertEqual(sum(row.set == "sgemm" for row in rows), len(sizes) * len(samples.LADDER))
        self.assertLessEqual({(256, 256, 256), (4, 255, 61), (255, 4, 61), (65, 63, 61)}, sizes)
        self.assertEqual(rows[1].counts, {"load_requests": {"A": 8, "B": 8}, "launches": 1})

    def test_without_what_is_of_one_moment(self):
        self.recorded("counters")
        document = json.loads(self.file.read_text())
        for part in (document["context"], *document["benchmarks"]):
            for key in ("date", "command_line", "commit", "uncommitted_changes", "memory_bytes", "simulation_seconds"):
                self.assertNotIn(key, part)
            for key in ("lines", "labs", "idea"):
                self.assertNotIn(key, part)
        self.assertEqual(document["context"]["schema"], results.SCHEMA)

    def test_of_every_lab_at_its_sizes_and_at_odd_ones(self):
        rows = [row for row in self.recorded("counters") if row.set == "lab"]
        self.assertEqual(
            self.lab_calls(),
            [
                ["copy_stride", "--elements", "16384"],
                ["copy_stride", "--elements", "8205"],
                ["transpose", "--rows", "20"],
                ["transpose", "--rows", "23"],
            ],
        )
        self.assertEqual(len(rows), 8)
        self.assertEqual(
            {(row.kernel, *row.parameters.values()) for row in rows},
            {("copy_stride", 16384), ("copy_stride", 8205), ("transpose", 20), ("transpose", 23)},
        )
        self.assertEqual({row.refusal != "" for row in rows if row.variant == "float4"}, {True})

    def test_a_wrong_lab_is_named(self):
        wrong = {"lab/transpose/1/rows=23": {"correct": False, "error_message": "word 3 is wrong"}}
        self.answers(SIMULATOR | {"rows": wrong})
        self.assertIn("lab/transpose/1/rows=23 is wrong; nothing of this call", self.refused(1, "counters"))

    def test_what_is_no_list_of_labs(self):
        for labs in ("sgemm_runner: hello", "7", '[{"lab": "copy_stride"}]'):
            self.answers(SIMULATOR | {"labs": labs})
            self.assertIn("printed no list of labs", self.refused(70, "counters"))

    def test_interrupted_in_a_lab(self):
        self.answers(SIMULATOR, SIMULATOR | {"stop_at": "lab/copy_stride/1/elements=16384"})
        self.assertIn("interrupted; nothing was recorded", self.refused(130, "counters"))

    def test_a_wrong_kernel_is_named(self):
        wrong = {"sgemm/02_coalesced/256x256x256": {"correct": False, "error_message": "C[0][0] is wrong"}}
        self.answers(SIMULATOR | {"rows": wrong, "code": 1})
        said = self.refused(1, "counters")
        self.assertIn("sgemm/02_coalesced/256x256x256 is wrong", said)
        self.assertIn("nothing of this call was recorded", said)

    def test_a_broken_promise_is_named(self):
        self.answers(SIMULATOR | {"rows": {"sgemm/01_naive/4x255x61": {"promise_kept": False}}, "code": 1})
        self.assertIn("sgemm/01_naive/4x255x61 broke its promise", self.refused(1, "counters"))

    def test_a_wrong_row_is_enough(self):
        self.answers(SIMULATOR | {"rows": {"sgemm/01_naive/4x255x61": {"correct": False}}})
        self.assertIn("is wrong", self.refused(1, "counters"))

    def test_the_programs_own_endings(self):
        for code, text, said in (
            (2, "", "ended with 2 without a result"),
            (1, None, "ended with 1; nothing"),
            (70, None, "ended with 70; nothing"),
            (77, "", "ended with 77 without"),
        ):
            self.answers(SIMULATOR | {"code": code} | ({} if text is None else {"text": text}))
            self.assertIn(said, self.refused(code, "counters"))
        self.answers(SIMULATOR | {"code": -9, "text": ""})
        self.assertIn("was ended by signal 9", self.refused(70, "counters"))

    def test_what_is_no_run(self):
        self.answers({"text": "sgemm_runner: hello"})
        self.assertIn("cannot be used: it is not JSON", self.refused(70, "counters"))
        self.answers(SIMULATOR | {"context": {"schema": 1}})
        self.assertIn("has schema 1", self.refused(70, "counters"))

    def test_an_interrupted_run(self):
        self.answers(SIMULATOR | {"stop_at": "sgemm/02_coalesced/256x256x256"})
        self.assertIn("interrupted; nothing was recorded", self.refused(130, "counters"))

    def test_of_a_gpu(self):
        self.answers({})
        self.assertIn("the simulated GPU counts", self.refused(2, "counters"))

    def test_a_program_that_is_not_there(self):
        command = [
            sys.executable,
            "-B",
            samples.BENCH / "record.py",
            "counters",
            "--runner",
            "/nowhere/runner",
            "--output",
            self.file,
        ]
        ended = subprocess.run(command, capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stderr.count("\n")), (2, 2), ended.stderr)
        self.assertIn("cannot run '/nowhere/runner': No such file", ended.stderr)

    def test_a_folder_that_is_not_there(self):
        self.file = Path("/nowhere/run.json")
        ended = self.call("counters")
        self.assertEqual(ended.returncode, 2)
        self.assertIn("cannot write to '/nowhere/run.json': there is no folder", ended.stderr)
        self.assertEqual(self.calls(), [])


class Labs(RecordTest):
    def test_are_recorded_whole(self):
        self.save(samples.timed_row(1, "99"), driver="550.1")
        rows = self.recorded("labs")
        self.assertEqual(self.lab_calls(), [["all"]])
        who = [(row.set, row.kernel, row.variant) for row in rows]
        self.assertEqual(who[:2], [("lab", "copy_stride", "1"), ("lab", "copy_stride", "float4")])
        self.assertEqual(len(rows), 4)
        self.assertEqual(rows[0].figures["percent_of_copy"], 98.5)
        self.assertEqual(json.loads(self.file.read_text())["benchmarks"][0]["idea"], "neighbours")
        context = results.read(self.file).context
        self.assertEqual((context.driver, context.commit), ("570.1", COMMIT))
        self.assertNotIn("command_line", context.json)

    def test_the_simulator_has_no_times(self):
        self.answers(SIMULATOR)
        self.assertIn("only a GPU has times", self.refused(2, "labs"))
        self.assertEqual(self.lab_calls(), [])

    def test_a_wrong_one_is_named(self):
        self.save()
        self.answers({}, {"rows": {"lab/transpose/1/rows=20": {"correct": False}}, "code": 1})
        self.assertIn("lab/transpose/1/rows=20 is wrong; nothing of this call was recorded", self.refused(1, "labs"))

    def test_an_interrupted_run(self):
        self.save()
        self.answers({}, {"stop_at": "lab/transpose/1/rows=20"})
        self.assertIn("interrupted; nothing was recorded", self.refused(130, "labs"))
        self.answers({"stop_at": "sgemm/00_cuBLAS/128x128x128"})
        self.assertIn("interrupted; nothing was recorded", self.refused(130, "labs"))


class Device(RecordTest):
    def test_every_group(self):
        rows = self.recorded("device")
        measured = {(row.number, row.size) for row in rows}
        self.assertEqual(len(measured), len(rows))
        for size in ((128, 128, 128), (4095, 4095, 4095), (8192, 8192, 8192), (16384, 1, 16384)):
            self.assertLessEqual({(number, size) for number in samples.LADDER}, measured)
        self.assertLessEqual({(number, (16384, 16384, 16384)) for number in samples.LADDER}, measured)
        squares = [row.size[0] == row.size[1] == row.size[2] for row in rows]
        self.assertEqual(squares, sorted(squares, reverse=True))
        self.assertEqual([row.number for row in rows[:4]], [0, 1, 2, 3])

    def test_cublas_that_ran_once_replaces_nothing(self):
        rows = self.recorded("device")
        reference = next(row for row in rows if row.number == 0 and row.size[0] == 16384)
        self.assertFalse(reference.once)
        self.assertTrue(next(row for row in rows if row.number == 1 and row.size[0] == 16384).once)

    def test_a_row_measured_anew_replaces_that_of_its_kernel_and_size(self):
        old = {"date": "2026-01-02T03:04:05+00:00", "gflops": 7.0}
        self.save(
            samples.timed_row(1, "128", **old), samples.timed_row(2, "4095", **old), samples.timed_row(2, "99", **old), commit="0ld"
        )
        renamed = samples.timed_row(3, "128", **old) | {"kernel": "tiles", "name": "sgemm/03_tiles/128x128x128"}
        document = json.loads(self.file.read_text())
        document["benchmarks"].append(renamed)
        self.file.write_text(json.dumps(document))
        recorded = self.recorded("device", "--only", "1")
        rows = {(row.number, row.size): row for row in recorded}
        self.assertEqual(len(rows), len(recorded))
        self.assertEqual(rows[1, (128, 128, 128)].figures["gflops"], 2469.0)
        self.assertEqual(rows[3, (128, 128, 128)].kernel, "shared_tile")
        for kept in ((2, (4095, 4095, 4095)), (2, (99, 99, 99))):
            self.assertEqual((rows[kept].figures["gflops"], rows[kept].date), (7.0, old["date"]))
        context = results.read(self.file).context
        self.assertEqual(context.commit, COMMIT)
        self.assertNotIn("command_line", context.json)

    def test_figures_of_another_machine_are_not_mixed_in(self):
        for key, there, said in (
            ("driver", "550.1", "driver 550.1 there, 570.1 here"),
            ("device", "NVIDIA Y", "device NVIDIA Y there, NVIDIA X here"),
            ("cuda", "12.6", "CUDA 12.6 there, 12.8 here"),
            ("cublas", None, "cuBLAS unknown there, 12.8.4 here"),
        ):
            self.answers({})
            self.save(samples.timed_row(1, "99"), **{key: there})
            refusal = self.refused(2, "device")
            self.assertIn(said, refusal)
            self.assertIn("--fresh", refusal)
            self.assertIn("--output", refusal)
            self.assertEqual(self.calls(), [("0", "128")], "minutes were spent on what cannot be recorded")

    def test_the_commit_may_differ(self):
        self.save(samples.timed_row(1, "99"), commit="0ld")
        self.assertIn((99, 99, 99), {row.size for row in self.recorded("device", "--only", "8")})

    def test_fresh(self):
        self.save(samples.timed_row(1, "99"), driver="550.1")
        rows = self.recorded("device", "--fresh", "--only", "8")
        self.assertEqual({row.size for row in rows}, {(16384, 16384, 16384)})
        self.assertEqual(results.read(self.file).context.driver, "570.1")

    def test_a_file_of_another_schema(self):
        self.save(schema=None)
        refusal = self.refused(2, "device")
        self.assertIn("has no 'schema'", refusal)
        self.assertIn("--fresh", refusal)
        self.assertEqual(self.calls(), [])
        self.assertEqual(len(self.recorded("device", "--fresh", "--only", "11")), 1)

    def test_groups_before_a_wrong_one_are_kept(self):
        self.answers({}, {}, {}, {"rows": {"sgemm/01_naive/4095x4095x4095": {"correct": False}}, "code": 1})
        ended = self.call("device")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("ended with 1 without a result; nothing of this call was recorded", ended.stderr)
        sizes = {row.size for row in results.read(self.file).rows}
        self.assertIn((2560, 2560, 2560), sizes)
        self.assertNotIn((4095, 4095, 4095), sizes)
        self.assertNotIn((8192, 8192, 8192), sizes)

    def test_each_group_is_measured_several_times(self):
        self.recorded("device", "--only", "3,10")
        lines = (self.stub_folder / "calls").read_text().splitlines()[1:]
        self.assertEqual([line.split()[0] for line in lines], ["save", "save"])
        self.assertEqual([line.split()[-1] for line in lines], ["3", "1"])

    def test_only(self):
        self.recorded("device", "--only", "3,8-10")
        self.assertEqual(self.calls()[1:], [("all", "3072,4095"), ("0,10-13", "16384"), ("14-16", "16384"), ("2-9", "16384")])

    def test_only_a_group_that_there_is(self):
        for words in ("12", "x", "", "0"):
            self.assertIn(f"'{words}' names no group: they are numbered 1 to 11", self.refused(2, "device", "--only", words))

    def test_only_some_kernels(self):
        self.recorded("device", "--only", "3,8-11", "--kernels", "2-3")
        self.assertEqual(self.calls()[1:], [("2-2,3-3", "3072,4095"), ("2-2,3-3", "16384")])

    def test_only_kernels_that_there_are(self):
        self.assertIn("there is no rung '7'", self.refused(2, "device", "--kernels", "7"))
        for words in ("x", "", "2-", "-1"):
            self.assertIn(f"'{words}' names no rungs", self.refused(2, "device", f"--kernels={words}"))

    def test_the_simulator_has_no_times(self):
        self.answers(SIMULATOR)
        self.assertIn("only a GPU has times", self.refused(2, "device"))

    def test_an_unknown_commit(self):
        self.answers({"context": {"commit": None}})
        ended = self.call("device", "--only", "4")
        self.assertEqual(ended.returncode, 0)
        self.assertIn("SGEMM_COMMIT", ended.stderr)
        self.assertIn("set SGEMM_COMMIT", self.refused(2, "device", "--only", "4", "--resume"))


class Dram(RecordTest):
    """A stub stands in for Nsight Compute: it calls the program, and prints a given text."""

    KERNELS = (("cublas", 1), ("naive", 1), ("coalesced", 1), ("split", 2))

    def setUp(self):
        super().setUp()
        names = [f"sgemm/{name}/4096x4096x4096" for name in ("00_cuBLAS", "01_naive", "02_coalesced", "03_shared_tile")]
        kernel = {"name": "k", "grid": [1, 1, 1], "block": [32, 1, 1]}
        launches = {name: {"kernels": [kernel] * count} for name, (_, count) in zip(names, self.KERNELS, strict=True)}
        self.answers({"rows": launches})
        self.save(*(samples.timed_row(number, size) for number in samples.LADDER for size in ("256", "4096")))

    def ncu(self, lines, code=0):
        stub = self.folder / "ncu"
        text = "\n".join(lines)
        stub.write_text(
            f"#!{sys.executable}\nimport subprocess, sys\n"
            "words = sys.argv[sys.argv.index('--metrics') + 2:]\n"
            "file = next(word for word in words if word.startswith('--json=')).removeprefix('--json=')\n"
            "words = [word for word in words if not word.startswith('--json=') and word != '-q'] + ['--json']\n"
            "open(file, 'wb').write(subprocess.run(words, stdout=subprocess.PIPE).stdout)\n"
            f"print({text!r})\nsys.exit({code})\n"
        )
        stub.chmod(0o755)
        return "--ncu", str(stub)

    def csv(self, launches):
        lines = ["==PROF== Connected", '"ID","Kernel Name","Metric Name","Metric Unit","Metric Value"']
        for number in range(launches):
            for metric, value in (("dram__bytes_read.sum", f"1,{number:03}"), ("dram__bytes_write.sum", "10")):
                lines.append(f'"{number}","void k<1, ""x"">()","{metric}","byte","{value}"')
        return lines

    def test_are_added_to_the_rows_of_that_size(self):
        ended = self.call("dram", *self.ncu(self.csv(5)))
        self.assertEqual(ended.returncode, 0, ended.stderr)
        rows = {(row.number, row.size[0]): row for row in results.read(self.file).rows}
        self.assertEqual([rows[number, 4096].counts["dram_bytes"] for number in (0, 1, 2)], [1010, 1011, 1012])
        self.assertEqual(rows[3, 4096].counts["dram_bytes"], 1013 + 1014, "of both its kernels")
        self.assertEqual(rows[1, 256].counts, {})
        self.assertTrue(rows[1, 4096].samples_ms)

    def test_what_does_not_fit_is_not_recorded(self):
        before = self.file.read_bytes()
        for lines, code, why in (
            (self.csv(4), 0, "saw fewer kernels than sgemm/03_shared_tile/4096x4096x4096 launches"),
            (self.csv(6), 0, "saw more kernels than were launched"),
            (["==ERROR== ERR_NVGPUCTRPERM"], 0, "counted nothing: ==ERROR== ERR_NVGPUCTRPERM"),
            (["==ERROR== no"], 9, "Nsight Compute ended with 9; nothing was recorded: ==ERROR== no"),
        ):
            ended = self.call("dram", *self.ncu(lines, code))
            self.assertIn(why, ended.stderr)
            self.assertNotEqual(ended.returncode, 0)
            self.assertEqual(self.file.read_bytes(), before)


class Resumed(RecordTest):
    def stop_in_third_group(self):
        self.answers({}, {}, {}, {"stop_at": "sgemm/02_coalesced/4095x4095x4095"})
        ended = self.call("device")
        self.assertEqual(ended.returncode, 130, ended.stderr)
        self.assertIn("--resume", ended.stderr)

    def test_keeps_what_was_done_before_the_interruption(self):
        self.stop_in_third_group()
        rows = results.read(self.file).rows
        self.assertEqual({row.number for row in rows if row.size[0] == 3072}, {0, 1, 2, 3})
        # The interrupted row is incomplete, so it is not recorded.
        self.assertEqual({row.number for row in rows if row.size[0] == 4095}, {0, 1})
        self.assertEqual(len(self.calls()), 4)

    def test_measures_the_rest(self):
        self.stop_in_third_group()
        self.answers({"date": f"{samples.TODAY}T11:00:00+00:00", "context": {"date": f"{samples.TODAY}T11:00:00+00:00"}})
        rows = self.recorded("device", "--resume", "--only", "1-5")
        every = "0-0,1-1,2-2,3-3"
        self.assertEqual(self.calls()[1:], [("2-2,3-3", "4095"), (every, "4096"), (every, "6144")])
        self.assertEqual(len(rows), (16 + 2 + 2 + 1 + 1) * len(samples.LADDER))
        self.answers({})
        self.recorded("device", "--resume", "--only", "1-5")
        self.assertEqual(self.calls(), [("0", "128")], "what is there was measured again")

    def test_not_with_another_commit_or_of_another_day(self):
        for context in ({"commit": "0ther"}, {"date": "2026-11-24T00:00:00+00:00"}):
            self.answers({})
            self.recorded("device", "--only", "3")
            self.answers({"context": context})
            self.recorded("device", "--resume", "--only", "3")
            self.assertEqual(self.calls()[1:], [("all", "3072,4095")])
            self.file.unlink()

    def test_rows_of_a_commit_before_are_measured_again(self):
        self.answers({})
        self.recorded("device", "--only", "3")
        later = {
            "context": {"commit": "0ther", "date": f"{samples.TODAY}T11:00:00+00:00"},
            "date": f"{samples.TODAY}T11:00:01+00:00",
        }
        self.answers(later)
        self.recorded("device", "--only", "4")
        self.answers(later)
        self.recorded("device", "--resume", "--only", "3-4")
        self.assertEqual([sizes for _, sizes in self.calls()[1:]], ["3072,4095"])

    def test_without_a_file_is_a_beginning(self):
        self.recorded("device", "--resume", "--only", "8")
        self.assertEqual(self.calls()[1:], [("0,10-13", "16384")])

    def test_is_not_fresh(self):
        self.assertIn("not allowed with", self.refused(2, "device", "--resume", "--fresh"))


class Signals(RecordTest):
    def test_leave_the_file_whole(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            self.answers({}, {}, {}, {"wait": True, "stop_at": "sgemm/01_naive/4095x4095x4095"})
            (self.stub_folder / "waiting").unlink(missing_ok=True)
            process = subprocess.Popen(
                self.command("device", "--fresh"),
                stderr=subprocess.PIPE,
                text=True,
                preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_DFL),  # the tests may run under nohup
            )
            while not (self.stub_folder / "waiting").exists() and process.poll() is None:
                time.sleep(0.01)
            process.send_signal(number)
            said = process.communicate()[1]
            self.assertEqual(process.returncode, 130, said)
            self.assertNotIn("Traceback", said)
            self.assertIn("has the finished groups", said)
            sizes = {(row.number, row.size[0]) for row in results.read(self.file).rows if row.size[0] in (3072, 4095)}
            self.assertEqual(sizes, {(0, 3072), (1, 3072), (2, 3072), (3, 3072), (0, 4095)})
            self.assertEqual(len(self.calls()), 4)


if __name__ == "__main__":
    unittest.main()
