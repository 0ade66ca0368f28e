#!/usr/bin/env python3
"""Compares the interface of libsgemm_ladder.so with the one that was recorded in abi.txt.

    abi_test.py LIBRARY ABI HEADER             the test. ABI is the program of abi.cpp
    abi_test.py LIBRARY ABI HEADER --record    records a version's interface anew

A program that was linked with an older version 1 must run with every later one. So lines may be added, and none may change or vanish.
"""

import pathlib
import re
import subprocess
import sys
import unittest

LIBRARY, ABI, HEADER = sys.argv[1:4]
RECORD = pathlib.Path(__file__).with_name("abi.txt")


def lines_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()


def exported():
    """Returns the exported symbols, as in "sgemm_ladder_version@@SGEMM_LADDER_1"."""
    names = (line.split()[-1] for line in lines_of("nm", "-D", "--defined-only", LIBRARY))
    return sorted(name for name in names if "@" in name or not name.startswith("SGEMM_LADDER_"))


def declarations():
    """Returns the functions of the header as they are declared."""
    text = re.sub(r"/\*.*?\*/", "", pathlib.Path(HEADER).read_text(), flags=re.DOTALL)
    found = re.findall(r"SGEMM_LADDER_API (?!__attribute__)([^;{]*\));", text)
    return sorted(re.sub(r"\s+", " ", one).replace("( ", "(") for one in found)


def soname():
    return next(line.split("[")[1].rstrip("]") for line in lines_of("readelf", "-d", LIBRARY) if "SONAME" in line)


def interface():
    return [f"soname {soname()}", *(f"exports {name}" for name in exported()), *(f"declares {one}" for one in declarations()),
            *lines_of(ABI)]


class Interface(unittest.TestCase):
    maxDiff = None

    def test_keeps_what_was_recorded(self):
        now = interface()
        lost = [line for line in RECORD.read_text().splitlines() if line not in now]
        self.assertEqual(lost, [], "programs that were linked with an earlier version would break")

    def test_is_recorded(self):
        self.assertEqual(interface(), RECORD.read_text().splitlines(), "new lines: record them with --record")

    def test_exports_what_it_declares_and_nothing_else(self):
        declared = {re.search(r"(\w+)\(", one)[1] for one in declarations()}
        self.assertEqual({name.split("@")[0] for name in exported()}, declared)
        self.assertTrue(all(name.endswith("@@SGEMM_LADDER_1") for name in exported()), exported())

    def test_links_only_the_system_and_the_simulated_gpu(self):
        needed = [line.split("[")[1].rstrip("]") for line in lines_of("readelf", "-d", LIBRARY) if "NEEDED" in line]
        allowed = r"lib(sgemm_simulated_gpu|stdc\+\+|gcc_s|m|c|rt|dl|pthread)\.so\.\d+|ld-linux.*"
        self.assertEqual([name for name in needed if not re.fullmatch(allowed, name)], [])


if __name__ == "__main__":
    if "--record" in sys.argv:
        RECORD.write_text("\n".join(interface()) + "\n")
        sys.exit()
    unittest.main(argv=[sys.argv[0]], verbosity=2)
