"""Writes the titles of plots: a sentence with the finding of a run's figures.

Each function takes facts as values and returns a sentence. The sentence claims only facts that the values prove:

- A kernel passes cuBLAS if the lower quartile of its ratio, too, is above 100 % and the measurement was not noisy.
- "The first" is said of a rung only if every rung below it was measured, right and does not pass.
- "Every size" is said only if the kernel was timed, and passes, at each size of the plot.

Needs no matplotlib.
"""

from dataclasses import dataclass
from statistics import median

from plots import pick

NOISY = "the measurement was noisy; do not rely on this figure."
NOTE = f"?: {NOISY}"  # explains the mark wherever one is drawn


@dataclass(frozen=True)
class Standing:
    """A kernel beside cuBLAS on one product."""

    kernel: str  # "Rung 12", or the name of a user's kernel
    number: int | None  # the rung's number
    at: str  # "4096³"
    percent: float  # the median, in per cent of cuBLAS
    quartiles: list[float] | None  # the quartiles of the ratio, sample by sample
    trusted: bool
    is_fp32: bool  # if not, it is less accurate than cuBLAS and does not race with it

    @property
    def above(self):
        """True if it passes cuBLAS by its figure, whether the figure is trusted or not."""
        if not self.is_fp32:
            return False
        lowest = self.quartiles[0] if self.quartiles else self.percent
        return round(self.percent, 1) > 100 and lowest > 100

    @property
    def passes(self):
        return self.above and self.trusted

    @property
    def level(self):
        """True if its figure shows neither that it is faster than cuBLAS nor that it is slower."""
        highest = self.quartiles[2] if self.quartiles else self.percent
        return self.is_fp32 and not self.above and (round(self.percent, 1) >= 100 or highest >= 100)

    @property
    def text(self):
        return per_cent(self.percent) + ("" if self.trusted else " ?")


def standing(row):
    """Returns how a row stands beside cuBLAS; None if it is cuBLAS itself, is wrong or has no figure."""
    if row.is_reference or not row.is_right or "percent_of_cublas" not in row.figures:
        return None
    quartiles = pick.quartiles(pick.paired_percent(row))
    return Standing(
        who(row), row.number, size_text(row.size), row.figures["percent_of_cublas"], quartiles, row.trusted, not row.below_fp32
    )


def who(row):
    """Returns the kernel's name in a sentence: "Rung 12", "cuBLAS", or the name of a user's kernel. The arithmetic follows if it
    is less accurate than FP32."""
    if row.is_reference:
        return "cuBLAS"
    name = row.kernel if row.number is None else f"Rung {row.number}"
    return f"{name} ({row.below_fp32})" if row.below_fp32 else name


def size_text(size):
    """Returns "4096³" or "128×160×7168", in which no line breaks."""
    return pick.size_text(size, "×")


def per_cent(value):
    """Returns "104.9 %"."""
    return "under 0.1 %" if 0 <= value < 0.05 else f"{pick.number(value)} %"


def _inside(kernel):
    """Returns the kernel's name for the middle of a sentence: "rung 12"."""
    return "r" + kernel[1:] if kernel.startswith("Rung ") else kernel


def _joined(kernels):
    """Returns "Rungs 9 and 10" or "mine and yours"; for more than two kernels their count: "3 kernels"."""
    if len(kernels) > 2:
        return f"{len(kernels)} kernels"
    if len(kernels) == 2 and all(kernel.startswith("Rung ") for kernel in kernels):
        return f"Rungs {kernels[0][5:]} and {kernels[1][5:]}"
    return " and ".join(kernels)


# ---- kernels beside each other on one product


def of_ladder(rows):
    """Says which kernel passes cuBLAS on one product, or comes closest."""
    at = size_text(rows[0].size)
    others = [row for row in rows if not row.is_reference]
    others = [row for row in others if not row.below_fp32] or others
    here = [found for row in others if (found := standing(row))]
    if not others:
        return f"Only cuBLAS was timed at {at}"
    if not here:
        return f"No kernel has a right result beside cuBLAS at {at}"
    passing = [one for one in here if one.passes]
    if passing:
        return _of_passing(others, here, passing, at)
    noisy = [one for one in here if one.above]
    best = max(noisy or here, key=lambda one: one.percent)
    if noisy:
        return f"{best.kernel} may pass cuBLAS at {at}: {best.text}"
    if best.level and best.trusted:
        return f"{best.kernel} is level with cuBLAS at {at}: {best.text}"
    if len(others) == 1 or not best.trusted:
        return f"{best.kernel} reaches {best.text} of cuBLAS at {at}"
    alike = [one.kernel for one in here if one.text == best.text]
    comes = "comes" if len(alike) == 1 else "come"
    return f"{_joined(alike)} {comes} closest to cuBLAS at {at}: {best.text}"


