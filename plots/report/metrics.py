"""The list of metrics, taken from where it stands: src/results/values/metrics.cpp. So that a column of the report is called as
the program's table calls it, and explained in the same words."""

import re
from dataclasses import dataclass
from pathlib import Path

LIST = Path(__file__).resolve().parent.parent.parent / "src/results/values/metrics.cpp"
_TEXT = r'"((?:[^"\\]|\\.)*)"'
_ENTRY = re.compile(
    r"\{\s*" + r",\s*".join([_TEXT] * 4) + r",\s*Better::(\w+),\s*(\d+),\s*((?:" + _TEXT.replace("(", "(?:", 1) + r"\s*)+),"
)


@dataclass(frozen=True)
class Metric:
    key: str  # "median_ms": what the rows of a run call it
    name: str  # "median time": in a sentence
    heading: str  # "time": over a column
    unit: str  # "ms"; empty for a pure number
    decimals: int
    hint: str  # what it means


def all_metrics():
    """{key: Metric}, in the order of the list."""
    found = {}
    for key, name, heading, unit, _, decimals, hint in _ENTRY.findall(LIST.read_text(encoding="utf-8")):
        pieces = "".join(re.findall(_TEXT, hint))
        found[key] = Metric(key, name, heading, unit, int(decimals), pieces)
    return found
