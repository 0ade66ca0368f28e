"""Runs of sgemm_runner as values: Python's reader of the JSON that src/results/files/json.cpp writes.

    run = results.read(path)
    run.context.device                            "NVIDIA H200"
    run.rows[0].figures["percent_of_cublas"]      by the key of the metric, see src/results/values/metrics.cpp

Nothing is computed or judged here: a figure is the one that the program wrote, and whether a result is right is what it
found. A file may have been damaged, or edited: each value is checked for what it can be, and what cannot be used is
refused with its place in the file. What is refused is what src/results/files/json.cpp refuses: test/data/runs has files that
both are tried with.
"""

import datetime
import json
import re
from dataclasses import dataclass, field
from math import isfinite

from plots import program

SCHEMA = 2  # as in src/results/files/json.hpp
LARGEST, SMALLEST = 1e18, 1e-9  # of any figure above 0
LONGEST_MS, SHORTEST_MS = 1e9, 1e-6
LONGEST_FILE = 1 << 28
DEEPEST = 16  # of objects and lists in each other
LARGEST_FLOAT = 3.4028234663852886e38
MACHINES = ("simulator", "cuda")


class Unusable(program.Refused):
    """A file that is no run, or not one that this reader knows. The text says which, and where."""


VERDICTS = ("SAME", "FASTER", "SLOWER", "UNSURE", "CHANGED", "WRONG")


@dataclass(frozen=True)
class Comparison:
    """What sgemm_runner compare found of a row beside the one that it was held against."""

    verdict: str  # of VERDICTS
    reasons: list[str]
    base_percent: list[float]  # quartiles of the other's ratio to the reference; empty where it has none
    base_ms: float | None
    change_percent: float | None  # of the median ratio; below 0 is slower
    threshold_percent: float | None
    p_value: float | None


@dataclass(frozen=True)
class ComparedWith:
    """The run that one was held against."""

    file: str
    date: str
    commit: str | None
    notes: list[str]


WASTES = ("none", "some", "much")


@dataclass(frozen=True)
class Line:
    """What one source line asked of one buffer with one instruction, on the simulated GPU."""

    file: str
    line: int
    instruction: str  # "ld.global.f32"
    buffer: str
    bytes_per_lane: int
    requests: int
    sectors_per_request: float | None  # None where it went to shared memory
    bytes_used_over_fetched: float | None  # likewise
    wavefronts_per_request: float | None  # None where it went to global memory
    bank_conflicts: int
    waste: str  # of WASTES: how much more it moves than its bytes need


@dataclass(frozen=True)
class Context:
    """Where a run comes from. None, or an empty date, is unknown."""

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
    roofs: dict[str, float]  # what the device was measured to reach at most: "copy_gbytes_per_second" ...
    compared_with: ComparedWith | None
    json: dict = field(repr=False, compare=False)  # as the file has it


@dataclass(frozen=True)
class Row:
    """One kernel on one problem, or with its parameters."""

    name: str  # "sgemm/02_coalesced/4096x4096x4096"
    set: str  # "sgemm" for the ladder
    number: int | None
    kernel: str
    variant: str  # empty where there is none
    parameters: dict[str, int]
    size: tuple[int, int, int] | None  # M, N, K
    path: str  # the code path that ran, where the kernel has several
    refusal: str  # why the kernel was not run, which is no failure; empty: it was
    date: str  # ISO 8601; a file may hold results of several days

    correct: bool
    promise_kept: bool
    contract_broken: list[str]
    hazards: list[str]
    doubts: list[str]  # why the measurement cannot be trusted

    figures: dict[str, float]  # of the whole launch, by the key of the metric; only those that the row has
    sectors_per_request: dict[str, float]  # "load A" ...
    counts: dict[str, int | dict[str, int]]  # of the launch, or of each buffer

    lines: list[Line]

    cold: bool
    once: bool
    is_reference: bool
    samples_ms: list[float]  # empty where nothing was timed
    reference_samples_ms: list[float]
    samples_of_runs: list[int]  # how many each run took, one run after the other
    sample_seconds: list[float]  # since the first of the run; empty where unknown
    sample_clocks_mhz: list[float]  # likewise; 0 where it could not be read
    comparison: Comparison | None
    json: dict = field(repr=False, compare=False)  # as the file has it

    @property
    def label(self):
        """As in the names of results: 02_coalesced."""
        return self.kernel if self.number is None else f"{self.number:02}_{self.kernel}"

    @property
    def trusted(self):
        return not self.doubts

    @property
    def is_right(self):
        """Whether the program found nothing wrong."""
        if self.refusal:
            return True
        return self.correct and self.promise_kept and not self.contract_broken and not self.hazards