def _of_passing(others, here, passing, at):
    best = max(passing, key=lambda one: one.percent)
    if len(passing) == len(others) > 1:
        every = "Both" if len(others) == 2 else f"All {len(others)}"
        return f"{every} kernels pass cuBLAS at {at}, {_inside(best.kernel)} with {best.text}"
    first = _first(here, passing)
    if first is None:
        return f"{best.kernel} passes cuBLAS at {at}: {best.text}"
    if first == best:
        return f"{first.kernel} is the first to pass cuBLAS at {at}: {best.text}"
    return f"{first.kernel} is the first to pass cuBLAS at {at}; {_inside(best.kernel)} reaches {best.text}"


def _first(here, passing):
    """Returns the lowest rung that passes; None if there is none, or if a rung below it might pass."""
    rungs = {one.number: one for one in here if one.number is not None}
    lowest = min((one.number for one in passing if one.number is not None), default=None)
    if lowest is None or lowest < 2:
        return None
    below = [rungs.get(number) for number in range(1, lowest)]
    return None if any(one is None or one.above for one in below) else rungs[lowest]


def of_traffic(rows):
    """Says which kernel moves the fewest sectors on one product, and how many times fewer than the first."""
    at = size_text(rows[0].size)
    first = rows[0]
    fewest = min(rows, key=lambda row: row.figures["global_sectors"])  # the lowest of equal rungs
    ratio = first.figures["global_sectors"] / fewest.figures["global_sectors"]
    if len(rows) == 1:
        return f"{who(first)} moves {pick.number(first.figures['global_sectors'], 0)} sectors at {at}"
    if ratio < 1.05:
        return f"No kernel moves clearly fewer sectors than {_inside(who(first))} at {at}"
    times = pick.number(ratio, 0 if ratio >= 10 else 1)
    return f"{who(fewest)} moves {times} times fewer sectors than {_inside(who(first))} at {at}"


# ---- kernels over many products


@dataclass(frozen=True)
class Series:
    """A kernel beside cuBLAS on several products."""

    standings: list[Standing]
    timed: int  # the number of products that it was timed on, right or wrong
    products: int  # the number of products that any kernel of the plot was timed on

    @property
    def kernel(self):
        return self.standings[0].kernel

    @property
    def passes(self):
        return sum(one.passes for one in self.standings)

    @property
    def above(self):
        return sum(one.above for one in self.standings)

    @property
    def median(self):
        return median(one.percent for one in self.standings)


def series(kernels, timed):
    """Returns a Series for each kernel. kernels: the right rows of each; timed: all rows, wrong ones too."""
    products = len({row.size for row in timed})
    return [
        Series(
            [standing(row) for row in rows],
            len({row.size for row in timed if (row.set, row.label) == (rows[0].set, rows[0].label)}),
            products,
        )
        for rows in kernels
    ]


def best_series(kernels):
    """Returns the kernel that passes cuBLAS most often; of several, the one with the highest median. A kernel that is less accurate
    than FP32 counts only if there is no other."""
    in_race = [one for one in kernels if one.standings[0].is_fp32]
    return max(in_race or kernels, key=lambda one: (one.passes, one.above, one.median))


def over_products(kernels, timed, noun, preposition):
    """Returns the finding for several products, as a sentence. `timed`: the rows of `kernels`, including wrong ones. `noun` and
    `preposition`: "size" and "at", or "shape" and "on"."""
    best = best_series(kernels)
    of_its = f"its {best.timed}" if best.timed < best.products else f"{best.timed}"
    if best.products == 1:
        return of_ladder(timed)
    if best.passes == best.timed == 1:
        return f"{best.kernel} passes cuBLAS {preposition} {best.standings[0].at}, its only {noun}"
    if best.passes == best.timed:
        every = f"each of its {best.timed} {noun}s" if best.timed < best.products else f"every {noun}"
        return f"{best.kernel} passes cuBLAS {preposition} {every}"
    if best.passes:
        perhaps = f", perhaps {best.above}" if best.above > best.passes else ""
        return f"{best.kernel} passes cuBLAS {preposition} {best.passes} of {of_its} {noun}s{perhaps}"
    if best.above:
        noisy = max((one for one in best.standings if one.above), key=lambda one: one.percent)
        return f"{best.kernel} may pass cuBLAS {preposition} {noisy.at}: {noisy.text}"
    return _below(kernels)


