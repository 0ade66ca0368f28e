#!/usr/bin/env python3
"""Tests ./sgemm_runner and ./run_tests with cmake/setup.sh: their setup, builds and messages.

The tree around them is a small one, built by the real cmake and ninja in no time: its "program" is a shell script that
src/make writes. Two tests configure the real tree as a part of another project.
"""

import os
import pathlib
import re
import shutil
import signal
import subprocess
import tempfile
import time
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]

CMAKE_LISTS = """
cmake_minimum_required(VERSION 3.25)
project(stub LANGUAGES NONE)
list(APPEND CMAKE_MODULE_PATH ${PROJECT_SOURCE_DIR}/cmake)
include(CheckLadder)
file(GLOB rungs CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/[0-9][0-9]_*.cu)
check_ladder(${PROJECT_SOURCE_DIR}/src/ladder.cpp ${rungs})
if(CUDA)
  include(CudaArchitectures)
  choose_cuda_architectures()
endif()
add_custom_command(OUTPUT made DEPENDS ${PROJECT_SOURCE_DIR}/src/make VERBATIM
  COMMAND sh ${PROJECT_SOURCE_DIR}/src/make ${PROJECT_SOURCE_DIR} "${CMAKE_CUDA_ARCHITECTURES}" A_LONG_COMMAND)
add_custom_target(sgemm_runner DEPENDS made)
add_custom_command(OUTPUT other DEPENDS ${PROJECT_SOURCE_DIR}/src/make_other VERBATIM
  COMMAND sh ${PROJECT_SOURCE_DIR}/src/make_other ${PROJECT_SOURCE_DIR} "${CMAKE_CUDA_ARCHITECTURES}")
add_custom_target(other_program DEPENDS other)
if(SGEMM_BUILD_TESTS)
  enable_testing()
  add_test(NAME passes COMMAND true)
  add_custom_command(OUTPUT slow DEPENDS ${PROJECT_SOURCE_DIR}/src/slow COMMAND sh ${PROJECT_SOURCE_DIR}/src/slow VERBATIM)
  add_custom_target(tests ALL DEPENDS slow)
endif()
"""
PRESETS = """{"version": 6, "configurePresets": [
  {"name": "sim", "generator": "Ninja", "binaryDir": "${sourceDir}/build/${presetName}"},
  {"name": "cuda", "inherits": "sim", "cacheVariables": {"CUDA": "ON"}}]}
"""
# $1: the tree, $2: the architectures
MAKE = """
mkdir -p bin
printf '#!/bin/sh\\necho "made in %s for [%s]: $*"\\nexit 7\\n' "$1" "$2" > bin/sgemm_runner
chmod +x bin/sgemm_runner
touch made
"""
MAKE_OTHER = MAKE.replace("made in", "other made in").replace("bin/sgemm_runner", "bin/other_program").replace(
    "touch made", "touch other")
SUBCOMMANDS = """
SUBCOMMAND(list, sgemm_runner, run, any, "what there is")
SUBCOMMAND(draw, sgemm_runner, benchmarks, any, "needs more packages")
SUBCOMMAND(time, sgemm_runner, run, cuda, "needs a device")
SUBCOMMAND(look, sgemm_runner, run, sim, "needs the simulated GPU")
SUBCOMMAND(other, other_program, run, any, "another program")
"""
LADDER = "#define LADDER_RUNGS(RUNG) \\\n  RUNG(reference) \\\n  RUNG(naive)\n"