@dataclass(frozen=True)
class Run:
    context: Context
    rows: list[Row]


def read(path):
    """The run in a file. Raises Unusable, naming the file."""
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
    """The run in a text of JSON, or its bytes. Raises Unusable."""
    try:
        if isinstance(text, bytes):
            if b"\0" in text[:4]:  # of UTF-16 every other byte is a zero, whatever mark it begins with
                raise Unusable("it is UTF-16, and JSON is UTF-8")
            text = text.decode("utf-8-sig")
        document = json.loads(text, parse_constant=_refuse_constant, object_pairs_hook=_object)
        _check_nesting(document)
    except RecursionError:
        raise Unusable(f"it is nested deeper than {DEEPEST}") from None
    except ValueError as error:  # json's own errors and those of UTF-8 are ValueErrors
        raise Unusable(f"it is not JSON ({error})") from None
    return from_document(document)


def from_document(document):
    """The run in what json.loads gave. Raises Unusable."""
    if not isinstance(document, dict) or not {"context", "benchmarks"} <= document.keys():
        raise Unusable("it is no run of sgemm_runner: 'context' and 'benchmarks' are not in it")
    context = _context(_Place(document["context"], "context"))
    return Run(context, [_row(place) for place in _Place(document["benchmarks"], "benchmarks").each()])


def write(path, run):
    """Puts a run into a file, at once. What could not be read again is not written."""
    document = {"context": run.context.json, "benchmarks": [row.json for row in run.rows]}
    from_document(document)
    program.replace_file(path, json.dumps(document, indent=2, ensure_ascii=False) + "\n")


def _refuse_constant(word):
    raise ValueError(f"{word} is no number")


def _object(members):
    """Of two members of one name each reader would take another."""
    keys = [key for key, _ in members]
    for key in keys:
        if len(keys) != len(set(keys)) and keys.count(key) > 1:
            raise Unusable(f"'{_Place(key, '').text()}' stands twice in one object")
    return dict(members)


