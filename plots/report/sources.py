"""Each kernel's source with the simulated GPU's counters in the margin."""

import re
from pathlib import Path

from plots.report import runner, words
from plots.report.markup import element

NAME = re.compile(r"[A-Za-z0-9_]+(/[A-Za-z0-9_.]+)?")  # names that may become a word of a command line
CUDA_FILES = (".cu", ".cuh")
LONGEST_FILE = 1 << 18
MARKS = {"some": "!", "much": "!!"}
MEANINGS = {"some": "moves more than its bytes need", "much": "moves twice as much as its bytes need, or more"}


def of_run(run, program):
    """Returns the section's parts: a heading and the listing for each kernel. `program` answers `show`."""
    subjects = subjects_of(run)
    if not subjects:
        return [element("p", "The run has no kernel of this project.")]
    try:
        if any(row.set != "kernel" for row in subjects):
            runner.prepare(program)
    except runner.Unavailable as reason:
        return [
            element("p", f"No counters: {reason}. They are counted by the program on the simulated GPU, which needs no device; "
                    "python3 -m plots report --runner FILE says which program that is.", class_="missing")
        ]  # fmt: skip
    return [_part(row, program) for row in subjects]


def subjects_of(run):
    """Returns a row of each kernel and of each variant of a lab, except the reference, whose source is not ours."""
    subjects = {}
    for row in run.rows:
        if not row.refusal and not (row.set == "sgemm" and row.number == 0):
            subjects.setdefault((row.set, row.label, row.variant), row)
    return list(subjects.values())


def _part(row, program):
    title = words.kernel_with_number(row)
    try:
        counted = row if row.set == "kernel" else _counted(row, program)
        listings = _listings(row, counted)
    except runner.Unavailable as reason:
        return element("section", element("h3", title), element("p", f"No counters: {reason}.", class_="missing"))
    where = ", ".join(part for part in ("simulated GPU", words.size(counted)) if part)
    return element("details", element("summary", element("h3", title), " ", element("span", where, class_="where")), listings)


def _counted(row, program):
    name = words.kernel(row)
    if not NAME.fullmatch(name):
        raise runner.Unavailable(f"'{name}' is no name of a kernel of this project")
    return runner.lines_of(program, name)


def _listings(row, counted):
    own = runner.ROOT / "src/kernels" / f"{row.label}.cu" if row.set == "sgemm" and NAME.fullmatch(row.label) else None
    files = {}
    if own is not None and own.is_file():
        files[str(own)] = []
    for line in counted.lines:
        files.setdefault(str(runner.ROOT / line.file), []).append(line)  # kernels of the ladder are named as in the project
    if not any(files.values()):
        raise runner.Unavailable("the run has none of this kernel's lines")
    return [_listing(Path(file), lines) for file, lines in files.items()]


def _listing(path, accesses):
    name = _name_in_project(path)
    text = _text_of(path)
    if text is None:
        return element("p", f"The source {name} is not to be read here.", class_="missing")
    shared = any(access.wavefronts_per_request is not None for access in accesses)
    of_global = any(access.sectors_per_request is not None for access in accesses)
    headings = ["buffer", "access", "bytes a lane", "requests"] if accesses else []
    headings += ["sectors per request", "bytes used"] if of_global else []
    headings += ["wavefronts per request", "conflicts"] if shared else []
    at_line = {}
    for access in accesses:
        at_line.setdefault(access.line, []).append(access)
    body = []
    for number, code in enumerate(text.splitlines(), 1):
        body += _code_row(number, code, at_line.get(number, []), of_global, shared, len(headings))
    return element(
        "div",
        element(
            "table",
            element("caption", name),
            element(
                "thead",
                element(
                    "tr",
                    element("th", "line", scope="col", class_="number"),
                    element("th", "source", scope="col"),
                    [_head(heading) for heading in headings],
                ),
            ),
            element("tbody", body),
            class_="source",
        ),
        class_="scroll",
        tabindex=0,
        role="region",
        aria_label=f"Source {name}",
    )


def _head(heading):
    return element("th", heading, scope="col", class_=None if heading in ("buffer", "access") else "number")


def _code_row(number, code, accesses, of_global, shared, width):
    """Returns the rows of one source line: one for each access, and one for a line without any."""
    worst = max((access.waste for access in accesses), key=("none", "some", "much").index, default="none")
    rowspan = len(accesses) if len(accesses) > 1 else None
    source = element("code", code.expandtabs(4))
    if not accesses:  # the source takes the room of the margin too
        return [element("tr", element("th", number, scope="row", class_="number"), element("td", source, colspan=1 + width))]
    head = [
        element("th", number, scope="row", class_="number", rowspan=rowspan),
        element("td", source, rowspan=rowspan, class_=f"waste-{worst}" if worst != "none" else None),
    ]
    rows = []
    for i, access in enumerate(accesses):
        cells = [element("td", access.buffer), element("td", element("code", access.instruction), _mark(access))]
        cells += [_number(access.bytes_per_lane), _number(access.requests)]
        if of_global:
            used = access.bytes_used_over_fetched
            cells += [_number(access.sectors_per_request, 1), _number(None if used is None else 100 * used, 1, " %")]
        if shared:
            is_shared = access.wavefronts_per_request is not None
            cells += [_number(access.wavefronts_per_request, 1), _number(access.bank_conflicts if is_shared else None)]
        attributes = {"class_": f"waste-{access.waste}" if access.waste != "none" else None}
        rows.append(element("tr", head if i == 0 else None, cells, **attributes))
    return rows


def _mark(access):
    if access.waste == "none":
        return None
    meaning = element("span", MEANINGS[access.waste], class_="unseen")
    return [" ", element("strong", MARKS[access.waste], aria_hidden="true"), meaning]


def _number(value, decimals=0, unit=""):
    text = "" if value is None else words.decimal(value, decimals) + unit
    return element("td", text, class_="number")


def _name_in_project(path):
    return str(path.relative_to(runner.ROOT)) if path.is_relative_to(runner.ROOT) else path.name


# Returns the text of a file that a run names; None unless it is CUDA source or of this project, since a run may be edited.
def _text_of(path):
    try:
        resolved = path.resolve()
        if not resolved.is_relative_to(runner.ROOT / "src") and resolved.suffix not in CUDA_FILES:
            return None
        if resolved.stat().st_size > LONGEST_FILE:
            return None
        return resolved.read_text(encoding="utf-8", errors="replace")
    except (OSError, ValueError):
        return None
