#!/usr/bin/env python3
"""Installs the library of a build, and builds and runs the project of docs/distributed.md, which uses it.

    example_test.py BUILD MPIRUN
"""

import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD, MPIRUN = Path(sys.argv[1]).resolve(), sys.argv[2]
DOCUMENT = (ROOT / "docs" / "distributed.md").read_text().split("## From a program")[1]
ENVIRONMENT = os.environ | {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}


def block(language):
    return re.search(rf"^```{language}\n(.*?)^```", DOCUMENT, re.DOTALL | re.MULTILINE)[1]


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, env=ENVIRONMENT, timeout=300)


class Example(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="example ", dir=BUILD)
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        first, cls.installed = cls.folder / "installed first", cls.folder / "installed"
        done = run("cmake", "--install", BUILD, "--prefix", first)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        first.rename(cls.installed)  # the tree may be moved

    def configure(self, name, cmake, **sources):
        project = self.folder / name
        project.mkdir()
        (project / "CMakeLists.txt").write_text(cmake)
        for stem, text in sources.items():
            (project / stem.replace("_dot_", ".")).write_text(text)
        done = run("cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.installed}", "-DCMAKE_C_COMPILER=gcc",
                   "-DCMAKE_CXX_COMPILER=g++")
        return done, project / "build"

    def build(self, *arguments, **sources):
        done, build = self.configure(*arguments, **sources)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        done = run("cmake", "--build", build)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return build

    def assert_multiplies(self, build):
        said = re.search(r"# (.*)", block("sh"))[1]
        for processes in (1, 2, 4):
            done = run(MPIRUN, "--oversubscribe", "-n", processes, build / "multiply")
            self.assertEqual((done.returncode, done.stdout.splitlines()), (0, [said]), done.stderr)

    def test_multiplies(self):
        self.assert_multiplies(self.build("in C", block("cmake"), multiply_dot_c=block("c")))

    def test_multiplies_in_cpp_beside_the_shared_library(self):
        cmake = block("cmake").replace("LANGUAGES C", "LANGUAGES CXX").replace("COMPONENTS distributed", "COMPONENTS distributed shared")
        cmake = cmake.replace("multiply.c", "multiply.cpp").replace("sgemm_ladder::cuda", "sgemm_ladder::sgemm sgemm_ladder::cuda")
        text = block("c").replace("malloc(bytes)", "static_cast<float*>(malloc(bytes))")
        build = self.build("in C++", cmake, multiply_dot_cpp=text)
        self.assertIn("libsgemm_ladder.so", run("readelf", "-d", build / "multiply").stdout)
        self.assert_multiplies(build)

    def test_no_other_project_needs_mpi(self):
        cmake = block("cmake").replace("COMPONENTS distributed", "").replace("sgemm_ladder::distributed", "sgemm_ladder::sgemm")
        cmake += 'if(MPI_FOUND OR TARGET sgemm_ladder::distributed)\n  message(FATAL_ERROR "MPI")\nendif()\n'
        self.build("without MPI", cmake, multiply_dot_c="#include <sgemm_ladder.h>\nint main(void) { return sgemm_ladder_version() < 10000; }\n")

    def test_says_how_to_get_a_missing_component(self):
        (targets,) = self.installed.glob("lib*/**/sgemm_ladder-distributed-targets.cmake")
        hidden = targets.with_suffix(".hidden")
        targets.rename(hidden)
        self.addCleanup(hidden.rename, targets)
        done, _ = self.configure("without it", block("cmake"), multiply_dot_c=block("c"))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("Configure sgemm_ladder with -DSGEMM_BUILD_DISTRIBUTED=ON", " ".join(done.stderr.split()))


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0]], verbosity=2)
