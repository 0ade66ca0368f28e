"""The program's list of metrics, from which the report's columns take their headings and explanations."""

from dataclasses import dataclass

from plots import results


@dataclass(frozen=True)
class Metric:
    key: str  # "median_ms": its key in the rows of a run
    name: str  # "median time": in a sentence
    heading: str  # "time": over a column
    unit: str  # "ms"; empty for a pure number
    decimals: int
    hint: str  # its meaning


def all_metrics():
    """Returns {key: Metric}, in the order of the list."""
    return {key: Metric(key, **said) for key, said in results.FIELDS["metrics"].items()}
