"""Places labels so that none lies on another."""

GAP = 15  # points from one to the next in a column


def spread(wanted, gap, low, high):
    """Returns places for labels in a column, each as near as possible to its wanted place. Neighbours are at least `gap` apart,
    all lie between low and high, in the order of the wanted places. There must be room for them."""
    if not wanted:
        return []
    if (len(wanted) - 1) * gap > high - low + 1e-9:
        raise ValueError(f"{len(wanted)} labels {gap} apart do not fit between {low} and {high}")
    order = sorted(range(len(wanted)), key=lambda i: wanted[i])
    # Less the gaps below it, a place must not be lower than the one before. Places that would be share their mean.
    shares = []  # [sum, count]
    for rank, i in enumerate(order):
        shares.append([wanted[i] - rank * gap, 1])
        while len(shares) > 1 and shares[-2][0] / shares[-2][1] > shares[-1][0] / shares[-1][1]:
            total, count = shares.pop()
            shares[-1][0] += total
            shares[-1][1] += count
    highest = high - (len(wanted) - 1) * gap
    level = [min(max(total / count, low), highest) for total, count in shares for _ in range(count)]
    places = [0.0] * len(wanted)
    for rank, i in enumerate(order):
        places[i] = level[rank] + rank * gap
    return places


def place(ax, point, at, text, color, size, weight):
    """Draws a text that begins at `at`, joined to `point` by a thin line; both in points from the axes' lower left corner."""
    ax.annotate(
        "",
        point,
        xytext=(at[0] - 3, at[1]),
        xycoords="axes points",
        textcoords="axes points",
        arrowprops={"arrowstyle": "-", "color": color, "linewidth": 0.7, "shrinkA": 0, "shrinkB": 4, "alpha": 0.7},
        annotation_clip=False,
    )
    ax.annotate(
        text,
        at,
        xycoords="axes points",
        va="center_baseline",
        size=size,
        weight=weight,
        color=color,
        annotation_clip=False,
    )


def column(ax, points, texts, colors, x, size, weights):
    """Draws texts in a column at x (points right of the axes), each beside its point (in data) and joined to it by a thin
    line. The axes must have their limits."""
    width = ax.bbox.width
    at = [ax.transData.transform(point) - (ax.bbox.x0, ax.bbox.y0) for point in points]
    places = spread([y for _, y in at], GAP, GAP / 2, ax.bbox.height - GAP / 2)
    for point, y, text, color, weight in zip(at, places, texts, colors, weights):
        place(ax, point, (width + x, y), text, color, size, weight)