def _below(kernels):
    """Says which kernel is closest to cuBLAS, if no kernel passes on any product."""
    everything = [one for kernel in kernels for one in kernel.standings]
    everything = [one for one in everything if one.is_fp32] or everything
    closest = max([one for one in everything if one.trusted] or everything, key=lambda one: one.percent)
    if len(kernels) == 1:
        return f"{closest.kernel} passes cuBLAS nowhere; it is closest at {closest.at}, {closest.text}"
    return f"No kernel passes cuBLAS; {_inside(closest.kernel)} is closest, {closest.text} at {closest.at}"


# ---- a kernel on many shapes

CLOSE = 95  # per cent of cuBLAS; below it, a kernel loses


def over_shapes(summary):
    """Says how fast a kernel is in the mean of many shapes, and on how many it loses. summary: a shape_times.Summary."""
    kernel, count = who(summary.times[0]), len(summary.times)
    if count == 1:
        return f"{kernel} reaches {per_cent(summary.mean)} of cuBLAS on {size_text(summary.worst.size)}"
    return f"{kernel} reaches {per_cent(summary.mean)} of cuBLAS in the mean of {count} shapes, {_that_lose(summary)}"


def of_losses(summary):
    """Says on how many shapes a kernel loses, and on which it loses most."""
    kernel, worst = who(summary.times[0]), summary.worst
    if worst.percent >= CLOSE:
        return f"{kernel} is nowhere below {CLOSE} % of cuBLAS; it is slowest on {size_text(worst.size)}, {per_cent(worst.percent)}"
    of = f"{summary.below(CLOSE)} of {len(summary.times)} shapes"
    return f"{kernel} is below {CLOSE} % of cuBLAS on {of}; it is slowest on {size_text(worst.size)}, {per_cent(worst.percent)}"


def _that_lose(summary):
    below = summary.below(CLOSE)
    return f"and {CLOSE} % or more on each" if below == 0 else f"and less than {CLOSE} % on {below}"


# ---- kernels below the roofs


@dataclass(frozen=True)
class BelowRoofs:
    """A kernel's speed, and its limits by memory and by arithmetic, all in GFLOP/s."""

    kernel: str
    is_reference: bool
    speed: float
    copy: float  # its speed if its bytes moved as fast as a copy's
    peak: float  # the speed of multiply-adds alone
    trusted: bool

    @property
    def roof(self):
        return min(self.copy, self.peak)


def of_roofline(points, at):
    """Says which share of its roof the fastest kernel reaches. The roofs are FP32's, so a kernel on tensor cores may be above
    them. Such a kernel counts only if all kernels are above their roofs."""
    kernels = [one for one in points if not one.is_reference] or points
    kernels = [one for one in kernels if one.speed <= one.roof] or kernels
    best = max([one for one in kernels if one.trusted] or kernels, key=lambda one: one.speed)
    share, noisy = best.speed / best.roof, "" if best.trusted else " ?"
    of_what = "a copy's bandwidth" if best.copy < best.peak else "the speed of multiply-adds alone"
    if share > 1:
        return f"{best.kernel} is above its roof at {at}: {pick.number(share, 2)} times {of_what}{noisy}"
    return f"{best.kernel} reaches {per_cent(100 * share)}{noisy} of {of_what} at {at}"


# ---- the samples of one kernel

DRIFT = 2.0  # the least difference between end and beginning, in per cent, that is reported


def of_samples(row):
    """Says how far the samples of a row spread, or how the end differs from the beginning."""
    times, at, noisy = row.samples_ms, size_text(row.size), "" if row.trusted else " ?"
    if len(times) == 1:
        return f"{who(row)} has a single sample at {at}{noisy}"
    drift = _drift(times)
    if drift is not None:
        slower = "slower" if drift > 0 else "faster"
        clock = _change_of_clock(row.sample_clocks_mhz)
        as_clock = "" if clock is None else f"; the clock {'fell' if clock < 0 else 'rose'} by {per_cent(abs(clock))}"
        return f"{who(row)} ends {per_cent(abs(drift))} {slower} than it begins at {at}{noisy}{as_clock}"
    first, middle, third = pick.quartiles(times)
    spread = row.figures.get("spread", 100 * (third - first) / middle if middle else 0.0)
    return f"The middle half of {_inside(who(row))}'s samples at {at} spreads by {per_cent(spread)}{noisy}"


def _quarters(values):
    count = len(values) // 4
    return values[:count], values[len(values) - count :]


def _drift(times):
    """Returns by how many per cent the last quarter takes longer than the first; None if the two cannot be told apart."""
    if len(times) < 12:
        return None
    (first, begin, third), (last_first, end, last_third) = (pick.quartiles(quarter) for quarter in _quarters(times))
    apart = third < last_first or last_third < first
    drift = 100 * (end / begin - 1) if begin else 0.0
    return drift if apart and abs(drift) >= DRIFT else None


