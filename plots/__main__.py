"""Draws a recorded run.

    python3 -m plots ladder run.json -o ladder.svg              also .png or .pdf, and several at once
    python3 -m plots ladder run.json -o ladder.svg --check      exits 1 if the file does not show the run as it is now

./sgemm_runner --json=FILE writes a run. An SVG follows the reader's scheme, dark or light; .png and .pdf are light.
Drawing needs matplotlib, all else does not.
"""

import argparse
import sys
from pathlib import Path

from plots import catalogue, program, report, style
from plots.program import Refused


class Parser(argparse.ArgumentParser):
    """An argparse parser that refuses misuse in one line, as these programs refuse everything."""

    def error(self, message):
        raise Refused(f"{message}; '{self.prog} --help' lists the arguments")


def parser():
    whole = Parser("python3 -m plots", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    commands = whole.add_subparsers(title="plots", metavar="PLOT", required=True)
    for name, module in catalogue.PLOTS.items():
        one = commands.add_parser(name, help=catalogue.about(name), description=catalogue.about(name))
        times = ", or a .csv of bench/shapes.py --times" if name in catalogue.OF_SHAPES else ""
        one.add_argument("run", metavar="RUN.json", type=Path, help=f"a run, as sgemm_runner --json=FILE writes it{times}")
        one.add_argument("-o", "--output", metavar="FILE", type=Path, nargs="+", required=True, help="a .svg, .png or .pdf")
        one.add_argument("--check", action="store_true", help="compare only: does the .svg show the run as it is now?")
        for option in module.OPTIONS:
            metavar, help_text = catalogue.OPTIONS[option]
            one.add_argument(f"--{option}", metavar=metavar, help=help_text)
        one.set_defaults(command=lambda arguments, name=name: draw(name, arguments))
    report.add_to(commands)
    return whole


def draw(plot, arguments):
    what, wanted = ("check", (".svg",)) if arguments.check else ("draw", style.SUFFIXES)
    for path in arguments.output:
        if path.suffix not in wanted:
            raise Refused(f"cannot {what} '{path}': its name must end in {' or '.join(wanted)}")
        if not arguments.check:
            program.check_writable(path)
    run = catalogue.read(plot, arguments.run)
    options = {option: getattr(arguments, option) for option in catalogue.PLOTS[plot].OPTIONS}
    if arguments.check:
        for path in arguments.output:
            catalogue.check(path, plot, run, **options)
        return 0
    made = [(path, catalogue.file_of(plot, run, path.suffix, **options)) for path in arguments.output]
    for path, content in made:
        program.replace_file(path, content)
    return 0


def main():
    arguments = parser().parse_args()
    return arguments.command(arguments)


if __name__ == "__main__":
    sys.exit(program.run("plots", main))