def _check_nesting(value, depth=0):
    """Lists in lists have an end; and half of a character, which json takes, is none."""
    if isinstance(value, str):
        value.encode("utf-8")  # of a lone surrogate a ValueError
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
    """One place in the file: what complaints name, and what values are taken from."""

    def __init__(self, value, path):
        self.value, self.path = value, path

    def refuse(self, why):
        raise Unusable(f"{self.path}: {why}")

    def has(self, key):
        """null is "unknown", as if it were not there."""
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
        """{key: take(place)} of an object."""
        return {key: take(self.at(key)) for key in self.members()}

    def member_places(self):
        return [self.at(key) for key in self.members()]

    def take(self, key, take, otherwise=None):
        """take(place) if there is such a member, else `otherwise`."""
        return take(self.at(key)) if self.has(key) else otherwise

    # Without what would move the terminal's cursor, in one line.
    def text(self):
        if not isinstance(self.value, str):
            self.refuse("is not a text")
        return "".join(c for c in self.value.replace("\n", " ").replace("\t", " ") if c.isprintable())

    def lines_of_text(self):
        """A text of several lines, in one."""
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
        if not least <= self.value <= most:  # a 1e999 is read as infinity
            self.refuse(f"is not between {least:g} and {most:g}")
        return float(self.value)

    def positive(self):
        return self.number(SMALLEST)

    def date(self):
        """Nothing where it is not known."""
        date = self.text()
        try:
            if date and not _DATE.fullmatch(date):
                raise ValueError
            if date:
                datetime.datetime.fromisoformat(date.replace("Z", "+00:00"))
        except ValueError:
            self.refuse("is no date such as 2026-11-22T10:00:00+00:00")
        return date

    def small(self):
        return self.whole(0, 2**31 - 1)

    def signed(self):
        return self.number(-LARGEST)

    def three(self, take):
        values = [take(one) for one in self.each()]
        if len(values) != 3:
            self.refuse("has not three values")
        return values

    def all(self, take):
        return [take(one) for one in self.each()]

    def check(self, needed=(), known=()):
        """That there are members, and what they and others can be: {key: take}."""
        for key, take in dict(needed).items():
            take(self.at(key))
        for key, take in dict(known).items():
            self.take(key, take)

    def count(self):
        return self.map(_Place.natural) if isinstance(self.value, dict) else self.natural()

    def natural(self):
        if not isinstance(self.value, int) or isinstance(self.value, bool) or not 0 <= self.value < 2**64:
            self.refuse("is not a whole number from 0")
        return self.value

    # A wrong value may be a NaN, which JSON has no number for: it is written as a text.
    def check_any_number(self):
        finite = self.is_number() and isfinite(self.value)
        if not finite and self.value not in ("inf", "-inf", "nan", "-nan"):
            self.refuse("is not a number")


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
    machine = c.at("machine").text()
    if machine not in MACHINES:
        c.at("machine").refuse("is neither 'simulator' nor 'cuda'")
    c.check(known=_CONTEXT)
    roofs = c.take("roofs", lambda place: {key: place.at(key).positive() for key in place.members() if place.has(key)}, {})
    return Context(
        machine=machine,
        device=c.at("device").text(),
        device_detail=c.at("device_detail").text(),
        date=c.take("date", _Place.date, ""),
        commit=c.take("commit", _Place.text),
        uncommitted_changes=c.take("uncommitted_changes", _Place.truth),
        driver=c.take("driver", _Place.text),
        cuda=c.take("cuda", _Place.text),
        cublas=c.take("cublas", _Place.text),
        power_limit_watts=c.take("power_limit_watts", _Place.positive),
        roofs=roofs,
        compared_with=c.take("compared_with", _compared_with),
        json=c.members(),
    )


def _row(r):
    refusal = _refusal(r)
    size = _size(r) if r.has("m") else None
    name = _name(r, size)
    r.check(known=_ROW)
    if not refusal:
        _check_judgement(r)
    timed = r.has("samples_ms")
    l2 = r.at("l2").text() if timed else "warm"
    if l2 not in ("warm", "cold"):
        r.at("l2").refuse("is neither 'warm' nor 'cold'")
    samples = _samples(r) if timed else ([], [])
    return Row(
        name=name,
        set=r.at("set").text(),
        number=r.take("kernel_id", _Place.small),
        kernel=r.at("kernel").text(),
        variant=r.take("variant", _Place.text, ""),
        parameters=r.take("parameters", lambda place: place.map(lambda one: one.whole(-(2**63))), {}),
        size=size,
        path=r.take("path", _Place.text, ""),
        refusal=refusal,
        date=r.take("date", _Place.date, ""),
        correct=not refusal and r.at("correct").truth(),
        promise_kept=r.take("promise_kept", _Place.truth, True),
        contract_broken=r.take("contract_broken", _Place.texts, []),
        hazards=[_hazard(h) for h in r.take("hazards", _Place.each, [])],
        doubts=r.at("doubts").texts() if timed else [],
        figures=_figures(r),
        sectors_per_request=r.take("sectors_per_request", lambda place: place.map(_Place.number), {}),
        counts=r.take("counts", lambda place: place.map(_Place.count), {}),
        lines=[_line(place) for place in r.take("lines", _Place.each, [])],
        cold=l2 == "cold",
        once=r.at("once").truth() if timed else False,
        is_reference=r.at("is_reference").truth() if timed else False,
        samples_ms=samples[0],
        reference_samples_ms=samples[1],
        samples_of_runs=_runs(r, len(samples[0])),
        sample_seconds=_of_each_sample(r, "sample_seconds", len(samples[0])),
        sample_clocks_mhz=_of_each_sample(r, "sample_clocks_mhz", len(samples[0])),
        comparison=r.take("comparison", _comparison),
        json=r.members(),
    )