def default_signals():
    """Restores the signals' defaults, since a shell's background job ignores Ctrl-C."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


def wait_for(condition, what, seconds=30):
    end = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"waited {seconds} s in vain: {what}")
        time.sleep(0.05)


def is_alive(pid):
    try:
        return pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except (FileNotFoundError, ProcessLookupError):
        return False


class Launchers(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="launcher ü ")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.folder.chmod(0o755)
        self.tree = self.folder / "a tree"
        self.tools = self.folder / "tools"
        self.tools.mkdir()
        (self.tree / "cmake").mkdir(parents=True)
        (self.tree / "src").mkdir()
        for name in ("sgemm_runner", "run_tests", "cmake/setup.sh", "cmake/CheckLadder.cmake",
                     "cmake/CudaArchitectures.cmake"):
            shutil.copy(ROOT / name, self.tree / name)
        self.write("CMakeLists.txt", CMAKE_LISTS)
        self.write("CMakePresets.json", PRESETS)
        self.write("src/make", MAKE)
        self.write("src/make_other", MAKE_OTHER)
        self.write("src/slow", "touch slow\n")
        self.write("src/ladder.cpp", LADDER)
        self.write("src/runner/request/subcommands.def", SUBCOMMANDS)
        self.write("src/01_naive.cu", "")
        self.environment = {k: v for k, v in os.environ.items() if not k.startswith(("SGEMM_", "CUDAARCHS"))}
        self.environment["PATH"] = f"{self.tools}:{self.environment['PATH']}"
        self.environment["SGEMM_BUILD"] = "sim"

    def write(self, name, text):
        file = self.tree / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        now = time.time()  # the kernel's clock for files lags by some milliseconds
        os.utime(file, (now, now))

    def tool(self, name, text):
        (self.tools / name).write_text("#!/bin/sh\n" + text)
        (self.tools / name).chmod(0o755)

    def start(self, *words, tree=None, **options):
        return subprocess.Popen([(tree or self.tree) / words[0], *words[1:]], env=self.environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=default_signals, **options)

    def end(self, process, seconds=60):
        self.addCleanup(process.kill)
        out, err = process.communicate(timeout=seconds)
        return process.returncode, out, err

    def call(self, *words, tree=None, **options):
        return self.end(self.start(*words, tree=tree, **options))

    def made(self, words="", tree=None, architectures=""):
        return f"made in {(tree or self.tree).resolve()} for [{architectures}]: {words}\n"

    # --- running a built program --------------------------------------------------------------------------------

    def test_builds_once_and_hands_on_the_arguments(self):
        code, out, err = self.call("sgemm_runner", "2", "--size", "a b", "")
        self.assertEqual((code, out), (7, self.made("2 --size a b ")), err)
        self.assertIn("configuring the sim build", err)
        self.assertIn("building sgemm_runner in ", err)
        self.assertEqual(self.call("sgemm_runner", "2"), (7, self.made("2"), ""))

    def test_runs_through_a_link_and_without_stdin(self):
        link = self.folder / "link"
        link.symlink_to(self.tree)
        self.assertEqual(self.call("sgemm_runner", tree=link)[:2], (7, self.made()))
        line = f"'{link}/sgemm_runner' 2 <&-"
        closed = subprocess.run(["bash", "-c", line], env=self.environment, capture_output=True, text=True)
        self.assertEqual((closed.returncode, closed.stdout, closed.stderr), (7, self.made("2"), ""))

    def someone_who_cannot_write_to(self, folder):
        """Returns options of call() for a user who cannot write to the folder: another user if root runs the test. Otherwise it makes
        the folder read-only."""
        if os.getuid() == 0:
            return {"user": 65534, "group": 65534, "extra_groups": []}
        paths = (folder, *folder.rglob("*"))
        for path in paths:
            path.chmod(path.stat().st_mode & ~0o222)
        self.addCleanup(lambda: [path.chmod(0o755) for path in paths])
        return {}

    def test_a_fresh_tree_that_cannot_be_written_says_that_nothing_is_built(self):
        other = self.someone_who_cannot_write_to(self.tree)
        code, out, err = self.call("sgemm_runner", "2", **other)
        self.assertEqual((code, out), (2, ""))
        self.assertEqual(err, f"sgemm_runner: {self.tree.resolve()}/build/sim cannot be written to, and sgemm_runner is not built "
                              "there. Ask its owner to build it, or copy the tree\n")

    def test_a_program_that_is_not_built_beside_one_that_is_cannot_be_had_without_writing(self):
        self.call("sgemm_runner")
        other = self.someone_who_cannot_write_to(self.tree / "build")
        self.assertIn("and other_program is not built there", self.call("sgemm_runner", "other", **other)[2])
        self.assertIn("lacks a part that this command needs", self.call("sgemm_runner", "2", "--html=a.html", **other)[2])

    def test_another_user_runs_what_is_built_and_cannot_be_written(self):
        self.call("sgemm_runner")
        other = self.someone_who_cannot_write_to(self.tree / "build")
        self.assertEqual(self.call("sgemm_runner", "2", **other), (7, self.made("2"), ""))
        self.write("src/make", MAKE + "# changed\n")
        code, out, err = self.call("sgemm_runner", **other)
        self.assertEqual((code, out), (2, ""))
        self.assertIn("cannot be written to", err)
        self.assertIn("src/make is newer", err)

    # --- trees that were copied or moved ------------------------------------------------------------------------

    def test_a_copied_clone_builds_its_own_sources(self):
        self.call("sgemm_runner")
        copy = self.folder / "copy"
        subprocess.run(["cp", "-r", self.tree, copy], check=True)
        code, out, err = self.call("sgemm_runner", tree=copy)
        self.assertEqual((code, out), (7, self.made(tree=copy)), err)
        self.assertIn(f"holds a build of {self.tree}", err)
        self.assertEqual(self.call("sgemm_runner"), (7, self.made(), ""))

    def test_a_moved_clone_is_configured_anew(self):
        self.call("sgemm_runner")
        moved = self.tree.rename(self.folder / "moved")
        code, out, err = self.call("sgemm_runner", tree=moved)
        self.assertEqual((code, out), (7, self.made(tree=moved)), err)

    def test_a_build_for_another_gpu_is_not_used(self):
        self.tool("nvcc", "")
        self.environment["SGEMM_BUILD"] = "cuda"

        def run_on(capability):
            self.tool("nvidia-smi", f"echo {capability}\n")
            return self.call("sgemm_runner")

        code, out, err = run_on("9.0")
        self.assertEqual((code, out), (7, self.made(architectures="90a")), err)
        self.assertEqual(run_on("9.0"), (7, self.made(architectures="90a"), ""))
        code, out, err = run_on("8.6")
        self.assertEqual((code, out), (7, self.made(architectures="86")), err)
        self.assertIn("a build for compute capability 90, and this GPU has 86", err)

        code, out, err = run_on("6.1")  # nvcc does not compile for it; the program says that it cannot use it
        self.assertEqual((code, out), (7, self.made(architectures="75;80;90a;100")), err)
        self.assertEqual(run_on("7.5")[1], self.made(architectures="75"))
        self.assertEqual(run_on("6.1; echo 8.6")[1], self.made(architectures="86"))

        shutil.rmtree(self.tree / "build")  # without a GPU it builds for all GPUs, so a later GPU needs no new build
        self.assertEqual(run_on("No devices were found; exit 6")[1], self.made(architectures="75;80;90a;100"))
        self.assertEqual(run_on("9.0"), (7, self.made(architectures="75;80;90a;100"), ""))

    def test_the_oldest_gpu_that_is_compiled_for_is_the_oldest_that_the_kernels_run_on(self):
        least = re.search(r"int compute_capability = (\d+);", (ROOT / "src/kernels/ladder.hpp").read_text())[1]
        self.tool("nvcc", "")
        self.tool("nvidia-smi", "exit 6\n")
        self.environment["SGEMM_BUILD"] = "cuda"
        self.assertIn(f"for [{least};", self.call("sgemm_runner")[1])

    # --- failures say why ---------------------------------------------------------------------------------------

    def test_a_failure_shows_the_message_and_not_the_command(self):
        self.write("src/make", "echo 'make:1: error: no such thing'; exit 1\n")
        code, out, err = self.call("sgemm_runner")
        self.assertEqual((code, out), (70, ""))
        self.assertRegex(err, r"FAILED: (\[code=[0-9]+\] )?made")
        self.assertIn("make:1: error: no such thing", err)
        self.assertIn("the build failed; see above", err)
        self.assertNotIn("A_LONG_COMMAND", err)

    def test_an_empty_build_file_is_no_configuration(self):
        self.call("sgemm_runner")
        (self.tree / "build/sim/build.ninja").write_text("")
        code, out, err = self.call("sgemm_runner")
        self.assertEqual((code, out), (7, self.made()), err)

    def test_an_error_of_ninja_itself_is_shown(self):
        self.call("sgemm_runner")
        (self.tree / "build/sim/build.ninja").write_text("this is not ninja's language\n")
        code, _, err = self.call("sgemm_runner")
        self.assertEqual(code, 70)
        self.assertIn("ninja: error: build.ninja:1", err)
        self.assertIn("rm -rf ", err)

    def test_a_file_from_the_future_is_named(self):
        self.call("sgemm_runner")
        later = time.time() + 1000
        os.utime(self.tree / "CMakeLists.txt", (later, later))
        code, _, err = self.call("sgemm_runner")
        self.assertEqual(code, 2, err)
        self.assertIn("time lies in the future", err)
        self.assertIn(f"{self.tree}/CMakeLists.txt", err)

    def test_a_rung_without_its_line_is_named(self):
        self.call("sgemm_runner")
        self.write("src/13_square_tile.cu", "")
        code, _, err = self.call("sgemm_runner")
        self.assertEqual(code, 70)
        self.assertIn("13_square_tile.cu is not in ladder.cpp: it needs the line RUNG(square_tile)", err)

    def test_a_line_without_its_rung_is_named(self):
        self.call("sgemm_runner")
        self.write("src/ladder.cpp", LADDER.replace("naive", "native"))
        code, _, err = self.call("sgemm_runner")
        self.assertEqual(code, 70)
        self.assertIn("01_naive.cu is not in ladder.cpp", err)
        self.assertIn("RUNG(native) in ladder.cpp has no file: it would be src/kernels/01_native.cu", err)
        self.write("src/ladder.cpp", LADDER.replace("RUNG(naive)", "RUNG(fast) \\\n  RUNG(naive)"))
        self.assertIn("01_naive.cu is number 2 in the list", self.call("sgemm_runner")[2])

    # --- signals ------------------------------------------------------------------------------------------------

    def interrupt(self, number):
        self.write("src/make", f"echo $$ > '{self.folder}/pid.new'\nmv '{self.folder}/pid.new' '{self.folder}/pid'\n"
                               "sleep 60\n")
        process = self.start("sgemm_runner")
        self.addCleanup(process.kill)
        wait_for((self.folder / "pid").exists, "the build begins")
        process.send_signal(number)
        code, _, _ = self.end(process, seconds=10)
        pid = int((self.folder / "pid").read_text())
        wait_for(lambda: not is_alive(pid), "what ninja started ends", 10)
        (self.folder / "pid").unlink()
        return code

    def test_a_signal_ends_the_build(self):
        self.assertEqual(self.interrupt(signal.SIGTERM), 143)
        self.assertEqual(self.interrupt(signal.SIGINT), 130)
        self.assertEqual(self.interrupt(signal.SIGHUP), 129)
        self.write("src/make", MAKE)  # the lock is free, and the interrupted step runs again
        self.assertEqual(self.call("sgemm_runner")[:2], (7, self.made()))

    # --- two at once --------------------------------------------------------------------------------------------

    def start_long_build(self):
        """Starts run_tests with a target that takes a minute the first time."""
        self.write("src/slow", f"if [ -e '{self.folder}/begun' ]; then touch slow; exit; fi\n"
                               f"touch '{self.folder}/begun'; sleep 60\n")
        process = self.start("run_tests")
        self.addCleanup(process.kill)
        wait_for((self.folder / "begun").exists, "the long build begins")
        return process

    def test_what_is_up_to_date_runs_beside_a_build(self):
        tests = self.start_long_build()
        self.assertEqual(self.end(self.start("sgemm_runner"), seconds=10), (7, self.made(), ""))
        self.assertIsNone(tests.poll())
        tests.terminate()
        self.end(tests)

    def test_the_long_build_of_the_tests_makes_way(self):
        tests = self.start_long_build()
        self.write("src/make", MAKE.replace("made in", "then made in"))
        code, out, err = self.end(self.start("sgemm_runner"), seconds=20)
        self.assertEqual((code, out), (7, "then " + self.made()), err)
        self.assertIn("waiting for another build", err)
        code, out, err = self.end(tests)
        self.assertEqual(code, 0, err)
        self.assertIn("making way for another build", err)
        self.assertIn("100% tests passed", out)

    # --- the rest -----------------------------------------------------------------------------------------------

    def test_a_long_build_says_how_far_it_is(self):
        self.environment["SGEMM_PROGRESS_SECONDS"] = "1"
        self.write("CMakeLists.txt", CMAKE_LISTS + "add_custom_command(OUTPUT made APPEND DEPENDS one)\n"
                                     "add_custom_command(OUTPUT one COMMAND touch one)\n")
        self.write("src/make", "sleep 2.5\n" + MAKE)
        code, _, err = self.call("sgemm_runner")
        self.assertEqual(code, 7, err)
        self.assertRegex(err, r"sgemm_runner: building sgemm_runner: step [0-9]/[0-9]\n")

    def test_a_name_that_no_test_has(self):
        for words in (("-R", "typo"), ("-L", "typo")):
            code, out, err = self.call("run_tests", *words)
            self.assertEqual((code, out), (2, ""), err)
            self.assertIn(f"no test matches: {' '.join(words)}. ./run_tests -N lists the names", err)
        self.assertEqual(self.call("run_tests", "-R", "passes")[0], 0)
        code, out, err = self.call("run_tests", "--help")
        self.assertEqual((code, err), (0, ""))  # nothing is built
        self.assertIn("-L quick", out)

    def test_tests_are_configured_when_they_are_asked_for(self):
        def tests_are_built():
            return "SGEMM_BUILD_TESTS:UNINITIALIZED=ON" in (self.tree / "build/sim/CMakeCache.txt").read_text()

        self.call("sgemm_runner")
        self.assertFalse(tests_are_built())
        self.assertEqual(self.call("run_tests")[0], 0)
        self.assertTrue(tests_are_built())
        self.assertEqual(self.call("sgemm_runner"), (7, self.made(), ""))
        self.assertTrue(tests_are_built())

    def test_strict_scripts_may_build(self):
        line = f'program=test; . "{self.tree}/cmake/setup.sh"; choose_build; build sgemm_runner yes; echo built'
        for _ in range(2):
            done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], env=self.environment, capture_output=True,
                                  text=True)
            self.assertEqual((done.returncode, done.stdout), (0, "built\n"), done.stderr)

    def test_a_subcommand_says_what_it_needs(self):
        def chosen(words):
            line = (f'program=test; . "{self.tree}/cmake/setup.sh"; choose_build {words}; choose_program; '
                    'echo "$target ${packages[*]}"')
            return subprocess.run(["bash", "-c", line], env=self.environment, capture_output=True, text=True, check=False)

        self.assertTrue(chosen("2 --size 64").stdout.startswith("sgemm_runner cmake "))
        self.assertNotIn("libbenchmark-dev", chosen("list").stdout)
        self.assertIn("libbenchmark-dev", chosen("-v draw x").stdout)
        self.assertTrue(chosen("other").stdout.startswith("other_program "))
        refused = chosen("time")
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("--build cuda", refused.stderr)

    def test_only_the_program_that_is_asked_for_is_built(self):
        def built():
            return sorted(file.name for file in (self.tree / f"build/{preset}/bin").iterdir())

        for preset, architectures in (("sim", ""), ("cuda", "90a")):
            self.tool("nvcc", "")
            self.tool("nvidia-smi", "echo 9.0\n")
            code, out, err = self.call("sgemm_runner", "--build", preset, "2")
            self.assertEqual((code, out), (7, self.made("2", architectures=architectures)), err)
            self.assertEqual(built(), ["sgemm_runner"])
            for words in (("other", "2"), ("-v", "other")):
                code, out, err = self.call("sgemm_runner", *words, "--build", preset)
                self.assertEqual((code, out), (7, "other " + self.made(" ".join(words), architectures=architectures)), err)
            self.assertEqual(built(), ["other_program", "sgemm_runner"])
            shutil.rmtree(self.tree / f"build/{preset}")
            code, out, err = self.call("sgemm_runner", "--build", preset, "other", "2")
            self.assertEqual((code, out), (7, "other " + self.made("other 2", architectures=architectures)), err)
            self.assertIn("building other_program in ", err)
            self.assertEqual(built(), ["other_program"])

    def test_what_is_about_the_simulated_gpu_runs_on_its_build_beside_a_gpu(self):
        self.tool("nvcc", "")
        self.tool("nvidia-smi", "echo 9.0\n")
        del self.environment["SGEMM_BUILD"]

        def chosen(words):
            line = (f'program=test; . "{self.tree}/cmake/setup.sh"; choose_build {words}; choose_program; '
                    'echo "$preset ${build_folder##*/} ${log##*/}"')
            done = subprocess.run(["bash", "-c", line], env=self.environment, capture_output=True, text=True, check=False)
            return done.returncode, done.stdout, done.stderr

        self.assertEqual(chosen("2"), (0, "cuda cuda cuda.log\n", ""))
        self.assertEqual(chosen("time 2"), (0, "cuda cuda cuda.log\n", ""))
        self.assertEqual(chosen("look 2"), (0, "sim sim sim.log\n", "test: 'look' is about the simulated GPU: using the sim build\n"))
        self.assertEqual(chosen("look 2 --build sim"), (0, "sim sim sim.log\n", ""))
        self.assertEqual(chosen("look 2 --build sim-asan"), (0, "sim-asan sim-asan sim-asan.log\n", ""))
        for words in ("look 2 --build cuda", "--build=cuda look"):
            code, out, err = chosen(words)
            self.assertEqual((code, out), (2, ""))
            self.assertIn("'look' needs the sim build: say --build sim", err)
        self.environment["SGEMM_BUILD"] = "cuda"
        self.assertEqual(chosen("look 2")[0], 2)

    def test_packages_are_named_by_purpose(self):
        def packages(purposes):
            line = f'program=test; . "{self.tree}/cmake/setup.sh"; need_for {purposes}; echo "${{packages[*]}}"'
            return subprocess.run(["bash", "-c", line], env=self.environment, capture_output=True, text=True)

        self.assertIn("cmake", packages("run").stdout.split())
        self.assertNotIn("libgtest-dev", packages("run").stdout.split())
        self.assertIn("libgtest-dev", packages("run tests").stdout.split())
        self.assertIn("libbenchmark-dev", packages("tests").stdout.split())
        self.assertEqual(packages("benchmarks benchmarks").stdout, "libbenchmark-dev\n")
        self.assertEqual(packages("plots").stdout, "python3-matplotlib python3-numpy\n")
        self.assertNotIn("matplotlib", packages("run tests").stdout)
        self.assertEqual(packages("dancing").returncode, 70)

    def test_only_the_simulated_gpu_asks_for_clang(self):
        def packages(words):
            line = (f'program=test; . "{self.tree}/cmake/setup.sh"; choose_build {words}; choose_program; '
                    'echo "${packages[*]}"')
            return subprocess.run(["bash", "-c", line], env=self.environment, capture_output=True, text=True).stdout.split()

        self.tool("nvcc", "")
        self.tool("nvidia-smi", "")
        del self.environment["SGEMM_BUILD"]
        for words in ("2", "2 --build cuda", "other"):
            self.assertIn("g++", packages(words))
            self.assertNotIn("clang-19", packages(words))
            self.assertNotIn("llvm-19", packages(words))
        for words in ("2 --build sim", "2 --build sim-asan", "look"):  # `look` always needs the simulated GPU
            self.assertIn("clang-19", packages(words))
            self.assertIn("llvm-19", packages(words))

    def test_a_browser_is_installed_where_there_is_none(self):
        def packages(path):
            line = f'program=test; . "{self.tree}/cmake/setup.sh"; PATH={path}; need_for browser; echo "${{packages[*]}} ${{features[*]}}"'
            return subprocess.run(["bash", "-euo", "pipefail", "-c", line], env=self.environment, capture_output=True, text=True).stdout

        self.tool("google-chrome", "")
        self.assertEqual(packages("/nowhere"), "chromium SGEMM_BUILD_BROWSER\n")
        self.assertEqual(packages(f"'{self.tools}'"), " SGEMM_BUILD_BROWSER\n")

    def test_a_report_asks_for_what_plots_need(self):
        cache = self.tree / "build/sim/CMakeCache.txt"
        for words, asks in ((["2", "--json=a --html"], False), (["2", "--html=a b.html"], True), (["2", "--html", "b.html"], True)):
            cache.unlink(missing_ok=True)
            code, out, err = self.call("sgemm_runner", *words)
            self.assertEqual((code, out), (7, self.made(" ".join(words))), err)
            self.assertEqual("SGEMM_BUILD_PLOTS:UNINITIALIZED=ON" in cache.read_text(), asks, words)

    def test_a_part_of_the_build_is_turned_on_when_it_is_asked_for(self):
        line = f'program=test; . "{self.tree}/cmake/setup.sh"; choose_build; need_for plots; build sgemm_runner yes'
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", line], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("SGEMM_BUILD_PLOTS:UNINITIALIZED=ON", (self.tree / "build/sim/CMakeCache.txt").read_text())

    def test_purposes_turn_on_their_parts_of_the_build(self):
        line = (f'program=test; . "{self.tree}/cmake/setup.sh"; need_for run tests benchmarks google-tools; '
                'echo "${features[*]}"')
        done = subprocess.run(["bash", "-c", line], env=self.environment, capture_output=True, text=True)
        self.assertEqual(done.stdout, "SGEMM_BUILD_TESTS SGEMM_BUILD_BENCHMARKS SGEMM_TEST_GOOGLE_TOOLS\n", done.stderr)


class Subproject(unittest.TestCase):
    """The real tree as a part of another project. It is configured here; test/consumers compiles and runs it."""

    NVCC = shutil.which("nvcc") or "/usr/local/cuda/bin/nvcc"
    OPTIONS = (f"-DCMAKE_CUDA_COMPILER={NVCC}", "-DCMAKE_CUDA_ARCHITECTURES=90a")
    SIM = ("-DSGEMM_MACHINE=sim", "-DCMAKE_CXX_COMPILER=clang++-19")

    def folder(self):
        folder = tempfile.TemporaryDirectory(prefix="parent ")
        self.addCleanup(folder.cleanup)
        return pathlib.Path(folder.name)

    def configure(self, languages, *options):
        parent = self.folder()
        (parent / "CMakeLists.txt").write_text(
            f"cmake_minimum_required(VERSION 3.25)\nproject(parent LANGUAGES {languages})\n"
            f'add_subdirectory("{ROOT}" sgemm)\n'
            "if(NOT TARGET sgemm_ladder::sgemm)\n  message(FATAL_ERROR \"no library\")\nendif()\n")
        without = [f"-DCMAKE_DISABLE_FIND_PACKAGE_{package}=ON" for package in ("fmt", "CLI11", "nlohmann_json", "Eigen3", "GTest")]
        made = subprocess.run(["cmake", "-S", parent, "-B", parent / "build", "-G", "Ninja", "--no-warn-unused-cli", *without, *options], capture_output=True,
                              text=True)
        return made, parent / "build"

    def assert_refused(self, made, *words):
        self.assertNotEqual(made.returncode, 0)
        said = " ".join(made.stderr.split())
        for word in words:
            self.assertIn(word, said)

    def assert_has_only_the_library(self, build, library, *others):
        targets = subprocess.run(["ninja", "-C", build, "-t", "targets", "all"], capture_output=True, text=True).stdout
        self.assertIn(f"{library}:", targets)
        for other in ("sgemm_runner", "librunner", "libsgemm_kernels", "gtest", "_test", "01_naive", *others):
            self.assertNotIn(other, targets)
        rules = (build / "build.ninja").read_text()
        for other in ("cublas", "Eigen", "nlohmann"):
            self.assertNotIn(other, rules)
        self.assertIn("-fPIC", next(rule for rule in rules.split("\n\n") if "sgemm_ladder.cpp.o:" in rule))

    def test_without_a_gpu_the_documents_command_compiles_a_program(self):
        if not (ROOT / "build/sim/src/kernels/libsgemm_kernels.a").exists():
            self.skipTest("without the simulator's build there is no library to link")
        page = (ROOT / "docs/library.md").read_text().split("## A single rung")[1]
        commands = page.split("```sh\n")[1].split("```")[0].splitlines()
        self.assertIn("sgemm_runner 2", commands[0])  # this command has built the library
        folder = self.folder()
        (folder / "sgemm_ladder").symlink_to(ROOT)
        (folder / "main.cu").write_text((ROOT / "test/consumers/product.cu").read_text())
        for command in commands[1:]:
            ran = subprocess.run(["bash", "-c", command], cwd=folder, capture_output=True, text=True)
            self.assertEqual(ran.returncode, 0, f"{command}: {ran.stderr}")

    def test_without_cuda_it_says_what_to_write(self):
        made, _ = self.configure("CXX")
        self.assert_refused(made, "parent has not enabled the language", "project(parent LANGUAGES CXX CUDA)", "-DSGEMM_MACHINE=sim")

    def test_of_an_unknown_machine_it_names_the_machines(self):
        made, _ = self.configure("CXX", "-DSGEMM_MACHINE=gpu")
        self.assert_refused(made, "SGEMM_MACHINE is 'gpu'", "it must be 'cuda' or 'sim'")

    def test_for_the_simulated_gpu_it_is_the_library_and_nothing_else(self):
        for shared, library in (("OFF", "libsgemm_ladder.a"), ("ON", "libsgemm_ladder.so")):
            made, build = self.configure("CXX", *self.SIM, f"-DBUILD_SHARED_LIBS={shared}")
            if not shutil.which("clang++-19"):  # a machine with a GPU need not have it, and cmake says that there is none
                self.assert_refused(made, "clang++-19")
                return
            self.assertEqual(made.returncode, 0, made.stderr)
            self.assert_has_only_the_library(build, library)

    def test_for_cuda_it_is_the_library_and_nothing_else(self):
        if not os.path.exists(self.NVCC):  # then a project can only ask for CUDA, and cmake says that there is none
            made, _ = self.configure("CXX CUDA")
            self.assert_refused(made, "CUDA")
            return
        made, build = self.configure("CXX CUDA", *self.OPTIONS)
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertNotIn("Warning", made.stderr)
        self.assert_has_only_the_library(build, "libsgemm_ladder.a", "simulat")
        self.assertIn("arch=compute_90a", (build / "build.ninja").read_text())

    def test_warns_of_architectures_that_it_cannot_run_on(self):
        if not os.path.exists(self.NVCC):
            self.skipTest("without nvcc no architecture is compiled for")
        for architectures, warns in (("75", True), ("75-real;75-virtual", True), ("75;80", False), ("90a", False), ("native", False)):
            with self.subTest(architectures):
                made, _ = self.configure("CXX CUDA", f"-DCMAKE_CUDA_COMPILER={self.NVCC}", f"-DCMAKE_CUDA_ARCHITECTURES={architectures}")
                self.assertEqual("sgemm_ladder needs 80 or more" in " ".join(made.stderr.split()), warns, made.stderr)


if __name__ == "__main__":
    unittest.main(verbosity=2)
