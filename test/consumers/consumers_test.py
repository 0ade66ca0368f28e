#!/usr/bin/env python3
"""Installs the library of a build, and builds and runs the project in project/, which uses it.

    consumers_test.py BUILD                   all tests
    consumers_test.py BUILD --compile-only    without running programs: on a machine without the build's GPU
    consumers_test.py BUILD -k NAME           a part of the tests

The project gets the library by find_package and pkg-config, as it was installed, and by FetchContent, which compiles it.
test/project/launcher_test.py configures it with add_subdirectory.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
BUILD = pathlib.Path(sys.argv[1]).resolve()
RUNS = "--compile-only" not in sys.argv
CACHE = dict(line.split("=", 1) for line in (BUILD / "CMakeCache.txt").read_text().splitlines() if "=" in line and line[0] not in "#/")


def cached(name):
    return next((value for key, value in CACHE.items() if key.split(":")[0] == name), "")


MACHINE = cached("SGEMM_MACHINE")
TOOLKIT = pathlib.Path(cached("CMAKE_CUDA_COMPILER")).parents[1] if MACHINE == "cuda" else None
# The compilers of most consumers.
GNU = ("-DCMAKE_C_COMPILER=gcc", "-DCMAKE_CXX_COMPILER=g++")
CLANG = ("-DCMAKE_C_COMPILER=clang-19", "-DCMAKE_CXX_COMPILER=clang++-19")
CUDA = (f"-DCMAKE_CUDA_COMPILER={cached('CMAKE_CUDA_COMPILER')}", f"-DCMAKE_CUDA_ARCHITECTURES={cached('CMAKE_CUDA_ARCHITECTURES')}")


class Consumers(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="consumers ", dir=BUILD)
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        first = cls.folder / "installed first"
        done = subprocess.run(["cmake", "--install", BUILD, "--prefix", first], capture_output=True, text=True)
        if done.returncode != 0:
            raise AssertionError(done.stderr)
        cls.installed = cls.folder / "installed"  # the tree may be moved
        first.rename(cls.installed)

    def run_command(self, *command, **options):
        done = subprocess.run([str(word) for word in command], capture_output=True, text=True, **options)
        self.assertEqual(done.returncode, 0, f"{command}\n{done.stdout[-4000:]}\n{done.stderr[-4000:]}")
        return done.stdout

    def build(self, name, *options, languages="C;CXX"):
        build = self.folder / name
        if MACHINE == "cuda" and "CXX" in languages:
            languages += ";CUDA"
            options += CUDA
        self.run_command("cmake", "-S", HERE / "project", "-B", build, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release", f"-DLANGUAGES={languages}",
                         *options)
        self.run_command("ninja", "-C", build, f"-j{os.cpu_count()}")
        return build

    def assert_runs(self, folder, *programs):
        for program in programs:
            self.assertTrue((folder / program).exists(), program)
            if RUNS:
                self.assertIn("right", self.run_command(folder / program))

    def test_find_the_shared_library(self):
        build = self.build("shared", "-DHOW=find_package", f"-DCMAKE_PREFIX_PATH={self.installed}", *GNU)
        self.assertIn("libsgemm_ladder.so.1", self.run_command("readelf", "-d", build / "in_c"))
        self.assert_runs(build, "in_c", "in_cpp", "in_cuda")

    def test_find_the_static_library(self):
        build = self.build("static", "-DHOW=find_package", f"-DCMAKE_PREFIX_PATH={self.installed}", "-DBUILD_SHARED_LIBS=OFF", *GNU)
        self.assertNotIn("libsgemm_ladder.so", self.run_command("readelf", "-d", build / "in_c"))
        self.assert_runs(build, "in_c", "in_cpp", "in_cuda")

    def test_find_it_in_a_project_in_c_alone(self):
        for form in ("ON", "OFF"):
            build = self.build(f"C {form}", "-DHOW=find_package", f"-DCMAKE_PREFIX_PATH={self.installed}", f"-DBUILD_SHARED_LIBS={form}",
                               "-DCMAKE_C_COMPILER=gcc", languages="C")
            self.assert_runs(build, "in_c")

    def test_find_no_other_major_version(self):
        project = self.folder / "other version"
        project.mkdir()
        (project / "CMakeLists.txt").write_text("cmake_minimum_required(VERSION 3.25)\nproject(other LANGUAGES NONE)\n"
                                                "find_package(sgemm_ladder 2 REQUIRED)\n")
        done = subprocess.run(["cmake", "-S", project, "-B", project / "build", f"-DCMAKE_PREFIX_PATH={self.installed}"], capture_output=True,
                              text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("compatible with requested version", " ".join(done.stderr.split()))

    def test_take_it_from_pkg_config(self):
        folder = self.folder / "make"
        shutil.copytree(HERE / "project", folder)
        prefix = self.folder.parent / f"installed{os.getpid()}"  # make takes no path with a space
        prefix.symlink_to(self.installed)
        self.addCleanup(prefix.unlink)
        found = sorted(prefix.glob("lib*/**/pkgconfig"))
        environment = os.environ | {"PKG_CONFIG_PATH": str(found[0]), "CC": "gcc"}
        if TOOLKIT is not None:
            environment |= {"CUDA_CFLAGS": f"-isystem {TOOLKIT}/include", "CUDA_LIBS": f"-L{TOOLKIT}/lib64 -lcudart -Wl,-rpath,{TOOLKIT}/lib64"}
        self.assertEqual(self.run_command("pkg-config", "--modversion", "sgemm_ladder", env=environment).strip(), "1.0.0")
        self.run_command("make", "-C", folder, "in_c", env=environment)
        self.assert_runs(folder, "in_c")

    def test_fetch_its_sources(self):
        options = GNU
        if MACHINE == "sim":  # the simulated GPU of this build, which takes minutes to compile
            options = ("-DSGEMM_MACHINE=sim", f"-DSGEMM_SIMULATED_GPU={next(self.installed.glob('lib*/libsgemm_simulated_gpu.so'))}", *CLANG)
        build = self.build("fetched", "-DHOW=FetchContent", f"-DLADDER={ROOT}", *options)
        self.assert_runs(build, "in_c", "in_cpp", "in_cuda")


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *(word for word in sys.argv[2:] if word != "--compile-only")], verbosity=2)