def _compared_with(c):
    return ComparedWith(
        file=c.at("file").text(),
        date=c.at("date").date(),
        commit=c.take("commit", _Place.text),
        notes=c.at("notes").texts(),
    )


def _comparison(c):
    verdict = c.at("verdict").text()
    if verdict not in VERDICTS:
        c.at("verdict").refuse("is no verdict")
    base = [one.number() for one in c.take("base_percent", _Place.each, [])]
    if base and len(base) != 3:
        c.at("base_percent").refuse("has not three values")
    return Comparison(
        verdict=verdict,
        reasons=c.at("reasons").texts(),
        base_percent=base,
        base_ms=c.take("base_ms", _Place.number),
        change_percent=c.take("change_percent", lambda place: place.number(-LARGEST)),
        threshold_percent=c.take("threshold_percent", _Place.number),
        p_value=c.take("p_value", _Place.number),
    )


def _line(line):
    line.check(
        needed=dict.fromkeys(("sectors", "lines", "wavefronts"), _Place.natural),
        known=dict.fromkeys(("lanes", "bytes_used"), _Place.natural),
    )
    waste = line.take("waste", _Place.text, "none")
    if waste not in WASTES:
        line.at("waste").refuse("is neither 'none' nor 'some' nor 'much'")
    return Line(
        file=line.at("file").text(),
        line=line.at("line").small(),
        instruction=line.at("instruction").text(),
        buffer=line.at("buffer").text(),
        bytes_per_lane=line.take("bytes_per_lane", _Place.small, 0),
        requests=line.at("requests").natural(),
        sectors_per_request=line.take("sectors_per_request", _Place.number),
        bytes_used_over_fetched=line.take("bytes_used_over_fetched", _Place.number),
        wavefronts_per_request=line.take("wavefronts_per_request", _Place.number),
        bank_conflicts=line.at("bank_conflicts").natural(),
        waste=waste,
    )


_PROBLEM = ("m", "n", "k", "lda", "ldb", "ldc", "offset_a", "offset_b", "offset_c", "alpha", "beta", "seed")
_ACCURACY = ("max_abs_error", "error_over_bound")


def _size(r):
    """M, N, K. The rest of the problem is checked on the way."""
    for key in ("lda", "ldb", "ldc"):
        r.at(key).whole(1, 2**40 - 1)
    for key in ("offset_a", "offset_b", "offset_c"):
        r.take(key, lambda place: place.whole(0, 63), 0)
    for key in ("alpha", "beta"):
        r.at(key).number(-LARGEST_FLOAT, LARGEST_FLOAT)
    r.at("seed").natural()
    return tuple(r.at(key).whole(0, 2**40 - 1) for key in ("m", "n", "k"))


def _refusal(r):
    refusal = r.take("skip_message", _Place.text, "")
    if r.has("skip_message") and not refusal:
        r.at("skip_message").refuse("is empty")
    return refusal


def _name(r, size):
    """The row's name, which says its kernel and sizes."""
    r.check(needed={"set": _Place.text, "kernel": _Place.text})
    number = r.take("kernel_id", _Place.small)
    label = r.at("kernel").text() if number is None else f"{number:02}_{r.at('kernel').text()}"
    parts = [r.at("set").text(), label]
    if variant := r.take("variant", _Place.text, ""):
        parts.append(variant)
    if size:
        parts.append("x".join(map(str, size)))
    parts += [f"{place.path.rsplit('.', 1)[1]}={place.whole(-(2**63))}" for place in r.take("parameters", _Place.member_places, [])]
    if r.at("name").text() != "/".join(parts):
        r.at("name").refuse(f"is not '{'/'.join(parts)}', as its kernel and sizes have it")
    return r.at("name").text()


