#!/usr/bin/env python3
"""Tests the container recipes: README's two commands on a stock image. Reads them only; a build needs Docker and a network."""

import json
import re
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STOCK_IMAGE = "debian:12"
INSTRUCTIONS = {"FROM", "ENV", "WORKDIR", "USER", "COPY", "RUN", "CMD"}


def instructions():
    """Returns the Dockerfile's instructions in order: (FROM, debian:12), ..."""
    lines = (line.strip() for line in (ROOT / "Dockerfile").read_text(encoding="utf-8").splitlines())
    return [tuple(line.split(maxsplit=1)) for line in lines if line and not line.startswith("#")]


def commands_of_readme():
    """Returns the commands of the block below "## Quick start", without their comments."""
    section = (ROOT / "README.md").read_text(encoding="utf-8").split("## Quick start\n")[1]
    return [line.split("#")[0].strip() for line in section.split("```\n")[1].splitlines()]


def subcommands():
    return re.findall(r"^SUBCOMMAND\((\w+),", (ROOT / "src/runner/request/subcommands.def").read_text(encoding="utf-8"), re.MULTILINE)


class Containers(unittest.TestCase):
    def assert_can_be_typed(self, command):
        """Asserts that a command calls a script of the repository with words that it takes, so that it works outside the container too."""
        words = command.split()
        self.assertTrue((ROOT / words[0]).is_file(), command)
        if words[0] == "./sgemm_runner" and not words[1].isdigit():
            self.assertIn(words[1], subcommands(), command)

    def test_the_image_is_a_stock_one_and_builds_what_readme_says(self):
        parts = instructions()
        for part in parts:
            self.assertEqual(len(part), 2, part)
            self.assertIn(part[0], INSTRUCTIONS)
        self.assertEqual(parts[0], ("FROM", f"{STOCK_IMAGE} AS packages"))
        self.assertIn(("COPY", "--chown=learner . ."), parts)
        self.assertIn(("ENV", "LANG=C.UTF-8"), parts)
        scripts = [text for word, text in parts if word == "RUN" and text.startswith("./")]
        self.assertEqual(len(commands_of_readme()), 2)
        self.assertEqual(scripts[0], commands_of_readme()[0])
        self.assertEqual(scripts[-1], commands_of_readme()[1])
        for command in scripts:
            self.assert_can_be_typed(command)
        self.assertIsInstance(json.loads(parts[-1][1]), list)

    def test_whoever_works_in_it_is_a_user_and_waits_for_no_test(self):
        stages = {}
        for word, text in instructions():
            if word == "FROM":
                stage = stages.setdefault(text.split(" AS ")[-1], [])
            stage.append((word, text))
        self.assertEqual(list(stages), ["packages", "built", "tested", "image"])
        self.assertIn(("USER", "learner"), stages["built"])
        self.assertNotIn(("USER", "root"), stages["built"])
        self.assertIn(("RUN", "./run_tests"), stages["tested"])
        for name in ("packages", "built"):
            self.assertNotIn("run_tests", str(stages[name]))

    def test_packages_are_a_layer_before_the_projects_files(self):
        parts = instructions()
        installs = next(i for i, (word, text) in enumerate(parts) if "install_packages" in text)
        files = parts.index(("COPY", "--chown=learner . ."))
        self.assertLess(installs, files)
        copied = [text for word, text in parts[:installs] if word == "COPY"]
        self.assertEqual(copied, ["cmake/setup.sh cmake/"])

    def test_a_learners_files_outlive_the_container(self):
        """The folder that the Dockerfile's comment mounts is that of the learner's files."""
        folder = next(text for word, text in instructions() if word == "WORKDIR")
        self.assertIn(f":{folder}/exercises/mine\"", (ROOT / "Dockerfile").read_text(encoding="utf-8"))

    def test_nothing_that_git_ignores_gets_into_the_image(self):
        def patterns(name):
            lines = (ROOT / name).read_text(encoding="utf-8").splitlines()
            return [line for line in lines if line and not line.startswith("#")]

        # A pattern without a leading slash matches in any folder for git, but only at the top for Docker.
        wanted = {p if p.startswith("/") else f"**/{p}" for p in patterns(".gitignore")}
        self.assertEqual(set(patterns(".dockerignore")), wanted | {"/.git/"})

    def test_the_dev_container_does_the_same(self):
        recipe = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
        self.assertEqual(recipe["image"], STOCK_IMAGE)
        commands = recipe["postCreateCommand"].split(" && ")
        self.assertEqual(commands[0], commands_of_readme()[0])
        for command in commands:
            self.assert_can_be_typed(command)


if __name__ == "__main__":
    unittest.main(verbosity=2)
