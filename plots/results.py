"""Reads runs of sgemm_runner as values, from the JSON that src/results/files/json.cpp writes.

    run = results.read(path)
    run.context.device                            "NVIDIA H200"
    run.rows[0].figures["percent_of_cublas"]      by the key of the metric, see src/results/values/metrics.cpp

Nothing is computed or judged here: figures and verdicts are those that the program wrote. A file may have been damaged, or
edited. So each value is checked, and a value that cannot be used is refused with its place in the file. The fields and
their kinds are in schema.json, which build/sim/bin/results_test writes from src/results/files/json.cpp, the program's own
reader. Tests try both readers with the files of test/data/runs.
"""

import datetime
import json
import re
from dataclasses import dataclass, field, fields
from math import isfinite
from pathlib import Path

from plots import program

FIELDS = json.loads((Path(__file__).parent / "schema.json").read_text(encoding="utf-8"))
SCHEMA = FIELDS["schema"]
LONGEST_FILE = 1 << 28
DEEPEST = 16  # levels of objects and lists in each other
LARGEST = 1e18  # the largest magnitude of a figure


class Unusable(program.Refused):
    """Raised for a file that is no run, or a run that this reader does not know. The text says which, and where."""


COMPARISON = FIELDS["row"]["comparison"]["kind"]["object"]
VERDICTS = tuple(COMPARISON["verdict"]["kind"]["words"])


@dataclass(frozen=True)
class Comparison:
    """The finding of sgemm_runner compare on a row and the base's row."""

    verdict: str  # one of VERDICTS
    reasons: list[str]
    base_percent: list[float]  # quartiles of the base's ratio to the reference; empty if it has none
    base_ms: float | None
    change_percent: float | None  # the change of the median ratio; below 0 is slower
    threshold_percent: float | None
    p_value: float | None


@dataclass(frozen=True)
class ComparedWith:
    """The base of a comparison."""

    file: str
    date: str
    commit: str | None
    notes: list[str]


@dataclass(frozen=True)
class Line:
    """The accesses of one source line to one buffer with one instruction, on the simulated GPU."""

    file: str
    line: int
    instruction: str  # "ld.global.f32"
    buffer: str
    bytes_per_lane: int
    requests: int
    sectors_per_request: float | None  # None for shared memory
    bytes_used_over_fetched: float | None  # None for shared memory
    wavefronts_per_request: float | None  # None for global memory
    bank_conflicts: int
    waste: str  # "none", "some", "much": how much more it moves than its bytes need


@dataclass(frozen=True)
class Context:
    """The origin of a run. None, or an empty date, is unknown."""

    machine: str  # "simulator" or "cuda"
    device: str  # "NVIDIA H200"
    device_detail: str  # "sm_90"
    date: str  # ISO 8601, when the run began
    commit: str | None
    uncommitted_changes: bool | None
    driver: str | None
    cuda: str | None
    cublas: str | None
    power_limit_watts: float | None
    roofs: dict[str, float]  # the highest speeds measured on the device: "copy_gbytes_per_second" ...
    compared_with: ComparedWith | None
    calls: list[dict]  # of a log of the preloaded library: each has its "entry", "m", "outcome" ...
    distributed: list[dict]  # products of sgemm_distributed: each has its "m", "carrier", "processes" ...
    acceptance: list[dict]  # GPUs of sgemm_acceptance: each has its "rank", "host", "verdict", "rows" ...
    json: dict = field(repr=False, compare=False)  # as the file has it


@dataclass(frozen=True)
class Row:
    """One kernel on one problem, or with its parameters."""

    name: str  # "sgemm/02_coalesced/4096x4096x4096"
    set: str  # "sgemm" for the ladder
    number: int | None
    kernel: str
    variant: str  # empty if there is none
    parameters: dict[str, int]
    size: tuple[int, int, int] | None  # M, N, K
    data: str  # the matrices' values: "uniform", "normal" ...
    batch: int  # the number of products of this size
    below_fp32: str  # its arithmetic if that is less accurate than FP32: "TF32"; otherwise empty
    path: str  # the code path that ran, if the kernel has several
    refusal: str  # why the kernel was not run, which is no failure; empty if it was
    date: str  # ISO 8601; a file may hold results of several days

    correct: bool
    promise_kept: bool
    contract_broken: list[str]
    hazards: list[str]
    doubts: list[str]  # why the measurement cannot be trusted

    figures: dict[str, float]  # the row's figures of the whole launch, by the key of the metric
    sectors_per_request: dict[str, float]  # "load A" ...
    counts: dict[str, int | dict[str, int]]  # counts of the launch, or of each buffer

    lines: list[Line]

    cold: bool
    once: bool
    no_graph: bool  # the host's time for a launch is in the samples
    is_reference: bool
    samples_ms: list[float]  # empty if nothing was timed
    reference_samples_ms: list[float]
    samples_of_runs: list[int]  # the number of samples of each run, one run after the other
    sample_seconds: list[float]  # since the run's first sample; empty if unknown
    sample_clocks_mhz: list[float]  # empty if unknown; 0 if the clock could not be read
    comparison: Comparison | None
    json: dict = field(repr=False, compare=False)  # as the file has it

    @property
    def label(self):
        """Returns the kernel as in the names of results: 02_coalesced."""
        return self.kernel if self.number is None else f"{self.number:02}_{self.kernel}"

    @property
    def trusted(self):
        return not self.doubts

    @property
    def is_right(self):
        """True if the program found nothing wrong."""
        if self.refusal:
            return True
        return self.correct and self.promise_kept and not self.contract_broken and not self.hazards


