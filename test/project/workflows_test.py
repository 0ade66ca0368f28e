#!/usr/bin/env python3
"""Runs the steps of each workflow of docs/ci as GitHub does, on the simulated GPU. Reads the project's own workflow.

usage: workflows_test.py BUILD_FOLDER
The build folder is build/PRESET of this tree, and up to date: the steps call ./sgemm_runner, which sees to that.

A step runs in a tree of links to this tree, in which a baseline can be replaced. Only the actions are simulated:
actions/checkout does nothing, and actions/upload-artifact copies a file. A workflow may use only keys that this test knows.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
BASELINE = "bench/baselines/simulator.json"
WHATEVER_FAILED = "${{ !cancelled() }}"
build_folder = None


class Ended:
    """The result of a job: the exit code of the step that failed, or 0, its output, and the files that it kept."""

    def __init__(self):
        self.code, self.output, self.summary, self.artifacts = 0, "", "", {}

    def annotations(self):
        return re.findall(r"^::(?:error|warning) .*$", self.output, re.MULTILINE)


class Workflow(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.tree, self.home, self.temporary = (Path(folder.name) / name for name in ("tree", "home", "temporary"))
        for made in (self.tree, self.home, self.temporary):
            made.mkdir()
        self.link_tree()

    def link_tree(self):
        """Links everything except for the folder of the baselines."""
        for entry in ROOT.iterdir():
            if entry.name not in (".git", "build", "bench"):
                (self.tree / entry.name).symlink_to(entry)
        (self.tree / "bench/baselines").mkdir(parents=True)
        for folder in ("bench", "bench/baselines"):
            for file in (ROOT / folder).iterdir():
                if file.name != "baselines":
                    (self.tree / folder / file.name).symlink_to(file)

    def change_baseline(self, change, kernels=(1, 2)):
        """Replaces the recorded run by its rows of these kernels, after `change` on the row of the last."""
        run = json.loads((ROOT / BASELINE).read_text(encoding="utf-8"))
        run["benchmarks"] = [r for r in run["benchmarks"] if r["kernel_id"] in kernels and (r["m"], r["n"]) == (65, 63)]
        self.assertEqual(len(run["benchmarks"]), len(kernels))
        change(run)
        (self.tree / BASELINE).unlink()
        (self.tree / BASELINE).write_text(json.dumps(run), encoding="utf-8")

    def save(self, *words):
        """Saves the baseline that times.yml wants on its runner."""
        file = self.home / "sgemm-baseline.json"
        saved = subprocess.run(
            ["./sgemm_runner", "save", file, *words], cwd=self.tree, env=self.environment({}), capture_output=True, text=True
        )
        self.assertEqual(saved.returncode, 0, saved.stderr)
        return file

    def environment(self, of_the_job):
        return {
            **os.environ,
            **of_the_job,
            "SGEMM_BUILD": build_folder.name,
            "CI": "true",
            "GITHUB_ACTIONS": "true",
            "GITHUB_WORKSPACE": str(self.tree),
            "GITHUB_STEP_SUMMARY": str(self.temporary / "summary"),
            "RUNNER_TEMP": str(self.temporary),
            "HOME": str(self.home),
        }

    def run_job(self, name):
        """Runs the one job of docs/ci/NAME.yml."""
        workflow = yaml.safe_load((ROOT / f"docs/ci/{name}.yml").read_text(encoding="utf-8"))
        (job,) = workflow["jobs"].values()
        self.understood(job, {"runs-on", "timeout-minutes", "env", "steps"})
        ended = Ended()
        for step in job["steps"]:
            self.understood(step, {"name", "if", "run", "uses", "with"})
            self.assertIn(step.get("if", WHATEVER_FAILED), [WHATEVER_FAILED])
            if ended.code != 0 and "if" not in step:
                continue
            if "run" in step:
                self.run_step(step["run"], self.environment(job.get("env", {})), ended)
            else:
                self.act(step["uses"], step.get("with", {}), ended)
        return ended

    def understood(self, said, keys):
        self.assertLessEqual(set(said), keys, "a key that this test gives no meaning to")

    def run_step(self, script, environment, ended):
        """Runs a step in the shell that GitHub uses if a step names none, with a file for the step's summary."""
        file, summary = self.temporary / "step.sh", self.temporary / "summary"
        file.write_text(script, encoding="utf-8")
        summary.write_text("", encoding="utf-8")
        done = subprocess.run(["bash", "-e", file], cwd=self.tree, env=environment, capture_output=True, text=True)
        ended.output += done.stdout + done.stderr
        ended.summary += summary.read_text(encoding="utf-8")
        ended.code = ended.code or done.returncode

    def act(self, action, words, ended):
        name = action.partition("@")[0]
        self.assertRegex(action, r"^actions/(checkout|upload-artifact)@v\d+$")
        if name == "actions/upload-artifact":
            self.understood(words, {"name", "path", "if-no-files-found"})
            path = self.tree / words["path"].replace("${{ runner.temp }}", str(self.temporary))
            if path.exists() or words.get("if-no-files-found") != "ignore":
                ended.artifacts[words["name"]] = json.loads(path.read_text(encoding="utf-8"))

    def verdicts(self, ended, name):
        return [row["comparison"]["verdict"] for row in ended.artifacts[name]["benchmarks"]]


