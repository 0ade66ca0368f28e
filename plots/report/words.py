"""Writes a run's figures, sizes and names for the report, in one place, so that all sections write alike."""

BLANK = "\u00a0"  # a blank at which no line breaks
MINUS = "\u2212"
TIMES = "×"


def decimal(value, decimals):
    """Returns "50 573" or "12.7" with the decimals of the list of metrics; "1.2e−07" for -1 decimals."""
    if decimals < 0:
        return f"{value:.1e}".replace("-", MINUS)
    return f"{value:,.{decimals}f}".replace(",", BLANK).replace("-", MINUS)


def whole(value):
    return f"{value:,}".replace(",", BLANK)


def milliseconds(value):
    """Returns four digits of any time: 275.1, 2.701, 0.004407."""
    decimals = 1
    while decimals < 9 and value * 10**decimals < 1000:
        decimals += 1
    return decimal(value, decimals)


def signed(value, decimals):
    return ("+" if value > 0 else "") + decimal(value, decimals)


def size(row):
    """Returns "4096³" or "16 × 4096 × 4096"; for a lab's variant, its parameters; empty if it has neither."""
    if row.size:
        m, n, k = row.size
        return f"{m}³" if m == n == k else f"{m} {TIMES} {n} {TIMES} {k}"
    return ", ".join(f"{name} {value}" for name, value in row.parameters.items())


def kernel(row):
    """Returns "coalesced", or "copy_stride/8" for a variant."""
    return f"{row.kernel}/{row.variant}" if row.variant else row.kernel


def kernel_with_number(row):
    return kernel(row) if row.number is None else f"{row.number} {kernel(row)}"


def idea(row):
    """Returns a line on how the lanes of a lab's variant walk; empty for other rows."""
    said = row.json.get("idea")
    return said if isinstance(said, str) else ""


def options(row):
    """Returns the options of a row that are not the default, in a few words."""
    texts = []
    if row.size:  # results.read() has checked that a problem has these fields
        m, n, k = row.size
        texts += [f"{key} {row.json[key]:g}" for key, default in (("alpha", 1), ("beta", 0)) if row.json[key] != default]
        rows = (("lda", k), ("ldb", n), ("ldc", n))
        texts += [f"{key} {row.json[key]}" for key, dense in rows if row.json[key] != max(dense, 1)]
        texts += [f"{key} {row.json[key]}" for key in ("offset_a", "offset_b", "offset_c") if row.json.get(key)]
        if row.data != "uniform":
            texts.append(f"{row.data} data")
    if row.below_fp32:
        texts.append(f"{row.below_fp32}, less accurate than FP32")
    if row.cold:
        texts.append("cold")
    if row.once:
        texts.append("one launch")
    return ", ".join(texts)


NOT_TRUSTED = "not trusted"


def judged(row):
    """Returns the program's finding on a row: "refused", "wrong", "not trusted" or "right"."""
    if row.refusal:
        return "refused"
    if not row.is_right:
        return "wrong"
    return "right" if row.trusted else NOT_TRUSTED


def why(row):
    """Returns the program's reasons for its finding, a sentence each; none for a row that is right."""
    if row.refusal:
        return [row.refusal]
    texts = [row.json["error_message"]] if isinstance(row.json.get("error_message"), str) else []
    if not row.correct and not texts:
        texts.append("the result is wrong")
    if not row.promise_kept:
        texts.append("the promise is not kept")
    return texts + row.contract_broken + row.hazards + row.doubts
