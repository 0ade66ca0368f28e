#!/usr/bin/env python3
"""Runs exercises/workshop.ipynb from the first cell to the last on the simulated GPU, in a clone that the notebook makes.

    notebook_test.py PROGRAM [Text | Cells]     PROGRAM is the built sgemm_workshop

There is no Jupyter. Lines that begin with ! go to bash, with Python's variables put in as IPython does. The magic commands
%cd and %%writefile are known. All other lines are Python. The cells clone today's tree. The clone then gets the programs of
this build, as an archive for a class has them, so that the cells build nothing.
"""

import contextlib
import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
NOTEBOOK = ROOT / "exercises/workshop.ipynb"
ADDRESS = re.compile(r'^REPOSITORY = "[^"]*"', re.MULTILINE)
EXERCISE = "02_coalesced"
PROGRAM = None


def cells(kind):
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def repository_of_today(folder):
    """Makes a repository that holds the tree as it is now, committed or not."""
    listed = subprocess.run(["git", "-C", ROOT, "ls-files", "-z", "--cached", "--others", "--exclude-standard"], check=True,
                            capture_output=True, text=True).stdout
    names = [name for name in listed.split("\0") if (ROOT / name).is_file()]
    packed = subprocess.run(["tar", "-C", ROOT, "--null", "-T", "-", "-c"], input="\0".join(names).encode(), check=True,
                            capture_output=True).stdout
    subprocess.run(["tar", "-C", folder, "-x"], input=packed, check=True)
    git = ["git", "-C", folder, "-c", "user.name=test", "-c", "user.email=test@localhost"]
    for words in (["init", "--quiet"], ["add", "--all", "--force"], ["commit", "--quiet", "-m", "today"]):
        subprocess.run([*git, *words], check=True)


def give_programs_to(clone, folder):
    """Puts the programs of an archive for a class into a clone, as if they were built there after it was cloned."""
    archive = Path(folder) / "class.tar.gz"
    subprocess.run([PROGRAM, "learn", "--pack", archive], check=True, capture_output=True)
    subprocess.run(["tar", "-C", clone, "--strip-components=1", "-xf", archive, "sgemm_ladder/build"], check=True)
    for stamp in (clone / "build/sim/built").iterdir():
        stamp.touch()


class Session:
    """The state that a notebook's kernel keeps between cells: variables, and the folder."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.variables = {}
        self.environment = {**os.environ, "SGEMM_BUILD": "sim", "LC_ALL": "C.UTF-8", "COLUMNS": "100"}

    def run(self, cell):
        """Runs a cell. Returns the exit code and the output of each shell line."""
        first, _, rest = cell.partition("\n")
        if first.startswith("%%writefile "):
            (self.folder / first.split()[1]).write_text(rest if rest.endswith("\n") else rest + "\n", encoding="utf-8")
            return []
        ended, python = [], []
        for line in cell.splitlines():
            if line.startswith("!"):
                self.python(python)
                ended.append(self.shell(line[1:]))
            elif line.startswith("%cd "):
                self.folder = (self.folder / line.split()[1]).resolve(strict=True)
            elif line.startswith("%"):
                raise AssertionError(f"a magic command that this test does not know: {line}")
            else:
                python.append(line)
        self.python(python)
        return ended

    def python(self, lines):
        with contextlib.chdir(self.folder):
            exec("\n".join(lines), self.variables)  # noqa: S102: the notebook's own code
        lines.clear()

    def shell(self, line):
        line = re.sub(r"\$(\w+)", lambda name: str(self.variables.get(name[1], name[0])), line)
        done = subprocess.run(["bash", "-c", line], cwd=self.folder, env=self.environment, capture_output=True, text=True)
        print(f"$ {line}\n{done.stdout}{done.stderr}", flush=True)
        return done.returncode, done.stdout + done.stderr


def solution():
    """Returns the rung's code between the marks of hole a."""
    source = (ROOT / f"src/kernels/{EXERCISE}.cu").read_text(encoding="utf-8")
    return source.split("// exercise a: begin\n")[1].split("  // exercise a: end")[0]


class Text(unittest.TestCase):
    def test_its_text_says_what_a_t4_runs(self):
        text = " ".join("\n".join(cells("markdown")).split())
        for said in ("compute capability 7.5", "Kernels 1 to 9", "Kernels 10 to 12", "have not run it on a T4"):
            self.assertIn(said, text)

    def test_it_says_at_once_that_its_address_is_not_set(self):
        with tempfile.TemporaryDirectory() as folder, self.assertRaises(SystemExit) as ended:
            Session(folder).run(cells("code")[0])
        self.assertIn("put the project's address", str(ended.exception))

    def test_one_line_has_the_address_and_no_output_is_kept(self):
        code = cells("code")
        self.assertEqual(len(ADDRESS.findall(code[0])), 1)
        self.assertFalse(ADDRESS.search("\n".join(code[1:])))
        self.assertNotIn("http", "\n".join(code[1:]))
        for cell in json.loads(NOTEBOOK.read_text(encoding="utf-8"))["cells"]:
            self.assertFalse(cell.get("outputs"))


class Cells(unittest.TestCase):
    def test_its_cells_run_from_the_first_to_the_last(self):
        with tempfile.TemporaryDirectory(prefix="notebook ") as folder:
            origin = Path(folder) / "origin"
            origin.mkdir()
            repository_of_today(origin)
            code = cells("code")
            code[0] = ADDRESS.sub(f'REPOSITORY = "file://{origin}"', code[0])
            session = Session(folder)
            answer = next(i for i, cell in enumerate(code) if cell.startswith("%%writefile"))
            check = next(i for i, cell in enumerate(code) if "./sgemm_runner check" in cell)
            for i, cell in enumerate(code):
                for ended, said in session.run(cell):
                    # The answer that stands in the notebook is wrong, so that check ends with 1.
                    self.assertEqual(ended, 1 if i == check else 0, f"{cell}\n{said}")
                    self.assertNotIn("building", said)
                if i == 0:
                    give_programs_to(session.folder, folder)
            # The same cells again, with the right answer in them.
            session.run(code[answer].splitlines()[0] + "\n" + solution())
            for cell in code[answer + 1 : check]:
                session.run(cell)
            [(ended, said)] = session.run(code[check])
            self.assertEqual(ended, 0, said)
            [(_, said)] = session.run(code[-1])
            self.assertRegex(said, rf"{EXERCISE} +✓ solved")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
