"""Slow twins of four figures, written straight from their definitions.

Property tests compare them with the fast implementation, so nothing here may share its short cuts:
distances are solved as transport problems, entropies are added up row by row.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import pairwise
from math import fsum, log2
from typing import Literal

import numpy as np
from scipy.optimize import linprog

Table = list[dict[str, str | None]]
Hierarchy = dict[str, list[str]]
Hierarchies = Mapping[str, Hierarchy]
Value = Decimal | str | None
Shares = Mapping[Value, Fraction]
Amount = int | Decimal | Fraction
Suppressed = Literal["exclude", "class"]
Unknown = Literal["error", "maximal"]
Distance = Literal["ordered", "hierarchical", "equal"]
STAR = "*"


def with_root(hierarchy: Hierarchy) -> Hierarchy:
    """Return the hierarchy with a root level `*` added when its top level holds several labels."""
    if len({len(path) for path in hierarchy.values()}) != 1:
        raise ValueError("a hierarchy has at least one path, and all of them are equally long")
    top_labels = {[leaf, *path][-1] for leaf, path in hierarchy.items()}
    root = [STAR] if len(top_labels) > 1 else []
    return {leaf: [*path, *root] for leaf, path in hierarchy.items()}


def paths_from_leaf(hierarchy: Hierarchy) -> dict[Value, list[Value]]:
    """Return for each leaf, null included, its labels from level 0 (itself) to the top."""
    rooted = with_root(hierarchy)
    paths: dict[Value, list[Value]] = {leaf: [leaf, *rooted[leaf]] for leaf in rooted}
    *below, top = next(iter(paths.values()))
    paths[None] = [*(None for _ in below), top] if below else [None]
    return paths


def level_of(label: Value, hierarchy: Hierarchy) -> int:
    """Return the lowest level at which a label occurs; KeyError when it occurs nowhere."""
    levels = list(zip(*paths_from_leaf(hierarchy).values(), strict=True))
    found = [level for level, labels in enumerate(levels) if label in labels]
    if not found and label != STAR:
        raise KeyError(label)
    return min(found, default=len(levels) - 1)


def is_suppressed(row: Mapping[str, str | None], qis: Sequence[str]) -> bool:
    """Tell whether every quasi-identifier of the row is `*` (never so without any)."""
    return len(qis) > 0 and all(row[qi] == STAR for qi in qis)


def classes(rows: Table, qis: Sequence[str], suppressed: Suppressed = "exclude") -> list[list[int]]:
    """Return the row indices of each group of rows that agree on all quasi-identifiers."""
    groups: dict[tuple[str | None, ...], list[int]] = {}
    for index, row in enumerate(rows):
        if suppressed == "class" or not is_suppressed(row, qis):
            groups.setdefault(tuple(row[qi] for qi in qis), []).append(index)
    return list(groups.values())


def ordered_distance(a: Value, b: Value, sorted_values: Sequence[Value]) -> Fraction:
    """Return the difference of the two ranks over the largest possible one."""
    steps = abs(sorted_values.index(a) - sorted_values.index(b))
    return Fraction(steps, len(sorted_values) - 1) if steps else Fraction(0)


def hierarchical_distance(a: Value, b: Value, hierarchy: Hierarchy) -> Fraction:
    """Return the height of the lowest common ancestor over the height of the hierarchy."""
    paths = paths_from_leaf(hierarchy)
    for level, (label_a, label_b) in enumerate(zip(paths[a], paths[b], strict=True)):
        if label_a == label_b:
            return Fraction(level, len(paths[a]) - 1) if level else Fraction(0)
    # Only a null next to a leaf that is its own root comes here: they meet above that root.
    return Fraction(1)


def equal_distance(a: Value, b: Value) -> Fraction:
    """Return 0 for the same value, 1 for any other."""
    return Fraction(0) if a == b else Fraction(1)


def emd_by_transport(p: Shares, q: Shares, ground: Callable[[Value, Value], Fraction]) -> float:
    """Return the least cost of moving p onto q, solved as a linear program."""
    values = list(dict.fromkeys([*p, *q]))
    m = len(values)
    cost = np.array([[float(ground(a, b)) for b in values] for a in values])
    # The unknowns are the m * m flows, those that leave the first value first.
    total_leaving = np.kron(np.eye(m), np.ones((1, m)))
    total_arriving = np.kron(np.ones((1, m)), np.eye(m))
    constraints = np.vstack([total_leaving, total_arriving])
    amounts = [float(share.get(value, 0)) for share in (p, q) for value in values]
    answer = linprog(cost.ravel(), A_eq=constraints, b_eq=amounts, bounds=(0, None), method="highs")
    if not answer.success:
        raise ArithmeticError(answer.message)
    return float(answer.fun)


def shares(values: Sequence[Value]) -> dict[Value, Fraction]:
    """Return the relative frequency of each value."""
    return {value: Fraction(count, len(values)) for value, count in Counter(values).items()}


def sensitive_values(rows: Table, sensitive: str, distance: Distance) -> list[Value]:
    """Return the column as the distance sees it: as numbers when ordered, else as labels."""
    cells: list[Value] = [row[sensitive] for row in rows]
    if distance != "ordered":
        return cells
    return [None if cell is None else Decimal(cell) for cell in cells]


def ranked(values: Sequence[Value]) -> list[Value]:
    """Return the distinct numbers in ascending order, then null if it occurs."""
    return sorted(set(values), key=lambda value: (value is None, Decimal(value or 0)))


def tree_for(values: Sequence[Value], hierarchy: Hierarchy) -> Hierarchy:
    """Return the hierarchy if it has every value as a leaf and no node with two parents."""
    paths = paths_from_leaf(hierarchy)
    if missing := set(values) - set(paths):
        raise KeyError(missing)
    parents: dict[tuple[int, Value], Value] = {}
    for path in paths.values():
        for level, (node, parent) in enumerate(pairwise(path)):
            if parents.setdefault((level, node), parent) != parent:
                raise ValueError(f"{node!r} of level {level} has two parents")
    return hierarchy


def t_closeness(
    rows: Table,
    qis: Sequence[str],
    sensitive: str,
    distance: Distance,
    hierarchy: Hierarchy | None = None,
    suppressed: Suppressed = "exclude",
) -> float:
    """Return the largest transport cost between a class and the whole table."""
    values = sensitive_values(rows, sensitive, distance)
    ground: Callable[[Value, Value], Fraction] = equal_distance
    if distance == "ordered":
        ground = partial(ordered_distance, sorted_values=ranked(values))
    elif distance == "hierarchical":
        ground = partial(hierarchical_distance, hierarchy=tree_for(values, hierarchy or {}))
    per_class = [shares([values[i] for i in group]) for group in classes(rows, qis, suppressed)]
    return max((emd_by_transport(p, shares(values), ground) for p in per_class), default=0.0)


def carried_along_the_order(extra: Shares, order: Sequence[Value]) -> Fraction:
    """Return the cost of pushing each surplus to the next larger value (seed, step 3, one)."""
    carried, cost = Fraction(0), Fraction(0)
    for value in order[:-1]:
        carried += extra[value]
        cost += abs(carried) / (len(order) - 1)
    return cost


def cancelled_node_by_node(extra: Shares, hierarchy: Hierarchy) -> Fraction:
    """Return the cost of cancelling the surpluses under each node, low to high (step 3, two)."""
    paths = list(paths_from_leaf(hierarchy).values())
    if len(paths[0]) == 1:
        # A leaf that is its own root: give it a real one, where a null can meet it.
        paths = [[*path, STAR] for path in paths]
    height = len(paths[0]) - 1
    at_nodes, cost = dict(extra), Fraction(0)
    for level in range(1, height + 1):
        parent_of = {path[level - 1]: path[level] for path in paths}
        under: dict[Value, list[Fraction]] = {}
        for node, surplus in at_nodes.items():
            under.setdefault(parent_of[node], []).append(surplus)
        for surpluses in under.values():
            positive = sum((s for s in surpluses if s > 0), Fraction(0))
            negative = sum((-s for s in surpluses if s < 0), Fraction(0))
            cost += Fraction(level, height) * min(positive, negative)
        at_nodes = {node: sum(surpluses, Fraction(0)) for node, surpluses in under.items()}
    return cost


def t_closeness_exact(
    rows: Table,
    qis: Sequence[str],
    sensitive: str,
    distance: Distance,
    hierarchy: Hierarchy | None = None,
    suppressed: Suppressed = "exclude",
) -> Fraction:
    """Return the same figure by the seed's own procedure, exactly."""
    values = sensitive_values(rows, sensitive, distance)
    in_table, worst = shares(values), Fraction(0)
    tree = tree_for(values, hierarchy or {}) if distance == "hierarchical" else {}
    for members in classes(rows, qis, suppressed):
        in_class = shares([values[index] for index in members])
        extra = {v: in_class.get(v, Fraction(0)) - share for v, share in in_table.items()}
        if distance == "ordered":
            worst = max(worst, carried_along_the_order(extra, ranked(values)))
        elif distance == "hierarchical":
            worst = max(worst, cancelled_node_by_node(extra, tree))
        else:
            worst = max(worst, sum((abs(surplus) for surplus in extra.values()), Fraction(0)) / 2)
    return worst