@dataclass(frozen=True)
class Run:
    context: Context
    rows: list[Row]


def read(path):
    """Returns the run in a file. Raises Unusable, naming the file."""
    try:
        with path.open("rb") as file:
            text = file.read(LONGEST_FILE + 1)
    except OSError as error:
        raise Unusable(f"'{path}' cannot be read: {error.strerror}") from None
    try:
        if len(text) > LONGEST_FILE:
            raise Unusable("it is too long for a run")
        return parse(text)
    except Unusable as unusable:
        raise Unusable(f"'{path}' cannot be used: {unusable}") from None


def parse(text):
    """Returns the run in a text of JSON, or in its bytes. Raises Unusable."""
    try:
        if isinstance(text, bytes):
            if b"\0" in text[:4]:  # in UTF-16 every other byte is zero, with or without a mark before
                raise Unusable("it is UTF-16, and JSON is UTF-8")
            text = text.decode("utf-8-sig")
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
        _check_nesting(document)
    except RecursionError:
        raise Unusable(f"it is nested deeper than {DEEPEST}") from None
    except ValueError as error:  # errors of json and of UTF-8 are ValueErrors
        raise Unusable(f"it is not JSON ({error})") from None
    return from_document(document)


def from_document(document):
    """Returns the run in a value that json.loads gave. Raises Unusable."""
    if not isinstance(document, dict) or not {"context", "benchmarks"} <= document.keys():
        raise Unusable("it is no run of sgemm_runner: 'context' and 'benchmarks' are not in it")
    context = _context(_Place(document["context"], "context"))
    return Run(context, [_row(place) for place in _Place(document["benchmarks"], "benchmarks").each()])


def write(path, run):
    """Writes a run to a file, at once. Raises Unusable if it could not be read again."""
    document = {"context": run.context.json, "benchmarks": [row.json for row in run.rows]}
    from_document(document)
    program.replace_file(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _refuse_constant(word):
    raise ValueError(f"{word} is no number")


def _object(members):
    """Refuses two members of one name, since readers would disagree on which one counts."""
    keys = [key for key, _ in members]
    for key in keys:
        if len(keys) != len(set(keys)) and keys.count(key) > 1:
            raise Unusable(f"'{_Place(key, '').text()}' stands twice in one object")
    return dict(members)


def _check_nesting(value, depth=0):
    """Refuses values that are nested too deeply, and a lone surrogate, which json accepts."""
    if isinstance(value, str):
        value.encode("utf-8")  # raises a ValueError for a lone surrogate
    if not isinstance(value, (dict, list)):
        return
    if depth >= DEEPEST:
        raise Unusable(f"it is nested deeper than {DEEPEST}")
    for key in value if isinstance(value, dict) else ():
        key.encode("utf-8")
    for one in value.values() if isinstance(value, dict) else value:
        _check_nesting(one, depth + 1)


# "2026-11-22T10:00:00+00:00"
_DATE = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z|[+-]\d\d:\d\d)", re.ASCII)


