#!/usr/bin/env python3
"""Tests an archive for a class (learn --pack): it holds no solution, and learners can work with it.

    pack_test.py PROGRAM Archive     its contents; PROGRAM is the built sgemm_workshop
    pack_test.py PROGRAM InClass     unpacked and used
    pack_test.py PROGRAM Built       unpacked, where its programs do not run: it has all that a build of them needs
"""

import os
import re
import shlex
import signal
import subprocess
import sys
import tarfile
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = None
MARK = re.compile(r"^ *// exercise (\w): (begin|end)\n", re.MULTILINE)


def exercises():
    """Returns the rungs' exercises, in the order of the course."""
    names = re.findall(r"^[0-9a-z]\S*", (ROOT / "exercises/course.txt").read_text(encoding="utf-8"), re.MULTILINE)
    return [name for name in names if name[0].isdigit()]


def sources(exercise):
    """Returns the files that hold the exercise's solution: the rung's file, and the headers that the rung marks as part of the exercise."""
    rung = ROOT / f"src/kernels/{exercise}.cu"
    headers = re.findall(r'^#include "(.+)" +// exercise: in place$', rung.read_text(encoding="utf-8"), re.MULTILINE)
    return [rung, *(ROOT / "src" / header for header in headers)]


def solutions(exercise):
    """Returns {letter: the lines between the marks, without marks, comments and indentation}."""
    found = {}
    for source in sources(exercise):
        text = source.read_text(encoding="utf-8")
        for letter in re.findall(r"// exercise (\w): begin\n", text):
            inside = text.split(f"// exercise {letter}: begin\n")[1].split(f"// exercise {letter}: end")[0]
            found[letter] = code_of(inside)
    return found


def code_of(text):
    lines = (line.split("//")[0].strip() for line in text.splitlines())
    return [line for line in lines if line]


def holds(text, solution):
    """True if the lines of a solution stand in the text one behind the other."""
    return "\n".join(solution) in "\n".join(code_of(text))


def pack(file, **environment):
    return subprocess.run([PROGRAM, "learn", "--pack", file], capture_output=True, text=True, env={**os.environ, **environment})


def names_in(archive):
    with tarfile.open(archive) as opened:
        return {member.name for member in opened.getmembers()}


class Packed(unittest.TestCase):
    """An archive, unpacked."""

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory(prefix="class ü ")
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        cls.archive = cls.folder / "class.tar.gz"
        packed = pack(cls.archive)
        if packed.returncode:
            raise AssertionError(packed.stderr)
        cls.said = packed.stdout
        subprocess.run(["tar", "-C", cls.folder, "-xf", cls.archive], check=True)
        cls.tree = cls.folder / "sgemm_ladder"