def _change_of_clock(clocks):
    """Returns by how many per cent the clock changed from the first quarter to the last; None if it did not, or is unknown."""
    begin, end = ([clock for clock in quarter if clock] for quarter in _quarters(clocks))
    if not begin or not end:
        return None
    change = 100 * (median(end) / median(begin) - 1)
    return change if abs(change) >= 1 else None


# ---- the processes of a distributed product


def has_messages(product):
    return any(process["received_bytes"] for process in product["processes"])


def of_timeline(product, is_simulated):
    """Says how much of the messages' time lies behind products, and the efficiency if it is known. product: one of
    Context.distributed."""
    at = size_text([product[key] for key in "mnk"])
    gpus = product["grid_rows"] * product["grid_cols"]
    named = f"{gpus}{' simulated' if is_simulated else ''} GPU{'' if gpus == 1 else 's'}"
    hidden, efficiency = product["hidden_share"], product["efficiency"]
    if not product["correct"]:
        return f"The product of {named} at {at} is wrong"
    if is_simulated:
        return f"A product at {at} on {named}; its times tell nothing about real ones"
    if not has_messages(product):
        found = f"No messages are needed at {at}"
    elif hidden is None:
        found = f"A product at {at} on {named}"
    else:
        share = per_cent(100 * hidden)
        found = f"{share[0].upper()}{share[1:]} of the messages' time lies behind products at {at}"
    return found if efficiency is None else f"{found}; the efficiency of {named} is {per_cent(100 * efficiency)}"


# ---- errors over K


def of_errors(rows):
    """Says which kernels err least at the largest K that most kernels have, and compares their error with the reference's. Errors
    within a hundredth of each other are equal."""
    others = [row for row in rows if not pick.is_rung_0(row)]
    counted = [row.size[2] for row in others]
    k = max(counted, key=lambda one: (counted.count(one), one))
    here = [row for row in others if row.size[2] == k]
    best = min(here, key=lambda row: row.figures["frobenius_error"])
    error, reference = best.figures["frobenius_error"], best.figures.get("reference_frobenius_error")
    at = f"at K = {pick.number(k, 0)}"
    least = [who(row) for row in here if row.figures["frobenius_error"] <= 1.01 * error]
    subject, errs = (least[0], "errs") if len(least) == 1 else (_joined(least), "err")
    if not reference:
        return f"{subject} {errs} least {at}: {error:.1e}"
    against = _against_reference(error / reference)
    if len(least) == len(here):
        return f"{subject} {errs} {against} {at}"
    return f"{subject} {errs} least {at}, {against}"


def _against_reference(ratio):
    if 0.95 <= ratio <= 1.05:
        return "as much as the reference"
    if ratio < 1:
        return f"{pick.number(1 / ratio)} times less than the reference"
    return f"{pick.number(ratio)} times as much as the reference"


# ---- a run beside its base


def of_comparison(rows):
    """Returns the gravest of the rows' verdicts, as a sentence."""
    of = {}
    for row in rows:
        of.setdefault(row.comparison.verdict, []).append(row)
    slower, faster, unsure = (of.get(verdict, []) for verdict in ("SLOWER", "FASTER", "UNSURE"))
    if "WRONG" in of:
        return _told(of["WRONG"], rows, "is wrong", "are wrong")
    if slower:
        return _told(slower, rows, "is slower", "are slower") + _most(slower)
    if "CHANGED" in of:
        what = "counters, paths or launches than the base"
        return _told(of["CHANGED"], rows, f"has other {what}", f"have other {what}")
    if unsure:
        return f"Nothing is surely slower; {_told(unsure, rows, 'is unsure', 'are unsure', _inside)}"
    if faster:
        return f"Nothing is slower; {_told(faster, rows, 'is faster', 'are faster', _inside)}{_most(faster)}"
    return "The only row is the same as in the base" if len(rows) == 1 else f"All {len(rows)} rows are the same as in the base"


def row_name(row):
    """Returns "Rung 11 at 4096³"; for a lab, the name of its row."""
    if not row.size:
        return row.name.removeprefix("lab/")
    return f"{who(row)} at {size_text(row.size)}{', cold' if row.cold else ''}"


def _told(some, rows, one, several, name=lambda text: text):
    if len(some) == 1:
        return f"{name(row_name(some[0]))} {one}"
    return f"{len(some)} of {len(rows)} rows {several}"


def _most(rows):
    """Says how much the row changed. For several rows, names the row that changed most."""
    known = [row for row in rows if row.comparison.change_percent is not None]
    if not known:
        return ""
    most = max(known, key=lambda row: abs(row.comparison.change_percent))
    which = "" if len(rows) == 1 else f", {_inside(row_name(most))} most,"
    return f"{which} by {per_cent(abs(most.comparison.change_percent))}"
