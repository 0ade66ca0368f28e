"""The preloaded library exports the functions of its list and nothing else, and needs no cuBLAS."""

import re
import subprocess
import sys
import unittest
from pathlib import Path

LIBRARY, EXPORTS = sys.argv.pop(1), sys.argv.pop(1)


def output_of(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


class Exports(unittest.TestCase):
    def test_are_those_of_the_list(self):
        listed = set(re.findall(r"^ +(cublas\w+);", Path(EXPORTS).read_text(encoding="utf-8"), flags=re.MULTILINE))
        exported = {line.split()[-1] for line in output_of("nm", "-D", "--extern-only", "--defined-only", LIBRARY).splitlines()}
        self.assertEqual(exported, listed)

    def test_come_with_no_library_that_the_program_may_have_in_another_version(self):
        needed = re.findall(r"NEEDED.*\[(.*)\]", output_of("readelf", "-d", LIBRARY))
        allowed = r"libsgemm_simulated_gpu\.so\.\d+|lib(c|m|rt|dl|pthread)\.so\.\d+|ld-linux.*"
        self.assertEqual([name for name in needed if not re.fullmatch(allowed, name)], [])


if __name__ == "__main__":
    unittest.main()