class OwnChecks(unittest.TestCase):
    """The project's own workflow."""

    def test_runs_what_developers_run(self):
        (file,) = (ROOT / ".github/workflows").iterdir()
        workflow = yaml.safe_load(file.read_text(encoding="utf-8"))
        (job,) = workflow["jobs"].values()
        self.assertEqual([step.get("run", step.get("uses", "").partition("@")[0]) for step in job["steps"]], ["actions/checkout", ".ci/run all"])
        self.assertTrue(os.access(ROOT / ".ci/run", os.X_OK))


class Counters(Workflow):
    """counters.yml, which needs no GPU."""

    def test_the_tree_as_it_is(self):
        rows = len(json.loads((ROOT / BASELINE).read_text(encoding="utf-8"))["benchmarks"])
        ended = self.run_job("counters")
        self.assertEqual(ended.code, 0, ended.output)
        self.assertEqual(ended.annotations(), [])
        self.assertIn(f"**{rows} rows: {rows} SAME**", ended.summary)
        self.assertEqual(self.verdicts(ended, "counters"), ["SAME"] * rows)

    def test_a_counter_that_changed(self):
        def change(run):
            run["benchmarks"][-1]["counts"]["load_sectors"]["A"] //= 2

        self.change_baseline(change)
        ended = self.run_job("counters")
        self.assertEqual(ended.code, 3, ended.output)
        (annotation,) = ended.annotations()
        self.assertTrue(annotation.startswith("::error file=src/kernels/02_coalesced.cu,title=CHANGED 02_coalesced::"), annotation)
        self.assertIn("**2 rows: 1 CHANGED, 1 SAME**", ended.summary)
        self.assertEqual(self.verdicts(ended, "counters"), ["SAME", "CHANGED"])

    def test_a_baseline_of_another_device(self):
        def change(run):
            run["context"]["device"] = "NVIDIA H200"

        self.change_baseline(change)
        ended = self.run_job("counters")
        self.assertEqual(ended.code, 4, ended.output)
        self.assertIn("the device is NVIDIA H200 there", ended.output)
        self.assertEqual((ended.summary, ended.artifacts), ("", {}))


class Times(Workflow):
    """times.yml, with the simulated GPU and its counters in place of a runner's GPU and times."""

    def test_the_same_program(self):
        self.save("1,2", "--size", "64")
        ended = self.run_job("times")
        self.assertEqual(ended.code, 0, ended.output)
        self.assertIn("**2 rows: 2 SAME**", ended.summary)
        self.assertEqual(self.verdicts(ended, "times"), ["SAME", "SAME"])

    def test_what_is_unsure_ends_it_with_5(self):
        file = self.save("1,2", "--size", "64")
        run = json.loads(file.read_text(encoding="utf-8"))
        run["benchmarks"][0]["correct"] = False
        file.write_text(json.dumps(run), encoding="utf-8")
        ended = self.run_job("times")
        self.assertEqual(ended.code, 5, ended.output)
        (annotation,) = ended.annotations()
        self.assertIn("::warning file=src/kernels/01_naive.cu,title=UNSURE 01_naive::", annotation)
        self.assertEqual(self.verdicts(ended, "times"), ["UNSURE", "SAME"])

    def test_without_a_baseline(self):
        ended = self.run_job("times")
        self.assertEqual(ended.code, 2, ended.output)
        self.assertIn("there is no such file", ended.output)


class Around(unittest.TestCase):
    def test_a_page_shows_each_workflow(self):
        """test/simulator/examples_test.py runs the one on docs/simulator.md."""
        pages = [(ROOT / f"docs/{page}.md").read_text(encoding="utf-8") for page in ("ci", "simulator")]
        shown = [file for page in pages for file in re.findall(r"^<!-- text of: docs/ci/(.+) -->$", page, re.MULTILINE)]
        self.assertEqual(sorted(shown), sorted(file.name for file in (ROOT / "docs/ci").glob("*.yml")))

    def test_whoever_builds_compare_builds_what_it_runs(self):
        """The launcher builds sgemm_workbench only; an old sgemm_runner beside it would pass for the new one."""
        needed = subprocess.run(
            ["ninja", "-C", build_folder, "-t", "query", "bin/sgemm_workbench"], capture_output=True, text=True, check=True
        )
        self.assertIn("|| bin/sgemm_runner", needed.stdout)


if __name__ == "__main__":
    build_folder = Path(sys.argv.pop(1)).resolve()
    unittest.main(verbosity=2)