class Archive(Packed):
    def test_the_same_tree_is_the_same_archive(self):
        again = self.folder / "again.tar.gz"
        self.assertEqual(pack(again).returncode, 0)
        self.assertEqual(again.read_bytes(), self.archive.read_bytes())
        with tarfile.open(self.archive) as archive:
            members = archive.getmembers()
        self.assertEqual([m.name for m in members], sorted((m.name for m in members), key=lambda name: name.split("/")))
        self.assertEqual({(m.uid, m.gid, m.uname, m.gname) for m in members}, {(0, 0, "", "")})
        self.assertEqual(len({m.mtime for m in members}), 1)

    def test_a_copy_without_git_is_packed_too(self):
        """Without git, the whole tree is packed except for files that were made in it."""
        other = self.folder / "without_git.tar.gz"
        self.assertEqual(pack(other, GIT_DIR="/nowhere").returncode, 0)
        names = names_in(other)
        self.assertFalse(names_in(self.archive) - names)
        self.assertFalse([name for name in names if name.startswith(("sgemm_ladder/.git/", "sgemm_ladder/test/"))])
        self.assertFalse([name for name in names if name.startswith("sgemm_ladder/exercises/mine")])
        self.assertIn("sgemm_ladder/build/sim/bin/sgemm_runner", names)
        self.assertFalse([name for name in names if name.endswith(("CMakeCache.txt", "build.ninja"))])

    def test_it_says_what_to_do_with_it(self):
        self.assertIn("tar -xf class.tar.gz", self.said)
        self.assertIn("./sgemm_runner learn", self.said)

    def test_a_name_that_is_taken_or_no_archive_is_refused(self):
        before = self.archive.read_bytes()
        refused = pack(self.archive)
        self.assertEqual((refused.returncode, refused.stdout), (2, ""))
        self.assertIn("is there already", refused.stderr)
        self.assertEqual(self.archive.read_bytes(), before)
        for name, why in (("class.zip", "should be the name of an archive"), ("nowhere/class.tar.gz", "nowhere")):
            refused = pack(self.folder / name)
            self.assertEqual(refused.returncode, 2, refused.stderr)
            self.assertIn(why, refused.stderr)
            self.assertFalse((self.folder / name).exists())

    def test_no_file_of_it_holds_a_solution(self):
        texts = {}
        for file in self.tree.rglob("*"):
            if file.is_file() and file.suffix != ".o" and self.tree / "build" not in file.parents:
                texts[file.relative_to(self.tree).as_posix()] = file.read_text(encoding="utf-8")
        names = set(texts)
        self.assertFalse([name for name in names if name.startswith(("test/", "exercises/mine/"))])
        self.assertFalse([name for name in names if name.endswith("answers.md") and not name.endswith("wrong_answers.md")])
        for exercise in exercises():
            self.assertNotIn(f"src/kernels/{exercise}.cu", names)
            found = solutions(exercise)
            self.assertTrue(found, exercise)
            for letter, solution in found.items():
                where = [name for name, text in texts.items() if holds(text, solution)]
                self.assertFalse([name for name in where if not self.is_given(exercise, found, letter, name)],
                                 f"hole {letter} of {exercise}")

    def is_given(self, exercise, found, letter, name):
        """True if a file may hold the solution: it is the learner's file for a later exercise (a rung keeps what the rung before it
        taught), or for another hole of the same exercise, which gives this one."""
        skeleton = re.fullmatch(r"exercises/(\w+)/skeleton_(\w)\.cu", name)
        if not skeleton:
            return False
        if skeleton[1] == exercise:
            return "\n".join(found[letter]) not in "\n".join(found[skeleton[2]])
        return exercises().index(skeleton[1]) > exercises().index(exercise)

    def test_nothing_in_it_names_the_packers_folder(self):
        for file in self.tree.rglob("*"):
            if file.is_file():
                self.assertNotIn(str(ROOT).encode(), file.read_bytes(), file)

    def test_each_hole_is_there_ready_cut(self):
        for exercise in exercises():
            for letter in solutions(exercise):
                skeleton = (self.tree / f"exercises/{exercise}/skeleton_{letter}.cu").read_text(encoding="utf-8")
                self.assertEqual(MARK.findall(skeleton), [(letter, "begin"), (letter, "end")], exercise)

    def test_another_processor_is_told_what_is_missing(self):
        """Only configures, as a machine of another kind would."""
        compiled = self.tree / "src/kernels/compiled"
        [processor] = compiled.iterdir()
        other = compiled / "another_processor"
        processor.rename(other)
        try:
            done = subprocess.run(["cmake", "-S", self.tree, "-B", self.folder / "other", "-G", "Ninja", "-DSGEMM_BUILD_TESTS=OFF",
                                   "-DCMAKE_CXX_COMPILER=clang++-19"], capture_output=True, text=True)
        finally:
            other.rename(processor)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("compiled for another_processor", " ".join(done.stderr.split()))


class Used(Packed):
    def call(self, *words, program="sgemm_runner"):
        environment = {**os.environ, "SGEMM_BUILD": "sim", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}
        done = subprocess.run([self.tree / program, *words], cwd=self.tree, env=environment, capture_output=True, text=True)
        print(f"$ ./{program} {' '.join(words)}\n{done.stdout}{done.stderr}", flush=True)
        return done