class _Place:
    """A value and its place in the file. Complaints name the place."""

    def __init__(self, value, path):
        self.value, self.path = value, path

    def refuse(self, why):
        raise Unusable(f"{self.path}: {why}")

    def has(self, key):
        """True if the object has this member. null means "unknown" and counts as absent."""
        return self.members().get(key) is not None

    def at(self, key):
        if key not in self.members():
            self.refuse(f"has no '{key}'")
        return _Place(self.value[key], f"{self.path}.{key}")

    def members(self):
        if not isinstance(self.value, dict):
            self.refuse("is not an object")
        return self.value

    def each(self):
        if not isinstance(self.value, list):
            self.refuse("is not a list")
        return [_Place(value, f"{self.path}[{i}]") for i, value in enumerate(self.value)]

    def map(self, take):
        """Returns {key: take(place)} of an object."""
        return {key: take(self.at(key)) for key in self.members()}

    def member_places(self):
        return [self.at(key) for key in self.members()]

    def take(self, key, take, otherwise=None):
        """Returns take(place) if there is such a member, else `otherwise`."""
        return take(self.at(key)) if self.has(key) else otherwise

    # Returns one line without characters that would move the terminal's cursor.
    def text(self):
        if not isinstance(self.value, str):
            self.refuse("is not a text")
        return "".join(c for c in self.value.replace("\n", " ").replace("\t", " ") if c.isprintable())

    def lines_of_text(self):
        """Returns a text of several lines as one line."""
        self.text()
        return " ".join(_Place(line, self.path).text() for line in self.value.splitlines())

    def texts(self):
        return [place.text() for place in self.each()]

    def truth(self):
        if not isinstance(self.value, bool):
            self.refuse("is neither true nor false")
        return self.value

    def is_number(self):
        return isinstance(self.value, (int, float)) and not isinstance(self.value, bool)

    def whole(self, least=0, most=2**63 - 1):
        if not isinstance(self.value, int) or isinstance(self.value, bool):
            self.refuse("is not a whole number")
        if not least <= self.value <= most:
            self.refuse(f"is not between {least} and {most}")
        return self.value

    def number(self, least=0.0, most=LARGEST):
        if not self.is_number():
            self.refuse("is not a number")
        if not least <= self.value <= most:  # json reads 1e999 as infinity
            self.refuse(f"is not between {least:g} and {most:g}")
        return float(self.value)

    def date(self):
        """Returns the date; empty if it is not known."""
        date = self.text()
        try:
            if date and not _DATE.fullmatch(date):
                raise ValueError
            if date:
                datetime.datetime.fromisoformat(date.replace("Z", "+00:00"))
        except ValueError:
            self.refuse("is no date such as 2026-11-22T10:00:00+00:00")
        return date

    def three(self, take):
        values = [take(one) for one in self.each()]
        if len(values) != 3:
            self.refuse("does not have three values")
        return values

    def word(self, words, otherwise):
        if self.text() not in words:
            self.refuse(otherwise)
        return self.text()

    def fields(self, table):
        """Returns {key: value} of an object's fields. An absent field has the value that the table gives for its absence."""
        needed = {key for key, one in table.items() if "absent" not in one}
        return {key: self.at(key).value_of(one["kind"]) if key in needed or self.has(key) else one["absent"] for key, one in table.items()}

    def value_of(self, kind):
        """Returns the value. Refuses a value that is not of this kind (of schema.json)."""
        if isinstance(kind, str):
            return _KINDS[kind](self)
        (name, of), *more = kind.items()
        match name:
            case "whole":
                return self.whole(*of)
            case "number":
                return self.number(*of)
            case "words":
                return self.word(of, *(value for _, value in more))
            case "list":
                return [one.value_of(of) for one in self.each()]
            case "three":
                return self.three(lambda one: one.value_of(of))
            case "members":
                return self.map(lambda one: one.value_of(of))
            case "object":
                return self.fields(of)
        raise AssertionError(f"{name} is no kind")

    def count(self):
        return self.map(_Place.natural) if isinstance(self.value, dict) else self.natural()

    def natural(self):
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not 0 <= self.value < 2**64:
            self.refuse("is not a whole number from 0")
        return self.value

    # A wrong value may be a NaN. JSON has no number for it, so the program writes it as a text.
    def any_number(self):
        finite = self.is_number() and isfinite(self.value)
        if not finite and self.value not in ("inf", "-inf", "nan", "-nan"):
            self.refuse("is not a number")
        return float(self.value)


_KINDS = {
    "text": _Place.text,
    "lines": _Place.lines_of_text,
    "date": _Place.date,
    "truth": _Place.truth,
    "natural": _Place.natural,
    "any number": _Place.any_number,
}


def _made(kind, values, **more):
    """Returns a dataclass made of the values that it has fields for."""
    return kind(**{one.name: values[one.name] for one in fields(kind) if one.name in values} | more)


