"""Slow twins of the utility measures, written straight from their definitions.

Rows are dicts of labels; exact fractions, one row at a time, no short cuts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from math import prod

Row = Mapping[str, str | None]
Hierarchy = Mapping[str, Sequence[str]]
Hierarchies = Mapping[str, Hierarchy]
Number = Fraction | None
Interval = tuple[Fraction, Fraction] | None
STAR = "*"


def paths(hierarchy: Hierarchy) -> list[list[str]]:
    """Every leaf with the labels above it, up to one root."""
    result = [[leaf, *above] for leaf, above in hierarchy.items()]
    tops = {path[-1] for path in result}
    return [[*path, STAR] for path in result] if len(tops) > 1 else result


def leaves_under(label: str | None, hierarchy: Hierarchy, unknown: str = "error") -> int:
    """How many leaves a label may stand for."""
    if label == STAR:
        return len(hierarchy)
    number = sum(label in path for path in paths(hierarchy))
    if not number and unknown == "maximal":
        return len(hierarchy)
    assert number, label
    return number


def normalised(figure: Fraction, best: Fraction, worst: Fraction) -> Fraction:
    """1 at the best, 0 at the worst, 1 where both are the same."""
    if best == worst:
        return Fraction(1)
    return 1 - max(Fraction(0), min(Fraction(1), (figure - best) / (worst - best)))


def ambiguity(
    rows: Sequence[Row], names: Sequence[str], trees: Hierarchies, unknown: str = "error"
) -> Fraction:
    """Add up what each row may stand for."""
    n = len(rows)
    stands_for = [
        prod(leaves_under(row[name], trees[name], unknown) for name in names) for row in rows
    ]
    most = prod(len(trees[name]) for name in names)
    return normalised(Fraction(sum(stands_for)), Fraction(n), Fraction(n * most))


def granularity(
    rows: Sequence[Row], names: Sequence[str], trees: Hierarchies, unknown: str = "error"
) -> Fraction:
    """Average the shares over rows, then columns; normalise last."""
    shares, least = [], []
    for name in names:
        domain = len(trees[name])
        entry = [Fraction(leaves_under(row[name], trees[name], unknown), domain) for row in rows]
        shares.append(sum(entry, Fraction(0)) / len(rows))
        least.append(Fraction(1, domain))
    columns = len(names)
    return normalised(
        sum(shares, Fraction(0)) / columns, sum(least, Fraction(0)) / columns, Fraction(1)
    )


def iyengar_loss(rows: Sequence[Row], name: str, tree: Hierarchy) -> Fraction:
    """The loss of one column as its paper has it: the mean of (M_p - 1) / (M - 1)."""
    if len(tree) == 1:
        return Fraction(0)
    losses = [Fraction(leaves_under(row[name], tree) - 1, len(tree) - 1) for row in rows]
    return sum(losses, Fraction(0)) / len(rows)


def is_suppressed(row: Row, names: Sequence[str]) -> bool:
    return all(row[name] == STAR for name in names)


def average_class(rows: Sequence[Row], names: Sequence[str]) -> Fraction:
    """Rows over different combinations; a table without any counts as one class."""
    kept = [row for row in rows if not is_suppressed(row, names)]
    if not kept:
        return Fraction(len(rows))
    return Fraction(len(kept), len({tuple(row[name] for name in names) for row in kept}))


def average_class_size(
    original: Sequence[Row], released: Sequence[Row], names: Sequence[str]
) -> Fraction:
    return normalised(
        average_class(released, names), average_class(original, names), Fraction(len(released))
    )


def penalty(rows: Sequence[Row], names: Sequence[str]) -> int:
    """For each row, look at each row: can they be told apart?"""
    total = 0
    for row in rows:
        if is_suppressed(row, names):
            total += len(rows)
        else:
            total += sum(all(row[name] == other[name] for name in names) for other in rows)
    return total


def discernibility(
    original: Sequence[Row], released: Sequence[Row], names: Sequence[str]
) -> Fraction:
    return normalised(
        Fraction(penalty(released, names)),
        Fraction(penalty(original, names)),
        Fraction(len(released) ** 2),
    )


def suppressed_cells(rows: Sequence[Row], name: str, tree: Hierarchy | None) -> int:
    """Cells that are a star, or a root that is no leaf."""
    marks = {STAR}
    if tree is not None and (root := paths(tree)[0][-1]) not in tree:
        marks.add(root)
    return sum(row[name] in marks for row in rows)


# --- numbers --------------------------------------------------------------------------------


def farther(x: Fraction, interval: tuple[Fraction, Fraction]) -> Fraction:
    return max(abs(x - end) for end in interval)


def cell(x: Number, y: Interval, span: tuple[Fraction, Fraction]) -> tuple[Fraction, Fraction]:
    """How far a cell moved at the worst, and how far it could have."""
    if x is None:
        width = span[1] - span[0]
        return (Fraction(0) if y is None else width), width
    largest = farther(x, span)
    return (largest if y is None else min(farther(x, y), largest)), largest


def spanned(column: Sequence[Number]) -> tuple[Fraction, Fraction]:
    numbers = [x for x in column if x is not None]
    return min(numbers), max(numbers)


def attribute_error(before: Sequence[Number], after: Sequence[Interval]) -> Fraction:
    """1 - sum of squares / sum of the largest squares, for a column that is not constant."""
    span = spanned(before)
    cells = [cell(x, y, span) for x, y in zip(before, after, strict=True)]
    lost = sum((distance**2 for distance, _ in cells), Fraction(0))
    most = sum((largest**2 for _, largest in cells), Fraction(0))
    return 1 - lost / most


def record_error(
    before: Mapping[str, Sequence[Number]], after: Mapping[str, Sequence[Interval]]
) -> float:
    """1 - distances of the rows / largest distances, in floats; some column is not constant."""
    rows = len(next(iter(before.values())))
    lost = most = 0.0
    variances = {}
    for name, column in before.items():
        numbers = [x for x in column if x is not None]
        mean = sum(numbers, Fraction(0)) / len(numbers)
        variances[name] = sum(((x - mean) ** 2 for x in numbers), Fraction(0)) / len(numbers)
    for row in range(rows):
        squares = largest_squares = Fraction(0)
        for name, column in before.items():
            if variances[name]:
                distance, largest = cell(column[row], after[name][row], spanned(column))
                squares += distance**2 / variances[name]
                largest_squares += largest**2 / variances[name]
        lost += float(squares) ** 0.5
        most += float(largest_squares) ** 0.5
    return 1 - lost / most
