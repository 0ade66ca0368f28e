"""a run as one HTML page: verdicts, all rows, plots, sources with counters, and the data

    python3 -m plots report run.json -o report.html              a run, as sgemm_runner --json=FILE writes it
    python3 -m plots report new.json base.json -o report.html    the same, held against another

The page needs no other file and can be sent to anybody. It shows the program's findings: with base.json, `sgemm_runner
compare` judges and the page shows its verdicts.
"""

import importlib.util
import os
import sys
from pathlib import Path

from plots import program, results
from plots.program import Refused
from plots.report import runner


def add_to(commands):
    """Adds the command to python3 -m plots."""
    command = commands.add_parser("report", help=_about(), description=_about())
    command.add_argument("run", metavar="RUN.json", type=Path, help="a run, as sgemm_runner --json=FILE writes it")
    command.add_argument("base", metavar="BASE.json", type=Path, nargs="?", help="the run that it is held against")
    command.add_argument("-o", "--output", metavar="FILE", type=Path, required=True, help="a .html")
    command.add_argument("--name", metavar="NAME", help="name the saved data NAME (default: RUN.json's name)")
    command.add_argument(
        "--runner",
        metavar="PROGRAM",
        type=Path,
        default=runner.LAUNCHER,
        help="the sgemm_runner that compares and counts (default: the one of this tree, which is built if need be)",
    )
    command.set_defaults(command=write)


def write(arguments):
    if arguments.output.suffix not in (".html", ".htm"):
        raise Refused(f"cannot write a report to '{arguments.output}': its name must end in .html")
    program.check_writable(arguments.output)
    _go_on_where_matplotlib_is()
    run = results.read(arguments.run)
    if arguments.base is not None:
        results.read(arguments.base)
        run = runner.compare(arguments.runner, arguments.base, arguments.run)
    from plots import style
    from plots.report import page

    style.matplotlib()
    program.replace_file(arguments.output, page.html(run, arguments.name or arguments.run.name, arguments.runner))
    return 0


def _go_on_where_matplotlib_is():
    """Restarts the program with a Python that has matplotlib, so that a user need not know which one has it."""
    if importlib.util.find_spec("matplotlib"):
        return
    from plots import style

    python = style.find_python()
    if python is not None:
        os.execv(python, [python, *sys.orig_argv[1:]])
    raise Refused(style.missing())


def _about():
    return __doc__.splitlines()[0]