def entropy_loss_and_maximum(
    original: Table, anonymized: Table, column: str, hierarchy: Hierarchy
) -> tuple[float, float]:
    """Return what one column lost and the most that it could have lost, in bits."""
    paths = paths_from_leaf(hierarchy)
    levels = {label: level_of(label, hierarchy) for label in {row[column] for row in anonymized}}
    cells = [
        (paths[before[column]], levels[after[column]])
        for before, after in zip(original, anonymized, strict=True)
    ]
    losses: list[float] = []
    previous = 0
    for step in sorted({level for _, level in cells}):
        used = [path for path, level in cells if level >= step]
        finer = Counter(path[previous] for path in used)
        coarser = Counter(path[step] for path in used)
        losses += [-log2(finer[path[previous]] / coarser[path[step]]) for path in used]
        previous = step
    raw = Counter(row[column] for row in original)
    maxima = [-log2(raw[row[column]] / len(original)) for row in original]
    return fsum(losses), fsum(maxima)


def non_uniform_entropy(
    original: Table, anonymized: Table, columns: Sequence[str], hierarchies: Hierarchies
) -> float:
    """Return the share of information that is left over all columns together."""
    pairs = [entropy_loss_and_maximum(original, anonymized, c, hierarchies[c]) for c in columns]
    maximum = fsum(most for _, most in pairs)
    return 1 - fsum(loss for loss, _ in pairs) / maximum if maximum > 0 else 1.0


