"""Tests the list of what the simulated GPU has, in src/simulator/subset.toml: the simulator knows each name in it, and a program
among the tests uses it."""

import pathlib
import re
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
SIMULATOR = ROOT / "src/simulator"
sys.path.insert(0, str(SIMULATOR))
import subset  # noqa: E402

NAMES = [(topic, name) for topic, has in subset.covered_rows() for name in re.findall(r"`([^`]+)`", has)]


def text_of(folders, suffixes):
    files = [file for folder in folders for file in sorted(folder.rglob("*")) if file.is_file() and file.suffix in suffixes]
    return "\n".join(f"{file.relative_to(ROOT)}\n{file.read_text(errors='replace')}" for file in files)


def missing_in(text):
    """Returns the names, each with its topic, that are no words of the text. In a name, * stands for the rest of a word."""
    words = {name: re.compile(r"(?<!\w)" + re.escape(name).replace(r"\*", r"\w*") + r"(?!\w)") for _, name in NAMES}
    return [f"{topic}: {name}" for topic, name in NAMES if not words[name].search(text)]


class Covered(unittest.TestCase):
    def test_there_are_names(self):
        self.assertGreater(len(NAMES), 100)

    def test_the_simulator_knows_each_name(self):
        self.assertEqual(missing_in(text_of([SIMULATOR], {".h", ".hpp", ".cpp", ""})), [])

    def test_a_program_among_the_tests_uses_each_name(self):
        self.assertEqual(missing_in(text_of([ROOT / "test", ROOT / "src/kernels", ROOT / "src/labs"], {".cu", ".cuh", ".cpp", ".hpp"})), [])


if __name__ == "__main__":
    unittest.main()
