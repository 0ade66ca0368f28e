"""The base of tests for programs that keep a table in a document: the files, and the calls."""

import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from tree import DOCS, samples


class DocumentTable(unittest.TestCase):
    """A document with the program's markers, and a recorded run. Derived classes name the program, the document and the run."""

    program, document_text, recorded = "", "", {}

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.run_file = Path(folder.name) / "run.json"
        self.document = Path(folder.name) / "document.md"
        self.document.write_text(self.document_text, encoding="utf-8")
        self.run_file.write_text(samples.text_of(self.recorded), encoding="utf-8")

    def call(self, *words):
        command = [sys.executable, "-B", DOCS / self.program, "--run", self.run_file, "--document", self.document, *words]
        return subprocess.run(command, capture_output=True, text=True)

    def refused(self, code, *words):
        """Returns the one line of a call that must fail and leave the document as it was."""
        before = self.document.read_bytes()
        ended = self.call(*words)
        self.assertEqual(ended.returncode, code, ended.stderr)
        self.assertEqual(self.document.read_bytes(), before)
        self.assertEqual(ended.stderr.count("\n"), 1, ended.stderr)
        return ended.stderr
