#!/usr/bin/env python3
"""Installs the simulated GPU alone, moves it, and uses it as another project does: the commands of docs/simulator.md on the examples, a
CMake project with another compiler, the steps of the workflow in docs/ci. Also configures the simulator as a project of its own.

usage: examples_test.py BUILD_FOLDER
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = ROOT / "src/simulator/examples"
SESSION = re.compile(r"<!-- session in: src/simulator/examples -->\n```\n(.*?)```\n", re.DOTALL)
STEP = re.compile(r"^ {6}- name: (?P<name>.+)\n(?: {8}(?!run:).*\n)* {8}run: (?:\|\n(?P<lines>(?: {10}.*\n)+)|(?P<line>.+)\n)", re.MULTILINE)
build_folder = None


def sessions_of(text):
    """Returns the commands of a session with their outputs: lines that begin with "$ ", and the lines after each."""
    (session,) = SESSION.findall(text)
    parts = re.split(r"^\$ (.*)\n", session, flags=re.MULTILINE)
    return list(zip(parts[1::2], parts[2::2]))


class Alone(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        first = cls.folder / "installed first"
        done = subprocess.run(
            ["cmake", "--install", build_folder, "--component", "simulator", "--prefix", first], capture_output=True, text=True
        )
        assert done.returncode == 0, done.stdout + done.stderr
        cls.installed = cls.folder / "in stalled"  # the tree may be moved, also to a path with a space
        first.rename(cls.installed)
        cls.project = cls.folder / "project"
        shutil.copytree(EXAMPLES, cls.project)

    def environment(self, **more):
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("SIMCC_", "SIMULATOR_"))}
        return {**kept, "PATH": f"{self.installed}/bin:{kept['PATH']}", "COLUMNS": "80", "LC_ALL": "C.UTF-8", **more}

    def bash(self, script, **more):
        return subprocess.run(
            ["bash", "-c", script], cwd=self.project, env=self.environment(**more), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )

    def test_the_page_shows_what_the_examples_print(self):
        session = sessions_of((ROOT / "docs/simulator.md").read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(session), 7)
        for command, shown in session:
            with self.subTest(command):
                self.assertEqual(self.bash(command).stdout, shown)

    def test_simcc_finds_its_parts(self):
        self.assertIn("cuBLAS", self.bash("simcc --covered").stdout)
        program = self.folder / "blas.cu"
        program.write_text(
            "#include <cublas_v2.h>\n#include <cstdio>\n"
            'int main() { cublasHandle_t handle; std::printf("%d\\n", cublasCreate(&handle)); cublasDestroy(handle); }\n'
        )
        self.assertEqual(self.bash("simcc ../blas.cu -lcublas -o blas && ./blas").stdout, "0\n")

    def test_the_workflow_tests_a_project(self):
        """Its steps on the examples, one of which has a hazard. The GNU compiler is the default one."""
        workflow = (ROOT / "docs/ci/cuda_project.yml").read_text(encoding="utf-8")
        steps = {step["name"]: step["line"] or re.sub("^ {10}", "", step["lines"], flags=re.MULTILINE) for step in STEP.finditer(workflow)}
        self.assertIn("cmake --install simulator-build --component simulator", steps["Build the simulated GPU"])
        words = {"CMAKE_PREFIX_PATH": str(self.installed), "SIMULATOR_HAZARDS": "error", "CXX": "g++"}
        for name in words:
            self.assertTrue(name == "CXX" or f" {name}: " in workflow, name)
        # This machine may have nvcc.
        built = self.bash(steps["Build the project"].replace("-B build\n", "-B build -DON_SIMULATED_GPU=ON\n"), **words)
        self.assertEqual(built.returncode, 0, built.stdout)
        tested = self.bash(steps["Run its tests"], **words)
        self.assertNotEqual(tested.returncode, 0)
        self.assertRegex(tested.stdout, r"(?m)^67% tests passed, 1 tests failed out of 3$")
        self.assertIn("race in shared memory in histogram", tested.stdout)

    def test_it_is_a_project_of_its_own(self):
        build = self.folder / "alone"
        cache = (build_folder / "CMakeCache.txt").read_text()
        compiler, generator = (re.search(rf"^{name}:\w+=(.*)$", cache, re.MULTILINE)[1] for name in ("CMAKE_CXX_COMPILER", "CMAKE_GENERATOR"))
        for command in (
            ["cmake", "-S", ROOT / "src/simulator", "-B", build, "-G", generator, f"-DCMAKE_CXX_COMPILER={compiler}"],
            ["cmake", "--build", build, "--target", "lens", "text"],
            # What else it would build; that takes minutes. make stumbles on files that do not exist yet.
            *([["cmake", "--build", build, "--", "-n"]] if generator == "Ninja" else []),
        ):
            done = subprocess.run(command, capture_output=True, text=True)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    build_folder = Path(sys.argv.pop(1))
    unittest.main()
