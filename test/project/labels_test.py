#!/usr/bin/env python3
"""Every test has one of the labels that ./run_tests -L takes: quick, slow, browser or emulated.

usage: labels_test.py CTEST BUILD_FOLDER
"""

import json
import pathlib
import subprocess
import sys
import tempfile

LABELS = {"quick", "slow", "browser", "emulated"}

ctest, folder = sys.argv[1:]
with tempfile.TemporaryDirectory() as apart:  # ctest writes a log where it is called, and is running in `folder`
    (pathlib.Path(apart) / "CTestTestfile.cmake").write_text(f'subdirs("{pathlib.Path(folder).resolve()}")\n')
    listed = subprocess.run([ctest, "--test-dir", apart, "--show-only=json-v1"], capture_output=True, text=True, check=True)
wrong, quick = [], 0
for test in json.loads(listed.stdout)["tests"]:
    labels = [p["value"] for p in test.get("properties", []) if p["name"] == "LABELS"]
    labels = labels[0] if labels else []
    if len(labels) != 1 or labels[0] not in LABELS:
        wrong.append(f"{test['name']}: {', '.join(labels) or 'no label'}")
    quick += labels == ["quick"]
if wrong:
    sys.exit(f"Each test needs one label of {', '.join(sorted(LABELS))}; these differ:\n  " + "\n  ".join(wrong))
if not quick:
    sys.exit("No test is quick; is this the build's folder?")
