"""what each process of a distributed product did when: the panels that its GPU multiplied, and its messages

Each process has two lanes: its products above, its messages below. sgemm_distributed records its last repetition.
"""

from dataclasses import dataclass

from plots import findings, pick, style
from plots.program import Refused

OPTIONS = ("size",)
# for each lane from the top down: its name, the process's seconds in all, and the role of its bars
LANES = (("products", "product_s", "kernel"), ("messages", "messages_s", "reference"))
LANE, BETWEEN, SPACE = 13, 2, 10  # points: height of a lane, between a process's two, between processes
STEP = 2 * LANE + BETWEEN + SPACE  # from process to process
KEY, BELOW = 18, 32  # points above the first process, and below the last
MOST = 16  # processes that are drawn
MANY, NEAR = 120, 1 / 400  # in a lane with more spans than this, spans with less than this share of the time between them are one bar
CARRIERS = {"nccl": "NCCL", "mpi": "MPI"}


@dataclass(frozen=True)
class Unit:
    """A unit of time."""

    name: str
    sign: str
    of_a_second: float  # how many are a second

    def text(self, seconds):
        """Returns the time with about four digits: "12.34 ms"."""
        value = seconds * self.of_a_second
        digits = next((digits for digits, least in ((1, 100), (2, 10)) if abs(value) >= least), 3)
        return f"{pick.number(value, digits)} {self.sign}"


UNITS = (Unit("microseconds", "µs", 1e6), Unit("milliseconds", "ms", 1e3), Unit("seconds", "s", 1))


def shown(run, size=None):
    product = _product(run, size)
    is_simulated = run.context.machine == "simulator"
    is_told = product["correct"] and not is_simulated
    processes = product["processes"][:MOST]
    end = max(max([process["whole_s"], *(span["end_s"] for span in process["spans"])]) for process in processes)
    kept = ("block", "panel", "kernel", "carrier", "reproducible", "tiles", "tiles_found", "failures")
    return {
        "finding": findings.of_timeline(product, is_simulated),
        "where": ", ".join(part for part in (run.context.device, run.context.date[:10]) if part),
        "size": _size(product),
        "transposed": [name for name, key in (("A", "trans_a"), ("B", "trans_b")) if product[key]],
        "grid": [product["grid_rows"], product["grid_cols"]],
        **{key: product[key] for key in kept},
        "panels": 1 + max(span["panel"] for process in product["processes"] for span in process["spans"]),
        "hidden_share": product["hidden_share"] if is_told and findings.has_messages(product) else None,
        "efficiency": product["efficiency"] if is_told else None,
        "end": end,
        "left_out": len(product["processes"]) - len(processes),
        "joined": any(len(_spans(process, name)) > MANY for process in processes for name, *_ in LANES),
        "processes": [_process(process, end) for process in processes],
    }


def _product(run, size):
    """Returns the product of this size that has spans; without a size, the largest."""
    makes_one = "'mpirun -n 4 sgemm_distributed --json=FILE' makes one"
    if not run.context.distributed:
        raise Refused(f"this run has no distributed product: {makes_one}")
    products = [product for product in run.context.distributed if any(process["spans"] for process in product["processes"])]
    if not products:
        raise Refused(f"no distributed product of this run has spans: {makes_one}, unless a checkpoint has all tiles")
    if size is not None:
        wanted = list(pick.parse_size(size))
        known = ", ".join(pick.size_text(one, "x", "") for one in sorted({tuple(_size(product)) for product in products}))
        products = [product for product in products if _size(product) == wanted]
        if not products:
            raise Refused(f"no distributed product of this run is {size}; there are {known}")
    return max(products, key=lambda product: product["m"] * product["n"] * product["k"])


def _size(product):
    return [product[key] for key in "mnk"]


def _spans(process, lane):
    """Returns the spans of a lane in the order of time."""
    spans = [span for span in process["spans"] if span["is_product"] == (lane == "products")]
    return sorted(spans, key=lambda span: span["begin_s"])


def _process(process, end):
    kept = ("rank", "host", "device", "whole_s", "product_s", "messages_s")
    return {key: process[key] for key in kept} | {name: _bars(_spans(process, name), end * NEAR) for name, *_ in LANES}


def _bars(spans, near):
    """Returns a bar for each span: the first and the last of its panels, its begin and its end. Of many spans, near ones are one bar."""
    bars = []
    for span in spans:
        if len(spans) > MANY and bars and span["begin_s"] - bars[-1]["end"] < near:
            bars[-1] |= {"last": span["panel"], "end": max(bars[-1]["end"], span["end_s"])}
        else:
            bars.append({"first": span["panel"], "last": span["panel"], "begin": span["begin_s"], "end": span["end_s"]})
    return bars