def _hazard(h):
    h.check(needed={"kind": _Place.text}, known={"kernel": _Place.text, "lines": _Place.texts, "times": _Place.natural})
    return h.at("message").lines_of_text()


def _check_judgement(r):
    r.at("correct").truth()
    for key in _ACCURACY:
        r.at(key).check_any_number()
    r.at("elements_compared").whole()
    r.check(known=_JUDGEMENT)
    if r.has("contract_checks"):
        r.check(needed={"contract_checks": _Place.small, "contract_broken": _Place.texts})


def _check_mismatch(m):
    m.check(needed={"row": _Place.whole, "col": _Place.whole} | dict.fromkeys(("got", "want", "bound"), _Place.check_any_number))


def _check_claim(c):
    texts = dict.fromkeys(("counter", "buffer", "relation"), _Place.text)
    c.check(needed=texts | {"value": _Place.signed, "kept": _Place.truth}, known={"counted": _Place.signed})


def _check_kernel(k):
    extent = {key: lambda place: place.three(_Place.small) for key in ("grid", "block")}
    known = {"registers": _Place.small, "shared_bytes": _Place.whole, "blocks_per_multiprocessor": _Place.small}
    k.check(needed={"name": _Place.text} | extent, known=known)


def _check_reference(place):
    if place.text() != "copy":
        place.refuse("is not 'copy'")


def _check_clocks(place):
    if place.each():
        place.three(_Place.positive)


def _check_lesson(lesson):
    lesson.check(needed={"lab": _Place.text, "question": _Place.text}, known={"answer": _Place.lines_of_text})


# What nothing here is made of, and is checked all the same: what it can be where it is there.
_CONTEXT = {
    "executable": _Place.text,
    "command_line": _Place.texts,
    "multiprocessors": _Place.small,
    "memory_bytes": _Place.whole,
    "clock_limit_mhz": _Place.positive,
    "ecc": _Place.truth,
    "schedule": _Place.natural,
    "labs": lambda labs: labs.all(_check_lesson),
}
_ROW = {
    "idea": _Place.text,
    "useful_bytes": _Place.whole,
    "simulation_seconds": _Place.number,
    "kernels": lambda kernels: kernels.all(_check_kernel),
}
_JUDGEMENT = {
    "error_message": _Place.lines_of_text,
    "cuda_error": _Place.text,
    "failure": _Place.lines_of_text,
    "first_mismatch": _check_mismatch,
    "promise": lambda promise: promise.all(_check_claim),
    "doubts": _Place.texts,
}
_TIMING = {
    "seconds_at_most": _Place.positive,
    "samples_at_most": _Place.small,
    "target_spread": lambda place: place.number(0, 1),
    "launches_per_sample": _Place.small,
    "steady": _Place.truth,
    "clocks_mhz": _check_clocks,
    "slowdowns": _Place.texts,
}


def _figures(r):
    """Every single number of the row that says neither what was computed nor how well."""
    others = (*_PROBLEM, *_ACCURACY, "kernel_id", "useful_bytes")
    return {key: r.at(key).number() for key in r.members() if key not in others and r.at(key).is_number()}


def _samples(r):
    r.check(needed=_TIMING, known={"reference": _check_reference, "fp32_peak_gflops": _Place.positive})
    samples, references = (
        [one.number(SHORTEST_MS, LONGEST_MS) for one in r.at(key).each()] for key in ("samples_ms", "reference_samples_ms")
    )
    if not samples:
        r.at("samples_ms").refuse("is empty")
    if references and len(references) != len(samples):
        r.at("reference_samples_ms").refuse("has not as many values as samples_ms")
    return samples, references


def _runs(r, samples):
    runs = [one.whole(1, 2**31 - 1) for one in r.take("samples_of_runs", _Place.each, [])]
    if runs and sum(runs) != samples:
        r.at("samples_of_runs").refuse("does not add up to the number of samples_ms")
    return runs


def _of_each_sample(r, key, samples):
    values = [one.number() for one in r.take(key, _Place.each, [])]
    if values and len(values) != samples:
        r.at(key).refuse("has not as many values as samples_ms")
    return values