def non_uniform_entropy_by_column(
    original: Table, anonymized: Table, columns: Sequence[str], hierarchies: Hierarchies
) -> dict[str, float]:
    """Return the same figure for each column on its own."""
    return {c: non_uniform_entropy(original, anonymized, [c], hierarchies) for c in columns}


def cell_cost(label: Value, hierarchy: Hierarchy, unknown: Unknown) -> Fraction:
    """Return how far up its hierarchy a label of a row that is not suppressed stands."""
    paths = list(paths_from_leaf(hierarchy).values())
    if unknown == "maximal" and label != STAR and not any(label in path for path in paths):
        return Fraction(1)
    # Where there is a single level, it is level 0 and costs nothing.
    return Fraction(level_of(label, hierarchy), max(len(paths[0]) - 1, 1))


def precision(
    anonymized: Table,
    columns: Sequence[str],
    hierarchies: Hierarchies,
    suppressed_when: Sequence[str] | None = None,
    unknown: Unknown = "error",
) -> Fraction:
    """Return 1 - mean cost; a row with `*` in all `suppressed_when` (or columns) costs 1."""
    deciding = columns if suppressed_when is None else suppressed_when
    kept = [row for row in anonymized if not is_suppressed(row, deciding)]
    total = Fraction(0)
    for column in columns:
        labels = {row[column] for row in kept}
        cost_of = {label: cell_cost(label, hierarchies[column], unknown) for label in labels}
        costs = [cost_of[row[column]] for row in kept]
        costs += [Fraction(1)] * (len(anonymized) - len(kept))
        total += sum(costs, Fraction(0)) / max(len(costs), 1)
    return 1 - total / max(len(columns), 1)


def profitability(
    rows: Table,
    qis: Sequence[str],
    cost: Amount,
    gain: Amount,
    loss: Amount,
    benefit: Amount,
    allow_attack: bool,
    suppressed: Suppressed = "exclude",
) -> bool:
    """Tell whether publishing pays for every row (and, if not `allow_attack`, no attack does)."""
    cost, gain, loss, benefit = (Fraction(amount) for amount in (cost, gain, loss, benefit))
    for class_size in [len(group) for group in classes(rows, qis, suppressed) for _row in group]:
        expected_gain = gain / class_size
        risk = Fraction(0) if expected_gain < cost else loss / class_size
        if not benefit > risk or not (allow_attack or cost > expected_gain):
            return False
    return True