class InClass(Used):
    """The programs of the archive are used as they are: nothing is configured or built."""

    def tearDown(self):
        self.assertFalse((self.tree / "build/sim/CMakeCache.txt").exists())

    def test_a_program_of_ones_own_is_compiled_with_it(self):
        source = self.tree / "hello.cu"
        source.write_text("__global__ void k(int* x) { *x = 7; }\n"
                          "int main() { int *d, h = 0; cudaMalloc(&d, 4); k<<<1, 1>>>(d);\n"
                          "cudaMemcpy(&h, d, 4, cudaMemcpyDeviceToHost); return h == 7 ? 0 : 1; }\n", encoding="utf-8")
        done = self.call("hello.cu", "-o", "hello", program="simcc")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual(subprocess.run([self.tree / "hello"], check=False).returncode, 0)

    def test_the_readme_is_the_learners(self):
        readme = (self.tree / "README.md").read_text(encoding="utf-8")
        self.assertEqual(readme, (ROOT / "exercises/README.md").read_text(encoding="utf-8"))
        self.assertFalse((self.tree / "exercises/README.md").exists())
        commands = re.findall(r"^ {4}\./sgemm_runner (.+?)(?:  |$)|`\./sgemm_runner (.+?)`", readme, re.MULTILINE)
        self.assertGreater(len(commands), 12)
        for block, cell in commands:
            command = (block or cell).replace(" --watch", "")
            if command != "learn quiz":  # the quiz waits for answers
                self.assertIn(self.call(*command.split()).returncode, (0, 1), command)

    def test_a_class_can_work_with_it(self):
        self.assertEqual(self.call("learn").returncode, 0)
        self.assertEqual(self.call("learn", "2").returncode, 0)
        own = self.tree / "exercises/mine/02_coalesced.cu"
        self.assertEqual(own.read_bytes(), (self.tree / "exercises/02_coalesced/skeleton_a.cu").read_bytes())
        wrong = self.call("check", "2")
        self.assertEqual(wrong.returncode, 1, wrong.stderr)
        self.assertEqual(self.call("hint", "2").returncode, 0)

        # The archive has no solution to show.
        for exercise in ("2", "copy_stride"):
            refused = self.call("solution", exercise)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn("this copy of the project has no solutions", refused.stderr)
        rung = (ROOT / "src/kernels/02_coalesced.cu").read_text(encoding="utf-8")
        answer = rung.split("// exercise a: begin\n")[1].split("// exercise a: end")[0]
        text = own.read_text(encoding="utf-8")
        before, rest = text.split("// exercise a: begin\n")
        own.write_text(before + "// exercise a: begin\n" + answer + "// exercise a: end" + rest.split("// exercise a: end")[1],
                       encoding="utf-8")
        right = self.call("check", "2")
        self.assertEqual(right.returncode, 0, right.stdout + right.stderr)

        # Rungs 11 and 12 are spread over headers. The given parts compile.
        for exercise in ("11", "12"):
            self.assertEqual(self.call("learn", exercise).returncode, 0)
            self.assertNotIn("does not compile", self.call("check", exercise).stdout)

        self.assertEqual(self.call("1", "2").returncode, 0)
        hidden = self.call("show", "1")
        self.assertEqual((hidden.returncode, hidden.stdout), (2, ""))
        self.assertIn("src/kernels/01_naive.cu, is not in this copy of the project", " ".join(hidden.stderr.split()))
        self.assertEqual(self.call("show", "1", "--picture").returncode, 0)
        refused = self.call("learn", "--pack", "again.tar.gz")
        self.assertEqual(refused.returncode, 2, refused.stdout)
        self.assertIn("hand on the file itself", refused.stderr)


class Built(Used):
    """Where its programs do not run, they are built from the archive. That takes minutes, so the test ends the build when it begins. A
    build of the archive compiles sources of this tree with the same commands, so it succeeds if all files are there that a compiler reads."""

    PROGRAMS = ("sgemm_runner", "sgemm_workbench", "sgemm_workshop")

    def test_where_the_programs_do_not_run_they_are_built(self):
        build = self.tree / "build/sim"
        (build / "bin/sgemm_runner").write_text("#!/bin/sh\nexit 127\n", encoding="utf-8")
        said = self.begin_to_build()
        self.assertIn("the programs of this copy do not run on this machine: building them", said)
        self.assertTrue((build / "CMakeCache.txt").exists())

        inputs = [shlex.split(line)[0] for line in self.ninja(build, "-t", "inputs", *self.PROGRAMS).splitlines()]
        sources = [line for line in inputs if line.endswith((".cpp", ".cu"))]
        read = self.files_by_source()
        missing = set()
        for source in sources:
            name = str((build / source).resolve().relative_to(self.tree.resolve()))
            if not name.startswith("build/"):  # as generated ones are
                self.assertTrue((self.tree / name).exists(), name)
                self.assertTrue(name in read, f"no compiler has read {name}")
                missing |= {file for file in read[name] if not (self.tree / file).exists()}
        self.assertGreater(len(sources), 100)
        self.assertFalse(missing)

    def begin_to_build(self):
        """Returns what is said until the build begins."""
        environment = {**os.environ, "SGEMM_BUILD": "sim", "LC_ALL": "C.UTF-8"}
        process = subprocess.Popen([self.tree / "sgemm_runner", "learn"], cwd=self.tree, env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.PIPE, text=True)
        said = ""
        for line in process.stderr:
            said += line
            if re.search(r"building sgemm_\w+ in", line):
                break
        process.send_signal(signal.SIGINT)
        process.stderr.close()
        self.assertEqual(process.wait(timeout=60), 130, said)
        return said

    def ninja(self, build, *words):
        done = subprocess.run(["ninja", "-C", build, *words], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        return done.stdout

    def files_by_source(self):
        """Returns {a source: the files of this tree that a compiler read with it}. Paths are relative to the tree."""
        build, files = Path(PROGRAM).resolve().parent.parent, {}
        lists = [[line.strip() for line in block.splitlines()[1:]] for block in self.ninja(build, "-t", "deps").split("\n\n")]
        for written in build.glob("src/**/*.simulated/*.d"):  # by simcc
            lists.append(shlex.split(written.read_text(encoding="utf-8").replace("\\\n", ""))[1:])
        for names in lists:
            paths = [os.path.normpath(build / name) for name in names]
            own = [os.path.relpath(path, ROOT) for path in paths if path.startswith(f"{ROOT}/src/")]
            for source in own:
                if source.endswith((".cpp", ".cu")):
                    files.setdefault(source, set()).update(own)
        return files


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