def _context(c):
    if not c.has("schema"):
        c.refuse(
            "has no 'schema': it is no run of sgemm_runner, or was written by an older version; "
            "record it anew (bench/record.py, or sgemm_runner --json=FILE)"
        )
    schema = c.at("schema").whole()
    if schema != SCHEMA:
        remedy = "use newer scripts" if schema > SCHEMA else "record it anew (bench/record.py, or sgemm_runner --json=FILE)"
        c.refuse(f"has schema {schema}, and this version reads schema {SCHEMA}: {remedy}")
    values = c.fields(FIELDS["context"])
    return _made(
        Context,
        values,
        roofs={key: roof for key, roof in values["roofs"].items() if roof is not None},
        compared_with=values["compared_with"] and ComparedWith(**values["compared_with"]),
        json=c.members(),
    )


def _row(r):
    refusal = _refusal(r)
    who = r.fields(FIELDS["identity"])
    problem = r.fields(FIELDS["problem"]) if r.has("m") else {}
    size = tuple(problem[key] for key in "mnk") if problem else None
    data = problem.get("data", "uniform")
    name = _name(r, who, size, problem)
    values = r.fields(FIELDS["row"])
    judgement = {} if refusal else r.fields(FIELDS["judgement"])
    if r.has("wrong_infinities"):
        r.fields(FIELDS["errors"])
    if r.has("contract_checks"):
        r.fields(FIELDS["contract"])
    timed = r.has("samples_ms")
    timing = _timing(r) if timed else _UNTIMED
    return _made(
        Row,
        who | values | timing,
        name=name,
        number=who["kernel_id"],
        parameters=dict(who["parameters"]),
        size=size,
        data=data,
        batch=problem.get("batch", 1),
        refusal=refusal,
        correct=judgement.get("correct", False),
        promise_kept=r.take("promise_kept", _Place.truth, True),
        hazards=[hazard["message"] for hazard in values["hazards"]],
        contract_broken=r.take("contract_broken", _Place.texts, []),
        doubts=r.at("doubts").texts() if timed else [],
        figures=_figures(r),
        sectors_per_request=r.take("sectors_per_request", lambda place: place.map(_Place.number), {}),
        counts=r.take("counts", lambda place: place.map(_Place.count), {}),
        lines=[_made(Line, line, waste=line["waste"] or "none") for line in values["lines"]],
        cold=timing["l2"] == "cold",
        comparison=values["comparison"] and _comparison(values["comparison"]),
        json=r.members(),
    )


def _comparison(values):
    return Comparison(**values | {"base_percent": values["base_percent"] or []})


def _refusal(r):
    refusal = r.take("skip_message", _Place.text, "")
    if r.has("skip_message") and not refusal:
        r.at("skip_message").refuse("is empty")
    return refusal


def _name(r, who, size, problem):
    """Returns the row's name. Refuses a name that does not say its kernel and sizes."""
    label = who["kernel"] if who["kernel_id"] is None else f"{who['kernel_id']:02}_{who['kernel']}"
    parts = [who["set"], label]
    if who["variant"]:
        parts.append(who["variant"])
    if size:
        parts.append("x".join(map(str, size)))
    if problem.get("data", "uniform") != "uniform":
        parts.append(f"data={problem['data']}")
    parts += [key for key in ("trans_a", "trans_b") if problem.get(key, False)]
    if problem.get("batch", 1) != 1:
        parts.append(f"batch={problem['batch']}")
    parts += [f"{key}={value}" for key, value in dict(who["parameters"]).items()]
    if r.at("name").text() != "/".join(parts):
        r.at("name").refuse(f"is not '{'/'.join(parts)}', as its kernel and sizes have it")
    return r.at("name").text()


_NO_FIGURES = {*FIELDS["problem"], "wrong_infinities", "reference_wrong_infinities", "max_abs_error", "error_over_bound", "kernel_id", "useful_bytes"}


def _figures(r):
    """Returns the row's numbers, except the problem's fields, the errors of its check and the others of _NO_FIGURES."""
    return {key: r.at(key).number() for key in r.members() if key not in _NO_FIGURES and r.at(key).is_number()}


_UNTIMED = {key: [] for key in FIELDS["timing"]} | {"l2": "warm", "once": False, "no_graph": False, "is_reference": False}


def _timing(r):
    values = r.fields(FIELDS["timing"])
    if len(values["clocks_mhz"]) not in (0, 3):
        r.at("clocks_mhz").refuse("does not have three values: lowest, median, highest")
    samples = len(values["samples_ms"])
    if samples == 0:
        r.at("samples_ms").refuse("is empty")
    for key in ("reference_samples_ms", "sample_seconds", "sample_clocks_mhz"):
        if values[key] and len(values[key]) != samples:
            r.at(key).refuse("has not as many values as samples_ms")
    if values["samples_of_runs"] and sum(values["samples_of_runs"]) != samples:
        r.at("samples_of_runs").refuse("does not add up to the number of samples_ms")
    return values
