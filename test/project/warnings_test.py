#!/usr/bin/env python3
"""Warnings are shown in every build, and stop only .ci/run. Arguments: the build folder, and whether warnings are errors there."""

import json
import pathlib
import shlex
import subprocess
import sys
import tempfile
import unittest

BUILD = pathlib.Path(sys.argv.pop(1))
ARE_ERRORS = sys.argv.pop(1) == "ON"

# All our compilers warn of `forgotten`.
CARELESS = "int careless();\nint careless() {\n  int forgotten = 1;\n  return 0;\n}\n"


def host_command():
    for entry in json.loads((BUILD / "compile_commands.json").read_text()):
        if entry["file"].endswith("src/text/page.cpp"):
            return entry["command"]
    raise AssertionError("nothing compiles src/text/page.cpp")


def device_command():
    said = subprocess.run(["ninja", "-C", BUILD, "-t", "commands", "src/kernels/libsgemm_kernels.a"], capture_output=True, text=True,
                          check=True).stdout
    return next(line for line in said.splitlines() if "01_naive.cu" in line)


class Warnings(unittest.TestCase):
    def compiled(self, command, name):
        """Runs the command on a careless file in place of the file that it compiles."""
        with tempfile.TemporaryDirectory() as folder:
            careless = pathlib.Path(folder, "careless" + pathlib.Path(name).suffix)
            careless.write_text(CARELESS)
            words = shlex.split(next(part for part in command.split(" && ") if " -c " in part))
            source = next(i for i, word in enumerate(words) if word.endswith(name) and words[i - 1] == "-c")
            words[source] = str(careless)
            words[words.index("-o") + 1] = f"{folder}/careless.o"
            for option in ("-MF", "-MT"):
                if option in words:
                    words[words.index(option) + 1] = f"{folder}/careless.d"
            return subprocess.run(words, cwd=BUILD, capture_output=True, text=True)

    def expect_what_was_asked_for(self, done):
        self.assertIn("forgotten", done.stderr)
        self.assertEqual(done.returncode != 0, ARE_ERRORS, done.stderr)

    def test_of_host_code(self):
        self.expect_what_was_asked_for(self.compiled(host_command(), "src/text/page.cpp"))

    def test_of_kernels(self):
        self.expect_what_was_asked_for(self.compiled(device_command(), "src/kernels/01_naive.cu"))


if __name__ == "__main__":
    unittest.main(verbosity=2)
