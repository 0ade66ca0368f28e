"""The folder of the programs of tools/docs, and the made-up runs of test/bench."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "tools/docs"
sys.path[:0] = [str(ROOT), str(ROOT / "test/bench")]

import samples  # noqa: E402, F401
