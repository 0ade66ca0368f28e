"""The report's page, from the top down: one HTML file that needs nothing beside it."""

import base64
import hashlib
from pathlib import Path

from plots import catalogue, findings
from plots.program import Refused
from plots.report import drawings, requests, rows, sources, summary, traffic, words
from plots.report.markup import Markup, element, json_script, script, void

HERE = Path(__file__).resolve().parent
# The headings of the environment's rows. Other members of the context have their key as heading.
FACTS = {
    "date": "date",
    "executable": "program",
    "command_line": "command line",
    "commit": "commit",
    "uncommitted_changes": "uncommitted changes",
    "machine": "machine",
    "device": "device",
    "device_detail": "architecture",
    "multiprocessors": "multiprocessors",
    "memory_bytes": "memory, bytes",
    "driver": "driver",
    "cuda": "CUDA",
    "cublas": "cuBLAS",
    "power_limit_watts": "power limit, W",
    "clock_limit_mhz": "clock limit, MHz",
    "ecc": "ECC",
    "copy_gbytes_per_second": "device-to-device copy, GB/s",
    "fp32_gflops": "multiply-adds alone, GFLOP/s",
    "schema": "schema of the file",
}
ELSEWHERE = ("roofs", "labs", "compared_with")  # members of the context that the page shows elsewhere


def html(run, file_name, program):
    """Returns the page. `file_name` is the name of the saved data; `program` answers `sgemm_runner show`."""
    sections = [
        ("summary", "Summary", summary.section(run)),
        ("labs", "Questions", _labs(run)),
        ("plots", "Plots", drawings.section(run)),
        ("requests", "Requests of a warp", requests.section(run, program)),
        ("results", "Results", _results(run)),
        ("samples", "Samples", drawings.samples(run)),
        ("sources", "Sources with counters", _sources(run, program)),
        ("environment", "Environment", _environment(run)),
        ("data", "Data", _data(file_name)),
    ]
    sections = [one for one in sections if one[2] is not None]
    code = (HERE / "page.js").read_text(encoding="utf-8")
    head = element(
        "head",
        void("meta", charset="utf-8"),
        void("meta", http_equiv="Content-Security-Policy", content=_policy(code)),
        void("meta", name="viewport", content="width=device-width, initial-scale=1"),
        void("meta", name="color-scheme", content="light dark"),
        element("title", _title(run)),
        Markup(f"<style>\n{(HERE / 'page.css').read_text(encoding='utf-8')}{drawings.css()}</style>"),
    )
    body = element(
        "body",
        element("a", "Skip to the results", href="#results", class_="skip"),
        element("header", element("h1", _title(run)), element("p", _subtitle(run)), _headline(run)),
        element("nav", element("ul", [element("li", element("a", name, href=f"#{key}")) for key, name, _ in sections]),
                aria_label="Sections"),
        element("main", [_section(*one) for one in sections]),
        element("div", id="tooltip", role="tooltip", hidden=True),
        element("div", id="said", class_="unseen", role="status"),
        _json(run),
        script(code),
    )  # fmt: skip
    return "<!DOCTYPE html>\n" + element("html", head, "\n", body, lang="en") + "\n"


def _policy(code):
    """Returns a policy by which the page fetches nothing and runs no script but its own."""
    own = base64.b64encode(hashlib.sha256(code.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; img-src data:; script-src 'sha256-{own}'"


def _section(key, name, parts):
    return element("section", element("h2", name, id=f"{key}-heading"), parts, id=key, aria_labelledby=f"{key}-heading")


def _title(run):
    what = "Labs" if run.rows and all(row.set == "lab" for row in run.rows) else "The SGEMM ladder"
    return f"{what} on {_device(run)}"


def _headline(run):
    """Returns what the run shows, in a sentence about times or about traffic; None for labs."""
    try:
        sentence = catalogue.PLOTS["ladder"].shown(run)["finding"]
    except Refused:
        rows = traffic.rows_of(run)
        sentence = findings.of_traffic(rows) if rows else ""
    return element("p", sentence, class_="headline") if sentence else None


def _device(run):
    return "the simulated GPU" if run.context.machine == "simulator" else run.context.device


def _subtitle(run):
    dates = sorted({row.date[:10] for row in run.rows if row.date} or {run.context.date[:10]} - {""})
    when = " to ".join(dict.fromkeys((dates[0], dates[-1]))) if dates else ""
    commit = f"commit {run.context.commit[:12]}" if run.context.commit else ""
    changed = "with uncommitted changes" if run.context.uncommitted_changes else ""
    return " · ".join(part for part in (run.context.device_detail, when, commit, changed) if part)


def _labs(run):
    labs = run.context.json.get("labs")
    labs = [lab for lab in labs if isinstance(lab, dict) and isinstance(lab.get("lab"), str)] if isinstance(labs, list) else []
    if not labs:
        return None
    texts = [(element("h3", lab["lab"]), [lab.get(key) for key in ("question", "answer")]) for lab in labs]
    return [[heading, [element("p", text) for text in said if isinstance(text, str)]] for heading, said in texts]


def _results(run):
    return [
        rows.filters(run),
        element("p", "1 row" if len(run.rows) == 1 else f"{len(run.rows)} rows", id="shown", role="status"),
        element("div", rows.table(run), class_="scroll", tabindex=0, role="region", aria_label="All results"),
        element("details", element("summary", "What the columns mean"), rows.legend(run)),
    ]


def _sources(run, program):
    note = (
        "The simulated GPU counted this at the size beside each kernel, even if the run was made on a device. "
        "Sectors: the sectors of 32 bytes that a request of a warp touches. Bytes used: the share of its sectors' bytes that the lanes "
        "ask for. Wavefronts: the passes of a request over the banks of shared memory. Conflicts: wavefronts of all requests beyond the "
        "least number possible. "
        "! moves more than its bytes need, !! twice as much or more."
    )
    return [element("p", note), sources.of_run(run, program)]


def _environment(run):
    context = run.context.json
    roofs = context.get("roofs")
    known = {**context, **(roofs if isinstance(roofs, dict) else {})}
    keys = [key for key in FACTS if key in known] + [key for key in context if key not in FACTS and key not in ELSEWHERE]
    facts = [
        element("tr", element("th", FACTS.get(key, key), scope="row"), element("td", _fact(known[key]))) for key in keys
    ]  # fmt: skip
    head = element("thead", element("tr", element("th", "fact", scope="col"), element("th", "value", scope="col")))
    return element("table", element("caption", "Where the run comes from"), head, element("tbody", facts), class_="facts")


def _fact(value):
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return words.whole(value)
    if isinstance(value, float):
        return words.decimal(value, 0 if value == round(value) else 1)
    if isinstance(value, list):
        return " ".join(str(part) for part in value)
    return str(value)


def _data(file_name):
    link = element("a", f"Save {file_name}", id="download", download=file_name, hidden=True)
    return [
        element("p", "The run itself is in this page, with every sample. ", link),
        element("noscript", element("p", "Saving it needs JavaScript, as do sorting, choosing rows, and drawing samples.")),
    ]


def _json(run):
    try:
        return json_script(document(run), id="run")
    except ValueError:
        raise Refused("the run holds a number that JSON has not, such as 1e999") from None


def document(run):
    """Returns the run as its file has it."""
    return {"context": run.context.json, "benchmarks": [row.json for row in run.rows]}
