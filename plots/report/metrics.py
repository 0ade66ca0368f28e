"""The list of metrics, as the program has it: a column of the report is called as the program's table calls it, and
explained in the same words."""

from dataclasses import dataclass

from plots import results


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
    return {key: Metric(key, **said) for key, said in results.FIELDS["metrics"].items()}
