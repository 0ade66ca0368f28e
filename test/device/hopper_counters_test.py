"""Tests test/device/hopper_counters.py with stand-ins for ncu, nvcc and the programs."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import hopper_counters

PROGRAM = Path(__file__).resolve().parent / "hopper_counters.py"
TMA_LOADS = "smsp__sass_inst_executed_op_tma_ld.sum"
LOAD_REQUESTS = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"
SHARED_STORES = "smsp__inst_executed_op_shared_st.sum"
STORE_WAVEFRONTS = "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"

NVCC = """#!/bin/sh
for word; do
  case "$previous" in -o) printf '#!/bin/sh\\n' >"$word"; chmod +x "$word" ;; esac
  previous=$word
done
case "$*" in *broken*) echo "broken.cu(3): error: no" >&2; exit 1 ;; esac
"""

# Lists two metrics, has only the first, and counts two launches of a kernel.
NCU = f"""#!/bin/sh
case "$*" in
*--query-metrics*)
  echo "Device gh100"
  echo "{TMA_LOADS[:-4]}   Counter   inst   loads"
  echo "{SHARED_STORES[:-4]}   Counter   inst   stores"
  echo "sm__throughput   Throughput   %   no counter" ;;
*{SHARED_STORES}*) echo "==ERROR== Failed to find metric {SHARED_STORES}"; exit 1 ;;
*hangs*) echo "==ERROR== The application returned an error code (11)"; exit 11 ;;
*)
  echo "PASSED"
  echo '==PROF== Profiling "copy" - 0: 0%....100% - 3 passes'
  echo '"ID","Process ID","Process Name","Kernel Name","Metric Name","Metric Unit","Metric Value"'
  echo '"0","7","p","void copy<4>(const int *, (anonymous namespace)::Place<int>)","{TMA_LOADS}","inst","1,024"'
  echo '"1","7","p","void copy<8>(const int *, (anonymous namespace)::Place<int>)","{TMA_LOADS}","inst","6"' ;;
