"""The decision tree of local recoding: where rows go, also those that nobody has seen yet.

A tree is plain data. An inner node has ``levels`` (a level for every column: the labels of a row at
these levels choose the child), ``children`` (a list of ``labels``, one per split column, and
``node``), ``columns`` (the places of the split columns) and ``rest`` (where all other rows go, None
where there was none: such a new row is suppressed). A leaf has ``leaf`` (its number) and ``levels``
of its cells, or is None where rows are suppressed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from petaudit.anonymizing.columns import Column, Label

Tree = Mapping[str, Any]


def walked(
    tree: Tree | None, paths: Sequence[Sequence[Label]]
) -> tuple[int, tuple[int, ...]] | None:
    """The leaf of a row and the levels of its cells; None where the row is to be suppressed.

    ``paths`` has the labels of each cell of the row by level, from itself up to the root.

    >>> leaf = lambda number, level: {"leaf": number, "levels": [level]}
    >>> europe = {"columns": [0], "levels": [1], "rest": leaf(1, 2),
    ...           "children": [{"labels": ["Europe"], "node": leaf(0, 1)}]}
    >>> walked(europe, [("Rome", "Europe", "*")]), walked(europe, [("Lima", "America", "*")])
    ((0, (1,)), (1, (2,)))
    """
    while tree is not None and "leaf" not in tree:
        labels = [
            paths[column][level]
            for column, level in zip(tree["columns"], tree["levels"], strict=True)
        ]
        tree = next(
            (child["node"] for child in tree["children"] if child["labels"] == labels),
            tree["rest"],
        )
    return None if tree is None else (tree["leaf"], tuple(tree["levels"]))


def paths_of(column: Column, leaf: int) -> tuple[Label, ...]:
    """The labels of a leaf by level."""
    return tuple(
        labels[code] for labels, code in zip(column.labels, column.codes[:, leaf], strict=True)
    )