def draw(run, size=None):
    values = shown(run, size)
    processes = values["processes"]
    transposed = f" with {' and '.join(values['transposed'])} transposed" if values["transposed"] else ""
    figure = style.figure(
        KEY + len(processes) * STEP + BELOW,
        values["finding"],
        f"Products and messages in time, last repetition at {pick.size_text(values['size'])}{transposed}; {values['where']}",
        _notes(values),
    )
    places = _places(processes)
    widths = [style.text_width(_name(process), style.SMALL, "bold") for process in processes]
    widths += [style.text_width(place, style.SMALL) for place in places if place]
    left = style.MARGIN + 8 + max(widths)
    unit = next((one for one in UNITS if values["end"] * one.of_a_second < 1000), UNITS[-1])
    begin = unit.of_a_second * min([0.0, *(bar["begin"] for process in processes for name, *_ in LANES for bar in process[name])])
    end = unit.of_a_second * values["end"]
    end = end if end > begin else begin + 1
    ticks, texts = style.ticks(begin, end, 7, style.WIDTH - left - style.MARGIN)
    right = max(style.MARGIN, 2 + max(style.text_width(text, style.SMALL) for text in texts) / 2)
    ax = style.axes(figure, left, right, KEY, BELOW)
    ax.set_xlim(begin, end)
    ax.set_ylim(len(processes) * STEP, 0)  # points
    ax.set_xticks(ticks, texts)
    ax.set_yticks([])
    ax.set_xlabel(f"{unit.name} since the product began", color=style.color("soft"), size=style.SMALL, labelpad=2)
    _draw_key(ax)
    for i, (process, place) in enumerate(zip(processes, places)):
        top = i * STEP + SPACE / 2
        _draw_name(ax, top, process, place)
        for lane in LANES:
            _draw_lane(ax, top, process, *lane, unit)
            top += LANE + BETWEEN
    return figure


def _name(process):
    return f"rank {process['rank']}"


def _places(processes):
    """Returns each process's host and device, if they are not the same for all."""
    keys = [key for key in ("host", "device") if len({process[key] for process in processes}) > 1]
    return [style.cut(", ".join(process[key] for key in keys), style.WIDTH * 0.3, style.SMALL) for process in processes]


def _draw_key(ax):
    x = 0
    for name, _, role in LANES:
        text = f"■ {name}"
        _draw_text(ax, text, (0, 1), "axes fraction", role, xytext=(x, 4), weight="bold")
        x += style.text_width(text, style.SMALL, "bold") + 14


def _draw_name(ax, top, process, place):
    beside = {"xytext": (-8, 0), "ha": "right", "va": "center_baseline"}
    middle = top + (LANE / 2 if place else LANE + BETWEEN / 2)
    _draw_text(ax, _name(process), (0, middle), ("axes fraction", "data"), "ink", weight="bold", **beside)
    if place:
        _draw_text(ax, place, (0, top + LANE + BETWEEN + LANE / 2), ("axes fraction", "data"), "soft", **beside)


def _draw_lane(ax, top, process, name, seconds, role, unit):
    bar_of = {"height": LANE, "align": "edge"}
    (ground,) = ax.barh([top], [process["whole_s"] * unit.of_a_second], color=style.color("equal"), zorder=2, **bar_of)
    style.tip(ground, f"{_name(process)}: {name} for {unit.text(process[seconds])} of {unit.text(process['whole_s'])}")
    low, high = ax.get_xlim()
    for bar in process[name]:
        begin, end = bar["begin"] * unit.of_a_second, bar["end"] * unit.of_a_second
        room = (end - begin) / (high - low) * ax.bbox.width
        look = {"facecolor": style.color(role), "edgecolor": style.color("paper"), "linewidth": 0.8 if room > 3 else 0}
        (patch,) = ax.barh([top], [end - begin], left=begin, zorder=3, **bar_of, **look)
        panels = f"{bar['first']}" if bar["first"] == bar["last"] else f"{bar['first']}–{bar['last']}"
        style.tip(patch, f"{_name(process)}: {name} of panel {panels} from {unit.text(bar['begin'])} to {unit.text(bar['end'])}")
        if style.text_width(panels, style.SMALL) + 4 <= room:
            middle = ((begin + end) / 2, top + LANE / 2)
            _draw_text(ax, panels, middle, "data", "paper", ha="center", va="center_baseline")


def _draw_text(ax, text, at, coordinates, role, xytext=(0, 0), **how):
    ax.annotate(
        style.plain(text),
        at,
        xytext=xytext,
        xycoords=coordinates,
        textcoords="offset points",
        size=style.SMALL,
        color=style.color(role),
        annotation_clip=False,
        zorder=4,
        **how,
    )


def _notes(values):
    rows, cols = values["grid"]
    notes = [
        f"A grid of {rows} × {cols} processes{_hosts(values['processes'])}; blocks of {values['block']}; {_panels(values)}; "
        f"kernel {values['kernel']}; messages by {CARRIERS.get(values['carrier'], values['carrier'])}"
        f"{'; the same bits on every grid' if values['reproducible'] else ''}.",
        "The numbers are those of the panels. Where a lane is grey, none is under way.",
    ]
    if values["hidden_share"] is not None:
        notes.append("The messages' share is that of the process on which it is least.")
    if values["efficiency"] is not None:
        notes.append("Efficiency: the time of one GPU with the whole product, divided by the product's time and the number of GPUs.")
    if values["joined"]:
        notes.append(f"Bars with less than {pick.number(100 * NEAR, 2)} % of the time between them are drawn as one.")
    if values["left_out"]:
        notes.append(f"The first {MOST} of {MOST + values['left_out']} processes are drawn.")
    if values["failures"]:
        notes.append(f"Why it is wrong: {'; '.join(values['failures'])}.")
    return notes


def _hosts(processes):
    hosts = {process["host"] for process in processes}
    return f" on {hosts.pop()}" if len(hosts) == 1 else ""


def _panels(values):
    count = "1 panel" if values["panels"] == 1 else f"{values['panels']} panels"
    if values["tiles"] == 1:
        return f"{count} of {values['panel']}"
    found = f", {values['tiles_found']} of them found in a checkpoint" if values["tiles_found"] else ""
    return f"{values['tiles']} tiles of C{found}; {count} of {values['panel']}"