esac
"""


def access(path, requests, wavefronts=0):
    return {
        "access": path,
        "instruction": "",
        "requests": requests,
        "wavefronts": wavefronts,
        **dict.fromkeys(("bank_conflicts", "sectors", "lines", "bytes_asked", "bytes_used"), 0),
    }


class HopperCounters(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        for name, text in (("nvcc", NVCC), ("ncu", NCU)):
            self.executable(name, text)
        self.file = self.folder / "counters.csv"

    def executable(self, name, text):
        path = self.folder / name
        path.write_text(text)
        path.chmod(0o755)

    def call(self, *words):
        path = f"{self.folder}:{os.environ['PATH']}"
        command = [sys.executable, "-B", PROGRAM, *words]
        return subprocess.run(command, capture_output=True, text=True, env={**os.environ, "PATH": path}, check=False)

    def simulated(self, name, *launches):
        """Makes a program that reports these launches: a kernel, how often, and its accesses."""
        report = {
            "launches": [
                {"kernel": kernel, "times": times, "accesses": accesses, "tensor": [], "counters": {"ffma": 0}}
                for kernel, times, *accesses in launches
            ]
        }
        self.executable(name, f"#!/bin/sh\ncat >\"$SIMULATOR_REPORT\" <<'END'\n{json.dumps(report)}\nEND\n")

    def compared(self, table, *words):
        self.file.write_text(table)
        return self.call("compare", self.file, "--programs", self.folder, *words)

    def record(self, *names):
        for name in names:
            (self.folder / f"{name}.cu").write_text("// flags: -lcuda\n")
        return self.call("record", self.file, "--sources", self.folder)

    def test_a_kernels_name_is_short(self):
        for name in ("void copy<4>(const int *)", "copy", "(anonymous namespace)::copy(Box<int, A<2>>, void (*)(int))", "a::b::copy<1, 2>"):
            self.assertEqual(hopper_counters.short_name(name), "copy", name)

    def test_the_metrics_of_the_profile_are_found(self):
        counters = {counter.name: counter for counter in hopper_counters.profiled_counters()}
        self.assertEqual(counters["shared stores"].metrics, ((SHARED_STORES,),))
        self.assertEqual(counters["load requests"].may_differ, "")
        self.assertIn("arbitration", counters["shared store wavefronts"].may_differ)
        self.assertEqual(len(counters["bytes of local memory"].metrics[0]), 2)

    def test_launches_are_added_and_unknown_metrics_left_out(self):
        ended = self.record("first", "second")
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertIn(f"ncu has no {SHARED_STORES}", ended.stderr)
        self.assertEqual(self.file.read_text(), f"program,kernel,launches,{TMA_LOADS}\nfirst,copy,2,1030\nsecond,copy,2,1030\n")

    def test_programs_that_are_not_counted_are_named(self):
        ended = self.record("broken", "first", "hangs")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("broken: does not compile: broken.cu(3): error: no", ended.stderr)
        self.assertIn("hangs: ncu ended with 11: ==ERROR== The application returned an error code (11)", ended.stderr)
        self.assertEqual(len(self.file.read_text().splitlines()), 2)

    def test_without_ncu(self):
        (self.folder / "ncu").unlink()
        environment = {**os.environ, "PATH": str(self.folder)}
        if Path(hopper_counters.WHERE, "ncu").exists():
            self.skipTest("this machine has ncu")
        ended = subprocess.run(
            [sys.executable, "-B", PROGRAM, "record", self.file], capture_output=True, text=True, env=environment, check=False
        )
        self.assertEqual((ended.returncode, ended.stderr), (77, "hopper_counters: there is no ncu; it comes with the CUDA toolkit\n"))

    def test_only_compared_metrics_are_kept(self):
        self.file.write_text(f"program,kernel,launches,a__b.sum,{TMA_LOADS}\nfirst,copy,2,5,1030\n")
        kept = self.folder / "kept.csv"
        ended = self.call("keep", self.file, kept)
        self.assertEqual(ended.returncode, 0, ended.stderr)
        self.assertEqual(kept.read_text(), f"program,kernel,launches,{TMA_LOADS}\nfirst,copy,2,1030\n")

    def test_equal_figures(self):
        self.simulated("first", ("copy<4>", 1, access("bulk load", 24)), ("copy<8>", 2, access("bulk load", 3)))
        ended = self.compared(f"program,kernel,launches,{TMA_LOADS}\nfirst,copy,3,30\n")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, r"first +copy +TMA loads +30 +30 +equal")
        self.assertIn("TMA loads: 1 of 1 equal\n", ended.stdout)
        self.assertIn("wgmma: not in the file\n", ended.stdout)

    def test_another_figure(self):
        self.simulated("first", ("copy", 1, access("bulk load", 24)))
        ended = self.compared(f"program,kernel,launches,{TMA_LOADS}\nfirst,copy,1,48\n", "--differences")
        self.assertEqual(ended.returncode, 1, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, r"first +copy +TMA loads +24 +48 +2\n")

    def test_a_figure_that_may_differ(self):
        self.simulated("first", ("copy", 1, access("shared store", 8, 8)))
        ended = self.compared(f"program,kernel,launches,{STORE_WAVEFRONTS}\nfirst,copy,1,10\n")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertRegex(ended.stdout, r"shared store wavefronts +8 +10 +1.25: the device's arbitration")

    def test_a_program_whose_code_differs(self):
        accesses = access("global load", 8), access("bulk load", 3)
        self.simulated("split_operands", ("copy", 1, *accesses))
        table = f"program,kernel,launches,{LOAD_REQUESTS},{TMA_LOADS}\nsplit_operands,copy,1,6,%d\n"
        self.assertEqual(self.compared(table % 3).returncode, 0)
        self.assertEqual(self.compared(table % 4).returncode, 1)  # the reason holds for loads from global memory alone

    def test_a_figure_that_was_not_counted(self):
        for name in ("first", "second"):
            self.simulated(name, ("copy", 1, access("bulk load", 24)))
        ended = self.compared(f"program,kernel,launches,{TMA_LOADS}\nfirst,copy,1,\nsecond,copy,1,24\n")
        self.assertEqual(ended.returncode, 0, ended.stdout + ended.stderr)
        self.assertIn("TMA loads: 1 of 1 equal\n", ended.stdout)

    def test_other_launches_and_kernels(self):
        self.simulated("first", ("copy", 1, access("bulk load", 24)))
        ended = self.compared(f"program,kernel,launches,{TMA_LOADS}\nfirst,copy,2,24\nfirst,move,1,1\nsecond,copy,1,1\n")
        self.assertEqual(ended.returncode, 1)
        self.assertIn("first: 1 launches of 'copy', and 2 on the device", ended.stdout)
        self.assertIn("first: the simulated GPU ran no kernel 'move'", ended.stdout)
        self.assertRegex(ended.stdout, r"second: .*No such file")

    def test_files_that_are_none(self):
        for text in ("", "a,b\n", "program,kernel,launches,x__y.sum\nfirst,copy,1,many\n"):
            self.assertIn("is no file of counters", self.compared(text).stderr, text)
        self.assertEqual(self.call("compare", self.folder / "none.csv").returncode, 2)


if __name__ == "__main__":
    unittest.main()
